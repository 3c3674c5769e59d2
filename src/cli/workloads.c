/* Workloads as files: easim gen and easim import. */
#include "base/child.h"
#include "cli/cli.h"
#include "cli/internal.h"
#include "cli/scenario_args.h"
#include "ingest/formats.h"
#include "ingest/logs/formats.h"
#include "workload/record.h"
#include "workload/trace_change.h"
#include "workload/trace_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* --- gen: the jobs of one replication as a workload CSV --- */

static int write_rows(const struct options *options, const struct study *study,
                      const struct workload *workload, struct error *reterr) {
    struct trace trace = {0};
    record_jobs(&study->source, workload, &trace);
    struct trace_file_pieces pieces = trace_file_pieces(&trace);
    const struct text_source rows = {trace_file_next_piece, &pieces};
    int r = cli_write_pieces(options->output, &rows, reterr);
    if (r == 0 && !options->quiet) {
        struct str section = {0};
        record_section(&study->source, options->output ? options->output : "FILE", &section);
        cli_say("%zu jobs; to run them: workload: %s\n", trace.rows.count, section.text);
        str_finish(&section);
    }
    str_finish(&pieces.text);
    trace_finish(&trace);
    return r;
}

static int generate_jobs(struct options *options, const struct study *study) {
    struct workload workload = {0};
    struct error error = {0};
    const char *obstacle = record_obstacle(&study->source);
    int code = EXIT_DONE;
    if (obstacle) {
        problems_add(&options->problems, study->scenario.workload->where, "workload",
                     "no workload CSV can hold these jobs: %s", obstacle);
        code = cli_report_problems(&options->problems);
    } else if (study_generate(study, (uint32_t)options->replication - 1, &workload,
                              &options->problems) < 0) {
        code = cli_report_problems(&options->problems);
    } else if (write_rows(options, study, &workload, &error) < 0) {
        code = cli_report_error(&error);
    }
    workload_finish(&workload);
    return code;
}

int cli_gen(struct options *options) {
    return scenario_args_run(options, generate_jobs);
}

/* --- import --- */
/* A recorded job log as a workload CSV, with a report of what was read, kept, changed and
   dropped. */

/* The instant of t = 0, which is also what start_time of a scenario wants. */
static void report_offset(const struct trace_reader *reader, double offset_s, const char *what,
                          const char *name, struct str *log) {
    char date[32] = "";
    time_t instant = (time_t)offset_s;
    struct tm utc;
    if (reader->options & TRACE_OPTION_TIME_ZONE && gmtime_r(&instant, &utc))
        strftime(date, sizeof date, " (%Y-%m-%dT%H:%M:%SZ)", &utc);
    str_addf(log, "%s: %s at %.15g s%s is now 0\n", name, what, offset_s, date);
}

static void report_reading(const struct trace_reader *reader, const struct trace *trace,
                           const char *name, struct str *log) {
    str_addf(log, "%s: %llu rows read, %zu kept\n", name, (unsigned long long)trace->rows_read,
             trace->rows.count);
    if (trace->unused)
        str_addf(log, "%s: not used: %s\n", name, trace->unused);
    if (trace->offset_s != 0)
        report_offset(reader, trace->offset_s, "first submit", name, log);
    trace_write_notes(trace, name, "", log);
}

/* A workload CSV does not say where the lead ends. */
static void report_slice(const struct trace *trace, const struct trace_changes *changes,
                         const char *name, struct str *log) {
    int64_t lead_ns = trace_change_lead_ns(changes);
    if (lead_ns > 0)
        str_addf(log, "%s: the slice begins at %.15g s: run it with workload.warmup=%.15g\n", name,
                 units_s(lead_ns), units_s(lead_ns));
    if (trace->is_cut)
        str_addf(log,
                 "%s: the slice begins on an empty cluster: --lead 7d keeps the jobs of the 7 days "
                 "before\n",
                 name);
}

/* What the options do to all rows together, and its report. */
static void change_rows(const struct options *options, const struct trace_reader *reader,
                        const struct trace_assignment *assignment, struct trace *trace,
                        struct str *log) {
    const char *name = options->operand_count == 2 ? options->operands[1] : "all files";
    size_t before = trace->rows.count;
    double offset_s = trace->offset_s;
    trace->notes.count = 0; /* those of the files are told */
    trace_change(trace, &options->changes);
    if (options->assign)
        trace_assign(trace, assignment, options->changes.seed);
    if (trace->rows.count != before || options->operand_count > 2)
        str_addf(log, "%s: %zu rows written\n", name, trace->rows.count);
    if (trace->offset_s != offset_s || (options->operand_count > 2 && offset_s != 0))
        report_offset(reader, trace->offset_s,
                      options->changes.lead_s > 0 ? "lead" : "first submit", name, log);
    trace_write_notes(trace, name, "", log);
    report_slice(trace, &options->changes, name, log);
}

static int read_inputs(const struct options *options, const struct trace_reader *reader,
                       struct trace *trace, struct str *log, struct problems *problems) {
    size_t count = options->operand_count - 1;
    const struct trace_options reading = {.models = options->models,
                                          .time_zone = options->time_zone,
                                          .work = options->work.at,
                                          .work_count = options->work.count};
    struct trace *parts = mem_zalloc(count, sizeof *parts);
    for (size_t i = 0; i < count; i++)
        if (reader->read(options->operands[i + 1], &reading, &parts[i], problems) == 0)
            report_reading(reader, &parts[i], options->operands[i + 1], log);
    if (count == 1) {
        *trace = parts[0];
        parts[0] = (struct trace){0};
    } else {
        trace_join(trace, parts, count);
        trace_sort(trace, true);
    }
    for (size_t i = 0; i < count; i++)
        trace_finish(&parts[i]);
    free(parts);
    return problems->count > 0 ? ERROR_INPUT : 0;
}

static int write_workload(const struct options *options, const struct trace *trace,
                          const struct str *cluster, struct error *reterr) {
    struct trace_file_pieces pieces = trace_file_pieces(trace);
    const struct text_source rows = {trace_file_next_piece, &pieces};
    sigset_t before;
    signals_hold(&before); /* both files or none */
    if (!options->output)
        signals_release(&before); /* standard output may have to wait */
    int r = options->nodes ? cli_write(options->cluster_out, cluster, reterr) : 0;
    if (r == 0)
        r = cli_write_pieces(options->output, &rows, reterr);
    if (options->output)
        signals_release(&before);
    str_finish(&pieces.text);
    return r;
}

static int import_logs(struct options *options, const struct trace_reader *reader) {
    struct trace trace = {0}, nodes = {0};
    struct trace_assignment assignment = {0};
    struct str cluster = {0}, log = {0};
    struct error error = {0};
    int r = EXIT_DONE;
    if ((options->assign &&
         trace_assignment_load(&assignment, options->assign, &options->problems) < 0) ||
        (options->nodes &&
         alibaba_nodes_read(options->nodes, &cluster, &nodes, &options->problems) < 0) ||
        read_inputs(options, reader, &trace, &log, &options->problems) < 0) {
        r = cli_report_problems(&options->problems);
    } else {
        if (options->nodes)
            report_reading(reader, &nodes, options->nodes, &log);
        change_rows(options, reader, &assignment, &trace, &log);
        if (write_workload(options, &trace, &cluster, &error) < 0)
            r = cli_report_error(&error);
        else
            cli_say_lines(&log);
    }
    trace_assignment_finish(&assignment);
    trace_finish(&trace);
    trace_finish(&nodes);
    str_finish(&cluster);
    str_finish(&log);
    return r;
}

/* Those of the foreign logs and easim's own. */
static const struct format_use *list_log_formats(struct arena *arena, size_t *ret_count) {
    size_t count = 0;
    while (ingest_readers[count])
        count++;
    struct format_use *formats = arena_alloc(arena, (count + 1) * sizeof *formats);
    for (size_t i = 0; i < count; i++)
        formats[i] = (struct format_use){ingest_readers[i]->name, ingest_readers[i]->options};
    formats[count] = (struct format_use){"workload", 0};
    *ret_count = count + 1;
    return formats;
}

int cli_import(struct options *options) {
    size_t count;
    const struct format_use *formats = list_log_formats(&options->arena, &count);
    int r = EXIT_BAD_INPUT;
    if (options->changes.from_s >= options->changes.until_s)
        options_refuse(options, "expected --from before --until");
    if (options->changes.lead_s > 0 &&
        (options->changes.from_s == 0 || options->changes.first_row > 1))
        options_refuse(options,
                       "expected --lead with --from, and --rows that begin with the first");
    if (formats_choose(options, formats, count, &options->problems) == count)
        cli_report_problems(&options->problems);
    else
        r = import_logs(options, trace_file_find_reader(ingest_readers, options->operands[0]));
    return r;
}

/* easim import: a recorded job log as a workload CSV, with a report of what was read, kept, changed
 * and dropped. */
#include "base/numfmt.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "ingest/logs/alibaba.h"
#include "ingest/logs/log_readers.h"
#include "io/time_zone.h"
#include "workload/trace_assign.h"
#include "workload/trace_change.h"
#include "workload/trace_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct arguments {
    const char *format, *output, *nodes, *cluster_output, *assignment;
    ARRAY_OF(const char *) inputs;
    ARRAY_OF(struct trace_work) work;
    struct arena arena;
    struct trace_options options;
    struct trace_changes changes;
};

enum key {
    KEY_TIME_ZONE = 256,
    KEY_WORK,
    KEY_FROM,
    KEY_UNTIL,
    KEY_ROWS,
    KEY_KILL,
    KEY_SCALE,
    KEY_COMPRESS,
    KEY_ASSIGN,
    KEY_SEED,
    KEY_NODES,
    KEY_CLUSTER
};

static double duration_s(const char *text, const char *option, struct argp_state *state) {
    double value = 0;
    if (!units_parse_duration(text, strlen(text), &value) || value < 0 || value > TIME_MAX_S)
        argp_error(state, "%s: expected a duration (90s, 10h, 2d), got \"%s\"", option, text);
    return value;
}

/* "100": the first 100; "11:20": from the 11th to the 20th */
static void rows(const char *text, struct trace_changes *changes, struct argp_state *state) {
    const char *colon = strchr(text, ':');
    int64_t first = 1, last = 0;
    bool good = numfmt_parse_int(colon ? colon + 1 : text, strlen(colon ? colon + 1 : text), &last);
    if (colon)
        good = good && numfmt_parse_int(text, (size_t)(colon - text), &first);
    if (!good || first < 1 || last < first)
        argp_error(state, "--rows: expected N or FIRST:LAST, got \"%s\"", text);
    changes->first_row = first;
    changes->last_row = last;
}

/* "cifar10=5e6" */
static void add_work(const char *text, struct arguments *a, struct argp_state *state) {
    const char *equals = strrchr(text, '=');
    double samples = 0;
    if (!equals || equals == text || !numfmt_parse_real(equals + 1, strlen(equals + 1), &samples) ||
        samples <= 0)
        argp_error(state, "--work: expected MODEL=SAMPLES, got \"%s\"", text);
    else
        array_push(&a->work, ((struct trace_work){
                                 .model = arena_strndup(&a->arena, text, (size_t)(equals - text)),
                                 .samples = samples}));
}

static error_t parse_change(int key, char *value, struct argp_state *state) {
    struct trace_changes *changes = &((struct arguments *)state->input)->changes;
    switch (key) {
    case KEY_FROM:
        changes->from_s = duration_s(value, "--from", state);
        return 0;
    case KEY_UNTIL:
        changes->until_s = duration_s(value, "--until", state);
        return 0;
    case KEY_ROWS:
        rows(value, changes, state);
        return 0;
    case KEY_KILL:
        changes->kill_at_request = true;
        return 0;
    case KEY_SCALE:
        changes->load_scale = option_real(value, 1e-6, 1000, "--load-scale", state);
        return 0;
    case KEY_COMPRESS:
        changes->compress = option_real(value, 1, 1e6, "--compress", state);
        return 0;
    case KEY_SEED:
        changes->seed = (uint64_t)option_count(value, 0, INT64_MAX, "--seed", state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_argument(char *value, struct argp_state *state) {
    struct arguments *a = state->input;
    if (state->arg_num == 0)
        a->format = value;
    else
        array_push(&a->inputs, value);
    return 0;
}

static void check_time_zone(const char *name, struct argp_state *state) {
    struct time_zone *zone = NULL;
    struct error error = {0};
    if (time_zone_open(name, &zone, &error) < 0)
        argp_error(state, "--time-zone: %s", error.text);
    time_zone_close(zone);
}

static const char *const estimates[] = {"run", "requested", NULL};

static error_t parse(int key, char *value, struct argp_state *state) {
    struct arguments *a = state->input;
    switch (key) {
    case 'o':
        a->output = value;
        return 0;
    case 'e':
        a->options.estimate_is_run_time = option_choice(value, estimates, "--estimate", state) == 0;
        return 0;
    case 'm':
        a->options.models = true;
        return 0;
    case KEY_TIME_ZONE:
        check_time_zone(value, state);
        a->options.time_zone = value;
        return 0;
    case KEY_WORK:
        add_work(value, a, state);
        return 0;
    case KEY_ASSIGN:
        a->assignment = value;
        return 0;
    case KEY_NODES:
        a->nodes = value;
        return 0;
    case KEY_CLUSTER:
        a->cluster_output = value;
        return 0;
    case ARGP_KEY_ARG:
        return parse_argument(value, state);
    case ARGP_KEY_END:
        if (state->arg_num < 2)
            argp_error(state, "expected FORMAT FILE");
        if (!a->nodes != !a->cluster_output)
            argp_error(state, "--nodes and --cluster-out belong together");
        if (a->changes.from_s >= a->changes.until_s)
            argp_error(state, "expected --from before --until");
        return 0;
    default:
        return parse_change(key, value, state);
    }
}

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "workload CSV to write (default: standard output)", 0},
    {"estimate", 'e', "run|requested", 0, "swf: what stands as requested_s (default: requested)",
     0},
    {"models", 'm', NULL, 0, "itp: take model, batch and deadline from the log where it has them",
     0},
    {"time-zone", KEY_TIME_ZONE, "ZONE", 0, "of local times: UTC, +08:00, America/Los_Angeles", 0},
    {"work", KEY_WORK, "MODEL=SAMPLES", 0,
     "pollux, sia: work of the jobs of an application; may be repeated", 0},
    {"from", KEY_FROM, "DURATION", 0, "drop jobs submitted earlier, counted from the first", 0},
    {"until", KEY_UNTIL, "DURATION", 0, "drop jobs submitted then or later", 0},
    {"rows", KEY_ROWS, "N|FIRST:LAST", 0,
     "keep these jobs, in order of submit, of those that are left", 0},
    {"kill-at-request", KEY_KILL, NULL, 0, "cut run times at the requested time", 0},
    {"load-scale", KEY_SCALE, "FACTOR", 0,
     "jobs for each job: leave some out, or repeat some on other days", 0},
    {"compress", KEY_COMPRESS, "FACTOR", 0, "divide the times between submits", 0},
    {"assign", KEY_ASSIGN, "FILE", 0,
     "YAML with users, deadlines, assign: what the log lacks, drawn from the seed", 0},
    {"seed", KEY_SEED, "N", 0, "of --load-scale and --assign (default: 1)", 0},
    {"nodes", KEY_NODES, "FILE", 0, "alibaba-gpu-2023: the node list", 0},
    {"cluster-out", KEY_CLUSTER, "FILE", 0, "cluster section made of --nodes", 0},
    {0},
};

/* The instant of t = 0, which is also what start_time of a scenario wants. */
static void report_offset(const struct trace_reader *reader, double offset_s, const char *name,
                          struct str *log) {
    char date[32] = "";
    time_t instant = (time_t)offset_s;
    struct tm utc;
    if (reader->options & TRACE_OPTION_TIME_ZONE && gmtime_r(&instant, &utc))
        strftime(date, sizeof date, " (%Y-%m-%dT%H:%M:%SZ)", &utc);
    str_addf(log, "%s: first submit at %.15g s%s is now 0\n", name, offset_s, date);
}

static void report(const struct trace_reader *reader, const struct trace *trace, const char *name,
                   struct str *log) {
    str_addf(log, "%s: %llu rows read, %zu kept\n", name, (unsigned long long)trace->rows_read,
             trace->rows.count);
    if (trace->offset_s != 0)
        report_offset(reader, trace->offset_s, name, log);
    trace_write_notes(trace, name, "", log);
}

/* What the options do to all rows together, and its report. */
static void change(const struct arguments *a, const struct trace_reader *reader,
                   const struct trace_assignment *assignment, struct trace *trace,
                   struct str *log) {
    const char *name = a->inputs.count == 1 ? a->inputs.at[0] : "all files";
    size_t before = trace->rows.count;
    double offset_s = trace->offset_s;
    trace->notes.count = 0; /* those of the files are told */
    trace_change(trace, &a->changes);
    if (a->assignment)
        trace_assign(trace, assignment, a->changes.seed);
    if (trace->rows.count != before || a->inputs.count > 1)
        str_addf(log, "%s: %zu rows written\n", name, trace->rows.count);
    if (trace->offset_s != offset_s || (a->inputs.count > 1 && offset_s != 0))
        report_offset(reader, trace->offset_s, name, log);
    trace_write_notes(trace, name, "", log);
}

static int read_inputs(const struct arguments *a, const struct trace_reader *reader,
                       struct trace *trace, struct str *log, struct problems *problems) {
    size_t count = a->inputs.count;
    struct trace *parts = mem_zalloc(count, sizeof *parts);
    for (size_t i = 0; i < count; i++)
        if (reader->read(a->inputs.at[i], &a->options, &parts[i], problems) == 0)
            report(reader, &parts[i], a->inputs.at[i], log);
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

static int write_all(const struct arguments *a, const struct trace *trace,
                     const struct str *cluster, struct error *reterr) {
    struct str text = {0};
    trace_file_write(trace, &text);
    int r = a->nodes ? cli_write(a->cluster_output, cluster, reterr) : 0;
    if (r == 0)
        r = cli_write(a->output, &text, reterr);
    str_finish(&text);
    return r;
}

static int run(const struct arguments *a, const struct trace_reader *reader) {
    struct trace trace = {0}, nodes = {0};
    struct trace_assignment assignment = {0};
    struct problems problems = {0};
    struct str cluster = {0}, log = {0};
    struct error error = {0};
    int r = EXIT_DONE;
    if ((a->assignment && trace_assignment_load(&assignment, a->assignment, &problems) < 0) ||
        (a->nodes && alibaba_nodes_read(a->nodes, &cluster, &nodes, &problems) < 0) ||
        read_inputs(a, reader, &trace, &log, &problems) < 0) {
        r = cli_report_problems(&problems);
    } else {
        if (a->nodes)
            report(reader, &nodes, a->nodes, &log);
        change(a, reader, &assignment, &trace, &log);
        if (write_all(a, &trace, &cluster, &error) < 0)
            r = cli_report_error(&error);
        else
            fputs(log.text, stderr);
    }
    trace_assignment_finish(&assignment);
    trace_finish(&trace);
    trace_finish(&nodes);
    str_finish(&cluster);
    str_finish(&log);
    problems_finish(&problems);
    return r;
}

/* Formats and what they are, one a line. */
static void add_formats(struct str *out) {
    str_add(out, "Formats:\n");
    for (size_t i = 0; ingest_readers[i]; i++)
        str_addf(out, "  %-17s %s\n", ingest_readers[i]->name, ingest_readers[i]->help);
    str_add(out, "  workload          easim's own CSV (checks and sorts it)");
}

static const char *name_of(enum trace_option option) {
    return option == TRACE_OPTION_ESTIMATE ? "estimate"
           : option == TRACE_OPTION_MODELS ? "models"
           : option == TRACE_OPTION_WORK   ? "work"
                                           : "time-zone";
}

static int unknown_format(const char *name) {
    fprintf(stderr, "easim import: no format is named \"%s\" (", name);
    for (size_t i = 0; ingest_readers[i]; i++)
        fprintf(stderr, "%s, ", ingest_readers[i]->name);
    fprintf(stderr, "workload)\n");
    return EXIT_BAD_INPUT;
}

int cli_import(int argc, char **argv) {
    struct arguments a = {.changes = trace_changes_none};
    struct str help = {0};
    str_add(&help,
            "Reads a recorded job log (plain, gz or zst) and writes it as a workload CSV.\v");
    add_formats(&help);
    const struct argp argp = {options, parse, "FORMAT FILE...", help.text, NULL, NULL, NULL};
    a.changes.seed = 1;
    cli_parse(&argp, argc, argv, &a);
    const struct trace_reader *reader = trace_file_find_reader(ingest_readers, a.format);
    a.options.work = a.work.at;
    a.options.work_count = a.work.count;
    int r = EXIT_BAD_INPUT;
    enum trace_option unused = reader ? trace_option_unused(reader, &a.options) : 0;
    if (!reader)
        r = unknown_format(a.format);
    else if (unused != 0)
        fprintf(stderr, "easim import: --%s means nothing to format %s\n", name_of(unused),
                reader->name);
    else if (a.nodes && strcmp(reader->name, alibaba_gpu_2023_reader.name) != 0)
        fprintf(stderr, "easim import: --nodes belongs to format %s\n",
                alibaba_gpu_2023_reader.name);
    else
        r = run(&a, reader);
    str_finish(&help);
    arena_finish(&a.arena);
    free(a.inputs.at);
    free(a.work.at);
    return r;
}

/* easim gen: the jobs of one replication as a workload CSV. */
#include "cli/cli.h"
#include "cli/scenario_args.h"
#include "study/study.h"
#include "workload/record.h"
#include "workload/trace_file.h"

#include <stdio.h>

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

static int generate_jobs(const struct options *options, const struct study *study,
                         struct problems *problems) {
    struct workload workload = {0};
    struct error error = {0};
    const char *obstacle = record_obstacle(&study->source);
    int code = EXIT_DONE;
    if (obstacle) {
        problems_add(problems, study->scenario.workload->where, "workload",
                     "no workload CSV can hold these jobs: %s", obstacle);
        code = cli_report_problems(problems);
    } else if (study_generate(study, (uint32_t)options->replication - 1, &workload, problems) < 0) {
        code = cli_report_problems(problems);
    } else if (write_rows(options, study, &workload, &error) < 0) {
        code = cli_report_error(&error);
    }
    workload_finish(&workload);
    return code;
}

int cli_gen(struct options *options) {
    struct problems problems = CLI_PROBLEMS;
    struct study study;
    int code = scenario_args_load(options, &study, &problems) < 0
                   ? cli_report_problems(&problems)
                   : generate_jobs(options, &study, &problems);
    study_finish(&study);
    problems_finish(&problems);
    return code;
}

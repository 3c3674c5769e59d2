/* easim gen: the jobs of one replication as a workload CSV. */
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/run_args.h"
#include "study/study.h"
#include "workload/record.h"
#include "workload/trace_file.h"

#include <stdio.h>

struct arguments {
    struct scenario_args scenario;
    const char *output;
    uint32_t replication; /* from 1 */
    bool quiet;
};

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "workload CSV to write (default: standard output)", 0},
    {"replication", 'r', "N", 0, "whose jobs (default: 1)", 0},
    {"seed", 's', "N", 0, "master seed", 0},
    {"quiet", 'q', NULL, 0, "do not say how to run the file", 0},
    {0},
};

static error_t parse(int key, char *value, struct argp_state *state) {
    struct arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->scenario;
        return 0;
    case 'o':
        a->output = value;
        return 0;
    case 'r':
        a->replication = (uint32_t)option_count(value, 1, 1000000, "--replication", state);
        return 0;
    case 's':
        option_seed(value, "--seed", state);
        scenario_args_set(&a->scenario, "seed", value);
        return 0;
    case 'q':
        a->quiet = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int write_rows(const struct arguments *a, const struct study *study,
                      const struct workload *workload, struct error *reterr) {
    struct trace trace = {0};
    struct str text = {0};
    record_jobs(&study->source, workload, &trace);
    trace_file_write(&trace, &text);
    int r = cli_write(a->output, &text, reterr);
    if (r == 0 && !a->quiet) {
        struct str section = {0};
        record_section(&study->source, a->output ? a->output : "FILE", &section);
        fprintf(stderr, "%zu jobs; to run them: workload: %s\n", trace.rows.count, section.text);
        str_finish(&section);
    }
    str_finish(&text);
    trace_finish(&trace);
    return r;
}

static int generate(const struct arguments *a, const struct study *study,
                    struct problems *problems) {
    struct workload workload = {0};
    struct error error = {0};
    const char *obstacle = record_obstacle(&study->source);
    int code = EXIT_DONE;
    if (obstacle) {
        problems_add(problems, study->scenario.workload->where, "workload",
                     "no workload CSV can hold these jobs: %s", obstacle);
        code = cli_report_problems(problems);
    } else if (study_generate(study, a->replication - 1, &workload, problems) < 0) {
        code = cli_report_problems(problems);
    } else if (write_rows(a, study, &workload, &error) < 0) {
        code = cli_report_error(&error);
    }
    workload_finish(&workload);
    return code;
}

int cli_gen(int argc, char **argv) {
    struct arguments a = {.replication = 1};
    const struct argp_child children[] = {{&scenario_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {
        options,
        parse,
        NULL,
        "Writes the jobs of one replication as a workload CSV, which runs as a trace with the same results.\v"
        "CONFIG.yaml may be - for standard input.",
        children,
        NULL,
        NULL};
    cli_parse(&argp, argc, argv, &a);
    struct problems problems = {0};
    struct study study;
    int code = scenario_args_load(&a.scenario, &study, &problems) < 0
                   ? cli_report_problems(&problems)
                   : generate(&a, &study, &problems);
    study_finish(&study);
    problems_finish(&problems);
    scenario_args_finish(&a.scenario);
    return code;
}

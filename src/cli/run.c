/* easim run: all replications of a scenario, a table on the terminal and CSV files in a folder. */
#include "cli/cli.h"
#include "cli/progress_line.h"
#include "cli/run_args.h"
#include "output/run/aggregate_csv.h"
#include "output/run/result_json.h"
#include "output/run/run_dir.h"
#include "output/run/run_report.h"

#include <stdio.h>
#include <string.h>

struct arguments {
    struct run_args run;
    const char *trace;
    bool decisions, timing;
};

enum { KEY_DECISIONS = 512, KEY_TRACE, KEY_TIMING };

static const struct argp_option options[] = {
    {"decisions", KEY_DECISIONS, NULL, 0,
     "write decisions.csv: every action of the policy and its answer", 0},
    {"trace", KEY_TRACE, "FILE", 0,
     "write every event and decision as JSON lines into FILE in the folder of the results, of several replications into one FILE each, with -N in its name",
     0},
    {"timing", KEY_TIMING, NULL, 0, "measure the processor time of decisions", 0},
    {0},
};

#define MOST_TRACE_NAME 200 /* bytes, so that a number and a suffix still fit */

/* A name beside the other results, so that the manifest can name it and a repetition compare it. */
static const char *option_trace(const char *value, struct argp_state *state) {
    size_t length = strlen(value);
    if (length == 0 || length > MOST_TRACE_NAME || strchr(value, '/') || value[0] == '.')
        argp_error(
            state,
            "--trace: expected the name of a file in the folder of the results, without / and without . in front, of 1..%d bytes, got \"%s\"",
            MOST_TRACE_NAME, value);
    if (run_dir_names(value))
        argp_error(state, "--trace: a run writes %s already; expected another name", value);
    return value;
}

static error_t parse(int key, char *value, struct argp_state *state) {
    struct arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->run;
        return 0;
    case KEY_DECISIONS:
        a->decisions = true;
        return 0;
    case KEY_TRACE:
        a->trace = option_trace(value, state);
        return 0;
    case KEY_TIMING:
        a->timing = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const char *out_folder(struct run_args *a, const struct study *study) {
    if (a->out)
        return a->out;
    return arena_printf(&a->scenario.arena, "results/%s/%s", study->scenario.name,
                        study->module.policy->name);
}

/* The table with its notes, or data on standard output and the notes beside it. */
static int print_result(const struct run_args *a, const struct study *study,
                        const struct replicate_result *result, const char *out) {
    struct str text = {0};
    struct notes notes = {.sources = 0};
    notes_add_result(&notes, study, result);
    notes_add_trends(&notes, study, result);
    notes_add_study(&notes, study);
    if (a->format == FORMAT_TABLE) {
        run_report_summary(study, result, &text);
    } else if (a->format == FORMAT_JSON) {
        result_json(study, result, &text);
    } else {
        aggregate_csv_header(&text);
        aggregate_csv_rows(study->module.policy->name, result->summaries, result->count, &text);
    }
    run_args_add_notes(a, &notes, &text);
    if (a->format == FORMAT_TABLE)
        str_addf(&text, "  results: %s\n", out);
    int code = run_args_show(a, &text);
    str_finish(&text);
    notes_finish(&notes);
    return code;
}

static int run_study(struct arguments *a, const struct study *study) {
    struct run_dir *dir = NULL;
    struct error error = {0};
    run_args_catch_interrupts();
    struct replicate_result result = {0};
    const char *out = out_folder(&a->run, study);
    const struct run_dir_options dir_options = {.path = out,
                                                .force = a->run.force,
                                                .summary_only = a->run.summary_only,
                                                .decisions = a->decisions,
                                                .trace = a->trace};
    if (run_dir_open(&dir_options, study, &dir, &error) < 0)
        return cli_report_error(&error);
    uint32_t count = (uint32_t)study->scenario.replications;
    struct replicate_options how = run_args_options(&a->run);
    how.record_decisions = a->decisions;
    how.time_decisions = a->timing;
    struct progress_line *progress =
        a->run.quiet ? NULL : progress_line_start(count, "replications", study, &how);
    struct replicate_sink sink = run_dir_sink(dir);
    int r = replicate_run(study, &how, &sink, &result, &error);
    progress_line_stop(progress);
    int code = r < 0 ? run_args_report(&error, &result, study) : EXIT_DONE;
    if (r < 0 && result.count == 0) {
        run_dir_abort(dir);
    } else if (run_dir_commit(dir, &result, r < 0, &error) < 0) {
        code = cli_report_error(&error);
    } else {
        int printed = print_result(&a->run, study, &result, out);
        code = code == EXIT_DONE ? printed : code;
    }
    replicate_result_finish(&result);
    return code;
}

int cli_run(int argc, char **argv) {
    struct arguments a = {0};
    const struct argp_child children[] = {{&run_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {
        options,
        parse,
        NULL,
        "Runs a scenario and writes its results as CSV files.\v"
        "A manifest.json instead of CONFIG.yaml repeats what it records and compares every file.\n"
        "Exit codes: 0 done; 1 a run failed; 2 bad usage or bad input; 130 interrupted, what was\n"
        "finished is kept and marked partial in manifest.json. CONFIG.yaml may be - for standard\n"
        "input. DIR is results/NAME/POLICY unless given.",
        children,
        NULL,
        NULL};
    cli_parse(&argp, argc, argv, &a);
    struct problems problems = {0};
    struct study study;
    int code = scenario_args_load(&a.run.scenario, &study, &problems) < 0
                   ? cli_report_problems(&problems)
                   : run_study(&a, &study);
    study_finish(&study);
    problems_finish(&problems);
    scenario_args_finish(&a.run.scenario);
    return code;
}

/* easim run: all replications of a scenario, a table on the terminal and CSV files in a folder. */
#include "cli/cli.h"
#include "cli/crash_guard.h"
#include "cli/progress.h"
#include "cli/scenario_args.h"
#include "ingest/readers.h"
#include "output/report.h"
#include "output/run_dir.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct arguments {
    struct scenario_args scenario;
    const char *out;
    unsigned threads;
    bool force, summary_only, decisions, check, strict, timing, quiet;
};

enum { KEY_FORCE = 256, KEY_SUMMARY_ONLY, KEY_DECISIONS, KEY_CHECK, KEY_STRICT, KEY_TIMING };

static const struct argp_option options[] = {
    {"seed", 's', "N", 0, "master seed", 0},
    {"replications", 'n', "N", 0, "number of independent runs", 0},
    {"threads", 't', "N", 0, "run so many replications at a time (default: one per core)", 0},
    {"out", 'o', "DIR", 0, "folder of the results (default: results/NAME/POLICY)", 0},
    {"force", KEY_FORCE, NULL, 0, "write into a folder that is not empty", 0},
    {"summary-only", KEY_SUMMARY_ONLY, NULL, 0, "write summary.csv, aggregate.csv and manifest.json only", 0},
    {"decisions", KEY_DECISIONS, NULL, 0, "write decisions.csv: every action of the policy and its answer", 0},
    {"timing", KEY_TIMING, NULL, 0, "measure the processor time of decisions", 0},
    {"check", KEY_CHECK, NULL, 0, "verify conservation of GPUs and energy after every event", 0},
    {"strict", KEY_STRICT, NULL, 0, "fail at the first refused action of the policy", 0},
    {"quiet", 'q', NULL, 0, "print no table", 0},
    {0},
};

static error_t parse(int key, char *value, struct argp_state *state) {
    struct arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->scenario;
        return 0;
    case 's':
        cli_count(value, 0, 9007199254740992, "--seed", state);
        scenario_args_set(&a->scenario, "seed", value);
        return 0;
    case 'n':
        cli_count(value, 1, 1000000, "--replications", state);
        scenario_args_set(&a->scenario, "replications", value);
        return 0;
    case 't':
        a->threads = (unsigned)cli_count(value, 1, 1024, "--threads", state);
        return 0;
    case 'o':
        a->out = value;
        return 0;
    case KEY_FORCE:
        a->force = true;
        return 0;
    case KEY_SUMMARY_ONLY:
        a->summary_only = true;
        return 0;
    case KEY_DECISIONS:
        a->decisions = true;
        return 0;
    case KEY_TIMING:
        a->timing = true;
        return 0;
    case KEY_CHECK:
        a->check = true;
        return 0;
    case KEY_STRICT:
        a->strict = true;
        return 0;
    case 'q':
        a->quiet = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* The one variable that a signal handler may reach. */
static atomic_bool interrupted;

static void on_interrupt(int signal_number) {
    (void)signal_number;
    atomic_store(&interrupted, true);
}

static unsigned core_count(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 && cores <= 1024 ? (unsigned)cores : 1;
}

static const char *out_folder(struct arguments *a, const struct study *study) {
    if (a->out)
        return a->out;
    return arena_printf(&a->scenario.arena, "results/%s/%s", study->scenario.name, study->module.policy->name);
}

static void print_result(const struct study *study, const struct replicate_result *result, const char *out) {
    struct str text = {0};
    report_summary(study, result, &text);
    printf("%s  results: %s\n", text.text, out);
    str_finish(&text);
}

static int run_study(struct arguments *a, const struct study *study) {
    struct run_dir *dir = NULL;
    struct error error = {0};
    struct replicate_result result = {0};
    const char *out = out_folder(a, study);
    const struct run_dir_options dir_options = {
        .path = out, .force = a->force, .summary_only = a->summary_only, .decisions = a->decisions};
    if (run_dir_open(&dir_options, study, &dir, &error) < 0)
        return cli_report_error(&error);
    struct progress *progress = a->quiet ? NULL : progress_start((uint32_t)study->scenario.replications);
    const struct replicate_options how = {.threads = a->threads ? a->threads : core_count(),
                                          .check = a->check,
                                          .strict = a->strict,
                                          .record_power = !a->summary_only,
                                          .record_decisions = a->decisions,
                                          .time_decisions = a->timing,
                                          .cancel = &interrupted,
                                          .done = progress_replications(progress),
                                          .events = progress_events(progress)};
    struct replicate_sink sink = run_dir_sink(dir);
    crash_guard_install(&study->module);
    int r = replicate_run(study, &how, &sink, &result, &error);
    progress_stop(progress);
    int code = r < 0 ? cli_report_error(&error) : EXIT_DONE;
    if (r < 0 && result.count == 0) {
        run_dir_abort(dir);
    } else if (run_dir_commit(dir, &result, r < 0, &error) < 0) {
        code = cli_report_error(&error);
    } else if (!a->quiet) {
        print_result(study, &result, out);
    }
    replicate_result_finish(&result);
    return code;
}

int cli_run(int argc, char **argv) {
    struct arguments a = {0};
    const struct argp_child children[] = {{&scenario_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {
        options,
        parse,
        NULL,
        "Runs a scenario and writes its results as CSV files.\v"
        "Exit codes: 0 done; 1 a run failed; 2 bad usage or bad input; 130 interrupted, what was\n"
        "finished is kept and marked partial in manifest.json. CONFIG.yaml may be - for standard\n"
        "input.",
        children,
        NULL,
        NULL};
    cli_parse(&argp, argc, argv, &a);
    const struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    struct problems problems = {0};
    struct study study;
    const struct scenario_overrides overrides = scenario_args_overrides(&a.scenario);
    int code = study_load(&study, a.scenario.config, &overrides, ingest_readers, &problems) < 0
                   ? cli_report_problems(&problems)
                   : run_study(&a, &study);
    study_finish(&study);
    problems_finish(&problems);
    scenario_args_finish(&a.scenario);
    return code;
}

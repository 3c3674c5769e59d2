/* Options of runs, and the way a signal ends one. */
#include "cli/run_args.h"

#include "cli/cli.h"
#include "output/run/run_dir.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { KEY_FORCE = 256, KEY_SUMMARY_ONLY, KEY_CHECK, KEY_STRICT, KEY_FORMAT };

static const struct argp_option options[] = {
    {"seed", 's', "N", 0, "master seed", 0},
    {"replications", 'n', "N", 0, "number of independent runs", 0},
    {"threads", 't', "N", 0, "run so many replications at a time (default: one per core)", 0},
    {"out", 'o', "DIR", 0, "folder of the results (default: under results/NAME)", 0},
    {"force", KEY_FORCE, NULL, 0, "write into a folder that is not empty", 0},
    {"summary-only", KEY_SUMMARY_ONLY, NULL, 0, "write no jobs, users, types and power", 0},
    {"check", KEY_CHECK, NULL, 0,
     "verify after every event that GPUs, power and energy add up, that the policy does not write into its view, and that kept answers of a list policy still hold",
     0},
    {"strict", KEY_STRICT, NULL, 0, "fail at the first refused action of the policy", 0},
    {"format", KEY_FORMAT, "table|csv|json", 0,
     "what to print (default: table); notes then go to standard error", 0},
    {"quiet", 'q', NULL, 0, "print no table, no notes, no progress", 0},
    {0},
};

static error_t parse(int key, char *value, struct argp_state *state) {
    struct run_args *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->scenario;
        return 0;
    case 's':
        option_seed(value, "--seed", state);
        scenario_args_set(&a->scenario, "seed", value);
        return 0;
    case 'n':
        option_count(value, 1, 1000000, "--replications", state);
        scenario_args_set(&a->scenario, "replications", value);
        return 0;
    case 't':
        a->threads = (unsigned)option_count(value, 1, 1024, "--threads", state);
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
    case KEY_CHECK:
        a->check = true;
        return 0;
    case KEY_STRICT:
        a->strict = true;
        return 0;
    case KEY_FORMAT:
        a->format = option_format(value, state);
        return 0;
    case 'q':
        a->quiet = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&scenario_argp, 0, NULL, 0}, {0}};
const struct argp run_argp = {options, parse, NULL, NULL, children, NULL, NULL};

/* The one variable that a signal handler may reach. */
static atomic_bool interrupted;

static void on_interrupt(int signal_number) {
    (void)signal_number;
    atomic_store(&interrupted, true);
}

void run_args_catch_interrupts(void) {
    const struct sigaction action = {.sa_handler = on_interrupt};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static unsigned core_count(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 && cores <= 1024 ? (unsigned)cores : 1;
}

struct replicate_options run_args_options(const struct run_args *a) {
    return (struct replicate_options){.processes = a->threads ? a->threads : core_count(),
                                      .check = a->check,
                                      .strict = a->strict,
                                      .limit_s = a->limit_s,
                                      .record_power = !a->summary_only,
                                      .cancel = &interrupted};
}

int run_args_report(const struct error *error, const struct replicate_result *result,
                    const struct study *study) {
    struct error whole = *error;
    if (error->code == ERROR_CANCELLED)
        error_set(&whole, error->code, "%s: %u of %u replications are finished and kept",
                  error->text, result->count, (unsigned)study->scenario.replications);
    return cli_report_error(&whole);
}

int run_args_show(const struct run_args *a, const struct str *text) {
    struct error error = {0};
    bool wanted = a->format != FORMAT_TABLE || !a->quiet;
    return wanted && cli_print(text, &error) < 0 ? cli_report_error(&error) : EXIT_DONE;
}

void run_args_add_notes(const struct run_args *a, const struct notes *notes, struct str *text) {
    struct str apart = {0};
    notes_print(notes, a->format == FORMAT_TABLE ? text : &apart);
    if (!a->quiet && apart.length > 0)
        fputs(apart.text, stderr);
    str_finish(&apart);
}

const char *run_args_folder(const struct run_args *a, const char *usual, struct error *reterr) {
    const char *folder = a->out ? a->out : usual;
    int r = folder[0] == '\0' ? error_set(reterr, ERROR_INPUT, "--out: expected a folder, got \"\"")
                              : 0;
    if (r == 0 && !a->force)
        r = run_dir_check_empty(folder, reterr);
    return r < 0 ? NULL : folder;
}

/* How options say that a scenario is run, and the way a signal ends a run. */
#include "cli/run_args.h"

#include "cli/cli.h"
#include "io/leftovers.h"
#include "output/run/run_dir.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

/* The one variable that a signal handler may reach. */
static atomic_bool interrupted;

static void on_interrupt(int signal_number) {
    (void)signal_number;
    atomic_store(&interrupted, true);
}

void run_args_catch_interrupts(void) {
    const struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
    struct sigaction before;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) /* nohup */
        sigaction(SIGHUP, &action, NULL);
}

static unsigned core_count(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 && cores <= 1024 ? (unsigned)cores : 1;
}

struct replicate_options run_args_options(const struct options *options) {
    return (struct replicate_options){.processes =
                                          options->threads ? options->threads : core_count(),
                                      .check = options->check,
                                      .strict = options->strict,
                                      .limit_s = options->run_timeout_s,
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

int run_args_show(const struct options *options, const struct str *text) {
    struct error error = {0};
    int r = 0;
    if (options->format != FORMAT_TABLE)
        r = cli_print(text, &error);
    else if (!options->quiet)
        r = cli_print_lines(text, &error);
    return r < 0 ? cli_report_error(&error) : EXIT_DONE;
}

void run_args_add_notes(const struct options *options, const struct notes *notes,
                        const struct assumptions *assumptions, struct str *text) {
    struct str apart = {0}, *out = options->format == FORMAT_TABLE ? text : &apart;
    if (assumptions)
        assumptions_print(assumptions, out == &apart, out);
    notes_print(notes, out);
    if (!options->quiet && apart.length > 0)
        cli_say_lines(&apart);
    str_finish(&apart);
}

static int refuse_full(const char *folder, struct error *reterr) {
    int empty = run_dir_is_empty(folder, reterr);
    if (empty == 0)
        empty = error_set(reterr, ERROR_INPUT,
                          "%s: the folder is not empty; add --force to write into it", folder);
    return empty < 0 ? empty : 0;
}

int run_args_take_folder(struct options *options, const char *folder, struct error *reterr) {
    int r = options->force ? 0 : refuse_full(folder, reterr);
    if (r == 0)
        r = folder_lock_take(folder, 0, &options->folder, reterr);
    if (r == 0 && !options->force) /* somebody may have been quicker */
        r = refuse_full(folder, reterr);
    if (r == 0 && !options->force)
        run_dir_clear(folder);
    return r;
}

const char *run_args_folder(struct options *options, const char *usual, struct error *reterr) {
    const char *folder = options->out ? options->out : usual;
    return run_args_take_folder(options, folder, reterr) < 0 ? NULL : folder;
}

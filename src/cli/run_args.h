/* What every command that runs a scenario takes: replications, threads, the folder of the results,
 * the format. */
#ifndef EASIM_CLI_RUN_ARGS_H
#define EASIM_CLI_RUN_ARGS_H

#include "cli/options.h"
#include "cli/scenario_args.h"
#include "output/notes.h"
#include "study/replicate.h"

/* Zero-initialise; release with scenario_args_finish. */
struct run_args {
    struct scenario_args scenario;
    const char *out;
    unsigned threads; /* 0: one per core */
    double limit_s;   /* of runs in processes of their own (--run-timeout); 0: none */
    enum format format;
    bool force, summary_only, check, strict, quiet;
};

/* Child parser; give it a struct run_args through state->child_inputs. */
extern const struct argp run_argp;

/* What the options say of a run, with an interruption by SIGINT or SIGTERM; the caller adds the
 * rest. */
struct replicate_options run_args_options(const struct run_args *args);
/* From now on SIGINT and SIGTERM end a run early instead of the process. Not while a scenario is
   loaded: then there is nothing to keep, and nothing that would look. */
void run_args_catch_interrupts(void);
/* cli_report_error for a study that was to be run; an interruption with how much of it is kept. */
int run_args_report(const struct error *error, const struct replicate_result *result,
                    const struct study *study);
/* Prints text on standard output, a table only unless quiet; returns an exit code. */
int run_args_show(const struct run_args *args, const struct str *text);
/* Puts the notes of results with the table, or beside data, on standard error unless quiet. */
void run_args_add_notes(const struct run_args *args, const struct notes *notes, struct str *text);
/* --out, or the usual folder; NULL: it has no name, or is not empty and --force is not given. */
const char *run_args_folder(const struct run_args *args, const char *usual,
                            struct error *reterr) MUST_CHECK;

#endif

/* What every command that runs a scenario takes: replications, threads, the folder of the results, the format. */
#ifndef EASIM_CLI_RUN_ARGS_H
#define EASIM_CLI_RUN_ARGS_H

#include "base/str.h"
#include "cli/scenario_args.h"
#include "experiment/replicate.h"

enum format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON };

/* Zero-initialise; release with scenario_args_finish. */
struct run_args {
    struct scenario_args scenario;
    const char *out;
    unsigned threads; /* 0: one per core */
    enum format format;
    bool force, summary_only, check, strict, quiet;
};

/* Child parser; give it a struct run_args through state->child_inputs. */
extern const struct argp run_argp;

/* The value of an option --format. */
enum format run_args_parse_format(const char *value, struct argp_state *state);
/* What the options say of a run, with an interruption by SIGINT or SIGTERM; the caller adds the rest. */
struct replicate_options run_args_options(const struct run_args *args);
/* From now on SIGINT and SIGTERM end a run early instead of the process. */
void run_args_catch_interrupts(void);
/* Standard output for data that a script reads: what cannot be written is an error. */
int run_args_print(const struct str *text, struct error *reterr) MUST_CHECK;

#endif

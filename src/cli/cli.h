/* What the commands of easim share. Only this layer prints. */
#ifndef EASIM_CLI_CLI_H
#define EASIM_CLI_CLI_H

#include "base/error.h"
#include "base/str.h"

#include <argp.h>

/* Exit codes: promises to shell scripts (docs/exit-codes.md). */
enum exit_code {
    EXIT_DONE = 0,
    EXIT_RUN_FAILED = 1,
    EXIT_BAD_INPUT = 2,
    EXIT_RECOVERED = 3,
    EXIT_INTERRUPTED = 130
};

/* The commands, one file each. argv[0] is "easim NAME"; they return an exit code. */
int cli_run(int argc, char **argv);
int cli_ablate(int argc, char **argv);
int cli_compare(int argc, char **argv);
int cli_gen(int argc, char **argv);
int cli_check(int argc, char **argv);
int cli_plot(int argc, char **argv);
int cli_policies(int argc, char **argv);
int cli_calibrate(int argc, char **argv);
int cli_import(int argc, char **argv);
int cli_profile(int argc, char **argv);
int cli_sweep(int argc, char **argv);
int cli_tune(int argc, char **argv);

/* Prints every problem on stderr, one a line; returns EXIT_BAD_INPUT. */
int cli_report_problems(const struct problems *problems);
/* Prints one error on stderr; returns the exit code for its code. */
int cli_report_error(const struct error *error);
/* Standard output for data that a script reads: what cannot be written is an error. */
int cli_print(const struct str *text, struct error *reterr) MUST_CHECK;
/* The same into a file, unless path is NULL. */
int cli_write(const char *path, const struct str *text, struct error *reterr) MUST_CHECK;
/* Parses with exit 2 on bad usage. */
void cli_parse(const struct argp *argp, int argc, char **argv, void *input);

#endif

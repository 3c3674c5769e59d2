/* What commands that run a scenario do with their options: how it is run, and what of it is shown.
 */
#ifndef EASIM_CLI_RUN_ARGS_H
#define EASIM_CLI_RUN_ARGS_H

#include "cli/options.h"
#include "output/assumptions.h"
#include "output/notes.h"
#include "study/replicate.h"

/* What the options say of a run, with an interruption by SIGINT or SIGTERM; the caller adds the
 * rest. */
struct replicate_options run_args_options(const struct options *options);
/* From now on SIGINT and SIGTERM end a run early instead of the process. Not while a scenario is
   loaded: then there is nothing to keep, and nothing that would look. */
void run_args_catch_interrupts(void);
/* cli_report_error for a study that was to be run; an interruption with how much of it is kept. */
int run_args_report(const struct error *error, const struct replicate_result *result,
                    const struct study *study);
/* Prints text on standard output, a table only unless quiet; returns an exit code. */
int run_args_show(const struct options *options, const struct str *text);
/* Puts the notes of results with the table, or beside data, on standard error unless quiet. */
void run_args_add_notes(const struct options *options, const struct notes *notes,
                        const struct assumptions *assumptions, struct str *text);
/* Makes a folder for results, and keeps it for this command until the options are finished.
   ERROR_INPUT: it is not empty and --force is not given. ERROR_IO: another command has it. */
int run_args_take_folder(struct options *options, const char *folder,
                         struct error *reterr) MUST_CHECK;
/* Takes --out, or the usual folder; NULL: an error. */
const char *run_args_folder(struct options *options, const char *usual,
                            struct error *reterr) MUST_CHECK;

#endif

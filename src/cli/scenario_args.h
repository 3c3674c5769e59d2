/* The scenario of a command line: CONFIG.yaml with --policy and --set, or standard input. */
#ifndef EASIM_CLI_SCENARIO_ARGS_H
#define EASIM_CLI_SCENARIO_ARGS_H

#include "cli/options.h"
#include "insight/recorded_run.h"
#include "output/assumptions.h"
#include "output/notes.h"
#include "output/report_text.h"
#include "study/replicate.h"
#include "study/study.h"

#define ADD_TRUST "add --trust if you trust its author"

/* Ends with a usage error if --set says which policy runs: `expected` says it. */
void scenario_args_refuse_policy(const struct options *options, const char *expected);
/* Sets one value behind those of the command line. */
void scenario_args_set(struct options *options, const char *path, const char *value);
/* Reads standard input if that is the scenario, for commands that load it more than once. */
int scenario_args_read(struct options *options, struct problems *problems) MUST_CHECK;
/* The scenario as the command line has it, read that way. Negative after adding problems;
 * study_finish in any case.
 */
int scenario_args_load(struct options *options, struct study *study,
                       struct problems *problems) MUST_CHECK;
/* A command on the scenario of the command line, loaded; returns its exit code. */
int scenario_args_run(struct options *options,
                      int (*run)(struct options *options, const struct study *study));
struct scenario_overrides scenario_args_overrides(const struct options *options);
/* Which policies the command may open, and what it says of others. */
void scenario_args_trust(const struct options *options, struct scenario_overrides *overrides);
/* The scenario as it was given, with the files that it names, for commands that run it with several
   policies; release with study_finish. A scenario that has been loaded has no problems. */
void scenario_args_plain(const struct options *options, struct study *ret_study);

/* --- run_args: options of commands that run a scenario: how it is run, and what is shown --- */

/* Options of a run, with interruption by SIGINT or SIGTERM; the caller adds the rest. */
struct replicate_options run_args_options(const struct options *options);
/* From now on SIGINT and SIGTERM end a run early instead of the process. Not while a scenario is
   loaded: then there is nothing to keep, and nothing that would look. */
void run_args_catch_interrupts(void);
/* cli_report_error for a study that was to be run; an interruption with how much of it is kept. */
int run_args_report(const struct error *error, const struct replicate_result *result,
                    const struct study *study);
/* Says on standard error, unless quiet or checked, that a module which is not easim's own has run
   unchecked: "policy mine"; that of a study, if it is such a one. */
void run_args_advise_on(const struct options *options, const char *policy);
void run_args_advise(const struct options *options, const struct study *study);
/* Prints a report on standard output, a table only unless quiet, and releases it; returns an exit
   code. */
int run_args_show(const struct options *options, struct report *report);
/* Puts the notes of results with the table, or beside data, on standard error unless quiet. */
void run_args_add_notes(const struct options *options, const struct notes *notes,
                        const struct assumptions *assumptions, struct report *report);
/* Makes a folder for results, and keeps it for this command until the options are finished.
   ERROR_INPUT: it is not empty and --force is not given. ERROR_IO: another command has it. */
int run_args_take_folder(struct options *options, const char *folder,
                         struct error *reterr) MUST_CHECK;
/* Takes --out, or the usual folder; NULL: an error. */
const char *run_args_folder(struct options *options, const char *usual,
                            struct error *reterr) MUST_CHECK;

/* --- recorded_args: the recorded run that options mean: DIR, --policy, --replication --- */

/* Zero-initialise; release with recorded_args_finish. */
struct recorded_args {
    struct recorded_folder folder;
    struct recorded_run run;
};

/* Opens the folder that is the first operand, and loads the run: without --policy of the first
   policy, without --replication the first replication. */
int recorded_args_load(struct recorded_args *args, struct options *options,
                       struct error *reterr) MUST_CHECK;
/* "policy zeus, replication 1", and of how many where there are several. In the arena. */
const char *recorded_args_name(const struct recorded_args *args, struct arena *arena);
void recorded_args_finish(struct recorded_args *args);

/* --- formats: formats of a command that reads several, and the options that only some have --- */

struct format_use {
    const char *name;
    unsigned uses; /* bits as in option_row.use */
};

/* The place of the format that the first operand names; `count` after adding problems: there is no
   such format, or it has no use for an option that is given. */
size_t formats_choose(const struct options *options, const struct format_use *formats, size_t count,
                      struct problems *problems);

#endif

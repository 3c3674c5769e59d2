/* What the files of src/cli share; for this folder alone. */
#ifndef EASIM_CLI_INTERNAL_H
#define EASIM_CLI_INTERNAL_H

#include "base/error.h"
#include "base/str.h"
#include "cli/commands.h"
#include "cli/contenders.h"
#include "cli/option_values.h"
#include "cli/options.h"
#include "experiment/worlds/run.h"
#include "experiment/worlds/variance_shares.h"
#include "insight/recorded_run.h"
#include "insight/rules/insight.h"
#include "insight/rules/rule_run.h"
#include "model/survey.h"
#include "output/notes.h"
#include "study/inputs.h"
#include "study/recorded.h"
#include "study/replicate.h"
#include "study/study.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>

/* --- option_parse: from a command line to struct options, by the table --- */

/* Prints help and ends the process if that is asked for; ends it with exit status 2 after all that
   is wrong: unknown options, bad values, options that belong or do not belong together, operands.
   argv[0] is "easim NAME". */
void options_parse(struct options *ret_options, enum command command, int argc, char **argv);
/* Ends the process: bad usage, which only the command itself can tell. */
_Noreturn void options_refuse(const struct options *options, const char *format, ...)
    PRINTF_LIKE(2, 3);
void options_finish(struct options *options);

/* --- option_help: what the table says of a command's options, as text --- */

/* The options as the section of a man page: scdoc, without its title. */
void option_help_write_man(enum command command, struct str *out);
/* Words in lines of at most 79 columns, each from the column on. */
void option_help_wrap(struct str *out, size_t column, const char *text);

/* --- help: `easim help` of a column of results or a term of the glossary --- */

/* Commands, columns and terms as single words, with blanks between. */
void help_add_words(struct str *out);
int help_explain(const char *word);

/* --- option_table: the options of all commands --- */

extern const struct option_row option_rows[]; /* ends with a NULL name */

/* Whether the command has the option of the row. */
bool option_belongs(const struct option_row *row, enum command command);
/* The row of the command with that name (the first `length` bytes), or NULL. */
const struct option_row *option_find(enum command command, const char *name, size_t length);
/* What was given for an option of the command, as text, "" for a flag; NULL: it was not given, or
   its usual value was. */
const char *option_given(const struct options *options, const char *name);

/* --- shell_words: words as a shell (bash) reads them --- */

/* Text between single quotes. "{" ends and begins them, so that GNU parallel finds none of its "{}"
   in names. */
void shell_add_quoted(struct str *out, const char *text);
/* A word, whatever is in it. */
void shell_add_word(struct str *out, const char *word);

/* --- compare_worlds --- */

/* Zero-initialise; release with compare_worlds_finish. */
struct compare_worlds {
    struct worlds worlds; /* count 0: the scenario has none that differ */
    struct world_results results;
    struct world_outcome outcome;
    struct variance_table variance;
    bool run;           /* results and doubt are there */
    bool leave_nothing; /* all policies: contenders_leave_nothing */
    const char **names, **policies;
};

/* Draws those of the scenario, if it has any. Negative after adding problems. */
int compare_worlds_draw(struct compare_worlds *w, const struct compare_args *args,
                        const struct contenders *clean, struct problems *problems) MUST_CHECK;
/* Runs the policies of a finished comparison in all of them. Returns an exit code, after saying
   what went wrong. places: of the policies among those of the args. */
int compare_worlds_run(struct compare_worlds *w, const struct compare_args *args,
                       const struct comparison *comparison, const size_t *places);
/* What is to be known of the draws and runs. */
void compare_worlds_add_notes(const struct compare_worlds *w, const struct study *study,
                              struct notes *notes);
void compare_worlds_finish(struct compare_worlds *w);

/* --- what_if: what an insight proposes to try, as a line for the shell, and what that gives --- */

/* Of one command. */
struct what_if {
    struct options *options;
    uint64_t events; /* simulated so far, of all runs that the command looks at */
};

/* The command that records the run again with the insight's changes, in a folder beside that of the
   run which no other insight has: its number (from 1) is in the name. It runs in any folder, its
   paths are whole. NULL: it has no changes. In the arena. */
const char *what_if_command(const struct recorded_run *run, const struct insight *insight,
                            size_t number, struct arena *arena);
/* Simulates what insights propose, as far as --verify says (trials.h). context: struct what_if. */
int what_if_verify(void *context, const struct rule_run *rule_run, struct insights *insights,
                   struct error *reterr) MUST_CHECK;

/* --- calibrate_words --- */
/* What easim calibrate can be asked for, and which of its options belong to what. */

enum calibrate_word {
    CALIBRATE_PROFILES,
    CALIBRATE_FAILURES,
    CALIBRATE_POWER,
    CALIBRATE_PLANS,
    CALIBRATE_COLLECTIVES,
    CALIBRATE_LIMITS
};

/* Says of each given option that is not of this one what it is of; ERROR_INPUT if there is one. */
int calibrate_refuse(const struct options *options, enum calibrate_word word);

/* --- repeat --- */
/* easim COMMAND DIR/manifest.json: the command again, and whether the files are the same. */

struct repeated {
    enum command command;
    int (*run)(enum command command, bool repeats, const char *results, int argc, char **argv);
    const char *manifest;
};

/* The first word of the command line that names a manifest, or NULL: nothing to repeat. */
const char *repeat_manifest(int argc, char **argv);
/* Returns an exit code: 0, the same files; 1, others, or none. */
int repeat(const struct repeated *command, int argc, char **argv);

/* --- progress_line: for runs of over a second; silent when stderr is not a terminal --- */

struct progress_line;

/* Announces work that will not end soon on standard error, and counts what runs with `how` finish
   and simulate; what: "replications", "runs". study: what is run, or something with the same jobs;
   NULL if that differs. NULL if there is nobody to see it, as with --quiet; every function accepts
   NULL. */
struct progress_line *progress_line_start(const struct options *options, uint32_t count,
                                          const char *what, const struct study *study,
                                          struct replicate_options *how);
/* That first half alone; `of` stands before it. */
void progress_line_announce(const struct study *study, const char *of);
void progress_line_expect(struct progress_line *progress,
                          uint32_t count);               /* how many there will be after all */
void progress_line_stop(struct progress_line *progress); /* erases the line and frees */

/* --- sweep_engines --- */
/* Sweeps beyond one machine: tasks, each of which runs one shard of the points. */

struct sweep_tasks {
    const char *file, *folder;                  /* of the sweep, as given; of the results */
    unsigned count;                             /* tasks 1..count */
    const bool *wanted;                         /* by number - 1: tasks with something to do */
    const char *sbatch;                         /* more options for sbatch, or NULL */
    const char *run_timeout, *decision_timeout; /* passed on; or NULL */
    bool retry_failed;                          /* likewise */
};

/* Prints one line of shell that runs the tasks with GNU parallel and then joins. */
int sweep_engine_parallel(const struct sweep_tasks *tasks, struct error *reterr) MUST_CHECK;
/* Writes FOLDER/slurm/array.sh and merge.sh, and submits them; the numbers of the jobs go to
 * standard output. */
int sweep_engine_slurm(const struct sweep_tasks *tasks, struct error *reterr) MUST_CHECK;

/* --- trace: its subcommands, which return an exit code --- */

int trace_stragglers(struct options *options);

/* --- tune_targets --- */

/* The caller fills in the first part; release with tune_targets_finish. Texts are in the arena of
   the options. */
struct tune_targets {
    struct options *options;
    const struct study *own; /* the scenario as it is, loaded */
    /* Loads it with a policy (NULL: its own) and a "path=value" (NULL: none), and notes the files
       that are read then. */
    int (*load)(void *context, struct study *study, const char *policy, const char *set,
                struct problems *problems);
    void *context;

    struct tune_target *targets;
    struct search_axis *axes;
    size_t count;
    const char *const *policies; /* to choose from; NULL: the policy is not tuned */
    size_t policy_count;
    struct study *choices; /* the scenario with each of them */
};

/* Negative after adding problems. */
int tune_targets_find(struct tune_targets *targets, struct problems *problems) MUST_CHECK;
void tune_targets_finish(struct tune_targets *targets);

#endif

/* What every command on a scenario takes: CONFIG.yaml, --policy and --set. */
#ifndef EASIM_CLI_SCENARIO_ARGS_H
#define EASIM_CLI_SCENARIO_ARGS_H

#include "base/arena.h"
#include "base/array.h"
#include "study/study.h"

#include <argp.h>

/* Zero-initialise; release with scenario_args_finish. */
struct scenario_args {
    const char *config;
    const char *policy;
    const char
        *more; /* operands of the command behind CONFIG.yaml, for its usage line; else NULL */
    ARRAY_OF(const char *) sets;
    struct str text; /* of standard input, if it has been read */
    struct arena arena;
};

/* Child parser; give it a struct scenario_args through state->child_inputs. */
extern const struct argp scenario_argp;

/* Ends with a usage error if --policy or --set says which policy runs: `expected` says it. At
 * ARGP_KEY_END. */
void scenario_args_refuse_policy(const struct scenario_args *args, const char *expected,
                                 struct argp_state *state);
void scenario_args_set(struct scenario_args *args, const char *path, const char *value);
/* Reads standard input if that is the scenario, for commands that load it more than once. */
int scenario_args_read(struct scenario_args *args, struct problems *problems) MUST_CHECK;
/* The scenario as the command line has it, read that way. Negative after adding problems;
 * study_finish in any case.
 */
int scenario_args_load(struct scenario_args *args, struct study *study,
                       struct problems *problems) MUST_CHECK;
struct scenario_overrides scenario_args_overrides(const struct scenario_args *args);
/* The scenario as it was given, with the files that it names, for commands that run it with several
   policies; release with study_finish. A scenario that has been loaded has no problems. */
void scenario_args_plain(const struct scenario_args *args, struct study *ret_study);
void scenario_args_finish(struct scenario_args *args);

#endif

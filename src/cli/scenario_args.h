/* The scenario of a command line: CONFIG.yaml with --policy and --set, or standard input. */
#ifndef EASIM_CLI_SCENARIO_ARGS_H
#define EASIM_CLI_SCENARIO_ARGS_H

#include "cli/options.h"
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
struct scenario_overrides scenario_args_overrides(const struct options *options);
/* Which policies the command may open, and what it says of others. */
void scenario_args_trust(const struct options *options, struct scenario_overrides *overrides);
/* The scenario as it was given, with the files that it names, for commands that run it with several
   policies; release with study_finish. A scenario that has been loaded has no problems. */
void scenario_args_plain(const struct options *options, struct study *ret_study);

#endif

/* What an insight proposes to try, as a line for the shell, and what that gives. */
#ifndef EASIM_CLI_WHAT_IF_H
#define EASIM_CLI_WHAT_IF_H

#include "cli/options.h"
#include "insight/rules/insight.h"
#include "insight/rules/rule_run.h"

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
/* Simulates what the insights of a run propose, as far as --verify says (trials.h). context: a
   struct what_if. */
int what_if_verify(void *context, const struct rule_run *rule_run, struct insights *insights,
                   struct error *reterr) MUST_CHECK;

#endif

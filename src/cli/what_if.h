/* What an insight proposes to try, as a line for the shell. */
#ifndef EASIM_CLI_WHAT_IF_H
#define EASIM_CLI_WHAT_IF_H

#include "base/arena.h"
#include "insight/recorded_run.h"
#include "insight/rules/insight.h"

/* The command that records the run again with the insight's changes, in a folder beside that of the
   run which no other insight has: its number (from 1) is in the name. It runs in any folder, its
   paths are whole. NULL: it has no changes. `policy`: that of the run. In the arena. */
const char *what_if_command(const struct recorded_folder *folder, const char *policy,
                            const struct insight *insight, size_t number, struct arena *arena);

#endif

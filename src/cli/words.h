/* The words of a command that its files depend on, as its manifest keeps them and a repetition
 * gives them again. */
#ifndef EASIM_CLI_WORDS_H
#define EASIM_CLI_WORDS_H

#include "base/arena.h"

#include <argp.h>

/* Of a command line that argp has accepted: all options, as "--name=value", and all arguments but
   the first, except options that change no file (--threads) or go into scenario.yaml (--set).
   NULL-terminated, in the arena. */
const char *const *words_of(const struct argp *argp, int argc, char **argv, struct arena *arena);

#endif

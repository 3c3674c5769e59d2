/* The files of recorded results against those of a repetition. */
#ifndef EASIM_CLI_REPEAT_COMPARE_H
#define EASIM_CLI_REPEAT_COMPARE_H

#include "study/recorded.h"

#include <stdbool.h>

/* Prints a line for each file that differs: between the two folders, or from its hash in the
   manifest. Of a sweep also the files of its points; they hold a hash of what was read, which
   counts only where nothing of that has changed (same_inputs). */
bool repeat_compare(const struct recorded *recorded, const char *again, bool same_inputs);

#endif

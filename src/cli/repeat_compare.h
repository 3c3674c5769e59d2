/* The files of recorded results against those of a repetition. */
#ifndef EASIM_CLI_REPEAT_COMPARE_H
#define EASIM_CLI_REPEAT_COMPARE_H

#include "study/recorded.h"

#include <stdbool.h>

/* Whether the recorded folder, and those in it, hold the files of their manifests; prints a line
   for each that they do not. */
bool repeat_is_whole(const struct recorded *recorded);
/* Prints a line for each file that differs between the two folders, the recorded one whole. Of a
   sweep also the files of its points; they hold a hash of what was read, which
   counts only where nothing of that has changed (same_inputs). */
bool repeat_compare(const struct recorded *recorded, const char *again, bool same_inputs);

#endif

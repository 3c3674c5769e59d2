/* How stories write names, counts, numbers and times. */
#ifndef EASIM_OUTPUT_STORY_STORY_WORDS_H
#define EASIM_OUTPUT_STORY_STORY_WORDS_H

#include "base/str.h"

void story_add_name(struct str *out, const char *name); /* made visible, on its line */
void story_add_count(struct str *out, uint64_t count, const char *noun);
void story_add_number(struct str *out, double value);
void story_add_seconds(struct str *out, int64_t time_ns); /* a point in time or a length */

#endif

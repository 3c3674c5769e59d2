/* A job's story for people, and for scripts. */
#ifndef EASIM_OUTPUT_STORY_STORY_TEXT_H
#define EASIM_OUTPUT_STORY_STORY_TEXT_H

#include "insight/story/story.h"

/* Plain sentences and tables, times in seconds since the start of the run. Names are made visible,
   each on its line. */
void story_text(const struct story *story, struct str *out);

#endif

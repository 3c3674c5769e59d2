/* A job's story for scripts. */
#ifndef EASIM_OUTPUT_STORY_STORY_JSON_H
#define EASIM_OUTPUT_STORY_STORY_JSON_H

#include "insight/story/story.h"

/* One object; docs/explain.md has its members. What is not defined is null. */
void story_json(const struct story *story, struct str *out);

#endif

/* The story of a replica of a service, for people and for scripts (docs/explain.md). */
#ifndef EASIM_OUTPUT_STORY_REPLICA_TEXT_H
#define EASIM_OUTPUT_STORY_REPLICA_TEXT_H

#include "base/str.h"
#include "insight/story/replica_story.h"
#include "output/json.h"

void replica_text(const struct replica_story *story, struct str *out);
void replica_json(const struct replica_story *story, struct str *out);
/* What replicas did to a job, as a part of its story; nothing if they did nothing. */
void displacements_text(const struct displacements *d, const struct recorded_run *run,
                        struct str *out);
void displacements_json(const struct displacements *d, const struct recorded_run *run,
                        cJSON *object);

#endif

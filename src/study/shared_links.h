/* Whether models say what they move over the links that jobs of a scenario share, storage and
   uplinks of the network (semantics 35.2), and what of it has no effect. */
#ifndef EASIM_STUDY_SHARED_LINKS_H
#define EASIM_STUDY_SHARED_LINKS_H

#include "study/study.h"
#include "workload/source_uses.h"

/* Adds a problem for each model in use that has no sync_bytes beside contention, and warnings. */
void shared_links_check(struct study *study, const struct usage *usage, struct problems *problems);

#endif

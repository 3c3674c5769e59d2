/* What the files of src/study share; for this folder alone. */
#ifndef EASIM_STUDY_INTERNAL_H
#define EASIM_STUDY_INTERNAL_H

#include "study/study.h"
#include "workload/source_uses.h"

/* --- power_scopes --- */

/* Adds a problem for each model in use whose power_scope is a node's where nodes have power of
   their own, where tdp_w is less than it may draw, or beside a model of another scope. */
void power_scopes_check(const struct study *study, const struct usage *usage,
                        struct problems *problems);

/* --- shared_links --- */

/* Adds a problem for each model in use that has no sync_bytes beside contention, and warnings. */
void shared_links_check(struct study *study, const struct usage *usage, struct problems *problems);

/* --- warnings --- */

/* Fills in study->warnings of one that is loaded otherwise. Adds problems of models and cluster
   together, which a run would meet. */
void warnings_find(struct study *study, struct problems *problems);

#endif

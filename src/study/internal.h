/* What the files of src/study share; for this folder alone. */
#ifndef EASIM_STUDY_INTERNAL_H
#define EASIM_STUDY_INTERNAL_H

#include "study/study.h"
#include "workload/source_uses.h"

/* --- power_scopes --- */
/* Whether models' powers are of what the cluster counts them as: one GPU, or its share of a whole
   node (semantics 3.3). */

/* Adds a problem for each model in use whose power_scope is a node's where nodes have power of
   their own, where tdp_w is less than it may draw, or beside a model of another scope. */
void power_scopes_check(const struct study *study, const struct usage *usage,
                        struct problems *problems);

/* --- shared_links --- */
/* Whether models say what they move over shared links, storage and uplinks of the network
   (semantics 35.2), and what of it has no effect. */

/* Adds a problem for each model in use that has no sync_bytes beside contention, and warnings. */
void shared_links_check(struct study *study, const struct usage *usage, struct problems *problems);

/* --- warnings --- */
/* What of a scenario has no effect or an unwanted one: it runs, but probably not as meant. And what
   only models, cluster and parameters of the policy together show to be impossible. */

/* Fills in study->warnings of one that is loaded otherwise. Adds problems of models and cluster
   together, which a run would meet. */
void warnings_find(struct study *study, struct problems *problems);

#endif

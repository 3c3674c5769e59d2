/* Whether the powers of the models of a study are of what its cluster counts them as: one GPU, or
   its share of a whole node (semantics 3.3). */
#ifndef EASIM_STUDY_POWER_SCOPES_H
#define EASIM_STUDY_POWER_SCOPES_H

#include "study/study.h"
#include "workload/source_uses.h"

/* Adds a problem for each model in use whose power_scope is a node's where nodes have power of
   their own, where tdp_w is less than it may draw, or beside a model of another scope. */
void power_scopes_check(const struct study *study, const struct usage *usage,
                        struct problems *problems);

#endif

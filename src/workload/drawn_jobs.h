/* Jobs that were drawn in one physics, to be run in another (semantics 17.2): who, when, how much
   work and which limits stay; the configurations there are for them are made anew. */
#ifndef EASIM_WORKLOAD_DRAWN_JOBS_H
#define EASIM_WORKLOAD_DRAWN_JOBS_H

#include "workload/source.h"

/* The jobs of `drawn`, which lives on, with the cluster and the models of `source`: the same ones
   by name and order, whose values may differ. extras: of the policy that is to run them. Negative
   after adding problems; workload_finish in any case. */
int drawn_jobs_place(const struct workload *drawn, const struct workload_source *source,
                     const struct config_extras *extras, struct workload *workload,
                     struct problems *problems) MUST_CHECK;

#endif

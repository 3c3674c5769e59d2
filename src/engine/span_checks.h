/* What a checked run looks at of spans: see invariants.h. Computed from the nodes alone, without
   what placement keeps of switches. */
#ifndef EASIM_ENGINE_SPAN_CHECKS_H
#define EASIM_ENGINE_SPAN_CHECKS_H

#include "engine/sim.h"

/* The span of a job that holds GPUs is the lowest that holds all of their nodes, and its
   configuration is known there. */
void span_checks_job(struct sim *sim, uint32_t job);
/* The free GPUs of every switch, and the most of any, which policies see. */
void span_checks_switches(struct sim *sim);

#endif

/* The jobs of a recorded run, as its policy had them, from workload.csv. */
#ifndef EASIM_INSIGHT_RECORDED_JOBS_H
#define EASIM_INSIGHT_RECORDED_JOBS_H

#include "insight/recorded_run.h"

/* Fills in workload and allowed_k. */
int recorded_jobs_load(struct recorded_run *run, struct error *reterr) MUST_CHECK;

#endif

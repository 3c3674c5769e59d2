/* Memory that a policy has for each job (easim_job_memory): the host's, zeroed when a job is
   submitted. */
#ifndef EASIM_ENGINE_JOB_MEMORY_H
#define EASIM_ENGINE_JOB_MEMORY_H

#include "engine/sim.h"

/* Makes room for all jobs, if the policy declares job_memory_size; fails if that is too much. */
int job_memory_init(struct sim *sim, struct error *reterr) MUST_CHECK;
void job_memory_finish(struct sim *sim); /* accepts a zeroed one */
/* A job is submitted. */
void job_memory_zero(struct sim *sim, uint32_t job);
/* Of a checked run: whether the policy has written behind the memory of a submitted job. */
bool job_memory_is_whole(const struct sim *sim, uint32_t job);

#endif

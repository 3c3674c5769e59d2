/* Declarations shared by the files of src/insight, for this folder alone. */
#ifndef EASIM_INSIGHT_INTERNAL_H
#define EASIM_INSIGHT_INTERNAL_H

#include "insight/recorded_run.h"

/* --- recorded_jobs --- */

/* Fills in workload and allowed_k. */
int recorded_jobs_load(struct recorded_run *run, struct error *reterr) MUST_CHECK;

/* --- recorded_services --- */
/* Replicas in a recorded run. They are jobs after those of workload.csv, by service and number,
   named SERVICE#NUMBER, with user, model and labels of the service. The goodput of their
   configurations is their capacity, and the power is the most that one of their GPUs draws. */

/* The job that is the replica of that name, after all others. EASIM_NONE: the name is not allowed
   here, because they come by service and number. */
uint32_t recorded_services_add(struct recorded_run *run, struct slice name, int64_t start_ns);
/* Its rows of services.csv, if the folder (of its policy) has that file. */
int recorded_services_load_figures(struct recorded_run *run, const char *folder,
                                   struct error *reterr) MUST_CHECK;

#endif

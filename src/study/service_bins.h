/* What the bins of request logs change: services by themselves, in the bins of the scenario and in
   shorter ones. The load of replicas depends on how long demand is taken to be constant. */
#ifndef EASIM_STUDY_SERVICE_BINS_H
#define EASIM_STUDY_SERVICE_BINS_H

#include "study/replicate.h"

#define SERVICE_BINS_S 1.0 /* the shorter ones */

/* Of one service over the same time; NAN: nothing was served, or demanded. */
struct service_bins {
    const struct service *service;
    double bin_s;                        /* of the scenario */
    double j_per_token[2], slo_share[2]; /* in those bins, in the shorter ones */
};

/* Zero-initialise; release with service_bins_finish. */
struct service_bins_result {
    ARRAY_OF(struct service_bins) at; /* services of logs in longer bins; none: nothing to tell */
    double until_s;                   /* that time, from 0 on */
};

/* Runs the services of the study, without its jobs, twice for most_s, or for less: so long that
   shorter bins are at most a million. */
int service_bins_find(const struct study *study, const struct replicate_options *how, double most_s,
                      struct service_bins_result *result, struct error *reterr) MUST_CHECK;
void service_bins_finish(struct service_bins_result *result);

#endif

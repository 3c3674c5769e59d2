/* Which GPU types the jobs of a workload may run on, and how little they may draw there, whatever
 * is drawn. */
#ifndef EASIM_WORKLOAD_USAGE_H
#define EASIM_WORKLOAD_USAGE_H

#include "workload/source.h"

/* Of the jobs of one model, or of all rigid ones. */
struct job_usage {
    bool any;        /* there may be some */
    uint64_t types;  /* bit per GPU type of the cluster on which one of them has a feasible
                        configuration */
    uint32_t most_k; /* of a feasible configuration of one of them */
};

/* Release with usage_finish. */
struct usage {
    struct job_usage rigid;
    struct job_usage *models; /* by model of the set */
    struct easim_config
        *least_power; /* by model, then GPU type: the one that draws least; k = 0: none */
};

/* Of a loaded source, with extras. Negative after adding problems of models and cluster together.
 */
int usage_find(struct usage *usage, const struct workload_source *source,
               const struct config_extras *extras, struct problems *problems) MUST_CHECK;
/* What a configuration draws at least while it computes, of one GPU, whatever its span. */
double usage_power_w(const struct easim_config *config);
void usage_finish(struct usage *usage);

#endif

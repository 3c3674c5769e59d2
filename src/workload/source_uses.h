/* Uses of a source of jobs beside a run: usage of its keys, allowed_k of each model, drawn_jobs in
   another physics. */
#ifndef EASIM_WORKLOAD_SOURCE_USES_H
#define EASIM_WORKLOAD_SOURCE_USES_H

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
    uint64_t limited_types, law_types; /* bit per GPU type on which a configuration has a power
                                          limit; likewise, by the law of the type */
    struct config_table table;         /* of all that was asked for */
};

/* Of a loaded source, with extras. Negative after adding problems of models with the cluster. */
int usage_find(struct usage *usage, const struct workload_source *source,
               const struct config_extras *extras, struct problems *problems) MUST_CHECK;
/* What a configuration draws at least while it computes, of one GPU, whatever its span. */
double usage_power_w(const struct easim_config *config);
/* The table, to be finished and freed; NULL: it is large, and goes with the rest. */
struct config_table *usage_keep_table(struct usage *usage);
void usage_finish(struct usage *usage);

/* --- allowed_k --- */
/* The numbers of GPUs that jobs of each model may ask for: they fix the work unit of a model
   without k = 1 (semantics 16). */

/* Fills in source->allowed_k from its streams and logs; released by allowed_k_finish. */
void allowed_k_find(struct workload_source *source);
void allowed_k_finish(struct workload_source *source);

/* --- drawn_jobs --- */
/* Jobs drawn in one physics, to be run in another (semantics 17.2): users, times, work and limits
   stay, their configurations are made anew. */

/* The jobs of `drawn`, which lives on, with the cluster and the models of `source`: the same ones
   by name and order, whose values may differ. extras: of the policy that is to run them. Negative
   after adding problems; workload_finish in any case. */
int drawn_jobs_place(const struct workload *drawn, const struct workload_source *source,
                     const struct config_extras *extras, struct workload *workload,
                     struct problems *problems) MUST_CHECK;

#endif

/* The story of a replica of a service, and its effects and those of similar replicas on jobs, from
   a recorded run alone (docs/howto/why-late.md). */
#ifndef EASIM_INSIGHT_EXPLANATION_REPLICA_EXPLANATION_H
#define EASIM_INSIGHT_EXPLANATION_REPLICA_EXPLANATION_H

#include "insight/recorded_run.h"

/* A job that held GPUs before a replica got them. */
struct replica_source {
    uint32_t job, gpus;
    int64_t time_ns; /* when they came free */
    uint8_t ended;   /* enum segment_cause: why */
};

/* Release with replica_explanation_finish. Times that there are not are -1. */
struct replica_explanation {
    const struct recorded_run *run;
    uint32_t job;
    const struct recorded_service *service;
    int64_t wanted_ns, start_ns, ready_ns, end_ns; /* reserved or started, got GPUs, ready, end */
    uint8_t ended;                                 /* enum segment_cause */
    uint32_t node;                                 /* EASIM_NONE: it never held GPUs */
    /* The others of its service just before it was wanted: ready ones, with what they could give
       and gave a second, loading ones, and those that a failure has ended then. */
    uint32_t ready, loading, failed;
    double capacity_per_s, served_per_s;
    ARRAY_OF(struct replica_source) sources; /* in order of time_ns */
    double tokens, serving_s;
    int128 serving_energy;
};

void replica_explanation_init(struct replica_explanation *explanation,
                              const struct recorded_run *run, uint32_t job);
void replica_explanation_finish(struct replica_explanation *explanation);
/* NULL: it never held GPUs. */
const struct replica_config *
replica_explanation_config(const struct replica_explanation *explanation);

/* A preemption after which a replica held GPUs of the job. */
struct displacement {
    int64_t time_ns;
    uint32_t replica, gpus;
};

struct displacements {
    ARRAY_OF(struct displacement) list; /* in order of time */
    uint32_t started_meanwhile; /* replicas that got GPUs while it waited for its first start */
};

/* Zero-initialise; release with displacements_finish. */
void displacements_find(struct displacements *displacements, const struct recorded_run *run,
                        uint32_t job);
void displacements_finish(struct displacements *displacements);

#endif

/* The power of power domains over the measured time: what their nodes and GPUs draw, and how long
   that is above the domain's cap. */
#ifndef EASIM_METRICS_DOMAIN_STATS_H
#define EASIM_METRICS_DOMAIN_STATS_H

#include "engine/sim.h"

/* What is above a cap. Zero-initialise, with since_ns -1. */
struct cap_excess {
    int64_t since_ns; /* above it without a break; -1: not above it */
    int64_t ns;       /* that count: of each unbroken stretch what exceeds the grace */
    int128 energy;    /* above it in that time, 1e-18 J */
};

/* From from_ns to to_ns the power was over_nw above the cap; 0 or less: it was not. */
void cap_excess_add(struct cap_excess *excess, int64_t over_nw, int64_t grace_ns, int64_t from_ns,
                    int64_t to_ns);

struct domain_stat {
    int64_t now_nw; /* in the stretch of time looked at last; scratch */
    uint64_t now_throttled;
    int64_t max_nw;
    int128 energy, throttled_gpu_ps; /* 1e-18 J, 1e-12 GPU s */
    struct cap_excess over;
};

/* Zero-initialise; release with free(of). */
struct domain_stats {
    struct domain_stat *of; /* by power domain of the cluster; NULL: no time has passed */
};

/* Time has passed in the present state. Costs a look at each job that holds GPUs. */
void domain_stats_advance(struct domain_stats *stats, const struct sim *sim, int64_t from_ns,
                          int64_t to_ns);
/* Measuring begins anew: a stretch above a cap goes on. */
void domain_stats_measure(struct domain_stats *stats, const struct sim *sim);

#endif

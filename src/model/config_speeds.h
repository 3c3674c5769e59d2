/* What the configurations of a set do on the empty cluster: made once a set, asked for every job,
   these few numbers give T* and EDP*. */
#ifndef EASIM_MODEL_CONFIG_SPEEDS_H
#define EASIM_MODEL_CONFIG_SPEEDS_H

#include "base/arena.h"
#include "cluster/cluster.h"
#include "easim/policy.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether the empty cluster would place it where it is known. */
static inline bool placed_when_empty(const struct easim_config *config) {
    return config->goodput[config->empty_span] > 0;
}

/* Who compares each configuration with all of a set leaves sets of more alone. */
#define CONFIG_SPEEDS_MOST_COMPARED 512

/* A configuration without a power limit, as the empty cluster places it. */
struct config_speed {
    double goodput;
    double gpus;           /* that it holds */
    double ctx_w, power_w; /* of one of them: in set-up, computing */
    uint32_t config;
};

/* The best goodput, with or without a power limit, of at most k GPUs. */
struct config_reach {
    double goodput;
    uint32_t k;
};

struct config_speeds {
    const struct config_speed *at; /* in the order of the table */
    uint32_t count, reach_count;
    const struct config_reach *reach; /* by ascending k */
    double best_goodput;              /* of `at`; 0 if there is none */
    const struct config_speed *front; /* those of `at` that no other outdoes, likewise */
    uint32_t front_count;
};

/* Least predicted T and EDP of a job over the configurations of a set without a power limit that
   the empty cluster places, there (T* and EDP*, semantics 4). */
struct config_best {
    uint32_t config; /* of time_s; ties as in config_order */
    double time_s;
    double edp_js;
};

/* Whether a takes clearly less time and energy than b for any work, that is by far more than what
   rounding does, so long as config_speeds_count. */
bool config_speeds_outdo(const struct config_speed *a, const struct config_speed *b);
/* Whether the time that some work takes at a goodput is no dust beside the set-up. */
static inline bool config_speeds_count(double work, double setup_s, double goodput) {
    return work >= 1e-6 * goodput && work >= 1e-6 * goodput * setup_s;
}

/* Of configs[first] .. configs[first + count - 1]. */
struct config_speeds config_speeds_make(const struct cluster *cluster,
                                        const struct easim_config *configs, uint32_t first,
                                        uint32_t count, struct arena *arena);
/* The same of equal configurations that stand `by` places further on (modulo 2^32). */
struct config_speeds config_speeds_moved(const struct config_speeds *speeds, uint32_t by,
                                         struct arena *arena);
/* configs: those of config_speeds_make. */
struct config_best config_speeds_best(const struct config_speeds *speeds,
                                      const struct easim_config *configs, double work,
                                      double setup_s);
/* Its time_s alone: quotient and sum round monotonically, so it is that of the best goodput. */
static inline double config_speeds_best_s(const struct config_speeds *speeds, double work,
                                          double setup_s) {
    return speeds->best_goodput > 0 ? setup_s + work / speeds->best_goodput : INFINITY;
}
/* The best goodput of at most k GPUs, or of the least k there is; 0 if there is none. */
double config_speeds_within(const struct config_speeds *speeds, uint32_t most_k);

/* --- config_order --- */
/* Ties between configurations, for T* and EDP* and for objectives (semantics 5.1). */

/* What of a configuration the order looks at, for the placement it is judged with. */
struct config_rank {
    uint32_t k;
    double power_w; /* of one GPU computing, in that placement */
    uint32_t gpu_type;
    double batch;
    double power_limit_w; /* INFINITY: none */
};

/* That of a configuration placed with a span. */
static inline struct config_rank config_rank_of(const struct easim_config *config, uint32_t span) {
    return (struct config_rank){config->k, config->power_w[span], config->gpu_type, config->batch,
                                config->power_limit_w};
}

/* Fewer GPUs, lower k * P, earlier GPU type, smaller batch, higher limit: true if a goes before b.
   An order of its own, whatever else the two differ in; equal ranks are not before each other. */
bool config_order_before(const struct config_rank *a, const struct config_rank *b);

#endif

/* What a replica of a service can be: k GPUs of one type in one node under a batch limit, and what
   it gives, draws and takes within a latency objective (semantics 33.2). Pure functions. */
#ifndef EASIM_MODEL_REPLICA_H
#define EASIM_MODEL_REPLICA_H

#include "model/serving_table.h"

#include <stdint.h>

/* Its latency at that quantile is at most so much. */
struct latency_objective {
    enum serving_quantile quantile;
    double most_ms;
};

/* Loads below are shares of most_per_s, 0..1. */
struct replica_config {
    const struct serving_table *table; /* borrowed */
    uint32_t gpu_type, k;
    double limit;                   /* most requests at once; INFINITY: what was measured */
    double loaded_w;                /* without a request */
    enum serving_quantile quantile; /* of the objective */
    double most_n;                  /* requests running in full use, n_max */
    double most_per_s;              /* capacity: what it then gives a second, > 0 */
    double most_w;                  /* most that it draws with up to most_n running */
};

/* Finds the full use of a configuration whose table, limit, loaded_w and quantile are set. False
   if it meets the objective at no n. */
bool replica_settle(struct replica_config *config, const struct latency_objective *objective);

double replica_running(const struct replica_config *config, double load); /* requests */
double replica_power_w(const struct replica_config *config, double load);
double replica_latency_ms(const struct replica_config *config, double load);
/* J of a token, or output, at a load above 0. */
double replica_joules(const struct replica_config *config, double load);
/* These where it gives per_s, above 0 and at most most_per_s: the same whatever its limit is. */
double replica_joules_giving(const struct replica_config *config, double per_s);
double replica_latency_giving_ms(const struct replica_config *config, double per_s);

/* Whether a goes before b where they are otherwise equal at a load: semantics 5.1. */
bool replica_before(const struct replica_config *a, const struct replica_config *b, double load);

#endif

/* The serving section of a model: its keys, and their conditions. */
#ifndef EASIM_MODEL_SERVING_H
#define EASIM_MODEL_SERVING_H

#include "config/schema.h"
#include "model/serving_table.h"

#include <stdint.h>

/* What throughput and work of a model count. */
enum work_unit { UNIT_SAMPLE, UNIT_TOKEN, UNIT_OUTPUT };
extern const char *const work_unit_names[];        /* NULL-terminated */
extern const char *const serving_quantile_names[]; /* by enum serving_quantile; likewise */

/* What prompts cost beside the tokens that are generated. */
struct prompt_cost {
    bool included;             /* the tables were measured with prompts of their own */
    double output_equivalents; /* generated tokens that a prompt token equals; NAN: not stated */
};

/* Replicas of k GPUs of one type. */
struct serving {
    struct location where;
    const char *gpu;
    int64_t k;
    double loaded_w;  /* of the replica without a request; NAN: k * ctx_w */
    int32_t evidence; /* enum evidence */
    const char *source;
    struct schema_list points;   /* as read */
    struct serving_table table;  /* pooled */
    const struct yaml_node *fit; /* how it was made: a record, or NULL */
};

struct model_serving {
    int32_t unit; /* enum work_unit */
    struct prompt_cost prompt;
    struct schema_list tables; /* struct serving; count 0: none */
};

extern const struct field prompt_fields[];  /* of struct prompt_cost */
extern const struct field serving_fields[]; /* of struct serving */

/* Checks what was read and makes the tables. where: the model. Problems go to the binding. */
void serving_settle(struct model_serving *serving, struct location where, const char *path,
                    const struct binding *binding);

/* --- replica --- */
/* What a replica of a service can be: k GPUs of one type in one node under a batch limit, and what
   it gives, draws and takes within a latency objective (semantics 33.2). Pure functions. */

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

/* The serving section of a model: its keys, and what they have to fulfil. */
#ifndef EASIM_MODEL_SERVING_H
#define EASIM_MODEL_SERVING_H

#include "config/schema.h"
#include "model/serving_table.h"

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

#endif

/* How k GPUs share the training of a transformer: a plan, its needs and the time of an iteration
   under it (semantics 31.2 to 31.4). Pure functions. */
#ifndef EASIM_MODEL_PLAN_H
#define EASIM_MODEL_PLAN_H

#include "config/schema.h"

/* --- architecture --- */
/* The shape of a transformer, and what an iteration computes (semantics 31.1). */

/* What of a forward pass is computed again in the backward pass. */
enum recompute { RECOMPUTE_NONE, RECOMPUTE_SELECTIVE, RECOMPUTE_FULL };

struct transformer {
    struct location where;
    int64_t layers, hidden, heads, sequence, vocabulary;
    int64_t kv_heads;      /* of keys and values; 0: heads */
    int64_t feed_forward;  /* width; 0: 4 hidden */
    bool gated;            /* three matrices in the feed-forward part, not two */
    bool causal;           /* a token looks at those before it alone: half of the scores */
    bool lora;             /* the weights are frozen, adapters alone are trained */
    bool embedding_places; /* embedding and loss take a layer's place each in the pipeline */
    bool distributed_optimizer, sequence_parallel;
    double parameters;
    int64_t global_batch;                /* sequences of an iteration */
    int32_t recompute;                   /* enum recompute */
    struct schema_list context_parallel; /* int64_t: degrees to choose from; count 0: 1 */
};

extern const struct field transformer_fields[]; /* of struct transformer */

/* Puts what was left out in its place, and adds problems: heads that do not divide. */
void transformer_settle(struct transformer *shape, const char *path, const struct binding *binding);

/* Floating-point operations of an iteration, recomputation counted: of layers of matrices and
   scores, and of the logits. Without recomputation, with kv_heads = heads, a feed-forward width of
   4 h and no gate that is 72 B s L h^2 (1 + s/(6 h) + V/(12 L h)), with full recomputation 96 B s L
   h^2 (1 + s/(6 h) + V/(16 L h)) (Narayanan et al., SC'21, appendix). */
double transformer_flop(const struct transformer *shape);

/* --- plan --- */

#define PLAN_TEXT_BYTES 64

/* k = tensor * pipeline * data * context; 0 GPUs: no plan. */
struct plan {
    uint32_t tensor, pipeline, data, context;
    uint32_t interleaving; /* parts of the layers that each stage holds */
    uint32_t micro_batch;  /* sequences */
};

/* What one GPU computes and moves a second. */
struct gpu_links {
    double peak_flops;      /* operations of the precision */
    double memory_bytes_s;  /* of its memory */
    double node_bytes_s;    /* to others of its node */
    double network_bytes_s; /* to other nodes */
};

/* What a fit found: see plan_time. */
struct plan_fit {
    double compute_fraction; /* f1, of peak_flops; in (0, 1] */
    double memory_traffic;   /* f2, times the bytes counted; >= 0 */
    double gradient_overlap; /* f3, of the gradients' transfer; in [0, 1] */
    double node_s;           /* of an iteration for each node, whatever the plan; >= 0 */
    double fixed_s;          /* of an iteration, whatever the plan and the nodes; >= 0 */
    double software_factor;  /* > 0: speed of the software, times that of the other figures */
};

/* What plans run on. */
struct plan_hardware {
    struct gpu_links links;
    struct plan_fit fit;
    double memory_gib; /* of one GPU */
    uint32_t node_gpus;
};

/* Seconds of an iteration, by what they are spent on; they add up to it. */
struct plan_parts {
    double compute_s, memory_s, tensor_s, pipeline_s, bubble_s, gradient_s, fixed_s;
};

uint32_t plan_gpus(const struct plan *plan);
/* m: of a replica in an iteration; 0: data * micro_batch does not divide the global batch. */
int64_t plan_micro_batches(const struct transformer *shape, const struct plan *plan);

/* Why a plan cannot be on nodes of so many GPUs, in words; NULL: it can. Memory is not asked. */
const char *plan_wrong(const struct transformer *shape, const struct plan *plan,
                       uint32_t node_gpus);

/* GiB of a GPU of the first stage, which holds most: weights, gradients and the state of the
   optimizer, and activations of min(m, pipeline) micro-batches (Korthikanti et al., 2022). */
double plan_memory_gib(const struct transformer *shape, const struct plan *plan);

/* Parts of an iteration. across: the plan's GPUs are in several nodes. */
struct plan_parts plan_time_parts(const struct transformer *shape, const struct plan *plan,
                                  const struct plan_hardware *hardware, bool across);
double plan_parts_sum_s(const struct plan_parts *parts);
/* Bytes that a GPU of the plan sends in an iteration to GPUs that may be on other nodes: transfers
   of the pipeline, and gradients, whether they overlap with something or not. */
double plan_network_bytes(const struct transformer *shape, const struct plan *plan);

/* The plan of least time that fits the memory; ties: fewer stages, smaller tensor, interleaving and
   micro-batch. False: none; *ret_least_gib is what the least of them needs, INFINITY if none
   divides. */
bool plan_best(const struct transformer *shape, uint32_t k, const struct plan_hardware *hardware,
               bool across, struct plan *ret, double *ret_least_gib);

/* Calls found for every plan of k GPUs that can be, whether it fits or not, in ascending order of
   pipeline, tensor, context, interleaving, micro-batch. */
void plan_each(const struct transformer *shape, uint32_t k, uint32_t node_gpus,
               void (*found)(void *to, const struct plan *plan), void *to);

/* "tp8pp4v2dp2mb1", cp behind dp where it is above 1. */
void plan_text(char text[static PLAN_TEXT_BYTES], const struct plan *plan);
/* The plan that plan_text would write so; false: none, *ret is left alone. */
bool plan_parse(const char *text, struct plan *ret);

#endif

/* The shape of a transformer, and what an iteration of its training computes (semantics 31.1). Pure
   functions. */
#ifndef EASIM_MODEL_TRANSFORMER_ARCHITECTURE_H
#define EASIM_MODEL_TRANSFORMER_ARCHITECTURE_H

#include "config/schema.h"

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

/* Bytes of activations, 2 to a number, that one layer keeps of one sequence (Korthikanti et al.,
   2022, table 2), on each of tp GPUs; with recompute full those that are kept while the layer is
   computed again. scores: with those of attention. */
double transformer_layer_bytes(const struct transformer *shape, uint32_t tp, bool scores);

#endif

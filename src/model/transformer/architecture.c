/* The shape of a transformer: see architecture.h. */
#include "model/transformer/architecture.h"

#define OF(member) .offset = offsetof(struct transformer, member)
#define COUNT(name, member, most, ...) \
    { .key = name, .type = FIELD_INT, OF(member), .min = 1, .max = most, __VA_ARGS__ }
#define FLAG(name, member, text) \
    { .key = name, .type = FIELD_BOOL, OF(member), .help = text }

static const char *const recompute_names[] = {"none", "selective", "full", NULL};

const struct field transformer_fields[] = {
    {.type = FIELD_LOCATION, OF(where)},
    COUNT("layers", layers, 1e4, .required = true),
    COUNT("hidden", hidden, 1e6, .required = true, .help = "width"),
    COUNT("heads", heads, 1e4, .required = true, .help = "of attention"),
    COUNT("kv_heads", kv_heads, 1e4, .default_value = 0, .help = "of keys and values (heads)"),
    COUNT("feed_forward", feed_forward, 1e7, .default_value = 0, .help = "width (4 hidden)"),
    FLAG("gated", gated, "three matrices in the feed-forward part, not two"),
    COUNT("sequence", sequence, 1e8, .required = true, .help = "tokens of a sequence"),
    COUNT("vocabulary", vocabulary, 1e8, .required = true),
    FLAG("causal", causal, "half of the attention scores are counted, and computed"),
    {.key = "parameters",
     .type = FIELD_REAL,
     OF(parameters),
     .required = true,
     .min = 1,
     .max = 1e15,
     .help = "of which memory and gradients are made"},
    COUNT("global_batch", global_batch, 1e9, .required = true, .help = "sequences of an iteration"),
    {.key = "recompute",
     .type = FIELD_CHOICE,
     OF(recompute),
     .choices = recompute_names,
     .help = "what of the forward pass is computed again: none | selective (scores) | full"},
    FLAG("lora", lora, "the weights are frozen, adapters alone are trained"),
    FLAG("distributed_optimizer", distributed_optimizer, "its state is shared among dp GPUs"),
    FLAG("sequence_parallel", sequence_parallel, "tp divides all activations of a layer"),
    FLAG("embedding_places", embedding_places,
         "embedding and loss take a layer's place each in the pipeline"),
    {.key = "context_parallel",
     .type = FIELD_INTS,
     OF(context_parallel),
     .min = 1,
     .max = 1024,
     .help = "degrees to choose from (1)"},
    FIELDS_END};

void transformer_settle(struct transformer *shape, const char *path,
                        const struct binding *binding) {
    shape->kv_heads = shape->kv_heads > 0 ? shape->kv_heads : shape->heads;
    shape->feed_forward = shape->feed_forward > 0 ? shape->feed_forward : 4 * shape->hidden;
    if (shape->heads > 0 && shape->hidden % shape->heads != 0)
        problems_add(binding->problems, shape->where,
                     arena_printf(binding->arena, "%s.heads", path),
                     "expected a divisor of hidden, %lld, got %lld", (long long)shape->hidden,
                     (long long)shape->heads);
    if (shape->kv_heads > 0 && shape->heads % shape->kv_heads != 0)
        problems_add(binding->problems, shape->where,
                     arena_printf(binding->arena, "%s.kv_heads", path),
                     "expected a divisor of heads, %lld, got %lld", (long long)shape->heads,
                     (long long)shape->kv_heads);
}

/* Of a token in a layer, forward: the matrices. */
static double matrix_flop(const struct transformer *t) {
    double h = (double)t->hidden, kv = h * (double)t->kv_heads / (double)t->heads;
    double attention = 2 * h * (h + 2 * kv) + 2 * h * h;
    return attention + (t->gated ? 6 : 4) * h * (double)t->feed_forward;
}

/* And scores and their products with values. */
static double score_flop(const struct transformer *t) {
    return (t->causal ? 2 : 4) * (double)t->sequence * (double)t->hidden;
}

double transformer_flop(const struct transformer *t) {
    double tokens = (double)t->global_batch * (double)t->sequence;
    /* Forward once, backward twice, or of frozen weights once. */
    double passes = t->lora ? 2 : 3;
    double matrices = (passes + (t->recompute == RECOMPUTE_FULL)) * matrix_flop(t);
    /* Scores have no weights: their backward pass has all of it. */
    double scores = (3 + (t->recompute != RECOMPUTE_NONE)) * score_flop(t);
    double logits = passes * 2 * (double)t->hidden * (double)t->vocabulary;
    return tokens * ((double)t->layers * (matrices + scores) + logits);
}

double transformer_layer_bytes(const struct transformer *t, uint32_t tp, bool scores) {
    double s = (double)t->sequence, h = (double)t->hidden, a = (double)t->heads;
    double whole = t->sequence_parallel ? 10.0 / tp : 10;
    return s * h * (whole + 24.0 / tp + (scores ? 5 * a * s / (h * tp) : 0));
}

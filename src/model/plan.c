/* Plans of k GPUs: see plan.h. */
#include "model/plan.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- architecture --- */

static const char *const recompute_names[] = {"none", "selective", "full", NULL};

const struct field transformer_fields[] = {
    {LOCATION(transformer, where)},
    {"layers", INT(transformer, layers), REQUIRED, RANGE(1, 1e4), HELP("number of layers")},
    {"hidden", INT(transformer, hidden), REQUIRED, RANGE(1, 1e6), HELP("width of a layer")},
    {"heads", INT(transformer, heads), REQUIRED, RANGE(1, 1e4), HELP("attention heads")},
    {"kv_heads", INT(transformer, kv_heads), RANGE(1, 1e4),
     HELP("heads of keys and values, a divisor of heads (default: heads)")},
    {"feed_forward", INT(transformer, feed_forward), RANGE(1, 1e7),
     HELP("width of the feed-forward part (default: 4 hidden)")},
    {"gated", BOOL(transformer, gated),
     HELP("three matrices in the feed-forward part instead of two")},
    {"sequence", INT(transformer, sequence), REQUIRED, RANGE(1, 1e8), HELP("tokens of a sequence")},
    {"vocabulary", INT(transformer, vocabulary), REQUIRED, RANGE(1, 1e8),
     HELP("tokens that the model knows")},
    {"causal", BOOL(transformer, causal),
     HELP("half of the attention scores are computed and counted")},
    {"parameters", REAL(transformer, parameters), REQUIRED, RANGE(1, 1e15),
     HELP("number of parameters; gives the memory of weights, gradients and optimizer")},
    {"global_batch", INT(transformer, global_batch), REQUIRED, RANGE(1, 1e9),
     HELP("sequences of an iteration")},
    {"recompute", CHOICE(transformer, recompute, recompute_names),
     HELP("part of the forward pass that is computed again; selective: attention scores")},
    {"lora", BOOL(transformer, lora),
     HELP("train adapters alone; without distributed_optimizer and gradient_overlap")},
    {"distributed_optimizer", BOOL(transformer, distributed_optimizer),
     HELP("the dp GPUs share the optimizer's state")},
    {"sequence_parallel", BOOL(transformer, sequence_parallel), HELP("tp divides all activations")},
    {"embedding_places", BOOL(transformer, embedding_places),
     HELP("embedding and loss take the place of a layer each in the pipeline")},
    {"context_parallel", INTS(transformer, context_parallel), RANGE(1, 1024),
     HELP("degrees of cp to choose from (default: 1)")},
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

/* Bytes of activations, 2 to a number, that one layer keeps of one sequence (Korthikanti et al.,
   2022, table 2), on each of tp GPUs; with recompute full those that are kept while the layer is
   computed again. scores: with those of attention. */
static double transformer_layer_bytes(const struct transformer *t, uint32_t tp, bool scores) {
    double s = (double)t->sequence, h = (double)t->hidden, a = (double)t->heads;
    double whole = t->sequence_parallel ? 10.0 / tp : 10;
    return s * h * (whole + 24.0 / tp + (scores ? 5 * a * s / (h * tp) : 0));
}

/* --- plan --- */

#define GIB_BYTES   1073741824.0
#define MOST_DEGREE 1000000

uint32_t plan_gpus(const struct plan *p) {
    return p->tensor * p->pipeline * p->data * p->context;
}

int64_t plan_micro_batches(const struct transformer *shape, const struct plan *p) {
    int64_t together = (int64_t)p->data * p->micro_batch;
    return together > 0 && shape->global_batch % together == 0 ? shape->global_batch / together : 0;
}

/* Places of the pipeline: layers, and what counts as one. */
static int64_t layer_places(const struct transformer *shape) {
    return shape->layers + (shape->embedding_places ? 2 : 0);
}

const char *plan_wrong(const struct transformer *shape, const struct plan *p, uint32_t node_gpus) {
    int64_t micro_batches = plan_micro_batches(shape, p);
    if (p->tensor == 0 || p->pipeline == 0 || p->data == 0 || p->context == 0 ||
        p->interleaving == 0 || p->micro_batch == 0)
        return "a degree is 0";
    if (p->tensor > node_gpus)
        return "tp is above the GPUs of a node";
    if (shape->heads % p->tensor != 0 || shape->kv_heads % p->tensor != 0)
        return "tp does not divide heads and kv_heads";
    if (shape->sequence % p->context != 0)
        return "cp does not divide the sequence";
    if (layer_places(shape) % ((int64_t)p->pipeline * p->interleaving) != 0)
        return "pp times v does not divide the layers";
    if (micro_batches == 0)
        return "dp times mb does not divide the global batch";
    if (p->interleaving > 1 && (p->pipeline == 1 || micro_batches % p->pipeline != 0))
        return "v is above 1, and the micro-batches are no multiple of pp";
    return NULL;
}

double plan_memory_gib(const struct transformer *shape, const struct plan *p) {
    double bytes_each = shape->lora ? 2 : (shape->distributed_optimizer ? 6 + 12.0 / p->data : 18);
    double state = bytes_each * shape->parameters / p->tensor / p->pipeline;
    double kept = transformer_layer_bytes(shape, p->tensor, shape->recompute == RECOMPUTE_NONE);
    double working = 0;
    if (shape->recompute == RECOMPUTE_FULL) {
        working = transformer_layer_bytes(shape, p->tensor, true);
        kept = 2.0 * (double)shape->sequence * (double)shape->hidden /
               (shape->sequence_parallel ? p->tensor : 1);
    }
    double in_flight = fmin((double)plan_micro_batches(shape, p), p->pipeline);
    if (p->interleaving > 1)
        in_flight *= 1 + (p->pipeline - 1.0) / ((double)p->pipeline * p->interleaving);
    double layers = (double)layer_places(shape) / p->pipeline;
    double tokens = (double)p->micro_batch / p->context;
    return (state + tokens * (kept * layers * in_flight + working)) / GIB_BYTES;
}

static struct plan_parts slower_parts(const struct plan_parts *p, double factor) {
    return (struct plan_parts){p->compute_s / factor,  p->memory_s / factor, p->tensor_s / factor,
                               p->pipeline_s / factor, p->bubble_s / factor, p->gradient_s / factor,
                               p->fixed_s / factor};
}

struct plan_parts plan_time_parts(const struct transformer *shape, const struct plan *p,
                                  const struct plan_hardware *hardware, bool across) {
    const struct gpu_links *links = &hardware->links;
    const double micro_batches = (double)plan_micro_batches(shape, p), stages = p->pipeline;
    /* Of a micro-batch in a layer: numbers of activations of one GPU, and how often each pass. */
    const double numbers =
        (double)p->micro_batch / p->context * (double)shape->sequence * (double)shape->hidden;
    const double layers = (double)shape->layers / stages * micro_batches;
    const bool again = shape->recompute == RECOMPUTE_FULL;
    const double between_nodes = across ? links->network_bytes_s : links->node_bytes_s;
    const double copies = (double)p->data * p->context;
    struct plan_parts parts = {0};
    parts.compute_s = transformer_flop(shape) /
                      (plan_gpus(p) * links->peak_flops * hardware->fit.compute_fraction);
    parts.memory_s = hardware->fit.memory_traffic * layers * (again ? 4 : 3) * p->micro_batch /
                     p->context * transformer_layer_bytes(shape, p->tensor, true) /
                     links->memory_bytes_s;
    parts.tensor_s = layers * (again ? 6 : 4) * 2 * numbers * 2 * (p->tensor - 1.0) / p->tensor /
                     links->node_bytes_s;
    if (p->pipeline > 1)
        parts.pipeline_s = micro_batches * 2 * p->interleaving * 2 * numbers / between_nodes;
    parts.bubble_s = (parts.compute_s + parts.memory_s + parts.tensor_s + parts.pipeline_s) *
                     (stages - 1) / (micro_batches * p->interleaving);
    if (!shape->lora)
        parts.gradient_s = (1 - hardware->fit.gradient_overlap) * 4 * shape->parameters /
                           p->tensor / stages * (copies - 1) / copies / between_nodes;
    parts.fixed_s = hardware->fit.fixed_s +
                    hardware->fit.node_s * ceil((double)plan_gpus(p) / hardware->node_gpus);
    return slower_parts(&parts, hardware->fit.software_factor);
}

double plan_parts_sum_s(const struct plan_parts *parts) {
    return parts->compute_s + parts->memory_s + parts->tensor_s + parts->pipeline_s +
           parts->bubble_s + parts->gradient_s + parts->fixed_s;
}

double plan_network_bytes(const struct transformer *shape, const struct plan *p) {
    const double numbers =
        (double)p->micro_batch / p->context * (double)shape->sequence * (double)shape->hidden;
    const double copies = (double)p->data * p->context;
    double bytes = 0;
    if (p->pipeline > 1)
        bytes += (double)plan_micro_batches(shape, p) * 2 * p->interleaving * 2 * numbers;
    if (!shape->lora)
        bytes += 4 * shape->parameters / p->tensor / p->pipeline * (copies - 1) / copies;
    return bytes;
}

/* --- all plans of k GPUs --- */

#define MOST_DIVISORS 1344 /* of 735134400: no number up to 1e9 has more (OEIS A066150) */

struct divisors {
    uint32_t count, at[MOST_DIVISORS]; /* ascending */
};

static void find_divisors(struct divisors *list, int64_t n) {
    assert(n > 0 && n <= 1000000000);
    const uint32_t of = (uint32_t)n;
    list->count = 0;
    for (uint32_t d = 1; d <= of / d; d++)
        if (of % d == 0)
            list->at[list->count++] = d;
    for (uint32_t i = list->count; i-- > 0;)
        if (list->at[i] != of / list->at[i])
            list->at[list->count++] = of / list->at[i];
}

struct plan_search {
    const struct transformer *shape;
    uint32_t node_gpus;
    struct divisors of_places, of_heads, of_batch;
    void (*found)(void *to, const struct plan *plan);
    void *to;
};

static void each_schedule(const struct plan_search *search, struct plan plan) {
    const struct divisors *parts = &search->of_places, *batches = &search->of_batch;
    int64_t places = layer_places(search->shape) / plan.pipeline;
    int64_t sequences = search->shape->global_batch / plan.data;
    for (uint32_t i = 0; i < parts->count && (i == 0 || plan.pipeline > 1); i++)
        for (uint32_t j = 0; places % parts->at[i] == 0 && j < batches->count; j++) {
            plan.interleaving = parts->at[i];
            plan.micro_batch = batches->at[j];
            if (sequences % plan.micro_batch == 0 &&
                !plan_wrong(search->shape, &plan, search->node_gpus))
                search->found(search->to, &plan);
        }
}

static void each_context(const struct plan_search *search, struct plan plan, uint32_t rest) {
    static const int64_t none[] = {1};
    const struct schema_list *stated = &search->shape->context_parallel;
    const int64_t *degrees = stated->count > 0 ? stated->at : none;
    for (size_t i = 0; i < (stated->count > 0 ? stated->count : 1); i++) {
        if (rest % degrees[i] != 0)
            continue;
        plan.context = (uint32_t)degrees[i];
        plan.data = rest / plan.context;
        if (search->shape->global_batch % plan.data == 0)
            each_schedule(search, plan);
    }
}

void plan_each(const struct transformer *shape, uint32_t k, uint32_t node_gpus,
               void (*found)(void *to, const struct plan *plan), void *to) {
    struct plan_search search;
    search.shape = shape, search.node_gpus = node_gpus, search.found = found, search.to = to;
    find_divisors(&search.of_places, layer_places(shape));
    find_divisors(&search.of_heads, shape->kv_heads);
    find_divisors(&search.of_batch, shape->global_batch);
    for (uint32_t i = 0; i < search.of_places.count; i++)
        for (uint32_t j = 0; j < search.of_heads.count; j++) {
            const struct plan plan = {.pipeline = search.of_places.at[i],
                                      .tensor = search.of_heads.at[j]};
            if (plan.tensor <= node_gpus && k % (plan.pipeline * plan.tensor) == 0)
                each_context(&search, plan, k / plan.pipeline / plan.tensor);
        }
}

struct best_plan {
    const struct transformer *shape;
    const struct plan_hardware *hardware;
    bool across;
    struct plan plan;
    double time_s, least_gib;
};

/* Plans come in the order of ties: the first of equal ones stays. */
static void consider_plan(void *to, const struct plan *plan) {
    struct best_plan *best = to;
    double gib = plan_memory_gib(best->shape, plan);
    best->least_gib = fmin(best->least_gib, gib);
    if (gib > best->hardware->memory_gib)
        return;
    const struct plan_parts parts =
        plan_time_parts(best->shape, plan, best->hardware, best->across);
    double time_s = plan_parts_sum_s(&parts);
    if (time_s < best->time_s) {
        best->time_s = time_s;
        best->plan = *plan;
    }
}

bool plan_best(const struct transformer *shape, uint32_t k, const struct plan_hardware *hardware,
               bool across, struct plan *ret, double *ret_least_gib) {
    struct best_plan best = {shape, hardware, across, .time_s = INFINITY, .least_gib = INFINITY};
    plan_each(shape, k, hardware->node_gpus, consider_plan, &best);
    *ret = best.plan;
    *ret_least_gib = best.least_gib;
    return best.time_s < INFINITY;
}

void plan_text(char text[static PLAN_TEXT_BYTES], const struct plan *p) {
    char context[16] = "";
    if (p->context > 1)
        (void)snprintf(context, sizeof context, "cp%u", p->context);
    (void)snprintf(text, PLAN_TEXT_BYTES, "tp%upp%uv%udp%u%smb%u", p->tensor, p->pipeline,
                   p->interleaving, p->data, context, p->micro_batch);
}

bool plan_parse(const char *text, struct plan *ret) {
    static const char *const names[] = {"tp", "pp", "v", "dp", "cp", "mb"};
    struct plan p = {0};
    uint32_t *const degrees[] = {&p.tensor, &p.pipeline, &p.interleaving,
                                 &p.data,   &p.context,  &p.micro_batch};
    char again[PLAN_TEXT_BYTES];
    const char *at = text;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i]);
        if (degrees[i] == &p.context && strncmp(at, "cp", 2) != 0) {
            p.context = 1;
            continue;
        }
        uint64_t degree = 0;
        if (strncmp(at, names[i], length) != 0)
            return false;
        for (at += length; *at >= '0' && *at <= '9' && degree <= MOST_DEGREE; at++)
            degree = 10 * degree + (uint64_t)(*at - '0');
        if (degree == 0 || degree > MOST_DEGREE)
            return false;
        *degrees[i] = (uint32_t)degree;
    }
    plan_text(again, &p);
    if (strcmp(again, text) != 0 ||
        (double)p.tensor * p.pipeline * p.data * p.context > MOST_DEGREE)
        return false; /* leading zeros, cp1, words behind it; more GPUs than there can be */
    *ret = p;
    return true;
}

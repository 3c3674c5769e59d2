/* Numbers of configurations on the empty cluster: see config_speeds.h. */
#include "model/config_speeds.h"

/* --- config_order --- */

bool config_order_before(const struct config_rank *a, const struct config_rank *b) {
    if (a->k != b->k)
        return a->k < b->k;
    if (a->power_w != b->power_w) /* k is equal, so this is k * P */
        return a->power_w < b->power_w;
    if (a->gpu_type != b->gpu_type)
        return a->gpu_type < b->gpu_type;
    if (a->batch != b->batch)
        return a->batch < b->batch;
    return a->power_limit_w > b->power_limit_w;
}

/* --- config_speeds --- */

static struct config_speed speed_of(const struct cluster *cluster,
                                    const struct easim_config *configs, uint32_t config) {
    const struct easim_config *c = &configs[config];
    return (struct config_speed){.goodput = c->goodput[c->empty_span],
                                 .gpus = easim_config_gpus(c),
                                 .ctx_w = cluster->gpu_types[c->gpu_type].ctx_w,
                                 .power_w = c->power_w[c->empty_span],
                                 .config = config};
}

/* Adds a configuration to reach[0 .. count - 1]; returns their number then. Those of equal k are
   one, and each has the best of all before it. */
static uint32_t add_reach(struct config_reach *reach, uint32_t count,
                          const struct easim_config *config) {
    double goodput = config->goodput[config->empty_span];
    uint32_t at = 0;
    while (at < count && reach[at].k < config->k)
        at++;
    if (at == count || reach[at].k > config->k) {
        double below = at > 0 ? reach[at - 1].goodput : 0;
        for (uint32_t i = count; i > at; i--)
            reach[i] = reach[i - 1];
        reach[at] = (struct config_reach){below, config->k};
        count++;
    }
    for (; at < count; at++)
        reach[at].goodput = fmax(reach[at].goodput, goodput);
    return count;
}

#define CLEARLY 1e-3 /* a share of a figure; 1e-9 of it is still 1e-12, and rounding 1e-15 */

/* Computing, so long as it counts, is at least CLEARLY * 1e-6 of the energy, of which `a` saves
   another CLEARLY. */
bool config_speeds_outdo(const struct config_speed *a, const struct config_speed *b) {
    return a->goodput >= b->goodput * (1 + CLEARLY) && a->power_w >= a->ctx_w * CLEARLY &&
           a->gpus * a->ctx_w <= b->gpus * b->ctx_w &&
           a->gpus * a->power_w * b->goodput <= b->gpus * b->power_w * a->goodput * (1 - CLEARLY);
}

static void find_front(struct config_speeds *made, struct arena *arena) {
    made->front = made->at;
    made->front_count = made->count;
    if (made->count > CONFIG_SPEEDS_MOST_COMPARED)
        return;
    struct config_speed *front = arena_alloc(arena, made->count * sizeof *front);
    made->front_count = 0;
    for (uint32_t i = 0; i < made->count; i++) {
        bool outdone = false;
        for (uint32_t other = 0; other < made->count && !outdone; other++)
            outdone = config_speeds_outdo(&made->at[other], &made->at[i]);
        if (!outdone)
            front[made->front_count++] = made->at[i];
    }
    made->front = front;
}

struct config_speeds config_speeds_make(const struct cluster *cluster,
                                        const struct easim_config *configs, uint32_t first,
                                        uint32_t count, struct arena *arena) {
    struct config_speeds made = {0};
    uint32_t placed = 0;
    for (uint32_t i = first; i < first + count; i++)
        placed += placed_when_empty(&configs[i]);
    if (placed == 0)
        return made;
    struct config_speed *speeds = arena_alloc(arena, placed * sizeof *speeds);
    struct config_reach *reach = arena_alloc(arena, placed * sizeof *reach);
    for (uint32_t i = first; i < first + count; i++) {
        if (!placed_when_empty(&configs[i]))
            continue;
        made.reach_count = add_reach(reach, made.reach_count, &configs[i]);
        if (configs[i].power_limit_w < INFINITY)
            continue;
        speeds[made.count] = speed_of(cluster, configs, i);
        made.best_goodput = fmax(made.best_goodput, speeds[made.count++].goodput);
    }
    made.at = speeds;
    made.reach = reach;
    find_front(&made, arena);
    return made;
}

struct config_speeds config_speeds_moved(const struct config_speeds *speeds, uint32_t by,
                                         struct arena *arena) {
    struct config_speeds moved = *speeds;
    struct config_speed *at =
        arena_alloc(arena, (speeds->count + speeds->front_count) * sizeof *at);
    for (uint32_t i = 0; i < speeds->count; i++)
        at[i] = speeds->at[i];
    for (uint32_t i = 0; i < speeds->front_count; i++)
        at[speeds->count + i] = speeds->front[i];
    for (uint32_t i = 0; i < speeds->count + speeds->front_count; i++)
        at[i].config += by;
    moved.at = at;
    moved.front = at + speeds->count;
    return moved;
}

/* How a configuration stands among others of equal time. */
static bool goes_before(const struct easim_config *a, const struct easim_config *b) {
    const struct config_rank rank_a = config_rank_of(a, a->empty_span),
                             rank_b = config_rank_of(b, b->empty_span);
    return config_order_before(&rank_a, &rank_b);
}

struct config_best config_speeds_best(const struct config_speeds *speeds,
                                      const struct easim_config *configs, double work,
                                      double setup_s) {
    struct config_best best = {.config = EASIM_NONE, .time_s = INFINITY, .edp_js = INFINITY};
    bool counts = config_speeds_count(work, setup_s, speeds->best_goodput);
    const struct config_speed *s = counts ? speeds->front : speeds->at,
                              *end = s + (counts ? speeds->front_count : speeds->count);
    for (; s < end; s++) {
        double computing_s = work / s->goodput;
        double time_s = setup_s + computing_s;
        double edp_js = s->gpus * (s->ctx_w * setup_s + s->power_w * computing_s) * time_s;
        best.edp_js = edp_js < best.edp_js ? edp_js : best.edp_js;
        if (time_s < best.time_s || (time_s == best.time_s && best.config != EASIM_NONE &&
                                     goes_before(&configs[s->config], &configs[best.config]))) {
            best.config = s->config;
            best.time_s = time_s;
        }
    }
    return best;
}

double config_speeds_within(const struct config_speeds *speeds, uint32_t most_k) {
    uint32_t at = 0;
    if (speeds->reach_count == 0)
        return 0;
    while (at + 1 < speeds->reach_count && speeds->reach[at + 1].k <= most_k)
        at++;
    return speeds->reach[at].goodput;
}

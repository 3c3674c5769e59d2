/* Costs of configurations: see cost_steps.h. */
#include "insight/waste/cost_steps.h"

#include "base/mem.h"

#include <stdlib.h>

void cost_order_init(struct cost_order *order, const struct config_table *table) {
    *order = (struct cost_order){.table = table};
    order->sorted = mem_zalloc(table->configs.count, sizeof *order->sorted);
    order->counts = mem_zalloc(table->configs.count, sizeof *order->counts);
}

void cost_order_finish(struct cost_order *order) {
    free(order->sorted);
    free(order->counts);
    *order = (struct cost_order){0};
}

static struct cost cost_in_span(const struct config_table *table, uint32_t config, uint32_t span) {
    const struct easim_config *c = &table->configs.at[config];
    double gpu_s = easim_config_gpus(c) / c->goodput[span];
    return (struct cost){
        gpu_s * c->power_w[span],
        gpu_s,
        config,
        {c->k, c->power_w[span], c->gpu_type, c->batch, c->power_limit_w},
    };
}

/* Whether a is cheaper than b, or costs the same and goes before it. */
static bool is_before(const struct cost *a, const struct cost *b) {
    if (a->energy_j != b->energy_j)
        return a->energy_j < b->energy_j;
    return config_order_before(&a->rank, &b->rank);
}

static int compare_costs(const void *a, const void *b) {
    return is_before(b, a) - is_before(a, b);
}

static uint32_t sorted_count(struct cost_order *order, const struct config_set *set) {
    uint32_t *count = &order->counts[set->first];
    if (*count > 0)
        return *count - 1;
    *count = 1;
    for (uint32_t c = set->first; c < set->first + set->count; c++) {
        const struct easim_config *config = &order->table->configs.at[c];
        if (config->goodput[config->empty_span] > 0)
            order->sorted[set->first + (*count)++ - 1] =
                cost_in_span(order->table, c, config->empty_span);
    }
    qsort(&order->sorted[set->first], *count - 1, sizeof *order->sorted, compare_costs);
    return *count - 1;
}

/* Whether a configuration is one of those that a step compares, for a job in `own`. */
static bool is_of_step(const struct config_table *table, enum cost_step step,
                       const struct easim_config *own, uint32_t config,
                       const struct room_free *free) {
    const struct easim_config *c = &table->configs.at[config];
    bool same_type = c->gpu_type == own->gpu_type;
    switch (step) {
    case COST_BEST_BATCH:
        return same_type && c->k == own->k;
    case COST_BEST_SIZE:
        return same_type && c->k <= own->k;
    case COST_BEST_THERE:
        return room_fits(&free[c->gpu_type], c);
    default:
        return true;
    }
}

void cost_steps_find(struct cost_order *order, uint32_t set, uint32_t config, uint32_t span,
                     const struct room_free *free, struct cost steps[static COST_STEPS]) {
    const struct config_set *s = &order->table->sets.at[set];
    const struct easim_config *own = &order->table->configs.at[config];
    uint32_t count = sorted_count(order, s);
    bool known = own->goodput[own->empty_span] > 0;
    steps[COST_AS_PLACED] = cost_in_span(order->table, config, span);
    steps[COST_WHEN_EMPTY] = cost_in_span(order->table, config, known ? own->empty_span : span);
    for (enum cost_step step = COST_BEST_BATCH; step < COST_STEPS; step++) {
        const struct cost *best = &order->sorted[s->first], *end = best + count;
        while (best < end && !is_of_step(order->table, step, own, best->config, free))
            best++;
        steps[step] = steps[step - 1];
        if (best < end && is_before(best, &steps[step]))
            steps[step] = *best;
    }
}

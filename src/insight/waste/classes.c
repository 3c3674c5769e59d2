/* Classes of waste: see classes.h. */
#include "insight/waste/classes.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

/* --- waste_class --- */

const char *const waste_class_names[WASTE_CLASSES] = {WASTE_CLASS_ROWS(NAME_OF)};

const char *const waste_group_names[WASTE_GROUPS] = {WASTE_GROUP_ROWS(NAME_OF)};

enum waste_group waste_class_group(enum waste_class class) {
#define GROUP_OF(class, name, group) [class] = WASTE_GROUP_##group
    static const enum waste_group groups[WASTE_CLASSES] = {WASTE_CLASS_ROWS(GROUP_OF)};
#undef GROUP_OF
    return groups[class];
}

/* --- causes --- */

static bool is_computing(const struct recorded_segment *segment) {
    return segment->kind == SEGMENT_RUN || segment->kind == SEGMENT_LOST;
}

/* Whether a checkpoint on demand may be written in a segment: that of a preemption, or that of a
   resize in its set-up. */
static bool may_write(const struct recorded_segment *segment) {
    return segment->kind == SEGMENT_CHECKPOINT ||
           (segment->kind == SEGMENT_SETUP && segment->began == CAUSE_RESIZED);
}

/* The event that took the work of a lost run: the end of the run, or, with checkpoints on demand, a
   failure while the checkpoint was written that was to keep it. */
static enum waste_class taken_by(const struct recorded_segment *lost, uint32_t count,
                                 bool on_demand) {
    uint32_t i = 0;
    while (i + 1 < count && is_computing(&lost[i + 1]) && lost[i].ended != CAUSE_RESIZED)
        i++;
    bool failed = lost[i].ended == CAUSE_NODE_FAILED;
    while (on_demand && ++i < count && may_write(&lost[i]))
        failed = failed || lost[i].ended == CAUSE_NODE_FAILED;
    return failed ? WASTE_FAILED : WASTE_RECONFIGURED;
}

enum waste_class causes_class(enum waste_class so_far, const struct recorded_segment *rest,
                              uint32_t count, bool on_demand) {
    if (rest->kind == SEGMENT_SETUP || rest->kind == SEGMENT_CHECKPOINT ||
        rest->kind == SEGMENT_LOADING)
        return so_far;
    return rest->kind == SEGMENT_LOST ? taken_by(rest, count, on_demand) : WASTE_USEFUL;
}

enum waste_class causes_after(enum waste_class so_far, const struct recorded_segment *segment) {
    if (segment->ended == CAUSE_PREEMPTED || segment->ended == CAUSE_RESIZED)
        return WASTE_RECONFIGURED;
    return segment->ended == CAUSE_NODE_FAILED ? WASTE_FAILED : so_far;
}

/* --- cost_steps --- */

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

/* Whether a step compares a configuration, for a job in `own`. */
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

/* --- serving --- */

/* The cost of a token in full use. */
static struct waste_amount token_costs(const struct replica_config *c) {
    return (struct waste_amount){replica_power_w(c, 1) / c->most_per_s, c->k / c->most_per_s};
}

struct serving_parts serving_divide(const struct recorded_run *run,
                                    const struct recorded_segment *segment,
                                    struct waste_amount spent, double tokens) {
    const struct recorded_replica *replica = &run->replicas.at[segment->job - run->first_replica];
    const struct recorded_service *service = &run->services[replica->service];
    const struct service *spec = service->spec;
    uint32_t first = run->workload.table.sets.at[service->set].first;
    const struct waste_amount own = token_costs(&spec->configs[segment->config - first]);
    struct waste_amount least = own;
    for (uint32_t c = 0; c < spec->config_count; c++) {
        const struct waste_amount of = token_costs(&spec->configs[c]);
        least = of.energy_j < least.energy_j ? of : least;
    }
    struct serving_parts parts = {.underused = {fmax(0, spent.energy_j - tokens * own.energy_j),
                                                spent.gpu_s - tokens * own.gpu_s},
                                  .misplaced = {tokens * (own.energy_j - least.energy_j),
                                                tokens * (own.gpu_s - least.gpu_s)}};
    parts.useful =
        (struct waste_amount){spent.energy_j - parts.underused.energy_j - parts.misplaced.energy_j,
                              spent.gpu_s - parts.underused.gpu_s - parts.misplaced.gpu_s};
    return parts;
}

/* ---- Failures ---- */

/* A replica is ended by a failure, or gets its GPUs; services apart, in order of time. */
struct turn {
    int64_t time_ns;
    uint32_t service, job;
    bool fails; /* before others start */
};

ORDER_BY(compare_turns, struct turn, ASC(service) ASC(time_ns) DESC(fails) ASC(job))

void serving_find_replacements(const struct recorded_run *run, uint8_t *classes) {
    ARRAY_OF(struct turn) turns = {0};
    for (size_t i = 0; i < run->replicas.count; i++) {
        uint32_t job = run->first_replica + (uint32_t)i, service = run->replicas.at[i].service;
        const struct recorded_job *j = &run->jobs[job];
        const struct recorded_segment *all = recorded_run_segments(run, j);
        for (uint32_t s = 0; s < j->segment_count; s++) {
            if (all[s].began == CAUSE_STARTED)
                array_push(&turns, ((struct turn){all[s].start_ns, service, job, false}));
            if (all[s].ended == CAUSE_NODE_FAILED && !recorded_segment_waits(&all[s]))
                array_push(&turns, ((struct turn){all[s].end_ns, service, job, true}));
        }
    }
    sort_array(turns.at, turns.count, compare_turns);
    uint32_t lost = 0;
    for (size_t i = 0; i < turns.count; i++) {
        lost = i > 0 && turns.at[i].service != turns.at[i - 1].service ? 0 : lost;
        if (turns.at[i].fails)
            lost++;
        else if (lost > 0) {
            classes[turns.at[i].job] = WASTE_FAILED;
            lost--;
        }
    }
    free(turns.at);
}

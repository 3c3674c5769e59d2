/* Chooses the parameters of a fit of power, and which columns of the load share them (semantics
   22). */
#include "calibrate/metered/internal.h"

#include <math.h>

static void use_part(struct power_plan *plan, size_t column, enum power_source source,
                     uint32_t part) {
    struct power_column *c = &plan->columns[column];
    c->source = source;
    c->parts[c->part_count++] = part;
}

static uint32_t own_part(struct power_plan *plan, size_t column, enum power_source source) {
    use_part(plan, column, source, (uint32_t)plan->size);
    return (uint32_t)plan->size++;
}

void power_plan_take(struct power_plan *plan, uint32_t column, uint32_t as) {
    struct power_column *c = &plan->columns[column];
    const struct power_column *other = &plan->columns[as];
    c->source = POWER_AS_OTHER;
    c->as = as;
    c->part_count = other->part_count;
    memcpy(c->parts, other->parts, sizeof c->parts);
}

/* The busy column with most GPU time, of a type or (type < 0) of all; LOAD_NONE: none has any. */
static uint32_t largest_busy(const struct power_plan *plan, int64_t type) {
    const struct load *load = plan->load;
    uint32_t best = LOAD_NONE;
    for (uint32_t c = 0; c < load->columns.count; c++)
        if (load->columns.at[c].kind == LOAD_BUSY &&
            (type < 0 || load->columns.at[c].type == type) && plan->sums[c] > 0 &&
            (best == LOAD_NONE || plan->sums[c] > plan->sums[best]))
            best = c;
    return best;
}

/* Groups of a type: those with enough time; then the others together, if they have enough. */
static void plan_busy_type(struct power_plan *plan, uint32_t type, double busy) {
    const struct load *load = plan->load;
    uint32_t largest = largest_busy(plan, type), pooled = LOAD_NONE;
    double small = 0;
    if (largest == LOAD_NONE)
        return;
    for (uint32_t c = 0; c < load->columns.count; c++) {
        if (load->columns.at[c].kind != LOAD_BUSY || load->columns.at[c].type != type)
            continue;
        if (c == largest || plan->sums[c] >= POWER_LEAST_SHARE * busy)
            own_part(plan, c, POWER_OWN);
        else
            small += plan->sums[c];
    }
    for (uint32_t c = 0; c < load->columns.count; c++) {
        if (load->columns.at[c].kind != LOAD_BUSY || load->columns.at[c].type != type ||
            plan->columns[c].part_count > 0)
            continue;
        if (small < POWER_LEAST_SHARE * busy)
            power_plan_take(plan, c, largest);
        else if (pooled == LOAD_NONE)
            pooled = own_part(plan, c, POWER_POOLED);
        else
            use_part(plan, c, POWER_POOLED, pooled);
    }
}

static void plan_busy(struct power_plan *plan, double busy) {
    const struct load *load = plan->load;
    uint32_t shared = LOAD_NONE, largest = largest_busy(plan, -1);
    for (uint32_t c = 0; c < load->columns.count; c++) {
        const struct load_column *column = &load->columns.at[c];
        if (column->kind != LOAD_BUSY || busy <= 0)
            continue;
        if (plan->detail == POWER_COUNT && shared == LOAD_NONE)
            shared = own_part(plan, c, POWER_OWN);
        else if (plan->detail == POWER_COUNT)
            use_part(plan, c, POWER_OWN, shared);
        else if (c == load_find(load, LOAD_BUSY, column->type, column->group) &&
                 plan->columns[c].part_count == 0)
            plan_busy_type(plan, column->type, busy);
    }
    for (uint32_t c = 0; c < load->columns.count && largest != LOAD_NONE; c++)
        if (load->columns.at[c].kind == LOAD_BUSY && plan->columns[c].part_count == 0)
            power_plan_take(plan, c, largest);
}

/* By use a GPU draws b more at most. Where use is not recorded it draws c more, 0 <= c <= b: with
   b = c + e, GPUs of unrecorded use have the parameter c, the use that is recorded c and e. */
static void plan_use(struct power_plan *plan) {
    const struct load *load = plan->load;
    for (uint32_t u = 0; u < load->columns.count; u++) {
        if (load->columns.at[u].kind != LOAD_USE || plan->sums[u] <= 0)
            continue;
        uint32_t unrecorded = load_find(load, LOAD_UNRECORDED, load->columns.at[u].type, 0);
        if (unrecorded != LOAD_NONE && plan->sums[unrecorded] > 0)
            use_part(plan, u, POWER_OWN, own_part(plan, unrecorded, POWER_OWN));
        own_part(plan, u, POWER_OWN);
    }
}

/* Use of a type that is not seen in the time of the fit: as that of the first that is. */
static void plan_unseen_use(struct power_plan *plan) {
    uint32_t first = LOAD_NONE;
    for (uint32_t u = 0; u < plan->load->columns.count; u++)
        if (first == LOAD_NONE && plan->load->columns.at[u].kind == LOAD_USE &&
            plan->columns[u].part_count > 0)
            first = u;
    for (uint32_t u = 0; u < plan->load->columns.count && first != LOAD_NONE; u++)
        if (plan->load->columns.at[u].kind == LOAD_USE && plan->columns[u].part_count == 0)
            power_plan_take(plan, u, first);
}

void power_plan_make(struct power_plan *plan) {
    const struct load *load = plan->load;
    double busy = 0, used = 0, recorded = 0;
    for (size_t c = 0; c < load->columns.count; c++) {
        const struct load_column *column = &load->columns.at[c];
        plan->columns[c].source = POWER_NOT_TOLD;
        busy += column->kind == LOAD_BUSY ? plan->sums[c] : 0;
        used += column->kind == LOAD_USE ? plan->sums[c] : 0;
        recorded += column->has_use ? plan->sums[c] : 0;
        recorded -= column->kind == LOAD_UNRECORDED ? plan->sums[c] : 0;
    }
    own_part(plan, 0, POWER_OWN);
    if (plan->detail == POWER_CONSTANT)
        return;
    plan_busy(plan, busy);
    if (plan->detail == POWER_COUNT)
        return;
    plan_use(plan);
    plan_unseen_use(plan);
    plan->recorded_use = recorded > 0 ? used / recorded : NAN;
}

void power_plan_drop(struct power_plan *plan, uint32_t from, uint32_t to) {
    for (size_t c = 0; c < plan->load->columns.count; c++) {
        struct power_column *column = &plan->columns[c];
        uint32_t kept = 0;
        bool had = false;
        for (uint32_t p = 0; p < column->part_count; p++) {
            uint32_t part = column->parts[p];
            had |= part == from;
            part = part == from ? to : part;
            if (part != LOAD_NONE)
                column->parts[kept++] = part > from ? part - 1 : part;
        }
        column->part_count = kept;
        if (had && kept == 0)
            column->source = POWER_NOT_TOLD;
    }
    plan->size--;
}

uint32_t power_plan_column(const struct power_plan *plan, uint32_t part) {
    for (uint32_t c = 0; c < plan->load->columns.count; c++)
        if (plan->columns[c].part_count == 1 && plan->columns[c].parts[0] == part)
            return c;
    return LOAD_NONE;
}

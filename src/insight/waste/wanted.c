/* What waiting jobs could use: see wanted.h. */
#include "insight/waste/wanted.h"

#include "base/units.h"

#include <stdlib.h>

void wanted_init(struct wanted *wanted, const struct config_table *table) {
    *wanted = (struct wanted){.table = table};
    wanted->types = mem_zalloc(table->cluster->gpu_type_count, sizeof *wanted->types);
    wanted->sets = mem_zalloc(table->sets.count, sizeof *wanted->sets);
}

void wanted_finish(struct wanted *wanted) {
    for (uint32_t h = 0; wanted->types && h < wanted->table->cluster->gpu_type_count; h++)
        for (int kind = 0; kind < NEED_KINDS; kind++) {
            free(wanted->types[h].kinds[kind].jobs);
            idset_finish(&wanted->types[h].kinds[kind].amounts);
        }
    for (size_t i = 0; wanted->sets && i < wanted->table->sets.count; i++)
        free(wanted->sets[i].list.at);
    free(wanted->types);
    free(wanted->sets);
    *wanted = (struct wanted){0};
}

static struct need need_of(const struct easim_config *config) {
    bool one_node = config->goodput[EASIM_ONE_NODE] > 0,
         across = config->goodput[EASIM_ACROSS_NODES] > 0;
    if (config->milli > 0)
        return (struct need){config->gpu_type, config->milli, NEED_SHARE};
    enum need_kind kind = one_node && across ? NEED_ANY_SPAN
                          : one_node         ? NEED_ONE_NODE
                                             : NEED_ACROSS_NODES;
    return (struct need){config->gpu_type, config->k, kind};
}

/* Of each kind the least is enough, but across nodes more GPUs may fit where fewer do not. */
static void add_need(struct set_needs *needs, struct need need) {
    for (size_t i = 0; i < needs->list.count; i++) {
        struct need *other = &needs->list.at[i];
        if (other->gpu_type != need.gpu_type || other->kind != need.kind)
            continue;
        if (need.kind != NEED_ACROSS_NODES || other->amount == need.amount) {
            other->amount = need.amount < other->amount ? need.amount : other->amount;
            return;
        }
    }
    array_push(&needs->list, need);
}

static void prepare_counts(struct wanted *wanted, const struct need *need) {
    const struct gpu_type *type = &wanted->table->cluster->gpu_types[need->gpu_type];
    uint64_t size = need->kind == NEED_SHARE ? WHOLE_GPU_MILLI : (uint64_t)type->gpus + 1;
    if (wanted->types[need->gpu_type].kinds[need->kind].jobs)
        return;
    wanted->types[need->gpu_type].kinds[need->kind].jobs = mem_zalloc(size, sizeof(uint32_t));
    idset_init(&wanted->types[need->gpu_type].kinds[need->kind].amounts, size);
}

static const struct set_needs *needs_of(struct wanted *wanted, uint32_t set) {
    const struct config_set *s = &wanted->table->sets.at[set];
    struct set_needs *needs = &wanted->sets[set];
    if (needs->known)
        return needs;
    for (uint32_t c = s->first; c < s->first + s->count; c++)
        add_need(needs, need_of(&wanted->table->configs.at[c]));
    for (size_t i = 0; i < needs->list.count; i++)
        prepare_counts(wanted, &needs->list.at[i]);
    needs->known = true;
    return needs;
}

/* One job more or less of each type that the set has. */
static void count_jobs(struct wanted *wanted, uint32_t set, uint32_t change) {
    for (uint64_t rest = wanted->table->sets.at[set].type_mask; rest != 0; rest &= rest - 1)
        wanted->types[__builtin_ctzll(rest)].jobs += change;
}

void wanted_add(struct wanted *wanted, uint32_t set) {
    const struct set_needs *needs = needs_of(wanted, set);
    count_jobs(wanted, set, 1);
    for (size_t i = 0; i < needs->list.count; i++) {
        const struct need *n = &needs->list.at[i];
        if (wanted->types[n->gpu_type].kinds[n->kind].jobs[n->amount]++ == 0)
            idset_insert(&wanted->types[n->gpu_type].kinds[n->kind].amounts, n->amount);
    }
}

void wanted_remove(struct wanted *wanted, uint32_t set) {
    const struct set_needs *needs = needs_of(wanted, set);
    count_jobs(wanted, set, UINT32_MAX);
    for (size_t i = 0; i < needs->list.count; i++) {
        const struct need *n = &needs->list.at[i];
        if (--wanted->types[n->gpu_type].kinds[n->kind].jobs[n->amount] == 0)
            idset_remove(&wanted->types[n->gpu_type].kinds[n->kind].amounts, n->amount);
    }
}

bool wanted_any(const struct wanted *wanted, uint32_t gpu_type) {
    return wanted->types[gpu_type].jobs > 0;
}

/* Whether a job needs something of a kind from least to most. */
static bool any_within(const struct wanted_type *type, enum need_kind kind, uint32_t least,
                       uint32_t most) {
    if (!type->kinds[kind].jobs)
        return false;
    uint64_t amount = idset_next(&type->kinds[kind].amounts, least);
    return amount != IDSET_NONE && amount <= most;
}

bool wanted_fits(const struct wanted *wanted, uint32_t gpu_type, const struct room_free *free) {
    const struct wanted_type *type = &wanted->types[gpu_type];
    uint32_t share = free->gpus > 0 ? WHOLE_GPU_MILLI : free->of_share;
    return any_within(type, NEED_ANY_SPAN, 0, free->gpus) ||
           any_within(type, NEED_ONE_NODE, 0, free->of_node) ||
           any_within(type, NEED_ACROSS_NODES, free->of_node + 1, free->gpus) ||
           any_within(type, NEED_SHARE, 0, share);
}

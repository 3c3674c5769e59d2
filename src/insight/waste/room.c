/* Keeps the free GPUs of each type at an instant of a recorded run, and the needs of the waiting
   jobs. Invariant: for each type, nodes[f] nodes have f free GPUs, and nodes_by_free has each f
   above 0 with a node; the same holds for GPUs held in part. */
#include "insight/waste/internal.h"

#include "base/mem.h"
#include "base/units.h"

#include <assert.h>
#include <stdlib.h>

static void init_type(struct room_type *type, const struct gpu_type *gpu_type) {
    type->free = gpu_type->gpus;
    type->nodes = mem_zalloc((size_t)gpu_type->node_gpus_max + 1, sizeof *type->nodes);
    type->shared = mem_zalloc(WHOLE_GPU_MILLI, sizeof *type->shared);
    idset_init(&type->nodes_by_free, (uint64_t)gpu_type->node_gpus_max + 1);
    idset_init(&type->shared_by_free, WHOLE_GPU_MILLI);
}

/* One more, or one less, of value. */
static void count_value(uint32_t *counts, struct idset *set, uint32_t value, bool more) {
    if (more && counts[value]++ == 0)
        idset_insert(set, value);
    if (!more && --counts[value] == 0)
        idset_remove(set, value);
}

void room_init(struct room *room, const struct cluster *cluster) {
    *room = (struct room){.cluster = cluster};
    room->types = mem_zalloc(cluster->gpu_type_count, sizeof *room->types);
    room->node_free = mem_zalloc(cluster->node_count, sizeof *room->node_free);
    room->first_gpu = mem_zalloc(cluster->node_count, sizeof *room->first_gpu);
    room->held_milli = mem_zalloc(cluster->gpus, sizeof *room->held_milli);
    for (uint32_t h = 0; h < cluster->gpu_type_count; h++)
        init_type(&room->types[h], &cluster->gpu_types[h]);
    for (uint32_t n = 0, gpu = 0; n < cluster->node_count; gpu += cluster->nodes[n++].gpus) {
        struct room_type *type = &room->types[cluster->nodes[n].gpu_type];
        room->node_free[n] = cluster->nodes[n].gpus;
        room->first_gpu[n] = gpu;
        count_value(type->nodes, &type->nodes_by_free, cluster->nodes[n].gpus, true);
    }
}

void room_finish(struct room *room) {
    for (uint32_t h = 0; room->types && h < room->cluster->gpu_type_count; h++) {
        free(room->types[h].nodes);
        free(room->types[h].shared);
        idset_finish(&room->types[h].nodes_by_free);
        idset_finish(&room->types[h].shared_by_free);
    }
    free(room->types);
    free(room->node_free);
    free(room->first_gpu);
    free(room->held_milli);
    *room = (struct room){0};
}

static void set_node_free(struct room *room, uint32_t node, uint32_t free) {
    struct room_type *type = &room->types[room->cluster->nodes[node].gpu_type];
    count_value(type->nodes, &type->nodes_by_free, room->node_free[node], false);
    count_value(type->nodes, &type->nodes_by_free, free, true);
    type->free = type->free - room->node_free[node] + free;
    room->node_free[node] = free;
}

bool room_take(struct room *room, uint32_t node, uint32_t gpus) {
    if (gpus > room->node_free[node])
        return false;
    set_node_free(room, node, room->node_free[node] - gpus);
    return true;
}

void room_give_back(struct room *room, uint32_t node, uint32_t gpus) {
    assert(room->node_free[node] + gpus <= room->cluster->nodes[node].gpus);
    set_node_free(room, node, room->node_free[node] + gpus);
}

/* A GPU that was held in part by `before` thousandths is so by `after`; 0: it is free. */
static void change_share(struct room *room, uint32_t node, uint32_t before, uint32_t after) {
    struct room_type *type = &room->types[room->cluster->nodes[node].gpu_type];
    if (before > 0) {
        count_value(type->shared, &type->shared_by_free, WHOLE_GPU_MILLI - before, false);
        type->shared_free_milli -= WHOLE_GPU_MILLI - before;
    }
    if (after > 0) {
        count_value(type->shared, &type->shared_by_free, WHOLE_GPU_MILLI - after, true);
        type->shared_free_milli += WHOLE_GPU_MILLI - after;
    }
}

bool room_take_share(struct room *room, uint32_t node, uint32_t gpu, uint32_t milli) {
    uint16_t *held = &room->held_milli[room->first_gpu[node] + gpu];
    if (*held + milli > WHOLE_GPU_MILLI || (*held == 0 && !room_take(room, node, 1)))
        return false;
    change_share(room, node, *held, *held + milli);
    *held = (uint16_t)(*held + milli);
    return true;
}

void room_give_back_share(struct room *room, uint32_t node, uint32_t gpu, uint32_t milli) {
    uint16_t *held = &room->held_milli[room->first_gpu[node] + gpu];
    assert(*held >= milli);
    change_share(room, node, *held, *held - milli);
    *held = (uint16_t)(*held - milli);
    if (*held == 0)
        room_give_back(room, node, 1);
}

static uint32_t largest(const struct idset *set) {
    uint64_t value = idset_prev(set, set->size);
    return value == IDSET_NONE ? 0 : (uint32_t)value;
}

struct room_free room_free_of(const struct room *room, uint32_t gpu_type) {
    const struct room_type *type = &room->types[gpu_type];
    return (struct room_free){type->free, largest(&type->nodes_by_free),
                              largest(&type->shared_by_free)};
}

uint64_t room_free_milli(const struct room *room, uint32_t gpu_type) {
    const struct room_type *type = &room->types[gpu_type];
    return (uint64_t)type->free * WHOLE_GPU_MILLI + type->shared_free_milli;
}

bool room_fits(const struct room_free *free, const struct easim_config *config) {
    uint32_t span = config->k <= free->of_node ? EASIM_ONE_NODE : EASIM_ACROSS_NODES;
    return config->k <= free->gpus && config->goodput[span] > 0;
}

/* --- wanted --- */

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

/* The least need of each kind is enough, but across nodes more GPUs may fit if fewer do not. */
static void add_need(struct set_demand *needs, struct need need) {
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

static const struct set_demand *needs_of(struct wanted *wanted, uint32_t set) {
    const struct config_set *s = &wanted->table->sets.at[set];
    struct set_demand *needs = &wanted->sets[set];
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
    const struct set_demand *needs = needs_of(wanted, set);
    count_jobs(wanted, set, 1);
    for (size_t i = 0; i < needs->list.count; i++) {
        const struct need *n = &needs->list.at[i];
        if (wanted->types[n->gpu_type].kinds[n->kind].jobs[n->amount]++ == 0)
            idset_insert(&wanted->types[n->gpu_type].kinds[n->kind].amounts, n->amount);
    }
}

void wanted_remove(struct wanted *wanted, uint32_t set) {
    const struct set_demand *needs = needs_of(wanted, set);
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

/* Free GPUs: see room.h. Invariant: of each type, nodes[f] nodes have f free GPUs, and
   nodes_by_free has the f above 0 of which there is one; likewise the GPUs held in part. */
#include "insight/waste/room.h"

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

/* Placement of GPUs. Invariant: every node is a member of its type's set at exactly its number of
 * free GPUs. */
#include "cluster/placement.h"

#include "base/array.h"

#include <stdlib.h>

#define NO_NODE UINT32_MAX

static uint64_t node_member(const struct type_placement *type, uint32_t free, uint32_t position) {
    return (uint64_t)free * type->node_count + position;
}

void placement_init(struct placement *placement, const struct cluster *cluster) {
    *placement = (struct placement){.cluster = cluster};
    placement->types = mem_zalloc(cluster->gpu_type_count, sizeof *placement->types);
    placement->position = mem_zalloc(cluster->node_count, sizeof *placement->position);
    placement->node_free = mem_zalloc(cluster->node_count, sizeof *placement->node_free);
    for (uint32_t n = 0; n < cluster->node_count; n++)
        placement->position[n] = placement->types[cluster->nodes[n].gpu_type].node_count++;
    for (uint32_t t = 0; t < cluster->gpu_type_count; t++) {
        struct type_placement *type = &placement->types[t];
        type->nodes = mem_zalloc(type->node_count, sizeof *type->nodes);
        idset_init(&type->by_free, node_member(type, cluster->gpu_types[t].node_gpus_max + 1, 0));
    }
    for (uint32_t n = 0; n < cluster->node_count; n++) {
        struct type_placement *type = &placement->types[cluster->nodes[n].gpu_type];
        uint32_t gpus = cluster->nodes[n].gpus;
        type->nodes[placement->position[n]] = n;
        type->free += gpus;
        placement->node_free[n] = gpus;
        idset_insert(&type->by_free, node_member(type, gpus, placement->position[n]));
    }
}

void placement_finish(struct placement *placement) {
    for (uint32_t t = 0; placement->types && t < placement->cluster->gpu_type_count; t++) {
        idset_finish(&placement->types[t].by_free);
        sharing_finish(&placement->types[t].sharing);
        free(placement->types[t].nodes);
    }
    free(placement->types);
    free(placement->position);
    free(placement->node_free);
    *placement = (struct placement){0};
}

static void set_free(struct placement *placement, struct type_placement *type, uint32_t node,
                     uint32_t free) {
    idset_remove(&type->by_free,
                 node_member(type, placement->node_free[node], placement->position[node]));
    idset_insert(&type->by_free, node_member(type, free, placement->position[node]));
    type->free += free - placement->node_free[node];
    placement->node_free[node] = free;
}

/* The node with the most free GPUs, the first of them in file order. */
static uint32_t freest_node(const struct type_placement *type) {
    uint64_t last = idset_prev(&type->by_free, type->by_free.size - 1);
    uint64_t first = idset_next(&type->by_free, last - last % type->node_count);
    return type->nodes[first % type->node_count];
}

/* Takes k GPUs of the node with the fewest free ones that has k; NO_NODE if none has. */
static uint32_t take_of_one_node(struct placement *placement, uint32_t gpu_type, uint32_t k) {
    struct type_placement *type = &placement->types[gpu_type];
    uint32_t largest = placement->cluster->gpu_types[gpu_type].node_gpus_max;
    uint64_t found =
        k <= largest ? idset_next(&type->by_free, node_member(type, k, 0)) : IDSET_NONE;
    if (found == IDSET_NONE)
        return NO_NODE;
    uint32_t node = type->nodes[found % type->node_count];
    set_free(placement, type, node, placement->node_free[node] - k);
    return node;
}

bool placement_take(struct placement *placement, uint32_t gpu_type, uint32_t k,
                    struct allocation *allocation) {
    struct type_placement *type = &placement->types[gpu_type];
    if (k == 0 || k > type->free)
        return false;
    *allocation = (struct allocation){0};
    uint32_t node = take_of_one_node(placement, gpu_type, k);
    if (node != NO_NODE) {
        allocation->first = (struct piece){node, k};
        allocation->count = 1;
        return true;
    }
    ARRAY_OF(struct piece) pieces = {0};
    for (uint32_t left = k; left > 0;) {
        node = freest_node(type);
        uint32_t gpus = placement->node_free[node] < left ? placement->node_free[node] : left;
        set_free(placement, type, node, placement->node_free[node] - gpus);
        array_push(&pieces, ((struct piece){node, gpus}));
        left -= gpus;
    }
    allocation->pieces = pieces.at;
    allocation->count = (uint32_t)pieces.count;
    return true;
}

bool placement_take_share(struct placement *placement, uint32_t gpu_type, uint32_t milli,
                          struct allocation *allocation) {
    struct sharing *sharing = &placement->types[gpu_type].sharing;
    uint32_t gpu = sharing_find(sharing, milli);
    if (gpu == SHARING_NONE) {
        uint32_t node = take_of_one_node(placement, gpu_type, 1);
        if (node == NO_NODE)
            return false;
        if (!sharing->gpus)
            sharing_init(sharing, placement->cluster, gpu_type);
        gpu = sharing_open(sharing, node);
    }
    sharing_take(sharing, gpu, milli);
    *allocation = (struct allocation){
        .count = 1, .first = {sharing->gpus[gpu].node, 0}, .milli = milli, .gpu = gpu};
    return true;
}

struct shared_gpu *placement_shared_gpu(const struct placement *placement,
                                        const struct allocation *allocation) {
    return &placement->types[placement->cluster->nodes[allocation->first.node].gpu_type]
                .sharing.gpus[allocation->gpu];
}

bool placement_is_alone(const struct placement *placement, const struct allocation *allocation) {
    return placement_shared_gpu(placement, allocation)->free_milli + allocation->milli ==
           WHOLE_GPU_MILLI;
}

static void give_back_share(struct placement *placement, const struct allocation *allocation) {
    uint32_t node = allocation->first.node;
    struct type_placement *type = &placement->types[placement->cluster->nodes[node].gpu_type];
    if (sharing_give_back(&type->sharing, allocation->gpu, allocation->milli))
        set_free(placement, type, node, placement->node_free[node] + 1);
}

void placement_set_node(struct placement *placement, uint32_t node, uint32_t free) {
    set_free(placement, &placement->types[placement->cluster->nodes[node].gpu_type], node, free);
}

static void retake_share(struct placement *placement, const struct allocation *allocation) {
    uint32_t node = allocation->first.node;
    struct type_placement *type = &placement->types[placement->cluster->nodes[node].gpu_type];
    if (sharing_retake(&type->sharing, allocation->gpu, allocation->milli))
        set_free(placement, type, node, placement->node_free[node] - 1);
}

void placement_lend(struct placement *placement, const struct allocation *allocation) {
    const struct piece *pieces = allocation_pieces(allocation);
    if (allocation->milli) {
        give_back_share(placement, allocation);
        return;
    }
    for (uint32_t i = 0; i < allocation->count; i++)
        placement_set_node(placement, pieces[i].node,
                           placement->node_free[pieces[i].node] + pieces[i].gpus);
}

void placement_reclaim(struct placement *placement, const struct allocation *allocation) {
    const struct piece *pieces = allocation_pieces(allocation);
    if (allocation->milli) {
        retake_share(placement, allocation);
        return;
    }
    for (uint32_t i = 0; i < allocation->count; i++)
        placement_set_node(placement, pieces[i].node,
                           placement->node_free[pieces[i].node] - pieces[i].gpus);
}

void placement_give_back(struct placement *placement, struct allocation *allocation) {
    placement_lend(placement, allocation);
    allocation_finish(allocation);
}

void allocation_finish(struct allocation *allocation) {
    free(allocation->pieces);
    *allocation = (struct allocation){0};
}

uint32_t placement_node_free_max(const struct placement *placement, uint32_t gpu_type) {
    const struct type_placement *type = &placement->types[gpu_type];
    if (type->free == 0)
        return 0;
    uint64_t last = idset_prev(&type->by_free, type->by_free.size - 1);
    return (uint32_t)(last / type->node_count);
}

const struct piece *allocation_pieces(const struct allocation *allocation) {
    return allocation->count > 1 ? allocation->pieces : &allocation->first;
}

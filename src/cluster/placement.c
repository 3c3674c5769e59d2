/* Placement of GPUs. Invariant: every node, and every switch of a tier but the last, is among its
   type's units at exactly its number of free GPUs. */
#include "cluster/placement.h"

#include "base/array.h"

#include <stdlib.h>

#define NO_NODE FREE_UNITS_NONE

/* --- units --- */

/* Of which each a switch of the level above holds so many; the last level stands for the cluster,
   whatever it is. */
static uint32_t width_of(const struct network *network, uint32_t level) {
    if (network->tier_count == 0)
        return UINT32_MAX;
    int64_t nodes = network->tiers[level].nodes;
    return (uint32_t)(level == 0 ? nodes : nodes / network->tiers[level - 1].nodes);
}

/* The nodes of a type are numbered without gaps where nobody asks below which switch they are. */
static void number_nodes(struct placement *placement, uint32_t gpu_type) {
    const struct cluster *cluster = placement->cluster;
    struct type_placement *type = &placement->types[gpu_type];
    bool numbered = placement->level_count == 1;
    uint32_t count = 0;
    for (uint32_t n = 0; n < cluster->node_count; n++)
        if (cluster->nodes[n].gpu_type == gpu_type)
            placement->unit[n] = numbered ? count++ : n;
    if (!numbered)
        count = cluster->node_count;
    else
        type->nodes = mem_zalloc(count, sizeof *type->nodes);
    free_units_init(&type->levels[0], count, numbered ? UINT32_MAX : width_of(&cluster->network, 0),
                    cluster->gpu_types[gpu_type].node_gpus_max);
    for (uint32_t n = 0; n < cluster->node_count; n++) {
        if (cluster->nodes[n].gpu_type != gpu_type)
            continue;
        if (numbered)
            type->nodes[placement->unit[n]] = n;
        placement->node_free[n] = cluster->nodes[n].gpus;
        free_units_add(&type->levels[0], placement->unit[n], cluster->nodes[n].gpus);
        type->free += cluster->nodes[n].gpus;
    }
}

/* The switches of the tier below a level, all of their GPUs free. */
static void number_switches(struct placement *placement, uint32_t gpu_type, uint32_t level) {
    const struct cluster *cluster = placement->cluster;
    const struct network *network = &cluster->network;
    struct type_placement *type = &placement->types[gpu_type];
    uint32_t count = network_switch_count(network, level - 1), most = 0;
    uint32_t *free = type->switch_free[level] = mem_zalloc(count, sizeof *free);
    for (uint32_t n = 0; n < cluster->node_count; n++)
        if (cluster->nodes[n].gpu_type == gpu_type)
            free[network_switch_of(network, level - 1, n)] += cluster->nodes[n].gpus;
    for (uint32_t s = 0; s < count; s++)
        most = free[s] > most ? free[s] : most;
    bool is_last = level + 1 == placement->level_count;
    free_units_init(&type->levels[level], count, is_last ? UINT32_MAX : width_of(network, level),
                    most);
    for (uint32_t s = 0; s < count; s++)
        free_units_add(&type->levels[level], s, free[s]);
}

void placement_init(struct placement *placement, const struct cluster *cluster) {
    uint32_t tiers = cluster->network.tier_count;
    *placement = (struct placement){.cluster = cluster, .level_count = tiers > 1 ? tiers : 1};
    placement->types = mem_zalloc(cluster->gpu_type_count, sizeof *placement->types);
    placement->unit = mem_zalloc(cluster->node_count, sizeof *placement->unit);
    placement->node_free = mem_zalloc(cluster->node_count, sizeof *placement->node_free);
    for (uint32_t t = 0; t < cluster->gpu_type_count; t++) {
        number_nodes(placement, t);
        for (uint32_t level = 1; level < placement->level_count; level++)
            number_switches(placement, t, level);
    }
}

void placement_finish(struct placement *placement) {
    for (uint32_t t = 0; placement->types && t < placement->cluster->gpu_type_count; t++) {
        struct type_placement *type = &placement->types[t];
        for (uint32_t level = 0; level < placement->level_count; level++) {
            free_units_finish(&type->levels[level]);
            free(type->switch_free[level]);
        }
        sharing_finish(&type->sharing);
        free(type->nodes);
    }
    free(placement->types);
    free(placement->unit);
    free(placement->node_free);
    *placement = (struct placement){0};
}

static void set_free(struct placement *placement, struct type_placement *type, uint32_t node,
                     uint32_t free) {
    uint32_t unit = placement->unit[node], before = placement->node_free[node];
    uint32_t added = free - before; /* wraps as wanted */
    free_units_move(&type->levels[0], unit, before, free);
    for (uint32_t level = 1; level < placement->level_count; level++) {
        unit /= type->levels[level - 1].width;
        uint32_t *switch_free = &type->switch_free[level][unit];
        free_units_move(&type->levels[level], unit, *switch_free, *switch_free + added);
        *switch_free += added;
    }
    type->free += added;
    placement->node_free[node] = free;
}

/* --- nodes taken --- */

/* A job's GPUs while they are being taken; where: below a switch, which is a unit of that level, or
   in the whole cluster, of the level behind the last. */
struct taking {
    struct placement *placement;
    struct type_placement *type;
    ARRAY_OF(struct piece) pieces;
};
struct place {
    uint32_t level, unit;
};

static void take_of_node(struct taking *taking, uint32_t unit, uint32_t k) {
    uint32_t node = taking->type->nodes ? taking->type->nodes[unit] : unit;
    set_free(taking->placement, taking->type, node, taking->placement->node_free[node] - k);
    array_push(&taking->pieces, ((struct piece){node, k}));
}

/* The unit of a level inside a place with the fewest free GPUs that has k. */
static uint32_t fewest_inside(const struct taking *taking, const struct place *place,
                              uint32_t level, uint32_t k) {
    const struct type_placement *type = taking->type;
    if (place->level == taking->placement->level_count)
        return free_units_fewest(&type->levels[level], FREE_UNITS_ALL, k, NULL);
    uint32_t first = place->unit, count = 1, best = FREE_UNITS_NONE, best_free = UINT32_MAX;
    for (uint32_t l = place->level - 1; l > level; l--) { /* switches of the level above it */
        first *= type->levels[l].width;
        count *= type->levels[l].width;
        count = count < type->levels[l].count - first ? count : type->levels[l].count - first;
    }
    for (uint32_t parent = first; parent < first + count; parent++) {
        uint32_t free = UINT32_MAX,
                 unit = free_units_fewest(&type->levels[level], parent, k, &free);
        if (unit == FREE_UNITS_NONE || free >= best_free)
            continue;
        best = unit;
        best_free = free;
    }
    return best;
}

/* Free GPUs of a unit. */
static uint32_t free_of(const struct taking *taking, uint32_t level, uint32_t unit) {
    const struct type_placement *type = taking->type;
    if (level > 0)
        return type->switch_free[level][unit];
    return taking->placement->node_free[type->nodes ? type->nodes[unit] : unit];
}

__attribute__((noinline)) /* few jobs need it */
static uint32_t
take_inside(struct taking *taking, const struct place *place, uint32_t k);

/* Of a place that has k free GPUs and no unit inside it that has: all of its units, the freest
   first, and the last piece inside the next one. */
static void take_over(struct taking *taking, const struct place *place, uint32_t k) {
    struct place child = {place->level - 1, 0};
    bool is_whole = place->level == taking->placement->level_count;
    while (k > 0) {
        child.unit = free_units_freest(&taking->type->levels[child.level],
                                       is_whole ? FREE_UNITS_ALL : place->unit);
        uint32_t free = free_of(taking, child.level, child.unit), taken = free < k ? free : k;
        if (child.level == 0)
            take_of_node(taking, child.unit, taken);
        else if (taken == free)
            take_over(taking, &child, taken);
        else
            take_inside(taking, &child, taken);
        k -= taken;
    }
}

/* In the lowest unit inside a place that, like the place, has k free GPUs. Returns its level. */
static uint32_t take_inside(struct taking *taking, const struct place *place, uint32_t k) {
    struct place found = {0, FREE_UNITS_NONE};
    for (; found.level < place->level; found.level++) {
        found.unit = fewest_inside(taking, place, found.level, k);
        if (found.unit != FREE_UNITS_NONE)
            break;
    }
    if (found.level == 0)
        take_of_node(taking, found.unit, k);
    else
        take_over(taking, found.level < place->level ? &found : place, k);
    return found.level;
}

/* Takes k GPUs of the node with the fewest free ones that has k; NO_NODE if none has. */
static uint32_t take_of_one_node(struct placement *placement, uint32_t gpu_type, uint32_t k) {
    struct type_placement *type = &placement->types[gpu_type];
    uint32_t unit = free_units_fewest(&type->levels[0], FREE_UNITS_ALL, k, NULL);
    if (unit == FREE_UNITS_NONE)
        return NO_NODE;
    uint32_t node = type->nodes ? type->nodes[unit] : unit;
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
    struct taking taking = {.placement = placement, .type = type};
    allocation->span = take_inside(&taking, &(struct place){placement->level_count, 0}, k);
    allocation->pieces = taking.pieces.at;
    allocation->count = (uint32_t)taking.pieces.count;
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
    return placement_span_free_max(placement, gpu_type, 0);
}

uint32_t placement_span_free_max(const struct placement *placement, uint32_t gpu_type,
                                 uint32_t span) {
    const struct type_placement *type = &placement->types[gpu_type];
    return span >= placement->level_count || type->free == 0
               ? type->free
               : free_units_most_free(&type->levels[span]);
}

const struct piece *allocation_pieces(const struct allocation *allocation) {
    return allocation->count > 1 ? allocation->pieces : &allocation->first;
}

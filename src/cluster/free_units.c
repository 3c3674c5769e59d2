/* Nodes and switches by free GPUs: see free_units.h. */
#include "cluster/free_units.h"

#include "base/mem.h"

#include <stdlib.h>

/* Where the units of a parent, or all, stand in a set: from base to below end, `width` of them for
   each number of free GPUs. */
struct shelf {
    const struct idset *set;
    uint64_t base, end;
    uint32_t width, first_unit;
};

static uint64_t parent_size(const struct free_units *units) {
    return ((uint64_t)units->most + 1) * units->width;
}

static uint64_t member_of_all(const struct free_units *units, uint32_t unit, uint32_t free) {
    return (uint64_t)free * units->count + unit;
}

static uint64_t member_inside(const struct free_units *units, uint32_t unit, uint32_t free) {
    return unit / units->width * parent_size(units) + (uint64_t)free * units->width +
           unit % units->width;
}

void free_units_init(struct free_units *units, uint32_t count, uint32_t width, uint32_t most) {
    *units =
        (struct free_units){.count = count, .width = width < count ? width : count, .most = most};
    idset_init(&units->by_free, member_of_all(units, 0, most + 1));
    if (width < count)
        idset_init(&units->inside, (uint64_t)(1 + (count - 1) / width) * parent_size(units));
}

void free_units_finish(struct free_units *units) {
    idset_finish(&units->by_free);
    idset_finish(&units->inside);
}

void free_units_add(struct free_units *units, uint32_t unit, uint32_t free) {
    units->free = free;
    if (units->count == 1)
        return;
    idset_insert(&units->by_free, member_of_all(units, unit, free));
    if (units->inside.size > 0)
        idset_insert(&units->inside, member_inside(units, unit, free));
}

void free_units_move(struct free_units *units, uint32_t unit, uint32_t before, uint32_t free) {
    if (units->count > 1)
        idset_remove(&units->by_free, member_of_all(units, unit, before));
    if (units->inside.size > 0)
        idset_remove(&units->inside, member_inside(units, unit, before));
    free_units_add(units, unit, free);
}

static struct shelf shelf_of(const struct free_units *units, uint32_t parent) {
    uint64_t size = parent_size(units);
    if (parent == FREE_UNITS_ALL || units->inside.size == 0)
        return (struct shelf){&units->by_free, 0, units->by_free.size, units->count, 0};
    return (struct shelf){&units->inside, parent * size, parent * size + size, units->width,
                          parent * units->width};
}

uint32_t free_units_fewest(const struct free_units *units, uint32_t parent, uint32_t k,
                           uint32_t *ret_free) {
    if (units->count == 1 && ret_free)
        *ret_free = units->free;
    if (units->count == 1)
        return k <= units->free ? 0 : FREE_UNITS_NONE;
    if (k > units->most)
        return FREE_UNITS_NONE;
    const struct shelf shelf = shelf_of(units, parent);
    uint64_t found = idset_next(shelf.set, shelf.base + (uint64_t)k * shelf.width);
    if (found >= shelf.end)
        return FREE_UNITS_NONE;
    if (ret_free)
        *ret_free = (uint32_t)((found - shelf.base) / shelf.width);
    return shelf.first_unit + (uint32_t)((found - shelf.base) % shelf.width);
}

uint32_t free_units_freest(const struct free_units *units, uint32_t parent) {
    if (units->count == 1)
        return 0;
    const struct shelf shelf = shelf_of(units, parent);
    uint64_t last = idset_prev(shelf.set, shelf.end - 1) - shelf.base;
    uint64_t first = idset_next(shelf.set, shelf.base + last - last % shelf.width) - shelf.base;
    return shelf.first_unit + (uint32_t)(first % shelf.width);
}

uint32_t free_units_most_free(const struct free_units *units) {
    return units->count == 1
               ? units->free
               : (uint32_t)(idset_prev(&units->by_free, units->by_free.size - 1) / units->count);
}

/* --- sharing --- */
/* Invariant: a GPU is a member of by_free, at its room, if and only if a job is on it. */

static uint64_t gpu_member(const struct sharing *sharing, uint32_t free_milli, uint32_t gpu) {
    return (uint64_t)free_milli * sharing->gpu_count + gpu;
}

void sharing_init(struct sharing *sharing, const struct cluster *cluster, uint32_t gpu_type) {
    *sharing = (struct sharing){.gpu_count = cluster->gpu_types[gpu_type].gpus};
    sharing->gpus = mem_zalloc(sharing->gpu_count, sizeof *sharing->gpus);
    sharing->node_first = mem_zalloc(cluster->node_count, sizeof *sharing->node_first);
    sharing->node_used = mem_zalloc(cluster->node_count, sizeof *sharing->node_used);
    idset_init(&sharing->by_free, gpu_member(sharing, WHOLE_GPU_MILLI, 0));
    idset_init(&sharing->left, sharing->gpu_count);
    for (uint32_t n = 0, first = 0; n < cluster->node_count; n++) {
        sharing->node_first[n] = first;
        first += cluster->nodes[n].gpu_type == gpu_type ? cluster->nodes[n].gpus : 0;
    }
}

void sharing_finish(struct sharing *sharing) {
    if (!sharing->gpus)
        return;
    idset_finish(&sharing->by_free);
    idset_finish(&sharing->left);
    free(sharing->gpus);
    free(sharing->node_first);
    free(sharing->node_used);
    *sharing = (struct sharing){0};
}

uint32_t sharing_find(const struct sharing *sharing, uint32_t milli) {
    uint64_t found = sharing->count > 0
                         ? idset_next(&sharing->by_free, gpu_member(sharing, milli, 0))
                         : IDSET_NONE;
    return found == IDSET_NONE ? SHARING_NONE : (uint32_t)(found % sharing->gpu_count);
}

uint32_t sharing_open(struct sharing *sharing, uint32_t node) {
    uint32_t first = sharing->node_first[node];
    uint64_t left = idset_next(&sharing->left, first);
    uint32_t gpu = left < first + sharing->node_used[node] ? (uint32_t)left
                                                           : first + sharing->node_used[node]++;
    idset_remove(&sharing->left, gpu);
    sharing->gpus[gpu].node = node; /* awake_ns stays: it may be taken back (sharing_retake) */
    sharing->gpus[gpu].free_milli = WHOLE_GPU_MILLI;
    sharing->count++;
    sharing->free_milli += WHOLE_GPU_MILLI;
    return gpu;
}

void sharing_take(struct sharing *sharing, uint32_t gpu, uint32_t milli) {
    struct shared_gpu *g = &sharing->gpus[gpu];
    if (g->free_milli < WHOLE_GPU_MILLI)
        idset_remove(&sharing->by_free, gpu_member(sharing, g->free_milli, gpu));
    g->free_milli -= milli;
    sharing->free_milli -= milli;
    idset_insert(&sharing->by_free, gpu_member(sharing, g->free_milli, gpu));
}

bool sharing_retake(struct sharing *sharing, uint32_t gpu, uint32_t milli) {
    bool opens = sharing->gpus[gpu].free_milli == WHOLE_GPU_MILLI;
    if (opens) {
        idset_remove(&sharing->left, gpu);
        sharing->count++;
        sharing->free_milli += WHOLE_GPU_MILLI;
    }
    sharing_take(sharing, gpu, milli);
    return opens;
}

bool sharing_give_back(struct sharing *sharing, uint32_t gpu, uint32_t milli) {
    struct shared_gpu *g = &sharing->gpus[gpu];
    idset_remove(&sharing->by_free, gpu_member(sharing, g->free_milli, gpu));
    g->free_milli += milli;
    sharing->free_milli += milli;
    if (g->free_milli < WHOLE_GPU_MILLI) {
        idset_insert(&sharing->by_free, gpu_member(sharing, g->free_milli, gpu));
        return false;
    }
    idset_insert(&sharing->left, gpu);
    sharing->count--;
    sharing->free_milli -= WHOLE_GPU_MILLI;
    return true;
}

uint32_t sharing_free_max(const struct sharing *sharing) {
    return sharing->count > 0
               ? (uint32_t)(idset_prev(&sharing->by_free, sharing->by_free.size - 1) /
                            sharing->gpu_count)
               : 0;
}

/* Shared GPUs: see sharing.h. Invariant: a GPU is a member of by_free, at its room, if and only if
 * a job is on it.
 */
#include "cluster/sharing.h"

#include "base/mem.h"

#include <stdlib.h>

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

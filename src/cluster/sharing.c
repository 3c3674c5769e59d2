/* Shared GPUs: see sharing.h. Invariant: a GPU is a member of by_free, at its room, if and only if
 * a job is on it.
 */
#include "cluster/sharing.h"

#include "base/mem.h"

#include <stdlib.h>

static uint64_t gpu_member(const struct sharing *s, uint32_t free_milli, uint32_t gpu) {
    return (uint64_t)free_milli * s->gpu_count + gpu;
}

void sharing_init(struct sharing *s, const struct cluster *cluster, uint32_t gpu_type) {
    *s = (struct sharing){.gpu_count = cluster->gpu_types[gpu_type].gpus};
    s->gpus = mem_zalloc(s->gpu_count, sizeof *s->gpus);
    s->node_first = mem_zalloc(cluster->node_count, sizeof *s->node_first);
    s->node_used = mem_zalloc(cluster->node_count, sizeof *s->node_used);
    idset_init(&s->by_free, gpu_member(s, WHOLE_GPU_MILLI, 0));
    idset_init(&s->left, s->gpu_count);
    for (uint32_t n = 0, first = 0; n < cluster->node_count; n++) {
        s->node_first[n] = first;
        first += cluster->nodes[n].gpu_type == gpu_type ? cluster->nodes[n].gpus : 0;
    }
}

void sharing_finish(struct sharing *s) {
    if (!s->gpus)
        return;
    idset_finish(&s->by_free);
    idset_finish(&s->left);
    free(s->gpus);
    free(s->node_first);
    free(s->node_used);
    *s = (struct sharing){0};
}

uint32_t sharing_find(const struct sharing *s, uint32_t milli) {
    uint64_t found = s->count > 0 ? idset_next(&s->by_free, gpu_member(s, milli, 0)) : IDSET_NONE;
    return found == IDSET_NONE ? SHARING_NONE : (uint32_t)(found % s->gpu_count);
}

uint32_t sharing_open(struct sharing *s, uint32_t node) {
    uint32_t first = s->node_first[node];
    uint64_t left = idset_next(&s->left, first);
    uint32_t gpu =
        left < first + s->node_used[node] ? (uint32_t)left : first + s->node_used[node]++;
    idset_remove(&s->left, gpu);
    s->gpus[gpu] = (struct shared_gpu){.node = node, .free_milli = WHOLE_GPU_MILLI};
    s->count++;
    s->free_milli += WHOLE_GPU_MILLI;
    return gpu;
}

void sharing_take(struct sharing *s, uint32_t gpu, uint32_t milli) {
    struct shared_gpu *g = &s->gpus[gpu];
    if (g->free_milli < WHOLE_GPU_MILLI)
        idset_remove(&s->by_free, gpu_member(s, g->free_milli, gpu));
    g->free_milli -= milli;
    s->free_milli -= milli;
    idset_insert(&s->by_free, gpu_member(s, g->free_milli, gpu));
}

bool sharing_give_back(struct sharing *s, uint32_t gpu, uint32_t milli) {
    struct shared_gpu *g = &s->gpus[gpu];
    idset_remove(&s->by_free, gpu_member(s, g->free_milli, gpu));
    g->free_milli += milli;
    s->free_milli += milli;
    if (g->free_milli < WHOLE_GPU_MILLI) {
        idset_insert(&s->by_free, gpu_member(s, g->free_milli, gpu));
        return false;
    }
    idset_insert(&s->left, gpu);
    s->count--;
    s->free_milli -= WHOLE_GPU_MILLI;
    return true;
}

uint32_t sharing_free_max(const struct sharing *s) {
    return s->count > 0 ? (uint32_t)(idset_prev(&s->by_free, s->by_free.size - 1) / s->gpu_count)
                        : 0;
}

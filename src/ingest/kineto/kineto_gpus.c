/* GPUs by number. */
#include "ingest/kineto/kineto_gpus.h"

#include <math.h>
#include <stdlib.h>

static uint32_t gpu_number(struct kineto_gpus *gpus, int64_t node, int64_t gpu) {
    const int64_t key[] = {node, gpu};
    uint32_t number = intern_find(&gpus->keys, key, sizeof key);
    if (number != INTERN_NONE)
        return number;
    if (gpus->all.count == KINETO_MOST_GPUS)
        return KINETO_NO_GPU;
    array_push(&gpus->all, ((struct kineto_gpu){.node = node, .gpu = gpu}));
    return intern(&gpus->keys, key, sizeof key, NULL);
}

uint32_t kineto_gpus_add(struct kineto_gpus *gpus, int64_t node, int64_t gpu, double energy_j) {
    uint32_t number = gpu_number(gpus, node, gpu);
    struct kineto_gpu *at = number == KINETO_NO_GPU ? &gpus->others : &gpus->all.at[number];
    at->events++;
    if (isfinite(energy_j))
        at->energy_j += energy_j;
    else
        gpus->without_energy++;
    return number;
}

void kineto_gpus_finish(struct kineto_gpus *gpus) {
    free(gpus->all.at);
    intern_finish(&gpus->keys);
    *gpus = (struct kineto_gpus){0};
}

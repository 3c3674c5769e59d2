/* One recorded run: see recorded_run.h. */
#include "insight/recorded_run.h"

#include <stdlib.h>
#include <string.h>

void recorded_run_finish(struct recorded_run *run) {
    for (uint32_t m = 0; run->allowed_k && m < run->folder->models.count; m++)
        free(run->allowed_k[m].at);
    free(run->allowed_k);
    workload_finish(&run->workload);
    free(run->jobs);
    free(run->replicas.at);
    free(run->segments.at);
    free(run->gpus.at);
    free(run->rests.at);
    *run = (struct recorded_run){0};
}

int64_t recorded_run_milli(const struct recorded_run *run, const struct recorded_segment *segment) {
    const struct easim_config *c = recorded_run_config(run, segment);
    return !c ? 0 : c->milli > 0 ? c->milli : (int64_t)c->k * WHOLE_GPU_MILLI;
}

int128 recorded_run_gpu_ps(const struct recorded_run *run, const struct recorded_segment *segment) {
    return (int128)recorded_run_milli(run, segment) * (segment->end_ns - segment->start_ns);
}

uint32_t recorded_run_find_job(const struct recorded_run *run, const char *id) {
    for (uint32_t j = 0; j < run->workload.jobs.count; j++)
        if (strcmp(run->workload.jobs.at[j].id, id) == 0)
            return j;
    return EASIM_NONE;
}

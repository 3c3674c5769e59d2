/* Recorded folders: see recorded_run.h. */
#include "insight/recorded_run.h"

#include <stdlib.h>
#include <string.h>

/* No command writes them yet, so every folder lacks them. */
int recorded_folder_open(struct recorded_folder *folder, const char *path, struct error *reterr) {
    *folder = (struct recorded_folder){.path = path};
    return error_set(reterr, ERROR_INPUT, "%s: segments.csv is missing: it was not recorded", path);
}

int recorded_run_load(struct recorded_run *run, const struct recorded_folder *folder,
                      const struct recorded_part *part, struct error *reterr) {
    *run = (struct recorded_run){.folder = folder, .part = part};
    return error_set(reterr, ERROR_INPUT, "%s: segments.csv is missing: it was not recorded",
                     folder->path);
}

void recorded_folder_finish(struct recorded_folder *folder) {
    free(folder->policies.at);
    free(folder->parts.at);
    free(folder->steps.at);
    scenario_finish(&folder->scenario);
    arena_finish(&folder->arena);
    *folder = (struct recorded_folder){0};
}

const struct recorded_part *recorded_folder_find(const struct recorded_folder *folder,
                                                 const char *policy, uint32_t replication) {
    for (size_t i = 0; i < folder->parts.count; i++) {
        const struct recorded_part *part = &folder->parts.at[i];
        if ((!policy || strcmp(folder->policies.at[part->policy].name, policy) == 0) &&
            (replication == 0 || part->replication == replication))
            return part;
    }
    return NULL;
}

void recorded_run_finish(struct recorded_run *run) {
    workload_finish(&run->workload);
    free(run->jobs);
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

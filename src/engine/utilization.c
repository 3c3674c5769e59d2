/* Utilization over time: see utilization.h. Invariant: of a computing job the step is the last one
   that begins at or before the work it has done. */
#include "engine/utilization.h"

#define ROUNDING 1e-11 /* of a job's work, as in phase.c */

void utilization_init(struct sim *sim) {
    size_t count = sim->workload->jobs.count;
    if (!sim->workload->has_utilization)
        return;
    sim->uses = mem_alloc(count * sizeof *sim->uses);
    for (size_t j = 0; j < count; j++)
        sim->uses[j] = (struct use){.event = EVENT_NONE};
}

void utilization_begin(struct sim *sim, uint32_t job) {
    const struct job_spec *spec = &sim->workload->jobs.at[job];
    const struct utilization_steps *steps = spec->utilization;
    double done = spec->work - sim->runs[job].remaining + ROUNDING * spec->work;
    uint32_t low = 0, high = steps->count; /* step `low` has begun, step `high` has not */
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        *(steps->at[middle].from_s <= done ? &low : &high) = middle;
    }
    sim->uses[job].step = low;
}

double utilization_present(const struct sim *sim, uint32_t job) {
    return sim->workload->jobs.at[job].utilization->at[sim->uses[job].step].value;
}

double utilization_next_work(const struct sim *sim, uint32_t job) {
    const struct job_spec *spec = &sim->workload->jobs.at[job];
    uint32_t next = sim->uses[job].step + 1;
    return next < spec->utilization->count ? spec->work - spec->utilization->at[next].from_s : -1;
}

/* Totals over jobs: see job_totals.h. */
#include "metrics/job_totals.h"

#include "engine/segments.h"

static void add_work(struct job_totals *totals, const struct sim *sim, uint32_t job) {
    const struct job_spec *spec = &sim->workload->jobs.at[job];
    if (sim_job_state(sim, job) == EASIM_JOB_REJECTED) { /* its work in samples may be unknown */
        totals->work_left_s += spec->reference_gpu_s;
    } else if (spec->work > 0) {
        double share = account_work_done(sim, job) / spec->work;
        totals->work_done_s += spec->reference_gpu_s * share;
        totals->work_left_s += spec->reference_gpu_s * (1 - share);
    }
}

struct job_totals job_totals_of(const struct sim *sim) {
    struct job_totals totals = {0};
    for (uint32_t j = 0; j < sim->next_arrival; j++)
        add_work(&totals, sim, j);
    for (uint32_t j = 0; sim->lost && j < sim->next_arrival; j++) {
        totals.lost_energy += sim->lost[j].energy;
        totals.lost_gpu_ps += sim->lost[j].gpu_ps;
    }
    return totals;
}

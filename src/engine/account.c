/* What jobs have done and drawn: see account.h. */
#include "engine/account.h"

#include "engine/gpus.h"
#include "engine/progress.h"

double account_work_done(const struct sim *sim, uint32_t job) {
    const struct job_run *run = &sim->runs[job];
    double done = sim->workload->jobs.at[job].work - run->remaining;
    if (run->segment == SEGMENT_RUN)
        done += progress_work(sim, job, progress_computing_ns(sim, job));
    return done < sim->workload->jobs.at[job].work ? done : sim->workload->jobs.at[job].work;
}

int128 account_present_energy(const struct sim *sim, uint32_t job) {
    const struct job_run *run = &sim->runs[job];
    return job_run_uses_gpus(run)
               ? (int128)gpus_present_nw(sim, job) * (sim->now_ns - run->segment_start_ns)
               : 0;
}

int128 account_energy(const struct sim *sim, uint32_t job) {
    return sim->runs[job].energy + account_present_energy(sim, job);
}

int128 account_gpu_ps(const struct sim *sim, uint32_t job) {
    const struct job_run *run = &sim->runs[job];
    int64_t present_ns = job_run_uses_gpus(run) ? sim->now_ns - run->held_since_ns : 0;
    return run->gpu_ps +
           (present_ns > 0 ? (int128)gpus_held_milli(sim, run->config) * present_ns : 0);
}

int64_t account_held_ns(const struct sim *sim, uint32_t job) {
    const struct job_run *run = &sim->runs[job];
    return run->held_ns + (job_run_uses_gpus(run) ? sim->now_ns - run->held_since_ns : 0);
}

struct lost account_lost(const struct sim *sim, uint32_t job) {
    return sim->lost ? sim->lost[job] : (struct lost){0};
}

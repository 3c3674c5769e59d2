/* Progress: see progress.h. Invariant: of a computing job stretch_work is done at stretch_ns of its computing time,
   and kept_work at its last periodic checkpoint before that. */
#include "engine/progress.h"

#include "base/rng.h"
#include "base/units.h"
#include "engine/jobs.h"
#include "engine/nodes.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdio.h>

double progress_noise(const struct sim *sim, uint32_t job) {
    double sigma = sim->options.noise.speed_sigma;
    if (sigma == 0 || sim->workload->jobs.at[job].model == EASIM_NONE)
        return 1;
    char name[32];
    snprintf(name, sizeof name, "noise/%u", job);
    gsl_rng *rng = rng_create(sim->options.seed, sim->options.replication, name);
    double factor = gsl_ran_lognormal(rng, -sigma * sigma / 2, sigma);
    gsl_rng_free(rng);
    return factor;
}

void progress_begin(struct sim *sim, uint32_t job) {
    struct job_run *run = &sim->runs[job];
    run->factor = run->noise / nodes_slowdown(sim, job);
    run->stretch_ns = 0;
    run->stretch_work = run->kept_work = 0;
}

static double speed(const struct sim *sim, const struct job_run *run) {
    return sim->view.configs[run->config].goodput[run->span] * run->factor;
}

int64_t progress_checkpoint_ns(const struct sim *sim, uint32_t job, int64_t computing_ns) {
    const struct start_costs *costs = workload_costs(sim->workload, sim->workload->jobs.at[job].model);
    int64_t interval_ns = units_ns(costs->checkpoint_interval_s);
    if (costs->checkpoint_interval_s == 0)
        return 0;
    return interval_ns > 0 ? computing_ns / interval_ns * interval_ns : computing_ns;
}

double progress_work(const struct sim *sim, uint32_t job, int64_t computing_ns) {
    const struct job_run *run = &sim->runs[job];
    if (computing_ns < run->stretch_ns)
        return run->kept_work;
    return run->stretch_work + units_s(computing_ns - run->stretch_ns) * speed(sim, run);
}

void progress_change(struct sim *sim, uint32_t job, double factor) {
    struct job_run *run = &sim->runs[job];
    int64_t computing_ns = sim->now_ns - run->phase_start_ns;
    run->kept_work = progress_work(sim, job, progress_checkpoint_ns(sim, job, computing_ns));
    run->stretch_work = progress_work(sim, job, computing_ns);
    run->stretch_ns = computing_ns;
    run->factor = factor;
}

int64_t progress_setup_ns(const struct sim *sim, uint32_t job) {
    return units_ns(sim->view.jobs[job].setup_s);
}

int64_t progress_finish_ns(const struct sim *sim, uint32_t job) {
    const struct job_run *run = &sim->runs[job];
    if (run->stretch_ns > 0)
        return run->phase_start_ns + run->stretch_ns +
               jobs_duration_ns(fmax(0, run->remaining - run->stretch_work) / speed(sim, run));
    return run->segment_start_ns + jobs_duration_ns(sim->view.jobs[job].setup_s + run->remaining / speed(sim, run));
}

/* Checkpoints: see checkpoint.h. */
#include "engine/checkpoint.h"

#include "base/units.h"
#include "engine/gpus.h"
#include "engine/progress.h"

#include <math.h>

#define MOST_VAIN_STOPS 1000

static const struct start_costs *costs_of(const struct sim *sim, uint32_t job) {
    return workload_costs(sim->workload, &sim->workload->jobs.at[job]);
}

int64_t checkpoint_write_ns(const struct sim *sim, uint32_t job, enum stop stop) {
    const struct start_costs *costs = costs_of(sim, job);
    int64_t left_ns = sim->unsaved[job].until_ns - sim->now_ns;
    if (stop != STOP_ON_DEMAND || costs->checkpoint_interval_s > 0)
        return 0;
    if (sim->runs[job].segment == SEGMENT_RUN)
        return units_ns(costs->checkpoint_s);
    return left_ns > 0 ? left_ns : 0;
}

/* Computing time since the set-up that a checkpoint has kept. */
static int64_t work_kept_ns(const struct sim *sim, uint32_t job, enum stop stop) {
    if (sim->runs[job].segment != SEGMENT_RUN)
        return 0;
    int64_t done_ns = progress_computing_ns(sim, job);
    if (costs_of(sim, job)->checkpoint_interval_s > 0)
        return progress_checkpoint_ns(sim, job, done_ns);
    return stop == STOP_ON_DEMAND ? done_ns : 0;
}

static void add_lost(struct sim *sim, uint32_t job, int64_t milli, int64_t lost_ns, int128 energy) {
    if (lost_ns == 0 && energy == 0)
        return;
    if (!sim->lost)
        sim->lost = mem_zalloc(sim->workload->jobs.count, sizeof *sim->lost);
    sim->lost[job].ns += lost_ns;
    sim->lost[job].gpu_ps += (int128)milli * lost_ns;
    sim->lost[job].energy += energy;
}

/* Computing time whose work is kept; negative: it is lost after all. */
static void add_kept(struct easim_job *job, int64_t milli, int64_t kept_ns) {
    job->kept_s += units_s(kept_ns);
    job->kept_gpu_s += (double)((int128)milli * kept_ns) * 1e-12;
}

/* Work that is left as policies know it: of modelled jobs the true one. */
static double predicted_left(const struct sim *sim, uint32_t job, double predicted) {
    bool rigid = sim->workload->jobs.at[job].kind == JOB_KIND_RIGID;
    return rigid ? predicted : sim->runs[job].remaining;
}

void checkpoint_book_unsaved(struct sim *sim, uint32_t job, enum stop stop) {
    struct job_run *run = &sim->runs[job];
    struct unsaved *unsaved = &sim->unsaved[job];
    bool writing =
        stop == STOP_FAILURE ? sim->now_ns <= unsaved->until_ns : sim->now_ns < unsaved->until_ns;
    if (unsaved->until_ns == 0 || (writing && stop == STOP_ON_DEMAND))
        return;
    if (writing) {
        run->remaining = unsaved->remaining;
        view_job(&sim->view, job)->remaining = unsaved->predicted;
        add_lost(sim, job, unsaved->milli, unsaved->computing_ns, unsaved->energy);
        add_kept(view_job(&sim->view, job), unsaved->milli, -unsaved->computing_ns);
    } else {
        run->vain_stops = 0;
    }
    unsaved->until_ns = 0;
}

void checkpoint_book_work(struct sim *sim, uint32_t job, enum stop stop) {
    struct job_run *run = &sim->runs[job];
    struct easim_job *j = view_job(&sim->view, job);
    checkpoint_book_unsaved(sim, job, stop);
    int64_t kept_ns = work_kept_ns(sim, job, stop), write_ns = checkpoint_write_ns(sim, job, stop);
    if (kept_ns == 0 && ++run->vain_stops > MOST_VAIN_STOPS)
        sim_fail(sim, ERROR_RUN,
                 "job %s was stopped %d times in a row without having kept any of its work",
                 sim->workload->jobs.at[job].id, MOST_VAIN_STOPS);
    if (run->segment != SEGMENT_RUN)
        return;
    int64_t milli = gpus_held_milli(sim, run->config), done_ns = progress_computing_ns(sim, job);
    double work = progress_work(sim, job, kept_ns);
    int128 energy = progress_energy(sim, job, kept_ns);
    add_lost(sim, job, milli, done_ns - kept_ns, progress_energy(sim, job, done_ns) - energy);
    add_kept(j, milli, kept_ns);
    if (kept_ns > 0 && write_ns > 0)
        sim->unsaved[job] = (struct unsaved){.until_ns = sim->now_ns + write_ns,
                                             .computing_ns = kept_ns,
                                             .energy = energy,
                                             .milli = milli,
                                             .remaining = run->remaining,
                                             .predicted = predicted_left(sim, job, j->remaining)};
    else if (kept_ns > 0)
        run->vain_stops = 0;
    run->remaining = fmax(0, run->remaining - work);
    j->remaining = predicted_left(sim, job, fmax(0, j->remaining - work));
}

void checkpoint_charge_resize(struct sim *sim, uint32_t job) {
    struct easim_job *j = view_job(&sim->view, job);
    int64_t write_ns = checkpoint_write_ns(sim, job, STOP_ON_DEMAND),
            most_ns = units_ns(costs_of(sim, job)->checkpoint_s);
    write_ns = write_ns < most_ns ? write_ns
                                  : most_ns; /* it may still have been waiting for GPUs to wake */
    j->setup_s = j->restart_s + units_s(write_ns);
    checkpoint_book_work(sim, job, STOP_ON_DEMAND);
    if (sim->unsaved[job].until_ns > sim->now_ns)
        sim->unsaved[job].until_ns = sim->now_ns + write_ns;
}

void checkpoint_delay(struct sim *sim, uint32_t job, int64_t wait_ns) {
    if (sim->unsaved[job].until_ns > 0)
        sim->unsaved[job].until_ns += wait_ns;
}

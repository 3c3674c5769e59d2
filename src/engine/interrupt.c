/* Jobs that are stopped or moved: see interrupt.h. */
#include "engine/interrupt.h"

#include "base/units.h"
#include "engine/gpus.h"
#include "engine/progress.h"

#include <math.h>

#define MOST_VAIN_STOPS 1000

/* How a job comes to be stopped: with time for a checkpoint, without, or by a failure, which comes
   before the end of a checkpoint of the same instant. */
enum stop { STOP_ON_DEMAND, STOP_AT_ONCE, STOP_FAILURE };

static enum stop stop_of(bool at_once) {
    return at_once ? STOP_AT_ONCE : STOP_ON_DEMAND;
}

static const struct start_costs *costs_of(const struct sim *sim, uint32_t job) {
    return workload_costs(sim->workload, &sim->workload->jobs.at[job]);
}

/* How long a job that is stopped now keeps its GPUs to write a checkpoint: one that it begins now,
   or the rest of that of a resize, which is to begin when all GPUs are awake. */
static int64_t writes_ns(const struct sim *sim, uint32_t job, enum stop stop) {
    const struct start_costs *costs = costs_of(sim, job);
    int64_t left_ns = sim->unsaved[job].until_ns - sim->now_ns;
    if (stop != STOP_ON_DEMAND || costs->checkpoint_interval_s > 0)
        return 0;
    if (sim->runs[job].phase == PHASE_COMPUTING)
        return units_ns(costs->checkpoint_s);
    return left_ns > 0 ? left_ns : 0;
}

/* Computing time since the set-up that a checkpoint has kept. */
static int64_t kept_ns(const struct sim *sim, uint32_t job, enum stop stop) {
    int64_t done_ns = sim->now_ns - sim->runs[job].phase_start_ns;
    if (sim->runs[job].phase != PHASE_COMPUTING)
        return 0;
    if (costs_of(sim, job)->checkpoint_interval_s > 0)
        return progress_checkpoint_ns(sim, job, done_ns);
    return stop == STOP_ON_DEMAND ? done_ns : 0;
}

static void add_lost(struct job_run *run, int64_t milli, int64_t power_nw, int64_t lost_ns) {
    run->lost_ns += lost_ns;
    run->lost_gpu_ps += (int128)milli * lost_ns;
    run->lost_energy += (int128)power_nw * lost_ns;
}

/* The checkpoint that was being written, if any, is complete or lost, or it goes on. */
static void settle_unsaved(struct sim *sim, uint32_t job, enum stop stop) {
    struct job_run *run = &sim->runs[job];
    struct unsaved *unsaved = &sim->unsaved[job];
    bool writing =
        stop == STOP_FAILURE ? sim->now_ns <= unsaved->until_ns : sim->now_ns < unsaved->until_ns;
    if (unsaved->until_ns == 0 || (writing && stop == STOP_ON_DEMAND))
        return;
    if (writing) {
        run->remaining = unsaved->remaining;
        view_job(&sim->view, job)->remaining = unsaved->predicted;
        add_lost(run, unsaved->milli, unsaved->power_nw, unsaved->computing_ns);
    } else {
        run->vain_stops = 0;
    }
    unsaved->until_ns = 0;
}

/* Takes off the work done since computing began, as far as a checkpoint kept it; the rest is lost.
 */
static void settle_work(struct sim *sim, uint32_t job, enum stop stop) {
    struct job_run *run = &sim->runs[job];
    struct easim_job *j = view_job(&sim->view, job);
    settle_unsaved(sim, job, stop);
    int64_t kept = kept_ns(sim, job, stop), writes = writes_ns(sim, job, stop);
    if (kept == 0 && ++run->vain_stops > MOST_VAIN_STOPS)
        sim_fail(sim, ERROR_RUN,
                 "job %s was stopped %d times in a row without having kept any of its work",
                 sim->workload->jobs.at[job].id, MOST_VAIN_STOPS);
    if (run->phase != PHASE_COMPUTING)
        return;
    int64_t milli = gpus_held_milli(sim, run->config), power_nw = gpus_phase_nw(sim, job);
    double work = progress_work(sim, job, kept);
    add_lost(run, milli, power_nw, sim->now_ns - run->phase_start_ns - kept);
    if (kept > 0 && writes > 0)
        sim->unsaved[job] = (struct unsaved){sim->now_ns + writes, kept,        power_nw, milli,
                                             run->remaining,       j->remaining};
    else if (kept > 0)
        run->vain_stops = 0;
    run->remaining = fmax(0, run->remaining - work);
    j->remaining = fmax(0, j->remaining - work);
}

void interrupt_yield_gpus(struct sim *sim, uint32_t job, bool at_once) {
    view_remove_running(&sim->view, job);
    view_job(&sim->view, job)->state = EASIM_JOB_CHECKPOINTING;
    view_header(&sim->view)->checkpointing_count++;
    if (writes_ns(sim, job, stop_of(at_once)) == 0)
        gpus_leave(sim, job);
}

void interrupt_preempt(struct sim *sim, uint32_t job, bool at_once) {
    int64_t writes = writes_ns(sim, job, stop_of(at_once));
    eventq_cancel(&sim->events, sim->runs[job].event);
    sim->running--;
    view_job(&sim->view, job)->preemptions++;
    settle_work(sim, job, stop_of(at_once));
    jobs_leave_phase(sim, job);
    if (writes > 0) {
        jobs_enter_phase(sim, job, PHASE_CHECKPOINT);
        sim->checkpointing++;
        jobs_schedule(sim, sim->now_ns + writes, EVENT_RELEASE, job);
    } else {
        jobs_requeue(sim, job);
    }
    sim_notify(sim, job, JOB_STOPPED);
}

/* The checkpoint of a resize, or the rest of the last one's, is written on the new GPUs. */
static void show_checkpoint(struct sim *sim, uint32_t job) {
    struct easim_job *j = view_job(&sim->view, job);
    int64_t writes = writes_ns(sim, job, STOP_ON_DEMAND),
            most = units_ns(costs_of(sim, job)->checkpoint_s);
    writes = writes < most ? writes : most; /* it may still have been waiting for GPUs to wake */
    j->setup_s = j->restart_s + units_s(writes);
    settle_work(sim, job, STOP_ON_DEMAND);
    if (sim->unsaved[job].until_ns > sim->now_ns)
        sim->unsaved[job].until_ns = sim->now_ns + writes;
}

bool interrupt_swap_gpus(struct sim *sim, uint32_t job, uint32_t config,
                         struct allocation *allocation) {
    if (!gpus_swap(sim, job, config, allocation))
        return false;
    show_checkpoint(sim, job);
    sim->runs[job].resizing = true;
    jobs_show_segment(sim, job, config, gpus_span(allocation));
    jobs_await_gpus(sim, job);
    view_job(&sim->view, job)->saved_at_s = units_s(sim->unsaved[job].until_ns);
    view_change_running(&sim->view, job);
    return true;
}

void interrupt_resize(struct sim *sim, const struct job_start *start) {
    struct job_run *run = &sim->runs[start->job];
    struct easim_job *j = view_job(&sim->view, start->job);
    eventq_cancel(&sim->events, run->event);
    jobs_leave_phase(sim, start->job);
    gpus_settle(sim, start->job);
    allocation_finish(&run->allocation);
    run->resizing = false;
    j->resizes++;
    j->resized_s = units_s(sim->now_ns);
    jobs_begin_segment(sim, start);
    sim_notify(sim, start->job, JOB_RESIZED);
}

void interrupt_release(struct sim *sim, uint32_t job) {
    settle_unsaved(sim, job, STOP_ON_DEMAND);
    jobs_leave_phase(sim, job);
    gpus_leave(sim, job);
    sim->checkpointing--;
    jobs_requeue(sim, job);
}

void interrupt_fail(struct sim *sim, uint32_t job) {
    eventq_cancel(&sim->events, sim->runs[job].event);
    if (sim->view.jobs[job].state == EASIM_JOB_RUNNING) {
        view_remove_running(&sim->view, job);
        sim->running--;
    } else {
        sim->checkpointing--;
    }
    settle_work(sim, job, STOP_FAILURE);
    jobs_leave_phase(sim, job);
    gpus_leave(sim, job);
    jobs_requeue(sim, job);
    sim_notify(sim, job, JOB_FAILED);
}

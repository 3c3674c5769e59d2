/* The life of a job: see jobs.h. */
#include "engine/jobs.h"

#include "base/units.h"
#include "engine/checkpoint.h"
#include "engine/gpus.h"
#include "engine/job_finish.h"
#include "engine/job_memory.h"
#include "engine/job_phase.h"
#include "engine/phase.h"
#include "engine/predictions.h"
#include "engine/progress.h"

#include <math.h>

/* --- submission --- */

/* Set-up of the next start, and T* and EDP* with it. */
static void predict_next_start(struct sim *sim, uint32_t job) {
    struct easim_job *j = view_job(&sim->view, job);
    const struct start_costs *costs = workload_costs(sim->workload, &sim->workload->jobs.at[job]);
    j->setup_s = j->started_before ? costs->restart_s : costs->start_s;
    predictions_update(sim, job);
}

static void fill_view_job(struct sim *sim, uint32_t job) {
    const struct job_spec *spec = &sim->workload->jobs.at[job];
    const struct config_set *set = &sim->workload->table.sets.at[spec->set];
    const struct start_costs *costs = workload_costs(sim->workload, spec);
    bool oracle = sim->module->policy->capabilities & EASIM_CAPABILITY_ORACLE;
    *view_job(&sim->view, job) = (struct easim_job){
        .id = spec->id,
        .index = job,
        .next_waiting = EASIM_NONE,
        .first_config = set->first,
        .config_count = set->count,
        .config = EASIM_NONE,
        .running_slot = EASIM_NONE,
        .user = spec->user,
        .model = spec->model,
        .preemptible = spec->preemptible,
        .resized_s = -INFINITY,
        .sla = spec->sla,
        .submit_ns = spec->submit_ns,
        .submit_s = units_s(spec->submit_ns),
        .deadline_s = spec->deadline_ns == TIME_NONE_NS ? INFINITY : units_s(spec->deadline_ns),
        .remaining = spec->predicted_work,
        .restart_s = costs->restart_s,
        .checkpoint_s = costs->checkpoint_s,
        .checkpoint_interval_s = costs->checkpoint_interval_s,
        .true_time_s = oracle && spec->kind == JOB_KIND_RIGID ? spec->work : NAN,
    };
}

/* Bit per GPU type that a job could use: it waits for all of them. */
static uint64_t usable_types(const struct sim *sim, uint32_t job) {
    return phase_set(sim, job)->type_mask;
}

static void wait_for_types(struct sim *sim, uint32_t job) {
    uint64_t types = usable_types(sim, job);
    for (uint32_t h = 0; types >> h; h++)
        sim->waiting_for[h] += types >> h & 1;
}

static void stop_waiting_for_types(struct sim *sim, uint32_t job) {
    uint64_t types = usable_types(sim, job);
    for (uint32_t h = 0; types >> h; h++)
        sim->waiting_for[h] -= types >> h & 1;
}

/* Into the queue, with predictions up to date. */
static void enqueue_job(struct sim *sim, uint32_t job) {
    view_enqueue(&sim->view, job);
    list_enter(&sim->list, job);
    wait_for_types(sim, job);
    segments_begin_queued(sim, job);
    sim->waiting++;
}

void jobs_leave_queue(struct sim *sim, uint32_t job) {
    view_dequeue(&sim->view, job);
    list_leave(&sim->list, job);
    stop_waiting_for_types(sim, job);
}

void jobs_arrive(struct sim *sim, uint32_t job) {
    sim->runs[job] = (struct job_run){.remaining = sim->workload->jobs.at[job].work,
                                      .first_start_ns = -1,
                                      .finish_ns = -1,
                                      .first_predicted_ns = -1,
                                      .jobs_ns = sim->jobs_ns,
                                      .event = EVENT_NONE,
                                      .config = EASIM_NONE};
    if (sim->progress)
        progress_submit(sim, job);
    job_memory_zero(sim, job);
    fill_view_job(sim, job);
    predict_next_start(sim, job);
}

void jobs_submit(struct sim *sim, uint32_t job) {
    enqueue_job(sim, job);
    view_add_event(&sim->view, EASIM_EVENT_ARRIVAL, job);
    sim_notify(sim, job, JOB_SUBMITTED);
}

void jobs_reject(struct sim *sim, uint32_t job, const char *reason) {
    view_job(&sim->view, job)->state = sim->runs[job].fate = EASIM_JOB_REJECTED;
    sim->reject_reasons[job] = reason;
    sim->rejected++;
    sim_notify(sim, job, JOB_REJECTED);
    view_drop_job(&sim->view, job);
}

void jobs_requeue(struct sim *sim, uint32_t job) {
    if (sim->view.jobs[job].state == EASIM_JOB_CHECKPOINTING) /* else it has failed while it ran */
        view_remove_checkpointing(&sim->view, job);
    view_job(&sim->view, job)->saved_at_s = 0;
    job_phase_follow(sim, job);
    predict_next_start(sim, job);
    enqueue_job(sim, job);
}

/* --- starts --- */

void jobs_show_start(struct sim *sim, uint32_t job, uint32_t config, uint32_t span) {
    struct easim_job *j = view_job(&sim->view, job);
    j->config = config;
    j->span = span;
    j->start_s = units_s(sim->now_ns);
    j->predicted_end_ns = job_finish_predicted_ns(sim, job, config, span);
}

void jobs_add_wake_time(struct sim *sim, uint32_t job) {
    int64_t wait_ns = sim->nodes.awake_ns ? sim->nodes.awake_ns[job] - sim->now_ns : 0;
    if (wait_ns <= 0)
        return;
    view_job(&sim->view, job)->setup_s += units_s(wait_ns);
    checkpoint_delay(sim, job, wait_ns);
}

bool jobs_take_gpus(struct sim *sim, uint32_t job, uint32_t config, struct allocation *allocation) {
    if (!gpus_take(sim, job, config, allocation))
        return false;
    jobs_leave_queue(sim, job);
    view_job(&sim->view, job)->state = EASIM_JOB_RUNNING;
    jobs_show_start(sim, job, config, gpus_span(allocation));
    jobs_add_wake_time(sim, job);
    view_add_running(&sim->view, job);
    list_note_start(&sim->list, job);
    return true;
}

void jobs_start(struct sim *sim, const struct job_start *start) {
    struct job_run *run = &sim->runs[start->job];
    struct easim_job *j = view_job(&sim->view, start->job);
    if (run->first_start_ns < 0) {
        run->first_start_ns = sim->now_ns;
        run->first_predicted_ns = j->predicted_end_ns;
    }
    sim->waiting--;
    sim->running++;
    j->started_before = true;
    segments_end(sim, start->job, CAUSE_STARTED);
    segments_begin_on_gpus(sim, start);
    sim_notify(sim, start->job, JOB_STARTED);
}

void jobs_finish(struct sim *sim, uint32_t job) {
    struct job_run *run = &sim->runs[job];
    segments_end(sim, job, CAUSE_FINISHED);
    view_remove_running(&sim->view, job);
    list_note_change(&sim->list, job);
    gpus_leave(sim, job);
    run->remaining = 0;
    run->finish_ns = sim->now_ns;
    run->event = EVENT_NONE;
    run->jobs_ns = sim->jobs_ns - run->jobs_ns;
    view_job(&sim->view, job)->state = run->fate = EASIM_JOB_FINISHED;
    sim->running--;
    sim->finished++;
    sim_notify(sim, job, JOB_FINISHED);
}

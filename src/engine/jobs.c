/* The life of a job: see jobs.h. Energy is settled at every change of phase, so that it is exact at
 * any instant. */
#include "engine/jobs.h"

#include "base/units.h"
#include "engine/actions.h"
#include "engine/gpus.h"
#include "engine/progress.h"

#include <math.h>

int64_t jobs_duration_ns(double time_s) {
    return (int64_t)ceil(fmin(time_s, TIME_MAX_S) * 1e9 - 0.001);
}

uint32_t jobs_rank(const struct sim *sim, enum event_kind kind) {
    static const uint8_t ranks[] = {
        [EVENT_CLUSTER] = 0, [EVENT_FAILURE] = 1,   [EVENT_REPAIR] = 1, [EVENT_MEASURE] = 2,
        [EVENT_SLEEP] = 3,   [EVENT_COMPUTING] = 4, [EVENT_FINISH] = 5, [EVENT_RELEASE] = 5,
        [EVENT_ARRIVAL] = 6, [EVENT_TIMER] = 8};
    bool arrivals_first = sim->options.engine.equal_time != 0;
    bool at_end = kind == EVENT_FINISH || kind == EVENT_RELEASE;
    return ranks[kind] + (arrivals_first && at_end ? 2 : 0);
}

void jobs_schedule(struct sim *sim, int64_t time_ns, enum event_kind kind, uint32_t job) {
    sim->runs[job].event = eventq_push(&sim->events, time_ns, jobs_rank(sim, kind), kind, job);
}

/* --- submission --- */

/* Whether a constant cap allows no configuration of the set, on the empty cluster. */
static bool is_over_cap(const struct sim *sim, const struct config_set *set) {
    bool over = sim->over_cap;
    for (uint32_t c = set->first; c < set->first + set->count && over; c++)
        over = sim->over_cap[c];
    return over;
}

static const char *reject_reason(struct sim *sim, uint32_t job, const struct config_best *best) {
    const struct config_set *set = &sim->workload->table.sets.at[sim->workload->jobs.at[job].set];
    if (set->count == 0)
        return set->reason;
    if (is_over_cap(sim, set))
        return "over the power cap in every configuration, even alone on the cluster";
    if (best->time_s > TIME_MAX_S)
        return "would run longer than 4e9 s";
    return sim->over_cap && !plan_may_admit(sim, job)
               ? "over the power cap in every configuration that the policy admits, even alone on the cluster"
               : NULL;
}

/* T*, EDP* and set-up of the next start, for the work that is left. */
static struct config_best update_predictions(struct sim *sim, uint32_t job) {
    const struct job_spec *spec = &sim->workload->jobs.at[job];
    struct easim_job *j = view_job(&sim->view, job);
    const struct start_costs *costs = workload_costs(sim->workload, spec);
    j->setup_s = j->started_before ? costs->restart_s : costs->start_s;
    struct config_best best =
        config_table_best(&sim->workload->table, spec->set, j->remaining, j->setup_s);
    j->best_config = best.config;
    j->time_best_s = best.time_s;
    j->edp_best_js = best.edp_js;
    return best;
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

/* A job has joined the queue (sign = 1), or left it: it waits for every GPU type that it could use.
 */
static void count_waiting(struct sim *sim, uint32_t job, int sign) {
    const struct config_table *table = &sim->workload->table;
    uint64_t types = table->sets.at[sim->workload->jobs.at[job].set].type_mask;
    for (uint32_t h = 0; types >> h; h++)
        sim->waiting_for[h] += (uint32_t)(types >> h & 1) * (uint32_t)sign;
}

/* Into the queue, with predictions up to date. */
static void enqueue(struct sim *sim, uint32_t job) {
    view_enqueue(&sim->view, job);
    list_enter(&sim->list, job);
    count_waiting(sim, job, 1);
    sim->waiting++;
}

void jobs_submit(struct sim *sim, uint32_t job) {
    sim->runs[job] = (struct job_run){.remaining = sim->workload->jobs.at[job].work,
                                      .first_start_ns = -1,
                                      .finish_ns = -1,
                                      .first_predicted_ns = -1,
                                      .jobs_ns = sim->jobs_ns,
                                      .event = EVENT_NONE,
                                      .config = EASIM_NONE};
    if (sim->progress)
        progress_submit(sim, job);
    fill_view_job(sim, job);
    struct config_best best = update_predictions(sim, job);
    const char *reason = reject_reason(sim, job, &best);
    if (reason) {
        view_job(&sim->view, job)->state = EASIM_JOB_REJECTED;
        sim->reject_reasons[job] = reason;
        sim->rejected++;
        sim_notify(sim, job, JOB_REJECTED);
        return;
    }
    enqueue(sim, job);
    view_add_event(&sim->view, EASIM_EVENT_ARRIVAL, job);
    sim_notify(sim, job, JOB_SUBMITTED);
}

void jobs_requeue(struct sim *sim, uint32_t job) {
    sim->runs[job].event = EVENT_NONE;
    if (sim->view.jobs[job].state == EASIM_JOB_CHECKPOINTING) /* else it has failed while it ran */
        view_header(&sim->view)->checkpointing_count--;
    view_job(&sim->view, job)->saved_at_s = 0;
    update_predictions(sim, job);
    enqueue(sim, job);
}

/* --- starts --- */

void jobs_show_segment(struct sim *sim, uint32_t job, uint32_t config, uint32_t span) {
    struct easim_job *j = view_job(&sim->view, job);
    double time_s = j->setup_s + j->remaining / sim->view.configs[config].goodput[span];
    j->config = config;
    j->span = span;
    j->start_s = units_s(sim->now_ns);
    j->predicted_end_ns = sim->now_ns + jobs_duration_ns(time_s);
}

void jobs_await_gpus(struct sim *sim, uint32_t job) {
    int64_t wait_ns = sim->runs[job].awake_ns - sim->now_ns;
    if (wait_ns <= 0)
        return;
    view_job(&sim->view, job)->setup_s += units_s(wait_ns);
    if (sim->unsaved[job].until_ns > 0)
        sim->unsaved[job].until_ns += wait_ns;
}

bool jobs_take_gpus(struct sim *sim, uint32_t job, uint32_t config, struct allocation *allocation) {
    if (!gpus_take(sim, job, config, allocation))
        return false;
    view_dequeue(&sim->view, job);
    list_leave(&sim->list, job);
    count_waiting(sim, job, -1);
    view_job(&sim->view, job)->state = EASIM_JOB_RUNNING;
    jobs_show_segment(sim, job, config, gpus_span(allocation));
    jobs_await_gpus(sim, job);
    view_add_running(&sim->view, job);
    list_note_start(&sim->list, job);
    return true;
}

/* --- phases --- */

/* What a job holds counts in its present phase (sign = 1), or no more (-1). */
static void count_phase(struct sim *sim, uint32_t job, int sign) {
    const struct job_run *run = &sim->runs[job];
    const struct easim_config *config = &sim->view.configs[run->config];
    struct power_type *type = &sim->meter.types[config->gpu_type];
    struct power_use *use = run->phase == PHASE_COMPUTING ? &type->computing : &type->setup;
    int64_t milli = sign * gpus_held_milli(sim, run->config);
    use->milli += milli;
    use->nw += sign * gpus_phase_nw(sim, job);
    if (run->phase == PHASE_COMPUTING && config->power_limit_w < INFINITY)
        type->limited_milli += milli;
}

void jobs_leave_phase(struct sim *sim, uint32_t job) {
    struct job_run *run = &sim->runs[job];
    run->energy += (int128)gpus_phase_nw(sim, job) * (sim->now_ns - run->phase_start_ns);
    count_phase(sim, job, -1);
    run->phase = PHASE_NONE;
    run->phase_start_ns = sim->now_ns;
}

void jobs_enter_phase(struct sim *sim, uint32_t job, enum job_phase phase) {
    struct job_run *run = &sim->runs[job];
    run->phase = (uint8_t)phase;
    run->phase_start_ns = sim->now_ns;
    count_phase(sim, job, 1);
}

static void count_start(struct sim *sim, uint32_t job, const struct easim_config *config) {
    sim->start_total++;
    if (!config->extrapolated)
        return;
    sim->extrapolated_starts++;
    sim->extrapolated_by[sim->workload->jobs.at[job].model * sim->cluster->gpu_type_count +
                         config->gpu_type]++;
}

void jobs_begin_segment(struct sim *sim, const struct job_start *start) {
    uint32_t job = start->job;
    struct job_run *run = &sim->runs[job];
    run->allocation = start->allocation;
    run->config = start->config;
    run->span = gpus_span(&start->allocation);
    run->node_count = start->allocation.count;
    run->segment_start_ns = sim->now_ns;
    gpus_use(sim, job, 1);
    count_start(sim, job, &sim->view.configs[start->config]);
    progress_begin(sim, job);
    int64_t end_ns = progress_finish_ns(sim, job),
            computing_ns = sim->now_ns + progress_setup_ns(sim, job);
    if (computing_ns > sim->now_ns && computing_ns <= end_ns) {
        jobs_enter_phase(sim, job, PHASE_SETUP);
        jobs_schedule(sim, computing_ns, EVENT_COMPUTING, job);
    } else {
        jobs_enter_phase(sim, job, PHASE_COMPUTING);
        jobs_schedule(sim, end_ns, EVENT_FINISH, job);
    }
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
    jobs_begin_segment(sim, start);
    sim_notify(sim, start->job, JOB_STARTED);
}

void jobs_begin_computing(struct sim *sim, uint32_t job) {
    jobs_leave_phase(sim, job);
    jobs_enter_phase(sim, job, PHASE_COMPUTING);
    progress_begin(sim, job);
    jobs_schedule(sim, progress_finish_ns(sim, job), EVENT_FINISH, job);
}

void jobs_change_speed(struct sim *sim, uint32_t job, double factor) {
    uint32_t event = sim->runs[job].event;
    if (eventq_time_ns(&sim->events, event) <= sim->now_ns)
        return; /* its work is done */
    progress_change(sim, job, factor);
    eventq_cancel(&sim->events, event);
    jobs_schedule(sim, progress_finish_ns(sim, job), EVENT_FINISH, job);
}

void jobs_finish(struct sim *sim, uint32_t job) {
    struct job_run *run = &sim->runs[job];
    jobs_leave_phase(sim, job);
    view_remove_running(&sim->view, job);
    gpus_leave(sim, job);
    run->remaining = 0;
    run->finish_ns = sim->now_ns;
    run->event = EVENT_NONE;
    run->jobs_ns = sim->jobs_ns - run->jobs_ns;
    view_job(&sim->view, job)->state = EASIM_JOB_FINISHED;
    sim->running--;
    sim->finished++;
    sim_notify(sim, job, JOB_FINISHED);
}

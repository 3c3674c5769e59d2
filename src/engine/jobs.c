/* The life of a job: see jobs.h. Energy is settled at every change of phase, so that it is exact at any instant. */
#include "engine/jobs.h"

#include "base/units.h"

#include <math.h>

int64_t jobs_duration_ns(double time_s) {
    return (int64_t)ceil(fmin(time_s, TIME_MAX_S) * 1e9 - 0.001);
}

int64_t jobs_computing_nw(const struct sim *sim, uint32_t config, uint32_t span) {
    return power_nw(sim->view.configs[config].power_w[span]);
}

int64_t jobs_committed_gpu_nw(const struct sim *sim, uint32_t config, uint32_t span) {
    int64_t ctx_nw = sim->meter.types[sim->view.configs[config].gpu_type].ctx_nw;
    int64_t computing_nw = jobs_computing_nw(sim, config, span);
    return computing_nw > ctx_nw ? computing_nw : ctx_nw;
}

uint32_t jobs_rank(const struct sim *sim, enum event_kind kind) {
    static const uint8_t finishes_first[] = {0, 1, 2, 3, 3, 4, 5}, arrivals_first[] = {0, 1, 2, 4, 4, 3, 5};
    return sim->options.engine.equal_time == 0 ? finishes_first[kind] : arrivals_first[kind];
}

static void schedule(struct sim *sim, int64_t time_ns, enum event_kind kind, uint32_t job) {
    sim->runs[job].event = eventq_push(&sim->events, time_ns, jobs_rank(sim, kind), kind, job);
}

/* --- submission --- */

static const char *reject_reason(const struct sim *sim, uint32_t job, const struct config_best *best) {
    const struct config_set *set = &sim->workload->table.sets.at[sim->workload->jobs.at[job].set];
    if (set->count == 0)
        return set->reason;
    return best->time_s > TIME_MAX_S ? "would run longer than 4e9 s" : NULL;
}

/* T*, EDP* and set-up of the next start, for the work that is left. */
static struct config_best update_predictions(struct sim *sim, uint32_t job) {
    const struct job_spec *spec = &sim->workload->jobs.at[job];
    struct easim_job *j = &sim->view.jobs[job];
    const struct start_costs *costs = workload_costs(sim->workload, spec->model);
    j->setup_s = j->started_before ? costs->restart_s : costs->start_s;
    struct config_best best = config_table_best(&sim->workload->table, spec->set, j->remaining, j->setup_s);
    j->best_config = best.config;
    j->time_best_s = best.time_s;
    j->edp_best_js = best.edp_js;
    list_forget(&sim->list, job);
    return best;
}

static void fill_view_job(struct sim *sim, uint32_t job) {
    const struct job_spec *spec = &sim->workload->jobs.at[job];
    const struct config_set *set = &sim->workload->table.sets.at[spec->set];
    const struct start_costs *costs = workload_costs(sim->workload, spec->model);
    bool oracle = sim->module->policy->capabilities & EASIM_CAPABILITY_ORACLE;
    sim->view.jobs[job] = (struct easim_job){
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
        .sla = spec->sla,
        .submit_ns = spec->submit_ns,
        .submit_s = units_s(spec->submit_ns),
        .deadline_s = spec->deadline_ns == TIME_NONE_NS ? INFINITY : units_s(spec->deadline_ns),
        .remaining = spec->predicted_work,
        .restart_s = costs->restart_s,
        .checkpoint_s = costs->checkpoint_s,
        .checkpoint_interval_s = costs->checkpoint_interval_s,
        .true_time_s = oracle && spec->model == EASIM_NONE ? spec->work : NAN,
    };
}

void jobs_submit(struct sim *sim, uint32_t job) {
    sim->runs[job] = (struct job_run){.remaining = sim->workload->jobs.at[job].work,
                                      .first_start_ns = -1,
                                      .finish_ns = -1,
                                      .first_predicted_ns = -1,
                                      .jobs_integral = sim->jobs_integral,
                                      .event = EVENT_NONE,
                                      .config = EASIM_NONE};
    fill_view_job(sim, job);
    struct config_best best = update_predictions(sim, job);
    const char *reason = reject_reason(sim, job, &best);
    if (reason) {
        sim->view.jobs[job].state = EASIM_JOB_REJECTED;
        sim->reject_reasons[job] = reason;
        sim->rejected++;
        sim_notify(sim, job, JOB_REJECTED);
        return;
    }
    view_enqueue(&sim->view, job);
    sim->waiting++;
    view_add_event(&sim->view, EASIM_EVENT_ARRIVAL, job);
    sim_notify(sim, job, JOB_SUBMITTED);
}

/* --- GPUs --- */

static uint32_t span_of(const struct allocation *allocation) {
    return allocation->count > 1 ? EASIM_ACROSS_NODES : EASIM_ONE_NODE;
}

/* Shows in view, power and usage that pieces change hands: taken = 1, given back = -1. */
static void move_gpus(struct sim *sim, uint32_t job, const struct allocation *allocation, int64_t gpu_nw,
                      int taken) {
    const struct piece *pieces = allocation_pieces(allocation);
    uint32_t type = sim->cluster->nodes[pieces->node].gpu_type;
    int64_t gpus = 0;
    for (uint32_t i = 0; i < allocation->count; i++) {
        view_move_gpus(&sim->view, pieces[i].node, pieces[i].gpus, -taken);
        sim->committed_nw += taken * (int64_t)pieces[i].gpus * sim->meter.cpu_nw_per_busy_gpu[pieces[i].node];
        gpus += pieces[i].gpus;
    }
    sim->committed_nw += taken * gpus * (gpu_nw - sim->meter.types[type].idle_nw);
    sim->view.v->power_w = power_w(sim->committed_nw);
    view_user_gpus(&sim->view, sim->view.jobs[job].user, taken * gpus);
}

static void show_largest_node(struct sim *sim, uint32_t type) {
    sim->view.gpu_types[type].node_free_max = placement_node_free_max(&sim->placement, type);
}

/* The view of a job that has its GPUs and starts now. */
static void show_start(struct sim *sim, uint32_t job, uint32_t config, uint32_t span) {
    struct easim_job *j = &sim->view.jobs[job];
    double time_s = j->setup_s + j->remaining / sim->view.configs[config].goodput[span];
    view_dequeue(&sim->view, job);
    j->state = EASIM_JOB_RUNNING;
    j->config = config;
    j->span = span;
    j->start_s = units_s(sim->now_ns);
    j->predicted_end_ns = sim->now_ns + jobs_duration_ns(time_s);
    view_add_running(&sim->view, job);
}

bool jobs_take_gpus(struct sim *sim, uint32_t job, uint32_t config, struct allocation *allocation) {
    const struct easim_config *c = &sim->view.configs[config];
    if (!placement_take(&sim->placement, c->gpu_type, c->k, allocation))
        return false;
    move_gpus(sim, job, allocation, jobs_committed_gpu_nw(sim, config, span_of(allocation)), 1);
    show_largest_node(sim, c->gpu_type);
    show_start(sim, job, config, span_of(allocation));
    return true;
}

void jobs_untake_gpus(struct sim *sim, uint32_t job, uint32_t config, struct allocation *allocation) {
    move_gpus(sim, job, allocation, jobs_committed_gpu_nw(sim, config, span_of(allocation)), -1);
    placement_give_back(&sim->placement, allocation);
    show_largest_node(sim, sim->view.configs[config].gpu_type);
}

static void busy_nodes(struct sim *sim, const struct allocation *allocation, int sign) {
    const struct piece *pieces = allocation_pieces(allocation);
    for (uint32_t i = 0; i < allocation->count; i++)
        power_meter_busy(&sim->meter, pieces[i].node, pieces[i].gpus, sign);
}

static void free_gpus(struct sim *sim, uint32_t job) {
    struct job_run *run = &sim->runs[job];
    run->gpu_ns += (int128)sim->view.configs[run->config].k * (sim->now_ns - run->segment_start_ns);
    run->held_ns += sim->now_ns - run->segment_start_ns;
    busy_nodes(sim, &run->allocation, -1);
    jobs_untake_gpus(sim, job, run->config, &run->allocation);
}

/* --- phases --- */

int64_t jobs_phase_nw(const struct sim *sim, uint32_t job) {
    const struct job_run *run = &sim->runs[job];
    const struct easim_config *config = &sim->view.configs[run->config];
    return config->k * (run->phase == PHASE_COMPUTING ? jobs_computing_nw(sim, run->config, run->span)
                                                      : sim->meter.types[config->gpu_type].ctx_nw);
}

/* Settles the energy of the present phase and leaves its power. */
static void leave_phase(struct sim *sim, uint32_t job) {
    struct job_run *run = &sim->runs[job];
    uint32_t k = sim->view.configs[run->config].k;
    struct power_type *type = &sim->meter.types[sim->view.configs[run->config].gpu_type];
    run->energy += (int128)jobs_phase_nw(sim, job) * (sim->now_ns - run->phase_start_ns);
    if (run->phase == PHASE_COMPUTING) {
        type->computing -= k;
        type->computing_nw -= jobs_phase_nw(sim, job);
    } else {
        type->setup -= k;
    }
    run->phase = PHASE_NONE;
    run->phase_start_ns = sim->now_ns;
}

static void enter_phase(struct sim *sim, uint32_t job, enum job_phase phase) {
    struct job_run *run = &sim->runs[job];
    uint32_t k = sim->view.configs[run->config].k;
    struct power_type *type = &sim->meter.types[sim->view.configs[run->config].gpu_type];
    run->phase = (uint8_t)phase;
    run->phase_start_ns = sim->now_ns;
    if (phase == PHASE_COMPUTING) {
        type->computing += k;
        type->computing_nw += jobs_phase_nw(sim, job);
    } else {
        type->setup += k;
    }
}

static int64_t setup_ns(const struct sim *sim, uint32_t job) {
    return units_ns(sim->view.jobs[job].setup_s);
}

static int64_t finish_ns(const struct sim *sim, uint32_t job) {
    const struct job_run *run = &sim->runs[job];
    double time_s =
        sim->view.jobs[job].setup_s + run->remaining / sim->view.configs[run->config].goodput[run->span];
    return run->segment_start_ns + jobs_duration_ns(time_s);
}

void jobs_start(struct sim *sim, const struct job_start *start) {
    uint32_t job = start->job;
    struct job_run *run = &sim->runs[job];
    struct easim_job *j = &sim->view.jobs[job];
    run->allocation = start->allocation;
    run->config = start->config;
    run->span = span_of(&start->allocation);
    run->node_count = start->allocation.count;
    run->segment_start_ns = sim->now_ns;
    if (run->first_start_ns < 0) {
        run->first_start_ns = sim->now_ns;
        run->first_predicted_ns = j->predicted_end_ns;
    }
    busy_nodes(sim, &run->allocation, 1);
    sim->waiting--;
    sim->running++;
    sim->extrapolated_starts += sim->view.configs[start->config].extrapolated;
    j->started_before = true;
    int64_t end_ns = finish_ns(sim, job), computing_ns = sim->now_ns + setup_ns(sim, job);
    if (computing_ns > sim->now_ns && computing_ns <= end_ns) {
        enter_phase(sim, job, PHASE_SETUP);
        schedule(sim, computing_ns, EVENT_COMPUTING, job);
    } else {
        enter_phase(sim, job, PHASE_COMPUTING);
        schedule(sim, end_ns, EVENT_FINISH, job);
    }
    sim_notify(sim, job, JOB_STARTED);
}

void jobs_begin_computing(struct sim *sim, uint32_t job) {
    leave_phase(sim, job);
    enter_phase(sim, job, PHASE_COMPUTING);
    schedule(sim, finish_ns(sim, job), EVENT_FINISH, job);
}

void jobs_finish(struct sim *sim, uint32_t job) {
    struct job_run *run = &sim->runs[job];
    leave_phase(sim, job);
    view_remove_running(&sim->view, job);
    free_gpus(sim, job);
    run->remaining = 0;
    run->finish_ns = sim->now_ns;
    run->event = EVENT_NONE;
    run->jobs_integral = sim->jobs_integral - run->jobs_integral;
    sim->view.jobs[job].state = EASIM_JOB_FINISHED;
    sim->running--;
    sim->finished++;
    sim_notify(sim, job, JOB_FINISHED);
}

/* --- preemption --- */

/* Takes off the work done since computing began, as far as a checkpoint kept it; the rest is lost. */
static void settle_work(struct sim *sim, uint32_t job, const struct start_costs *costs) {
    struct job_run *run = &sim->runs[job];
    struct easim_job *j = &sim->view.jobs[job];
    const struct easim_config *config = &sim->view.configs[run->config];
    int64_t done_ns = sim->now_ns - run->phase_start_ns, kept_ns = done_ns;
    if (costs->checkpoint_interval_s > 0) {
        int64_t interval_ns = units_ns(costs->checkpoint_interval_s);
        kept_ns = interval_ns > 0 ? done_ns / interval_ns * interval_ns : done_ns;
    }
    int64_t lost_ns = done_ns - kept_ns;
    double kept = units_s(kept_ns) * config->goodput[run->span];
    run->lost_ns += lost_ns;
    run->lost_gpu_ns += (int128)config->k * lost_ns;
    run->lost_energy += (int128)(jobs_computing_nw(sim, run->config, run->span) * config->k) * lost_ns;
    run->remaining = fmax(0, run->remaining - kept);
    j->remaining = fmax(0, j->remaining - kept);
}

/* Whether a preemption now has to write a checkpoint first, during which the job keeps its GPUs. */
static bool writes_checkpoint(const struct sim *sim, uint32_t job) {
    const struct start_costs *costs = workload_costs(sim->workload, sim->workload->jobs.at[job].model);
    return costs->checkpoint_interval_s == 0 && costs->checkpoint_s > 0 && sim->runs[job].phase == PHASE_COMPUTING;
}

void jobs_yield_gpus(struct sim *sim, uint32_t job) {
    view_remove_running(&sim->view, job);
    sim->view.jobs[job].state = EASIM_JOB_CHECKPOINTING;
    if (!writes_checkpoint(sim, job))
        free_gpus(sim, job);
}

static void requeue(struct sim *sim, uint32_t job) {
    sim->runs[job].event = EVENT_NONE;
    update_predictions(sim, job);
    view_enqueue(&sim->view, job);
    sim->waiting++;
}

void jobs_preempt(struct sim *sim, uint32_t job) {
    const struct start_costs *costs = workload_costs(sim->workload, sim->workload->jobs.at[job].model);
    bool writes = writes_checkpoint(sim, job);
    eventq_cancel(&sim->events, sim->runs[job].event);
    sim->running--;
    sim->view.jobs[job].preemptions++;
    if (sim->runs[job].phase == PHASE_COMPUTING)
        settle_work(sim, job, costs);
    leave_phase(sim, job);
    if (writes) {
        enter_phase(sim, job, PHASE_CHECKPOINT);
        sim->checkpointing++;
        schedule(sim, sim->now_ns + units_ns(costs->checkpoint_s), EVENT_RELEASE, job);
    } else {
        requeue(sim, job);
    }
    sim_notify(sim, job, JOB_STOPPED);
}

void jobs_release(struct sim *sim, uint32_t job) {
    leave_phase(sim, job);
    free_gpus(sim, job);
    sim->checkpointing--;
    requeue(sim, job);
}

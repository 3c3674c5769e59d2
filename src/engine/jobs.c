/* The life of a job: see jobs.h. Energy is settled at every change of phase, so that it is exact at any instant. */
#include "engine/jobs.h"

#include "base/units.h"
#include "engine/progress.h"

#include <math.h>

#define MOST_VAIN_STOPS 1000

int64_t jobs_duration_ns(double time_s) {
    return (int64_t)ceil(fmin(time_s, TIME_MAX_S) * 1e9 - 0.001);
}

int64_t jobs_held_milli(const struct sim *sim, uint32_t config) {
    const struct easim_config *c = &sim->view.configs[config];
    return c->milli > 0 ? c->milli : (int64_t)c->k * WHOLE_GPU_MILLI;
}

/* Power of all that config holds: computing, or held without computing. */
static int64_t computing_nw(const struct sim *sim, uint32_t config, uint32_t span) {
    const struct easim_config *c = &sim->view.configs[config];
    return power_of_gpus_nw(c->power_w[span], c->k, c->milli);
}

static int64_t ctx_nw(const struct sim *sim, uint32_t config) {
    const struct easim_config *c = &sim->view.configs[config];
    const struct power_type *type = &sim->meter.types[c->gpu_type];
    return c->milli > 0 ? c->milli * type->ctx_milli_nw : c->k * type->ctx_nw;
}

int64_t jobs_committed_nw(const struct sim *sim, uint32_t config, uint32_t span) {
    int64_t computing = computing_nw(sim, config, span), ctx = ctx_nw(sim, config);
    return computing > ctx ? computing : ctx;
}

uint32_t jobs_rank(const struct sim *sim, enum event_kind kind) {
    static const uint8_t ranks[] = {
        [EVENT_CLUSTER] = 0,   [EVENT_FAILURE] = 1, [EVENT_REPAIR] = 1,  [EVENT_MEASURE] = 2, [EVENT_SLEEP] = 3,
        [EVENT_COMPUTING] = 4, [EVENT_FINISH] = 5,  [EVENT_RELEASE] = 5, [EVENT_ARRIVAL] = 6, [EVENT_TIMER] = 8};
    bool arrivals_first = sim->options.engine.equal_time != 0;
    bool at_end = kind == EVENT_FINISH || kind == EVENT_RELEASE;
    return ranks[kind] + (arrivals_first && at_end ? 2 : 0);
}

static void schedule(struct sim *sim, int64_t time_ns, enum event_kind kind, uint32_t job) {
    sim->runs[job].event = eventq_push(&sim->events, time_ns, jobs_rank(sim, kind), kind, job);
}

/* --- submission --- */

static const char *reject_reason(const struct sim *sim, uint32_t job, const struct config_best *best) {
    uint32_t number = sim->workload->jobs.at[job].set;
    const struct config_set *set = &sim->workload->table.sets.at[number];
    if (set->count == 0)
        return set->reason;
    if (sim->set_over_cap && sim->set_over_cap[number])
        return "over the power cap in every configuration, even alone on the cluster";
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
        .resized_s = -INFINITY,
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

/* Into the queue, with predictions up to date. */
static void enqueue(struct sim *sim, uint32_t job) {
    view_enqueue(&sim->view, job);
    list_enter(&sim->list, job);
    sim->waiting++;
}

void jobs_submit(struct sim *sim, uint32_t job) {
    sim->runs[job] = (struct job_run){.remaining = sim->workload->jobs.at[job].work,
                                      .first_start_ns = -1,
                                      .finish_ns = -1,
                                      .first_predicted_ns = -1,
                                      .jobs_integral = sim->jobs_integral,
                                      .event = EVENT_NONE,
                                      .config = EASIM_NONE};
    if (sim->progress)
        progress_submit(sim, job);
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
    enqueue(sim, job);
    view_add_event(&sim->view, EASIM_EVENT_ARRIVAL, job);
    sim_notify(sim, job, JOB_SUBMITTED);
}

/* --- GPUs --- */

static uint32_t span_of(const struct allocation *allocation) {
    return allocation->count > 1 ? EASIM_ACROSS_NODES : EASIM_ONE_NODE;
}

/* Thousandths of GPUs in one piece of an allocation. */
static int64_t piece_milli(const struct allocation *allocation, const struct piece *piece) {
    return allocation->milli > 0 ? allocation->milli : (int64_t)piece->gpus * WHOLE_GPU_MILLI;
}

/* What an allocation adds to the committed power when its GPUs, free before, run config. */
static int64_t added_nw(const struct sim *sim, const struct allocation *allocation, uint32_t config) {
    const struct piece *pieces = allocation_pieces(allocation);
    int64_t idle_milli_nw = sim->meter.types[sim->view.configs[config].gpu_type].idle_milli_nw;
    int64_t added = jobs_committed_nw(sim, config, span_of(allocation));
    for (uint32_t i = 0; i < allocation->count; i++)
        added += piece_milli(allocation, &pieces[i]) * (sim->meter.cpu_milli_nw[pieces[i].node] - idle_milli_nw);
    return added;
}

/* Takes free GPUs, or part of one, for a configuration. */
static bool take(struct sim *sim, uint32_t config, struct allocation *allocation) {
    const struct easim_config *c = &sim->view.configs[config];
    return c->milli > 0 ? placement_take_share(&sim->placement, c->gpu_type, c->milli, allocation)
                        : placement_take(&sim->placement, c->gpu_type, c->k, allocation);
}

/* The cap that a policy with POWER_CAP has to keep for the whole run; INFINITY: there is none. */
static double constant_cap_w(const struct sim *sim) {
    bool keeps = sim->module->policy->capabilities & EASIM_CAPABILITY_POWER_CAP;
    return keeps ? sim->cluster->power_cap_w : INFINITY;
}

void jobs_find_sets_over_cap(struct sim *sim) {
    const struct config_table *table = &sim->workload->table;
    double cap_w = constant_cap_w(sim);
    if (!isfinite(cap_w))
        return;
    sim->set_over_cap = mem_zalloc(table->sets.count, sizeof *sim->set_over_cap);
    for (size_t i = 0; i < table->sets.count; i++) {
        const struct config_set *set = &table->sets.at[i];
        bool fits = false;
        for (uint32_t c = set->first; c < set->first + set->count && !fits; c++) {
            struct allocation allocation = {0};
            fits =
                take(sim, c, &allocation) && sim->committed_nw + added_nw(sim, &allocation, c) <= power_nw(cap_w);
            placement_give_back(&sim->placement, &allocation);
        }
        sim->set_over_cap[i] = !fits;
    }
}

/* Shows in view, power and usage that pieces change hands: taken = 1, given back = -1. True if some of them slept.
 */
static bool move_gpus(struct sim *sim, uint32_t job, const struct allocation *allocation, uint32_t config,
                      int taken) {
    const struct piece *pieces = allocation_pieces(allocation);
    uint32_t slept = 0;
    bool opens = allocation->milli > 0 && placement_is_alone(&sim->placement, allocation);
    for (uint32_t i = 0; i < allocation->count; i++) {
        uint32_t gpus = allocation->milli > 0 ? opens : pieces[i].gpus;
        view_move_gpus(&sim->view, pieces[i].node, gpus, -taken);
        if (sim->nodes.sleep.nodes && gpus > 0)
            slept += nodes_move_gpus(sim, pieces[i].node, gpus, taken);
    }
    if (opens && slept > 0)
        placement_shared_gpu(&sim->placement, allocation)->awake_ns =
            sim->now_ns + units_ns(sim->cluster->gpu_types[sim->view.configs[config].gpu_type].wake_s);
    sim->committed_nw += taken * added_nw(sim, allocation, config);
    sim->view.v->power_w = power_w(sim->committed_nw);
    view_user_gpus(&sim->view, sim->view.jobs[job].user, &sim->view.configs[config], taken);
    return slept > 0;
}

/* The room that the GPUs of a type have now, beside their number. */
static void show_room(struct sim *sim, uint32_t type) {
    const struct sharing *sharing = &sim->placement.types[type].sharing;
    struct easim_gpu_type *t = &sim->view.gpu_types[type];
    t->node_free_max = placement_node_free_max(&sim->placement, type);
    if (!sharing->gpus)
        return;
    sim->view.v->shared_free_milli += sharing->free_milli - t->shared_free_milli; /* wraps as wanted */
    t->shared = sharing->count;
    t->shared_free_milli = sharing->free_milli;
    t->shared_free_max_milli = sharing_free_max(sharing);
}

/* The view of a job that has its GPUs and starts, or starts again, now. */
static void show_segment(struct sim *sim, uint32_t job, uint32_t config, uint32_t span) {
    struct easim_job *j = &sim->view.jobs[job];
    double time_s = j->setup_s + j->remaining / sim->view.configs[config].goodput[span];
    j->config = config;
    j->span = span;
    j->start_s = units_s(sim->now_ns);
    j->predicted_end_ns = sim->now_ns + jobs_duration_ns(time_s);
}

bool jobs_take_gpus(struct sim *sim, uint32_t job, uint32_t config, struct allocation *allocation) {
    if (!take(sim, config, allocation))
        return false;
    sim->runs[job].wakes = move_gpus(sim, job, allocation, config, 1);
    show_room(sim, sim->view.configs[config].gpu_type);
    view_dequeue(&sim->view, job);
    list_leave(&sim->list, job);
    sim->view.jobs[job].state = EASIM_JOB_RUNNING;
    show_segment(sim, job, config, span_of(allocation));
    view_add_running(&sim->view, job);
    resize_note_start(&sim->list, job);
    return true;
}

void jobs_untake_gpus(struct sim *sim, uint32_t job, uint32_t config, struct allocation *allocation) {
    move_gpus(sim, job, allocation, config, -1);
    placement_give_back(&sim->placement, allocation);
    show_room(sim, sim->view.configs[config].gpu_type);
}

/* A job begins to use the GPUs it holds (sign = 1), or leaves them (-1). */
static void busy_nodes(struct sim *sim, uint32_t job, int sign) {
    const struct allocation *allocation = &sim->runs[job].allocation;
    const struct piece *pieces = allocation_pieces(allocation);
    for (uint32_t i = 0; i < allocation->count; i++) {
        power_meter_busy(&sim->meter, pieces[i].node, sign * piece_milli(allocation, &pieces[i]));
        if (sim->nodes.jobs)
            nodes_move_job(sim, job, pieces[i].node, sign);
    }
}

/* The present GPUs of a job are no longer its own: their time and their nodes. */
static void settle_gpus(struct sim *sim, uint32_t job) {
    struct job_run *run = &sim->runs[job];
    run->gpu_ps += (int128)jobs_held_milli(sim, run->config) * (sim->now_ns - run->segment_start_ns);
    run->held_ns += sim->now_ns - run->segment_start_ns;
    busy_nodes(sim, job, -1);
}

static void free_gpus(struct sim *sim, uint32_t job) {
    struct job_run *run = &sim->runs[job];
    settle_gpus(sim, job);
    jobs_untake_gpus(sim, job, run->config, &run->allocation);
}

/* --- phases --- */

int64_t jobs_phase_nw(const struct sim *sim, uint32_t job) {
    const struct job_run *run = &sim->runs[job];
    return run->phase == PHASE_COMPUTING ? computing_nw(sim, run->config, run->span) : ctx_nw(sim, run->config);
}

/* What a job holds counts in its present phase (sign = 1), or no more (-1). */
static void count_phase(struct sim *sim, uint32_t job, int sign) {
    const struct job_run *run = &sim->runs[job];
    const struct easim_config *config = &sim->view.configs[run->config];
    struct power_type *type = &sim->meter.types[config->gpu_type];
    struct power_use *use = run->phase == PHASE_COMPUTING ? &type->computing : &type->setup;
    int64_t milli = sign * jobs_held_milli(sim, run->config);
    use->milli += milli;
    use->nw += sign * jobs_phase_nw(sim, job);
    if (run->phase == PHASE_COMPUTING && config->power_limit_w < INFINITY)
        type->limited_milli += milli;
}

/* Settles the energy of the present phase and leaves its power. */
static void leave_phase(struct sim *sim, uint32_t job) {
    struct job_run *run = &sim->runs[job];
    run->energy += (int128)jobs_phase_nw(sim, job) * (sim->now_ns - run->phase_start_ns);
    count_phase(sim, job, -1);
    run->phase = PHASE_NONE;
    run->phase_start_ns = sim->now_ns;
}

static void enter_phase(struct sim *sim, uint32_t job, enum job_phase phase) {
    struct job_run *run = &sim->runs[job];
    run->phase = (uint8_t)phase;
    run->phase_start_ns = sim->now_ns;
    count_phase(sim, job, 1);
}

/* A start on GPUs that sleep, or on one that another job is waking up, takes longer than was predicted. */
static void add_wake_time(struct sim *sim, uint32_t job) {
    struct job_run *run = &sim->runs[job];
    bool shares = run->allocation.milli > 0;
    int64_t awake_ns = shares ? placement_shared_gpu(&sim->placement, &run->allocation)->awake_ns : 0;
    if (!run->wakes && awake_ns <= sim->now_ns)
        return;
    double wake_s = shares ? units_s(awake_ns - sim->now_ns)
                           : sim->cluster->gpu_types[sim->view.configs[run->config].gpu_type].wake_s;
    sim->view.jobs[job].setup_s += wake_s;
    run->wakes = false;
    if (sim->unsaved[job].until_ns > 0)
        sim->unsaved[job].until_ns += units_ns(wake_s);
}

/* A job begins to use the GPUs of start, which it holds: set-up, events, power. */
static void begin_segment(struct sim *sim, const struct job_start *start) {
    uint32_t job = start->job;
    struct job_run *run = &sim->runs[job];
    run->allocation = start->allocation;
    run->config = start->config;
    run->span = span_of(&start->allocation);
    run->node_count = start->allocation.count;
    run->segment_start_ns = sim->now_ns;
    busy_nodes(sim, job, 1);
    sim->extrapolated_starts += sim->view.configs[start->config].extrapolated;
    add_wake_time(sim, job);
    progress_begin(sim, job);
    int64_t end_ns = progress_finish_ns(sim, job), computing_ns = sim->now_ns + progress_setup_ns(sim, job);
    if (computing_ns > sim->now_ns && computing_ns <= end_ns) {
        enter_phase(sim, job, PHASE_SETUP);
        schedule(sim, computing_ns, EVENT_COMPUTING, job);
    } else {
        enter_phase(sim, job, PHASE_COMPUTING);
        schedule(sim, end_ns, EVENT_FINISH, job);
    }
}

void jobs_start(struct sim *sim, const struct job_start *start) {
    struct job_run *run = &sim->runs[start->job];
    struct easim_job *j = &sim->view.jobs[start->job];
    if (run->first_start_ns < 0) {
        run->first_start_ns = sim->now_ns;
        run->first_predicted_ns = j->predicted_end_ns;
    }
    sim->waiting--;
    sim->running++;
    j->started_before = true;
    begin_segment(sim, start);
    sim_notify(sim, start->job, JOB_STARTED);
}

void jobs_begin_computing(struct sim *sim, uint32_t job) {
    leave_phase(sim, job);
    enter_phase(sim, job, PHASE_COMPUTING);
    progress_begin(sim, job);
    schedule(sim, progress_finish_ns(sim, job), EVENT_FINISH, job);
}

void jobs_change_speed(struct sim *sim, uint32_t job, double factor) {
    uint32_t event = sim->runs[job].event;
    if (eventq_time_ns(&sim->events, event) <= sim->now_ns)
        return; /* its work is done */
    progress_change(sim, job, factor);
    eventq_cancel(&sim->events, event);
    schedule(sim, progress_finish_ns(sim, job), EVENT_FINISH, job);
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

/* --- preemption and resizing --- */

/* Whether stopping a job now means that it writes a checkpoint on demand. */
static bool writes_checkpoint(const struct sim *sim, uint32_t job, bool at_once) {
    const struct start_costs *costs = workload_costs(sim->workload, sim->workload->jobs.at[job].model);
    return !at_once && costs->checkpoint_interval_s == 0 && sim->runs[job].phase == PHASE_COMPUTING;
}

/* How long a job that is stopped now keeps its GPUs to write a checkpoint. */
static double checkpoint_s(const struct sim *sim, uint32_t job, bool at_once) {
    const struct start_costs *costs = workload_costs(sim->workload, sim->workload->jobs.at[job].model);
    return writes_checkpoint(sim, job, at_once) ? costs->checkpoint_s : 0;
}

/* Computing time since the set-up that a checkpoint has kept. */
static int64_t kept_ns(const struct sim *sim, uint32_t job, bool at_once) {
    const struct start_costs *costs = workload_costs(sim->workload, sim->workload->jobs.at[job].model);
    int64_t done_ns = sim->now_ns - sim->runs[job].phase_start_ns;
    if (sim->runs[job].phase != PHASE_COMPUTING)
        return 0;
    if (costs->checkpoint_interval_s > 0)
        return progress_checkpoint_ns(sim, job, done_ns);
    return at_once ? 0 : done_ns;
}

static void add_lost(struct job_run *run, int64_t milli, int64_t power_nw, int64_t lost_ns) {
    run->lost_ns += lost_ns;
    run->lost_gpu_ps += (int128)milli * lost_ns;
    run->lost_energy += (int128)power_nw * lost_ns;
}

/* The checkpoint that was being written, if any, is complete or lost. */
static void settle_unsaved(struct sim *sim, uint32_t job, bool lost) {
    struct job_run *run = &sim->runs[job];
    struct unsaved *unsaved = &sim->unsaved[job];
    if (unsaved->until_ns == 0)
        return;
    if (lost) {
        run->remaining = unsaved->remaining;
        sim->view.jobs[job].remaining = unsaved->predicted;
        add_lost(run, unsaved->milli, unsaved->power_nw, unsaved->computing_ns);
    } else {
        run->vain_stops = 0;
    }
    unsaved->until_ns = 0;
}

/* Takes off the work done since computing began, as far as a checkpoint kept it; the rest is lost. */
static void settle_work(struct sim *sim, uint32_t job, bool at_once) {
    struct job_run *run = &sim->runs[job];
    struct easim_job *j = &sim->view.jobs[job];
    settle_unsaved(sim, job, at_once && sim->now_ns <= sim->unsaved[job].until_ns);
    int64_t kept = kept_ns(sim, job, at_once), writes_ns = units_ns(checkpoint_s(sim, job, at_once));
    if (kept == 0 && ++run->vain_stops > MOST_VAIN_STOPS)
        sim_fail(sim, ERROR_RUN, "job %s was stopped %d times in a row without having kept any of its work",
                 sim->workload->jobs.at[job].id, MOST_VAIN_STOPS);
    if (run->phase != PHASE_COMPUTING)
        return;
    int64_t milli = jobs_held_milli(sim, run->config), power_nw = jobs_phase_nw(sim, job);
    double work = progress_work(sim, job, kept);
    add_lost(run, milli, power_nw, sim->now_ns - run->phase_start_ns - kept);
    if (kept > 0 && writes_ns > 0)
        sim->unsaved[job] =
            (struct unsaved){sim->now_ns + writes_ns, kept, power_nw, milli, run->remaining, j->remaining};
    else if (kept > 0)
        run->vain_stops = 0;
    run->remaining = fmax(0, run->remaining - work);
    j->remaining = fmax(0, j->remaining - work);
}

void jobs_yield_gpus(struct sim *sim, uint32_t job, bool at_once) {
    view_remove_running(&sim->view, job);
    sim->view.jobs[job].state = EASIM_JOB_CHECKPOINTING;
    if (checkpoint_s(sim, job, at_once) == 0)
        free_gpus(sim, job);
}

static void requeue(struct sim *sim, uint32_t job) {
    sim->runs[job].event = EVENT_NONE;
    update_predictions(sim, job);
    enqueue(sim, job);
}

void jobs_preempt(struct sim *sim, uint32_t job, bool at_once) {
    double writes_s = checkpoint_s(sim, job, at_once);
    eventq_cancel(&sim->events, sim->runs[job].event);
    sim->running--;
    sim->view.jobs[job].preemptions++;
    settle_work(sim, job, at_once);
    leave_phase(sim, job);
    if (writes_s > 0) {
        enter_phase(sim, job, PHASE_CHECKPOINT);
        sim->checkpointing++;
        schedule(sim, sim->now_ns + units_ns(writes_s), EVENT_RELEASE, job);
    } else {
        requeue(sim, job);
    }
    sim_notify(sim, job, JOB_STOPPED);
}

/* Lets the GPUs of a running job count as free (out = 1), or as its own again. */
static void step_aside(struct sim *sim, uint32_t job, int out) {
    const struct job_run *run = &sim->runs[job];
    placement_swing(&sim->placement, &run->allocation, out);
    move_gpus(sim, job, &run->allocation, run->config, -out);
}

bool jobs_swap_gpus(struct sim *sim, uint32_t job, uint32_t config, struct allocation *allocation) {
    struct easim_job *j = &sim->view.jobs[job];
    struct job_run *run = &sim->runs[job];
    step_aside(sim, job, 1);
    if (!take(sim, config, allocation)) {
        step_aside(sim, job, -1);
        return false;
    }
    run->wakes = move_gpus(sim, job, allocation, config, 1);
    show_room(sim, sim->view.configs[config].gpu_type);
    show_room(sim, sim->view.configs[run->config].gpu_type);
    j->setup_s = j->restart_s + checkpoint_s(sim, job, false);
    settle_work(sim, job, false);
    run->resizing = true;
    show_segment(sim, job, config, span_of(allocation));
    view_change_running(&sim->view, job);
    return true;
}

void jobs_resize(struct sim *sim, const struct job_start *start) {
    struct job_run *run = &sim->runs[start->job];
    struct easim_job *j = &sim->view.jobs[start->job];
    eventq_cancel(&sim->events, run->event);
    leave_phase(sim, start->job);
    settle_gpus(sim, start->job);
    allocation_finish(&run->allocation);
    run->resizing = false;
    j->resizes++;
    j->resized_s = units_s(sim->now_ns);
    begin_segment(sim, start);
    sim_notify(sim, start->job, JOB_RESIZED);
}

int jobs_try_config(struct sim *sim, uint32_t job, uint32_t config, int64_t *ret_committed_nw) {
    const struct job_run *run = &sim->runs[job];
    bool running = sim->view.jobs[job].state == EASIM_JOB_RUNNING;
    struct allocation allocation;
    *ret_committed_nw = sim->committed_nw;
    if (running) {
        placement_swing(&sim->placement, &run->allocation, 1);
        *ret_committed_nw -= added_nw(sim, &run->allocation, run->config);
    }
    int span = EASIM_NOFIT;
    if (take(sim, config, &allocation)) {
        span = (int)span_of(&allocation);
        *ret_committed_nw += added_nw(sim, &allocation, config);
        placement_give_back(&sim->placement, &allocation);
    }
    if (running)
        placement_swing(&sim->placement, &run->allocation, -1);
    return span;
}

void jobs_release(struct sim *sim, uint32_t job) {
    settle_unsaved(sim, job, false);
    leave_phase(sim, job);
    free_gpus(sim, job);
    sim->checkpointing--;
    requeue(sim, job);
}

void jobs_fail(struct sim *sim, uint32_t job) {
    eventq_cancel(&sim->events, sim->runs[job].event);
    if (sim->view.jobs[job].state == EASIM_JOB_RUNNING) {
        view_remove_running(&sim->view, job);
        sim->running--;
    } else {
        sim->checkpointing--;
    }
    settle_work(sim, job, true);
    leave_phase(sim, job);
    free_gpus(sim, job);
    requeue(sim, job);
    sim_notify(sim, job, JOB_FAILED);
}

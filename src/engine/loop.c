/* The event loop. Invariant: time never goes back; an instant's events come in their order. */
#include "engine/loop.h"

#include "base/units.h"
#include "engine/actions.h"
#include "engine/cluster_signals.h"
#include "engine/contention.h"
#include "engine/gpus.h"
#include "engine/internal.h"
#include "engine/jobs.h"
#include "engine/limits.h"
#include "engine/nodes.h"
#include "engine/power_cap.h"

#include <stdio.h>
#include <stdlib.h>

/* --- events: what each class of event does --- */

/* Arrivals enter the event set one at a time; jobs are in order of submission. */
FUSED static void take_arrival(struct sim *sim, uint32_t job) {
    sim->next_arrival = job + 1;
    if (job + 1 < sim->workload->jobs.count) {
        jobs_to_come_make(sim->workload, job + 1);
        sim_push(sim, sim->workload->jobs.at[job + 1].submit_ns, EVENT_ARRIVAL, job + 1);
    }
    admission_submit(sim, job);
}

static void tell_event(const struct sim *sim, const struct event *event) {
    for (const struct observer *const *o = sim->observers; *o; o++)
        if ((*o)->event)
            (*o)->event((*o)->context, sim, event);
}

static void end_warmup(struct sim *sim, uint32_t nothing) {
    (void)nothing;
    services_settle_all(sim);
    segments_cut_limited(sim);
    for (const struct observer *const *o = sim->observers; *o; o++)
        if ((*o)->measure)
            (*o)->measure((*o)->context, sim);
}

/* Price and carbon intensity begin a new account. */
static void change_signal(struct sim *sim, uint32_t which) {
    if (which != SIGNAL_CAP)
        segments_cut_limited(sim);
    cluster_changes_apply(sim, which);
}

static void tell_finish(struct sim *sim, uint32_t job) {
    view_add_event(&sim->view, EASIM_EVENT_FINISH, job, EASIM_NONE);
    view_drop_job(&sim->view, job);
}

FUSED static void finish_job(struct sim *sim, uint32_t job) {
    jobs_finish(sim, job);
    tell_finish(sim, job);
}

/* Decision 0009. */
static void finish_as_requested(struct sim *sim, uint32_t job) {
    jobs_finish(sim, job);
    sim_push(sim, sim->now_ns, EVENT_TOLD_FINISH, job);
}

static void release_gpus(struct sim *sim, uint32_t job) {
    interrupt_release(sim, job);
    view_add_event(&sim->view, EASIM_EVENT_FINISH, job, EASIM_NONE);
}

static void pass_timer(struct sim *sim, uint32_t nothing) {
    wake_ups_pass(sim);
    view_add_event(&sim->view, EASIM_EVENT_TIMER, nothing, EASIM_NONE);
}

static void fail_node(struct sim *sim, uint32_t node) {
    failures_fail(sim, node);
    view_add_event(&sim->view, EASIM_EVENT_FAILURE, EASIM_NONE, node);
}

static void repair_node(struct sim *sim, uint32_t node) {
    failures_repair(sim, node);
    view_add_event(&sim->view, EASIM_EVENT_REPAIR, EASIM_NONE, node);
}

static void change_demand(struct sim *sim, uint32_t nothing) {
    (void)nothing;
    services_change_demand(sim);
    service_view_tell(sim);
}

static void change_flow(struct sim *sim, uint32_t service) {
    services_change_flow(sim, service);
    service_view_tell(sim);
}

static void begin_serving(struct sim *sim, uint32_t replica) {
    replicas_become_ready(sim, replica);
    service_view_tell(sim);
}

static void scale_services(struct sim *sim, uint32_t nothing) {
    (void)nothing;
    scaling_tick(sim);
}

#define APPLY(kind, rank, subject, decides, name, apply) apply,
static void (*const apply_event[])(struct sim *sim, uint32_t payload) = {EVENT_KINDS(APPLY)};
#undef APPLY

/* Carries out an event that has come: the state changes, observers hear of it, and whether the
   policy is to decide is in sim->decide_pending. */
static void events_apply(struct sim *sim, const struct event *event) {
    const struct event_row *row = &event_rows[event->kind];
    bool tells_first = event->kind == EVENT_FAILURE; /* before those of its jobs */
    if (event->kind != EVENT_TOLD_FINISH)            /* which has been counted */
        sim->event_total++;
    sim->instant_pending = true;
    sim->background -= row->subject == OF_NODE;
    if (row->subject == OF_JOB || row->subject == OF_WORKLOAD)
        cluster_changes_reset_round(sim);
    sim->decide_pending = sim->decide_pending || row->decides;
    if (sim->tells_events && tells_first)
        tell_event(sim, event);
    apply_event[event->kind](sim, event->payload);
    if (sim->tells_events && !tells_first)
        tell_event(sim, event);
}

/* --- settle --- */
/* Consequences of changes at nodes and in shares. They are applied once for all changes of an event
   or decision, so that a job whose neighbors end up the same is left alone. */

static void settle_sleep(struct sim *sim, uint32_t node) {
    int64_t next_ns = sleep_next_ns(&sim->nodes.sleep, node);
    uint32_t *event = &sim->nodes.sleep_events[node];
    if (*event != EVENT_NONE && eventq_time_ns(&sim->events, *event) == next_ns)
        return;
    if (*event != EVENT_NONE)
        sim_cancel_background(sim, *event);
    *event =
        next_ns == INT64_MAX ? EVENT_NONE : sim_push_background(sim, next_ns, EVENT_SLEEP, node);
}

/* By neighbours: it may want another part of what it shares with others. */
static void change_own_speed(struct sim *sim, uint32_t job, double factor) {
    segments_change_speed(sim, job, factor);
    if (sim->contention)
        contention_enter(sim, job);
}

static void settle_batch(struct sim *sim, uint32_t node) {
    const struct node_batch *batch = &sim->node_batches.nodes[node];
    double slowdown = nodes_slowdown_of(sim, sim->nodes.jobs[node].list.count);
    node_batches_change_speed(sim, node, slowdown);
    for (size_t i = batch->others.count; i-- > 0;) {
        uint32_t job = batch->others.at[i];
        double factor = progress_factor(sim, job);
        if (sim->runs[job].segment != SEGMENT_RUN || factor == sim->progress[job].factor)
            continue;
        change_own_speed(sim, job, factor);
        if (sim->progress[job].factor == factor)
            node_batches_join(sim, job, slowdown);
    }
}

static void settle_speeds(struct sim *sim, uint32_t node) {
    const struct node_jobs *jobs = &sim->nodes.jobs[node];
    if (node_batches_has(sim, node)) {
        settle_batch(sim, node);
        return;
    }
    for (size_t i = 0; i < jobs->list.count; i++) {
        uint32_t job = jobs->list.at[i];
        double factor = progress_factor(sim, job);
        if (sim->runs[job].segment == SEGMENT_RUN && factor != sim->progress[job].factor)
            change_own_speed(sim, job, factor);
    }
}

/* New speeds of neighbours, next times to fall asleep. */
static void settle_nodes(struct sim *sim) {
    struct nodes *nodes = &sim->nodes;
    for (size_t i = 0; i < nodes->changed.count; i++) {
        uint32_t node = nodes->changed.at[i];
        nodes->is_changed[node] = false;
        if (nodes_interfere(sim))
            settle_speeds(sim, node);
        if (nodes->sleep.nodes)
            settle_sleep(sim, node);
    }
    nodes->changed.count = 0;
}

/* After that, with contention: new shares of network and storage. */
static void settle_contention(struct sim *sim) {
    contention_settle(sim);
    if (sim->tells_segments)
        segments_cut_shares(sim);
    for (size_t i = 0; i < sim->contention->made.count; i++)
        contention_batch_take_share(sim, sim->contention->made.at[i]);
    for (size_t i = 0; i < sim->contention->changed.count; i++)
        segments_change_share(sim, sim->contention->changed.at[i]);
}

/* --- loop --- */

#define EVENTS_PER_LOOK_OUT 1024

/* There are many events and segments, and in most runs no observer for them. */
static void find_listeners(struct sim *sim) {
    sim->told = EASIM_NONE;
    for (const struct observer *const *o = sim->observers; *o; o++) {
        sim->tells_events = sim->tells_events || (*o)->event || (*o)->decision;
        sim->tells_segments = sim->tells_segments || (*o)->segment;
        if ((*o)->reason)
            sim->told = (*o)->told;
    }
}

/* Rounds of a list policy give the power below an enforced cap; jobs that give way leave some. */
static bool shows_power(const struct sim *sim) {
    const struct easim_policy *policy = sim->module->policy;
    const struct list_options *options = &sim->params->list;
    return (policy->capabilities & CAPABILITY_POWER) ||
           (sim->cluster->cap_rules.enforce != ENFORCE_NONE && policy->list &&
            (policy->list->displace || options->resize || list_options_in_rounds(options)));
}

int loop_init(struct sim *sim, struct error *reterr) {
    const struct workload *workload = sim->workload;
    const struct easim_policy *policy = sim->module->policy;
    find_listeners(sim);
    sim->keeps_cap = params_have(sim->params, EASIM_CAPABILITY_POWER_CAP);
    placement_init(&sim->placement, sim->cluster);
    power_meter_init(&sim->meter, sim->cluster);
    struct view_options shown = {.checked = (sim->options.check && !sim->options.changer) ||
                                            sim->options.grown,
                                 .grown = sim->options.grown,
                                 .forecast_hours = forecasts_hours(sim),
                                 .shows_power = shows_power(sim)};
    service_view_measure(sim, &shown);
    view_init(&sim->view, sim->cluster, workload, &shown);
    actions_init(sim);
    gpus_init(sim);
    service_view_init(sim);
    cluster_changes_init(sim);
    forecasts_init(sim);
    if (sim->options.check && shown.checked && shown.forecast_hours > 0)
        forecasts_check_shown(sim);
    sim->committed_nw = power_meter_total_nw(&sim->meter);
    view_header(&sim->view)->power_w = power_w(sim->committed_nw);
    sim->runs = mem_blocks_init(&sim->run_blocks, workload->jobs.count, sizeof *sim->runs);
    sim->unsaved = mem_zalloc(workload->jobs.count, sizeof *sim->unsaved);
    sim->moved = mem_blocks_init(&sim->moved_blocks, workload->jobs.count, sizeof *sim->moved);
    contention_init(sim);
    limits_init(sim);
    power_cap_init(sim);
    view_header(&sim->view)->limits_in_place = sim->limits;
    view_header(&sim->view)->cap_is_enforced = sim->cap;
    view_header(&sim->view)->fit_is_exact = !power_cap_binds(sim);
    gpus_find_over_cap(sim);
    progress_init(sim);
    node_batches_init(sim);
    utilization_init(sim);
    sim->reject_reasons = mem_zalloc(workload->jobs.count, sizeof *sim->reject_reasons);
    sim->waiting_for = mem_zalloc(sim->cluster->gpu_type_count, sizeof *sim->waiting_for);
    sim->extrapolated_by =
        mem_zalloc((size_t)workload->table.models->count * sim->cluster->gpu_type_count,
                   sizeof *sim->extrapolated_by);
    sim->policy_rng = rng_create(sim->options.seed, sim->options.replication, "policy");
    sim_note_call(sim, "the state_size"); /* the memory is the policy's */
    sim->policy_state = mem_zalloc(1, policy->state_size);
    sim_note_call(sim, "the job_memory_size");
    int r = job_memory_init(sim, reterr);
    sim_note_call(sim, NULL);
    if (r < 0)
        return r;
    if (policy->list) {
        /* By class or flex jobs of one queue enter at other draws, and a resize that the cap
           refuses may come to fit without any change of GPUs: what is kept says nothing then. */
        bool plain =
            sim->options.plain || (sim->cap && (sim->cluster->cap_rules.order != CAP_ORDER_EQUAL ||
                                                sim->params->list.resize));
        list_init(&sim->list, sim->params, (uint32_t)workload->jobs.count, plain,
                  sim->cap ? sim->view.power : NULL);
        sim->list.check = sim->options.check;
        view_header(&sim->view)->usage_half_life_s = sim->params->list.half_life_s;
    }
    if (workload->jobs.count > 0)
        sim_push(sim, workload->jobs.at[0].submit_ns, EVENT_ARRIVAL, 0);
    if (workload->warmup_ns > 0)
        sim_push(sim, workload->warmup_ns, EVENT_MEASURE, EASIM_NONE);
    nodes_init(sim);
    settle_nodes(sim);
    failures_init(sim);
    sim->instant_pending = true; /* the state at t = 0 counts as an instant */
    callbacks_init(sim);
    services_init(sim);
    replicas_start_first(sim);
    if (sim->services.by_policy)
        wake_ups_add(sim, 0); /* nothing else need happen at t = 0 */
    if (sim->nodes.changed.count > 0)
        settle_nodes(sim);
    lean_choose(sim);
    if (sim->error.code < 0 && reterr)
        *reterr = sim->error;
    return sim->error.code;
}

void loop_finish(struct sim *sim) {
    if (sim->view.v && sim->policy_state)
        callbacks_finish(sim);
    for (size_t i = sim->dropped; sim->runs && i < sim->next_arrival; i++)
        allocation_finish(&sim->runs[i].allocation);
    node_batches_finish(sim);
    nodes_finish(sim);
    contention_finish(sim);
    power_cap_finish(sim);
    limits_finish(sim);
    failures_finish(sim);
    services_finish(sim);
    wake_ups_finish(sim);
    forecasts_finish(sim);
    cluster_changes_finish(sim);
    forecasts_check_finish(sim);
    free(sim->past.limits);
    eventq_finish(&sim->events);
    placement_finish(&sim->placement);
    power_meter_finish(&sim->meter);
    view_finish(&sim->view);
    list_finish(&sim->list);
    tally_finish(&sim->counted);
    arena_finish(&sim->scratch);
    mem_blocks_finish(&sim->run_blocks);
    free(sim->computing_nw);
    free(sim->spare_actions);
    free(sim->unsaved);
    mem_blocks_finish(&sim->moved_blocks);
    free(sim->lost);
    free(sim->progress);
    free(sim->uses);
    free(sim->reject_reasons);
    rejection_finish(sim);
    free(sim->over_cap);
    free(sim->most_entry_nw);
    free(sim->waiting_for);
    free(sim->extrapolated_by);
    free(sim->policy_state);
    job_memory_finish(sim);
    if (sim->policy_rng)
        gsl_rng_free(sim->policy_rng);
}

/* --- time --- */

static void end_instant(struct sim *sim) {
    for (const struct observer *const *o = sim->observers; *o && sim->instant_pending; o++)
        if ((*o)->instant)
            (*o)->instant((*o)->context, sim);
    sim->instant_pending = false;
}

/* Time has gone on; the values of the view are still those since from_ns. */
static void advance_forecasts(struct sim *sim, int64_t from_ns) {
    bool check = SIM_HAS(sim, options.check) && sim->forecasts.hours > 0;
    if (check)
        forecasts_check_advance(sim, from_ns, sim->now_ns);
    forecasts_update(sim);
    if (check)
        forecasts_check_shown(sim);
}

FUSED static void advance_time(struct sim *sim, int64_t to_ns) {
    int64_t from_ns = sim->now_ns;
    if (to_ns == from_ns)
        return;
    if (to_ns < from_ns) {
        sim_fail(sim, "check: time went back");
        return;
    }
    end_instant(sim);
    power_meter_advance(&sim->meter, to_ns - from_ns);
    int64_t jobs = (int64_t)sim->waiting + sim->running + sim->checkpointing;
    sim->jobs_ns += (int128)jobs * (to_ns - from_ns);
    sim->now_ns = to_ns;
    view_set_now(&sim->view, to_ns);
    cap_events_advance(sim, from_ns);
    advance_forecasts(sim, from_ns);
    for (const struct observer *const *o = sim->observers; *o; o++)
        if ((*o)->advance)
            (*o)->advance((*o)->context, sim, from_ns, to_ns);
}

/* --- events and decisions --- */

/* Speeds of neighbours and the like follow, and all is checked. */
static void settle_changes(struct sim *sim) {
    if (SIM_HAS(sim, services.reserved > 0))
        replicas_take_freed(sim);
    if (SIM_HAS(sim, nodes.changed.count > 0))
        settle_nodes(sim);
    if (SIM_HAS(sim, contention) && contention_is_changed(sim))
        settle_contention(sim);
    if (SIM_HAS(sim, cap) && !sim->decide_pending && power_cap_next_victim(sim) != EASIM_NONE)
        sim->decide_pending = true;
    if (SIM_HAS(sim, options.check) && sim->error.code >= 0)
        invariants_check(sim);
}

/* At the end of an instant. */
static void settle_limits(struct sim *sim) {
    if (eventq_next_ns(&sim->events) == sim->now_ns)
        return;
    segments_settle_limits(sim);
    if (!sim->options.check || sim->error.code < 0)
        return;
    sim->past.is_settled = eventq_next_ns(&sim->events) != sim->now_ns;
    sim->past.instants += sim->past.is_settled;
    invariants_check(sim);
    sim->past.is_settled = false;
}

/* Jobs give way to an enforced cap that even least draws exceed. */
static void preempt_for_cap(struct sim *sim) {
    uint32_t job;
    while ((job = power_cap_next_victim(sim)) != EASIM_NONE) {
        interrupt_yield_gpus(sim, job, true);
        interrupt_preempt(sim, job, true);
    }
}

static void take_decision(struct sim *sim) {
    if (!sim->decide_pending)
        return;
    sim->decide_pending = false;
    for (const struct observer *const *o = sim->observers; *o && sim->tells_events; o++)
        if ((*o)->decision)
            (*o)->decision((*o)->context, sim);
    if (sim->wake_ups.times.at) /* one was asked for */
        wake_ups_count_decision(sim);
    if (sim->error.code < 0)
        return;
    if (SIM_HAS(sim, cap)) {
        preempt_for_cap(sim);
        power_cap_show(sim); /* the cap may be another */
    }
    callbacks_decide(sim);
    settle_changes(sim);
    if (!SIM_HAS(sim, services.count > 0) || !scaling_keep_cap(sim))
        return;
    settle_changes(sim);
    callbacks_decide(sim); /* with the GPUs and the power that came free */
    settle_changes(sim);
}

/* The events of the next instant, or up to the next that causes a decision, and one decision. */
static void step_to_next_instant(struct sim *sim, int64_t instant_ns) {
    struct event event;
    cluster_changes_check_end(sim, instant_ns);
    if (sim->error.code >= 0)
        advance_time(sim, instant_ns);
    while (sim->error.code >= 0 && eventq_next_ns(&sim->events) == instant_ns &&
           eventq_pop(&sim->events, &event)) {
        events_apply(sim, &event);
        settle_changes(sim);
        if (sim->decide_pending && !sim->options.engine.coalesce)
            break;
    }
    if (sim->error.code >= 0)
        take_decision(sim);
}

static bool all_jobs_done(const struct sim *sim) {
    return sim->next_arrival == sim->workload->jobs.count &&
           sim->waiting + sim->running + sim->checkpointing == 0;
}

static bool is_stuck(const struct sim *sim) {
    bool may_be = HAS_FEATURES || sim->running == 0; /* else an event for each of them is pending */
    return sim->waiting > 0 && may_be && !cluster_changes_helpful_left(sim);
}

/* Every EVENTS_PER_LOOK_OUT events: counts them for the progress line, and asks whether the run is
   to be given up. */
static bool is_cancelled(struct sim *sim) {
    if (sim->event_total < sim->look_out_at)
        return false;
    sim->look_out_at += EVENTS_PER_LOOK_OUT;
    if (sim->options.progress)
        atomic_fetch_add_explicit(sim->options.progress, EVENTS_PER_LOOK_OUT, memory_order_relaxed);
    return sim->options.cancel && atomic_load_explicit(sim->options.cancel, memory_order_relaxed);
}

static uint32_t gpus_of_services(const struct sim *sim) {
    uint32_t gpus = 0;
    for (size_t i = 0; i < sim->services.replicas.count; i++)
        gpus += sim->services.replicas.at[i].allocation.first.gpus;
    return gpus;
}

/* The reason why they give none back, if it is known. */
static void tell_of_services(const struct sim *sim, struct str *out) {
    uint32_t capped = replicas_kept_by_cap(sim), s = 0;
    if (sim->services.count > 0)
        str_addf(out, "; services hold %u", gpus_of_services(sim));
    while (s < sim->services.count && !sim->services.runs[s].only_grows)
        s++;
    if (s < sim->services.count)
        str_addf(out, ", and the backlog of service %s can only grow", services_spec(sim, s)->name);
    if (capped != EASIM_NONE)
        str_addf(out, ", and the power cap keeps a replica of service %s from loading",
                 services_spec(sim, capped)->name);
}

static const char *what_happens(const struct sim *sim) {
    const struct services *services = &sim->services;
    if (sim->changes.pending + services->pending == 0)
        return "will happen";
    return sim->changes.pending == 0 && services->after_ns == 0
               ? "but services goes on"
               : "but what the repeated series have shown will happen";
}

/* The counts of the policy, in words. */
static void tell_counts(const struct sim *sim, struct str *out) {
    for (size_t i = 0; i < sim->counted.entries.count; i++) {
        const struct tally_entry *entry = &sim->counted.entries.at[i];
        str_addf(out, "; it has counted %llu %s%s", (unsigned long long)entry->count, entry->reason,
                 entry->named > 0 ? ": " : "");
        tally_write_names(entry, out);
    }
}

static void report_stuck(struct sim *sim) {
    const struct easim_view *v = sim->view.v;
    uint32_t waiting = v->waiting_count, free_gpus = v->free_gpus, first = v->first_waiting;
    char why[EXPLANATION_BYTES], gone[64] = "";
    struct str counted = {0}, served = {0};
    str_add(&served, "");
    str_add(&counted, "");
    tell_of_services(sim, &served);
    tell_counts(sim, &counted);
    if (sim->failures.gone > 0)
        snprintf(gone, sizeof gone, " (nodes that are never repaired: %u)", sim->failures.gone);
    bool known = callbacks_explain(sim, why);
    sim_fail(
        sim,
        "policy %s leaves %u jobs waiting for ever: nothing runs, nothing %s, %u of %u GPUs are free%s%s; "
        "the first of them is job %s%s%s%s",
        sim->module->policy->name, waiting, what_happens(sim), free_gpus, v->gpus, served.text,
        gone, sim->workload->jobs.at[first].id, known ? "; " : "", why, counted.text);
    str_finish(&counted);
    str_finish(&served);
}

static bool is_stopped(const struct sim *sim, int64_t next_ns) {
    return sim->options.stop_ns > 0 && next_ns > sim->options.stop_ns;
}

int loop_run(struct sim *sim, struct error *reterr) {
    bool drain = sim->options.horizon_ns == TIME_NONE_NS;
    if (HAS_FEATURES && sim->is_lean)
        return lean_loop_run(sim, reterr);
    if (sim->options.check)
        invariants_check(sim);
    while (sim->error.code >= 0 && !(drain && all_jobs_done(sim))) {
        if (SIM_HAS(sim, limits))
            settle_limits(sim);
        int64_t next_ns = job_finish_next_event_ns(sim);
        if (is_cancelled(sim))
            error_set(&sim->error, ERROR_CANCELLED, "interrupted");
        else if (is_stuck(sim) || (next_ns == INT64_MAX && sim->waiting > 0))
            report_stuck(sim);
        else if (next_ns == INT64_MAX || next_ns > sim->options.horizon_ns ||
                 is_stopped(sim, next_ns))
            break;
        else
            step_to_next_instant(sim, next_ns);
    }
    if (sim->error.code >= 0 && !drain && sim->options.stop_ns == 0)
        advance_time(sim, sim->options.horizon_ns);
    services_settle_all(sim);
    end_instant(sim);
    if (sim->options.check && sim->error.code >= 0)
        invariants_check_all(sim);
    if (sim->options.check && sim->error.code >= 0)
        callbacks_check_view(sim);
    if (sim->error.code >= 0)
        callbacks_finish(sim); /* now: what it counts is among the results */
    if (sim->error.code < 0 && reterr)
        *reterr = sim->error;
    return sim->error.code;
}

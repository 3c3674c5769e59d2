/* Services: see services.h. Invariant: between two events of a service demand, capacity, flow and
   power are constant, and demanded tokens are served, dropped or wait. */
#include "engine/services.h"

#include "base/units.h"
#include "engine/cluster_signals.h"
#include "workload/service_load.h"

#include <math.h>
#include <stdlib.h>

const struct service *services_spec(const struct sim *sim, uint32_t service) {
    const struct service *list = sim->workload->services->at;
    return &list[service];
}

static struct service_flow_load load_of(const struct service_run *run) {
    return (struct service_flow_load){run->demand_per_s, run->capacity_per_s, run->backlog};
}

/* ---- Events ---- */

uint32_t services_push(struct sim *sim, int64_t time_ns, enum event_kind kind, uint32_t payload) {
    sim->services.pending++;
    return sim_push(sim, time_ns, kind, payload);
}

void services_cancel(struct sim *sim, uint32_t event) {
    sim->services.pending--;
    eventq_cancel(&sim->events, event);
}

static void await_demand(struct sim *sim) {
    int64_t next_ns = TIME_NONE_NS;
    for (uint32_t s = 0; s < sim->services.count; s++) {
        int64_t change_ns = series_next_ns(&sim->services.runs[s].demand);
        next_ns = change_ns < next_ns ? change_ns : next_ns;
    }
    if (next_ns != TIME_NONE_NS)
        services_push(sim, next_ns, EVENT_DEMAND, EASIM_NONE);
}

static void await_flow(struct sim *sim, uint32_t service) {
    struct service_run *run = &sim->services.runs[service];
    const struct service *spec = services_spec(sim, service);
    const struct service_flow_load load = load_of(run);
    const struct service_waits waits = {spec->slo.wait_s, spec->slo.timeout_s};
    if (run->event != EVENT_NONE)
        services_cancel(sim, run->event);
    run->event = EVENT_NONE;
    run->next_ns = TIME_NONE_NS;
    run->next = service_flow_next(run->flow, &load, &waits);
    if (!(run->next.after_s <= TIME_MAX_S))
        return;
    int64_t after_ns = units_duration_ns(run->next.after_s);
    run->next_ns = sim->now_ns + (after_ns > 0 ? after_ns : 1);
    run->event = services_push(sim, run->next_ns, EVENT_BACKLOG, service);
}

/* ---- Ticks ---- */

void services_await_tick(struct sim *sim) {
    struct services *services = &sim->services;
    int64_t next_ns = TIME_NONE_NS;
    for (uint32_t s = 0; s < services->count; s++)
        next_ns = services->runs[s].tick_ns < next_ns ? services->runs[s].tick_ns : next_ns;
    if (services->tick_event != EVENT_NONE) {
        if (eventq_time_ns(&sim->events, services->tick_event) == next_ns)
            return;
        services_cancel(sim, services->tick_event);
    }
    services->tick_event = next_ns == TIME_NONE_NS
                               ? EVENT_NONE
                               : services_push(sim, next_ns, EVENT_SCALING, EASIM_NONE);
}

static void set_tick(struct sim *sim, uint32_t service, int64_t tick_ns) {
    struct services *services = &sim->services;
    services->runs[service].tick_ns = tick_ns;
    bool earlier = services->tick_event == EVENT_NONE ||
                   tick_ns < eventq_time_ns(&sim->events, services->tick_event);
    if (earlier && !services->in_tick)
        services_await_tick(sim);
}

/* At the next whole interval, as something has changed. */
static void ask_tick(struct sim *sim, uint32_t service) {
    struct service_run *run = &sim->services.runs[service];
    if (sim->services.by_policy)
        return;
    int64_t interval_ns = units_ns(services_spec(sim, service)->scaling.interval_s);
    int64_t next_ns = (sim->now_ns + interval_ns - 1) / interval_ns * interval_ns;
    if (next_ns == run->last_tick_ns)
        next_ns += interval_ns;
    if (next_ns < run->tick_ns)
        set_tick(sim, service, next_ns);
}

void services_tick_now(struct sim *sim) {
    for (uint32_t s = 0; s < sim->services.count && !sim->services.by_policy; s++)
        set_tick(sim, s, sim->now_ns);
}

/* Notes the demand from now on. A smaller one that ends by now is never the most again. */
static void note_demand(struct service_run *run, int64_t now_ns) {
    if (run->window.count > 0)
        run->window.at[run->window.count - 1].end_ns = now_ns;
    while (run->window.count > run->window_first &&
           run->window.at[run->window.count - 1].per_s <= run->demand_per_s)
        run->window.count--;
    array_push(&run->window, ((struct demand_stretch){run->demand_per_s, INT64_MAX}));
}

double services_most_demand(struct sim *sim, uint32_t service, int64_t from_ns) {
    struct service_run *run = &sim->services.runs[service];
    while (run->window.at[run->window_first].end_ns <= from_ns)
        run->window_first++;
    if (run->window_first > run->window.count / 2) {
        run->window.count -= run->window_first;
        memmove(run->window.at, run->window.at + run->window_first,
                run->window.count * sizeof *run->window.at);
        run->window_first = 0;
    }
    return run->window.at[run->window_first].per_s;
}

/* ---- Up to now ---- */

/* Tokens from settled_ns to now; the backlog does not pass the one at which the flow changes, and
   then what is above it was dropped, what is below it was not served. */
static struct service_piece present_piece(const struct sim *sim, uint32_t service) {
    const struct service_run *run = &sim->services.runs[service];
    const struct service_flow_load load = load_of(run);
    double duration_s = units_s(sim->now_ns - run->settled_ns),
           growth_per_s = service_flow_growth_per_s(run->flow, &load);
    struct service_piece piece = {
        .service = service,
        .from_ns = run->settled_ns,
        .to_ns = sim->now_ns,
        .backlog_before = run->backlog,
        .backlog_after = fmax(run->backlog + growth_per_s * duration_s, 0),
        .demanded = run->demand_per_s * duration_s,
        .dropped = service_flow_dropped_per_s(run->flow, &load) * duration_s,
        .over_wait = run->over_wait};
    piece.served =
        run->flow == SERVICE_FLOW_EVEN ? piece.demanded : run->capacity_per_s * duration_s;
    if (run->next_ns == TIME_NONE_NS)
        return piece;
    bool grows = growth_per_s > 0, is_reached = sim->now_ns >= run->next_ns;
    double next = run->next.backlog, unrounded = piece.backlog_after;
    if (is_reached == grows) /* rounding */
        piece.backlog_after = fmax(piece.backlog_after, next);
    else
        piece.backlog_after = fmin(piece.backlog_after, next);
    if (is_reached && run->next.is_exact) {
        piece.backlog_after = next;
        double rest = run->backlog + piece.demanded - piece.served - piece.dropped - next;
        *(grows ? &piece.dropped : &piece.served) += rest;
    } else {
        piece.served -= piece.backlog_after - unrounded;
    }
    return piece;
}

double services_backlog(const struct sim *sim, uint32_t service) {
    return present_piece(sim, service).backlog_after;
}

static void tell_piece(const struct sim *sim, const struct service_piece *piece) {
    for (const struct observer *const *o = sim->observers; *o; o++)
        if ((*o)->service)
            (*o)->service((*o)->context, sim, piece);
}

void services_settle(struct sim *sim, uint32_t service) {
    struct service_run *run = &sim->services.runs[service];
    int64_t duration_ns = sim->now_ns - run->settled_ns;
    if (duration_ns == 0)
        return;
    const struct service_piece piece = present_piece(sim, service);
    tell_piece(sim, &piece);
    run->backlog = piece.backlog_after;
    run->demanded += piece.demanded;
    run->served += piece.served;
    run->dropped += piece.dropped;
    run->energy += (int128)run->nw * duration_ns;
    run->gpu_ps += (int128)run->milli * duration_ns;
    run->settled_ns = sim->now_ns;
}

void services_settle_all(struct sim *sim) {
    for (uint32_t s = 0; s < sim->services.count; s++)
        services_settle(sim, s);
}

/* ---- From now on ---- */

static void add_use(struct power_use *use, int64_t milli, int64_t nw) {
    use->milli += milli;
    use->nw += nw;
}

/* The replicas of a group at a load, in the meter, too. */
static void load_group(struct sim *sim, struct service_run *run, struct replica_group *group,
                       const struct replica_config *config, double load) {
    struct power_type *type = &sim->meter.types[config->gpu_type];
    int64_t milli = (int64_t)config->k * WHOLE_GPU_MILLI, before_nw = group->ready_nw;
    int64_t ready = group->ready, was_ready = group->ready_metered;
    int64_t more_loading = (int64_t)group->loading - group->loading_metered;
    if (ready > 0) {
        group->running = replica_running(config, load);
        group->latency_ms =
            serving_table_latency_ms(config->table, group->running, config->quantile);
        group->ready_nw =
            power_nw(serving_table_power_w(config->table, group->running, config->loaded_w));
    }
    int64_t more_nw = ready * group->ready_nw - was_ready * before_nw;
    add_use(&type->serving, (ready - was_ready) * milli, more_nw);
    add_use(&type->loading, more_loading * milli, more_loading * group->loading_nw);
    run->nw += more_nw + more_loading * group->loading_nw;
    run->milli += (ready - was_ready + more_loading) * milli;
    group->ready_metered = group->ready;
    group->loading_metered = group->loading;
}

void services_refresh(struct sim *sim, uint32_t service) {
    struct service_run *run = &sim->services.runs[service];
    const struct service *spec = services_spec(sim, service);
    run->capacity_per_s = 0;
    for (uint32_t c = 0; c < spec->config_count; c++)
        run->capacity_per_s += run->groups[c].ready * spec->configs[c].most_per_s;
    const struct service_flow_load now = load_of(run);
    run->flow = service_flow_of(&now, spec->slo.timeout_s);
    run->over_wait = service_flow_over_wait(run->flow, &now, spec->slo.wait_s);
    double load = run->flow == SERVICE_FLOW_EVEN ? run->demand_per_s / run->capacity_per_s : 1;
    for (uint32_t c = 0; c < spec->config_count; c++) {
        struct replica_group *group = &run->groups[c];
        if (group->ready + group->loading + group->ready_metered + group->loading_metered > 0)
            load_group(sim, run, group, &spec->configs[c], load);
    }
    await_flow(sim, service);
    ask_tick(sim, service);
}

void services_change_demand(struct sim *sim) {
    sim->services.pending--;
    for (uint32_t s = 0; s < sim->services.count; s++) {
        struct service_run *run = &sim->services.runs[s];
        if (series_next_ns(&run->demand) != sim->now_ns)
            continue;
        services_settle(sim, s);
        series_pass(&run->demand);
        run->demand_per_s = run->demand.value;
        note_demand(run, sim->now_ns);
        services_refresh(sim, s);
        if (series_period_ns(run->demand.series) == 0)
            cluster_changes_reset_round(sim);
    }
    await_demand(sim);
}

void services_change_flow(struct sim *sim, uint32_t service) {
    struct service_run *run = &sim->services.runs[service];
    sim->services.pending--;
    run->event = EVENT_NONE;
    if (series_period_ns(run->demand.series) == 0)
        cluster_changes_reset_round(sim);
    services_settle(sim, service);
    services_refresh(sim, service);
}

/* ---- The whole ---- */

static void init_groups(struct sim *sim, struct service_run *run, const struct service *spec) {
    run->groups = mem_zalloc(spec->config_count, sizeof *run->groups);
    for (uint32_t c = 0; c < spec->config_count; c++) {
        const struct replica_config *config = &spec->configs[c];
        struct replica_group *group = &run->groups[c];
        int64_t most_nw = power_nw(config->most_w);
        group->loading_nw = config->k * sim->meter.types[config->gpu_type].ctx_nw;
        group->most_nw = most_nw > group->loading_nw ? most_nw : group->loading_nw;
    }
}

/* The longest time in which the host reacts fully to a change of demand. One replica is released
   per tick, once the change is out of the window and none was wanted for down_after. A replica that
   has found GPUs loads. */
static int64_t longest_answer_ns(const struct service *spec) {
    double intervals = SERVICE_WINDOW_INTERVALS + 1 + (double)spec->replicas.max;
    return units_ns(
        fmin(spec->scaling.down_after_s + spec->start_s + intervals * spec->scaling.interval_s,
             TIME_MAX_S));
}

static void find_round(struct services *services, const struct service *specs) {
    services->round_ns = services->after_ns = 0;
    for (uint32_t s = 0; s < services->count; s++) {
        int64_t after_ns = longest_answer_ns(&specs[s]);
        if (services->runs[s].only_grows)
            continue;
        services->round_ns = cluster_changes_common_period_ns(
            services->round_ns, series_period_ns(&specs[s].demand.series));
        services->after_ns = after_ns > services->after_ns ? after_ns : services->after_ns;
    }
}

/* The backlog then stays above down_after times all that `max` replicas give: the host wants more
   of them at each tick. */
static double lasting_backlog(const struct sim *sim, const struct service *spec) {
    bool drains = sim->options.horizon_ns == TIME_NONE_NS,
         fails = sim->failures.streams || sim->failures.next;
    if (!drains || fails || sim->services.by_policy || isfinite(spec->slo.timeout_s))
        return INFINITY;
    double per_s = service_configs_most_per_s(spec, sim->cluster);
    return service_demand_most_fall(&spec->demand, per_s) + spec->scaling.down_after_s * per_s;
}

void services_note_backlog(struct sim *sim, uint32_t service, double backlog) {
    struct service_run *run = &sim->services.runs[service];
    if (run->only_grows || !(backlog > run->lasting_backlog))
        return;
    run->only_grows = true;
    find_round(&sim->services, services_spec(sim, 0));
}

void services_init(struct sim *sim) {
    struct services *services = &sim->services;
    services->count = sim->workload->services ? (uint32_t)sim->workload->services->count : 0;
    sim->meter.serves = services->count > 0;
    if (services->count == 0)
        return;
    services->tick_event = EVENT_NONE;
    services->by_policy = params_have(sim->params, CAPABILITY_SERVICES);
    services->runs = mem_zalloc(services->count, sizeof *services->runs);
    for (uint32_t s = 0; s < services->count; s++) {
        const struct service *spec = services_spec(sim, s);
        struct service_run *run = &services->runs[s];
        series_start(&run->demand, &spec->demand.series);
        run->demand_per_s = run->demand.value;
        run->event = EVENT_NONE;
        run->tick_ns = TIME_NONE_NS;
        run->last_tick_ns = -1;
        note_demand(run, 0);
        init_groups(sim, run, spec);
        run->lasting_backlog = lasting_backlog(sim, spec);
        services_refresh(sim, s);
    }
    find_round(services, services_spec(sim, 0));
    await_demand(sim);
}

void services_finish(struct sim *sim) {
    struct services *services = &sim->services;
    for (size_t i = 0; i < services->replicas.count; i++)
        allocation_finish(&services->replicas.at[i].allocation);
    for (uint32_t s = 0; services->runs && s < services->count; s++) {
        free(services->runs[s].groups);
        free(services->runs[s].replicas.at);
        free(services->runs[s].window.at);
    }
    free(services->runs);
    free(services->replicas.at);
    free(services->gone.at);
}

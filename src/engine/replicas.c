/* Replicas: see replicas.h. */
#include "engine/replicas.h"

#include "base/units.h"
#include "engine/gpus.h"
#include "engine/nodes.h"
#include "engine/power_cap.h"
#include "workload/service_load.h"

#include <math.h>
#include <stdlib.h>

static const struct replica_config *config_of(const struct sim *sim,
                                              const struct replica *replica) {
    return &services_spec(sim, replica->service)->configs[replica->config];
}

static struct replica_group *group_of(const struct sim *sim, const struct replica *replica) {
    return &sim->services.runs[replica->service].groups[replica->config];
}

/* By which sleep.h knows a replica that holds GPUs: no number of a job. */
static uint32_t holder_of(const struct sim *sim, uint32_t replica) {
    return (uint32_t)sim->workload->jobs.count + replica;
}

bool replicas_fit(const struct sim *sim, const struct replica_config *config) {
    return placement_node_free_max(&sim->placement, config->gpu_type) >= config->k;
}

/* ---- GPUs ---- */

/* Increase of the committed power if a replica gets its GPUs, free before. */
static int64_t added_nw(const struct sim *sim, const struct replica *replica) {
    const struct replica_config *config = config_of(sim, replica);
    int64_t milli = (int64_t)config->k * WHOLE_GPU_MILLI;
    return group_of(sim, replica)->most_nw +
           milli * (sim->meter.cpu_milli_nw[replica->node] -
                    sim->meter.types[config->gpu_type].idle_milli_nw);
}

/* Free GPUs of a node are no longer free. */
static void take_gpus(struct sim *sim, uint32_t replica, uint32_t gpus) {
    struct replica *r = &sim->services.replicas.at[replica];
    view_take_gpus(&sim->view, r->node, gpus);
    r->awake_ns = r->awake_ns > sim->now_ns ? r->awake_ns : sim->now_ns;
    if (sim->nodes.sleep.nodes) {
        int64_t awake_ns = nodes_take_gpus(sim, r->node, gpus, holder_of(sim, replica));
        r->awake_ns = awake_ns > r->awake_ns ? awake_ns : r->awake_ns;
    }
    gpus_show_room(sim, sim->cluster->nodes[r->node].gpu_type);
}

static void give_gpus_back(struct sim *sim, uint32_t replica) {
    struct replica *r = &sim->services.replicas.at[replica];
    uint32_t gpus = r->allocation.first.gpus;
    view_give_back_gpus(&sim->view, r->node, gpus);
    if (sim->nodes.sleep.nodes)
        nodes_give_back_gpus(sim, r->node, gpus, holder_of(sim, replica));
    placement_give_back(&sim->placement, &r->allocation);
    gpus_show_room(sim, sim->cluster->nodes[r->node].gpu_type);
}

/* ---- The list ---- */

static uint32_t add_replica(struct sim *sim, uint32_t service, uint32_t config) {
    struct services *services = &sim->services;
    struct service_run *run = &services->runs[service];
    if (services->gone.count == 0) {
        array_push(&services->gone, (uint32_t)services->replicas.count);
        (void)array_add(&services->replicas);
    }
    uint32_t place = services->gone.at[--services->gone.count];
    services->replicas.at[place] = (struct replica){.service = service,
                                                    .config = config,
                                                    .number = ++run->last_number,
                                                    .event = EVENT_NONE,
                                                    .since_ns = sim->now_ns,
                                                    .spare_since_ns = TIME_NONE_NS};
    array_push(&run->replicas, place);
    return place;
}

static void remove_replica(struct sim *sim, uint32_t replica) {
    struct services *services = &sim->services;
    struct service_run *run = &services->runs[services->replicas.at[replica].service];
    size_t at = 0;
    while (run->replicas.at[at] != replica)
        at++;
    memmove(&run->replicas.at[at], &run->replicas.at[at + 1],
            (run->replicas.count - at - 1) * sizeof *run->replicas.at);
    run->replicas.count--;
    services->replicas.at[replica].phase = REPLICA_GONE;
    array_push(&services->gone, replica);
}

/* ---- Its life ---- */

static void tell_replica(const struct sim *sim, uint32_t replica, enum segment_cause cause) {
    for (const struct observer *const *o = sim->observers; *o; o++)
        if ((*o)->replica)
            (*o)->replica((*o)->context, sim, replica, cause);
}

static void enter_phase(struct sim *sim, uint32_t replica, enum replica_phase phase) {
    struct replica *r = &sim->services.replicas.at[replica];
    struct service_run *run = &sim->services.runs[r->service];
    struct replica_group *group = group_of(sim, r);
    services_settle(sim, r->service);
    run->loading += (phase == REPLICA_LOADING) - (r->phase == REPLICA_LOADING);
    run->ready += (phase == REPLICA_READY) - (r->phase == REPLICA_READY);
    group->loading += (phase == REPLICA_LOADING) - (r->phase == REPLICA_LOADING);
    group->ready += (phase == REPLICA_READY) - (r->phase == REPLICA_READY);
    r->phase = (uint8_t)phase;
    r->since_ns = sim->now_ns;
    services_refresh(sim, r->service);
}

/* On GPUs that it holds. */
static void load_replica(struct sim *sim, uint32_t replica, int64_t load_ns) {
    struct replica *r = &sim->services.replicas.at[replica];
    int64_t ready_ns = (r->awake_ns > sim->now_ns ? r->awake_ns : sim->now_ns) + load_ns;
    power_meter_allocate(&sim->meter, r->node, (int64_t)r->allocation.first.gpus * WHOLE_GPU_MILLI);
    power_cap_note(sim, r->node, added_nw(sim, r));
    if (ready_ns > sim->now_ns)
        r->event = services_push(sim, ready_ns, EVENT_REPLICA, replica);
    enter_phase(sim, replica, ready_ns > sim->now_ns ? REPLICA_LOADING : REPLICA_READY);
    tell_replica(sim, replica, CAUSE_STARTED);
}

static uint32_t place_replica(struct sim *sim, uint32_t service, uint32_t config) {
    uint32_t replica = add_replica(sim, service, config);
    struct replica *r = &sim->services.replicas.at[replica];
    const struct replica_config *c = config_of(sim, r);
    (void)placement_take(&sim->placement, c->gpu_type, c->k, &r->allocation); /* it fits */
    r->node = r->allocation.first.node;
    take_gpus(sim, replica, c->k);
    return replica;
}

static void start_counted(struct sim *sim, uint32_t replica) {
    const struct replica *r = &sim->services.replicas.at[replica];
    sim->services.runs[r->service].scale_ups++;
    load_replica(sim, replica, units_ns(services_spec(sim, r->service)->start_s));
}

void replicas_start(struct sim *sim, uint32_t service, uint32_t config) {
    start_counted(sim, place_replica(sim, service, config));
}

bool replicas_over_cap(struct sim *sim, uint32_t service, uint32_t config) {
    const struct replica_config *c = &services_spec(sim, service)->configs[config];
    struct replica trial = {.service = service, .config = config};
    (void)placement_take(&sim->placement, c->gpu_type, c->k, &trial.allocation); /* it fits */
    trial.node = trial.allocation.first.node;
    placement_give_back(&sim->placement, &trial.allocation);
    return power_cap_forbids_more(sim, trial.node, added_nw(sim, &trial));
}

/* ---- Reservations ---- */

/* Free GPUs of its node, as many as it lacks. */
static void take_freed(struct sim *sim, uint32_t replica) {
    struct replica *r = &sim->services.replicas.at[replica];
    uint32_t missing = config_of(sim, r)->k - r->allocation.first.gpus,
             free = sim->placement.node_free[r->node], gpus = free < missing ? free : missing;
    if (gpus == 0)
        return;
    const struct allocation more = {.count = 1, .first = {r->node, gpus}};
    placement_reclaim(&sim->placement, &more);
    r->allocation =
        (struct allocation){.count = 1, .first = {r->node, r->allocation.first.gpus + gpus}};
    sim->services.reserved_gpus += gpus;
    take_gpus(sim, replica, gpus);
}

/* It has all GPUs that it needs, and may use them. */
static bool may_load(const struct sim *sim, const struct replica *r) {
    return r->allocation.first.gpus == config_of(sim, r)->k &&
           !power_cap_forbids_more(sim, r->node, added_nw(sim, r));
}

uint32_t replicas_kept_by_cap(const struct sim *sim) {
    for (size_t i = 0; i < sim->services.replicas.count; i++) {
        const struct replica *r = &sim->services.replicas.at[i];
        if (r->phase == REPLICA_RESERVED && r->allocation.first.gpus == config_of(sim, r)->k &&
            !may_load(sim, r))
            return r->service;
    }
    return EASIM_NONE;
}

static void end_reservation(struct sim *sim, uint32_t replica) {
    struct replica *r = &sim->services.replicas.at[replica];
    sim->services.runs[r->service].reserved--;
    sim->services.reserved--;
    sim->services.reserved_gpus -= r->allocation.first.gpus;
    r->phase = REPLICA_GONE;
}

bool replicas_take_freed(struct sim *sim) {
    bool loads = false;
    for (uint32_t i = 0; i < sim->services.replicas.count && sim->services.reserved > 0; i++) {
        if (sim->services.replicas.at[i].phase != REPLICA_RESERVED)
            continue;
        take_freed(sim, i);
        if (!may_load(sim, &sim->services.replicas.at[i]))
            continue;
        end_reservation(sim, i);
        start_counted(sim, i);
        loads = true;
    }
    return loads;
}

void replicas_reserve(struct sim *sim, uint32_t service, uint32_t config, uint32_t node) {
    uint32_t replica = add_replica(sim, service, config);
    struct replica *r = &sim->services.replicas.at[replica];
    r->phase = REPLICA_RESERVED;
    r->node = node;
    sim->services.runs[service].reserved++;
    sim->services.reserved++;
    take_freed(sim, replica);
    tell_replica(sim, replica, CAUSE_RESERVED);
}

/* ---- Its end ---- */

void replicas_become_ready(struct sim *sim, uint32_t replica) {
    sim->services.pending--;
    sim->services.replicas.at[replica].event = EVENT_NONE;
    enter_phase(sim, replica, REPLICA_READY);
    tell_replica(sim, replica, CAUSE_SET_UP);
}

/* It no longer uses its GPUs, though it still holds them. */
static void stop_using(struct sim *sim, uint32_t replica) {
    struct replica *r = &sim->services.replicas.at[replica];
    if (r->event != EVENT_NONE)
        services_cancel(sim, r->event);
    r->event = EVENT_NONE;
    enter_phase(sim, replica, REPLICA_GONE);
    power_meter_release(&sim->meter, r->node, (int64_t)r->allocation.first.gpus * WHOLE_GPU_MILLI);
    power_cap_note(sim, r->node, -added_nw(sim, r));
}

static void end_replica(struct sim *sim, uint32_t replica, enum segment_cause cause) {
    const struct replica *r = &sim->services.replicas.at[replica];
    if (r->phase == REPLICA_RESERVED)
        end_reservation(sim, replica);
    else
        stop_using(sim, replica);
    if (r->allocation.count > 0)
        give_gpus_back(sim, replica);
    tell_replica(sim, replica, cause);
    remove_replica(sim, replica);
}

void replicas_release(struct sim *sim, uint32_t replica) {
    end_replica(sim, replica, CAUSE_RELEASED);
}

void replicas_fail_node(struct sim *sim, uint32_t node) {
    for (uint32_t i = 0; i < sim->services.replicas.count; i++) {
        const struct replica *r = &sim->services.replicas.at[i];
        if (r->phase != REPLICA_GONE && r->node == node)
            end_replica(sim, i, CAUSE_NODE_FAILED);
    }
}

/* ---- At t = 0 ---- */

/* The best configuration that fits now, or SERVICE_NO_CONFIG. */
static uint32_t first_config(const struct sim *sim, const struct service *spec) {
    bool *fits = mem_zalloc(spec->config_count, sizeof *fits);
    for (uint32_t c = 0; c < spec->config_count; c++)
        fits[c] = replicas_fit(sim, &spec->configs[c]);
    uint32_t best = service_configs_best(spec, 0, 0, fits);
    free(fits);
    return best;
}

void replicas_start_first(struct sim *sim) {
    for (uint32_t s = 0; s < sim->services.count; s++) {
        const struct service *spec = services_spec(sim, s);
        for (int64_t i = 0; i < spec->replicas.min && sim->error.code >= 0; i++) {
            uint32_t config = first_config(sim, spec);
            if (config == SERVICE_NO_CONFIG)
                sim_fail(sim, "service %s: replica %lld of its least %lld does not fit", spec->name,
                         (long long)i + 1, (long long)spec->replicas.min);
            else
                load_replica(sim, place_replica(sim, s, config), 0);
        }
    }
}

/* --- service_view --- */

void service_view_measure(const struct sim *sim, struct view_options *shown) {
    if (!sim->workload->services || !params_have(sim->params, CAPABILITY_SERVICES))
        return;
    shown->services = (uint32_t)sim->workload->services->count;
    shown->replicas = sim->cluster->gpus;
    for (uint32_t s = 0; s < shown->services; s++)
        shown->replica_configs += services_spec(sim, s)->config_count;
}

static double most_w(const struct sim *sim, const struct replica_config *config) {
    return fmax(config->most_w, config->k * sim->cluster->gpu_types[config->gpu_type].ctx_w);
}

void service_view_init(struct sim *sim) {
    uint32_t first = 0;
    for (uint32_t s = 0; s < sim->view.scaling->service_count; s++) {
        const struct service *spec = services_spec(sim, s);
        const double target = spec->scaling.target;
        *view_service(&sim->view, s) = (struct easim_service){.name = spec->name,
                                                              .first_config = first,
                                                              .config_count = spec->config_count,
                                                              .min = (uint32_t)spec->replicas.min,
                                                              .max = (uint32_t)spec->replicas.max,
                                                              .wait_s = spec->slo.wait_s,
                                                              .timeout_s = spec->slo.timeout_s,
                                                              .start_s = spec->start_s,
                                                              .target = target};
        for (uint32_t c = 0; c < spec->config_count; c++) {
            const struct replica_config *config = &spec->configs[c];
            *view_replica_config(&sim->view, first + c) = (struct easim_replica_config){
                .service = s,
                .gpu_type = config->gpu_type,
                .k = config->k,
                .limit = config->limit,
                .most_per_s = config->most_per_s,
                .most_w = most_w(sim, config),
                .target_j_per_token = replica_joules(config, target),
                .target_latency_ms = replica_latency_ms(config, target)};
        }
        first += spec->config_count;
    }
}

static void show_replica(struct sim *sim, uint32_t replica) {
    const struct replica *r = &sim->services.replicas.at[replica];
    struct easim_replica *shown = view_replica(&sim->view, replica);
    *shown = (struct easim_replica){.state = EASIM_REPLICA_NONE};
    if (r->phase == REPLICA_GONE)
        return;
    bool is_ready = r->phase == REPLICA_READY;
    double since_s = units_s(r->since_ns);
    *shown = (struct easim_replica){
        .state = is_ready ? EASIM_REPLICA_READY : EASIM_REPLICA_LOADING,
        .service = r->service,
        .number = r->number,
        .config = sim->view.services[r->service].first_config + r->config,
        .node = r->node,
        .since_s = since_s,
        .ready_s = is_ready ? since_s : units_s(eventq_time_ns(&sim->events, r->event))};
}

static void show_service(struct sim *sim, uint32_t service) {
    const struct service_run *run = &sim->services.runs[service];
    const struct service *spec = services_spec(sim, service);
    struct easim_service *shown = view_service(&sim->view, service);
    shown->ready = run->ready;
    shown->loading = run->loading;
    shown->demand_per_s = run->demand_per_s;
    shown->backlog = services_backlog(sim, service);
    shown->ready_per_s = run->capacity_per_s;
    shown->loading_per_s = 0;
    for (uint32_t c = 0; c < spec->config_count; c++)
        shown->loading_per_s += run->groups[c].loading * spec->configs[c].most_per_s;
}

void service_view_update(struct sim *sim) {
    for (uint32_t s = 0; s < sim->view.scaling->service_count; s++)
        show_service(sim, s);
    if (sim->view.scaling->service_count == 0)
        return;
    for (uint32_t i = 0; i < sim->services.replicas.count; i++)
        show_replica(sim, i);
    view_services(&sim->view, 0)->replica_count = (uint32_t)sim->services.replicas.count;
}

void service_view_tell(struct sim *sim) {
    if (!sim->services.by_policy)
        return;
    view_add_event(&sim->view, EASIM_EVENT_SERVICE, EASIM_NONE, EASIM_NONE);
    sim->decide_pending = true;
}

bool service_view_find_config(const struct sim *sim, uint32_t replica_config, uint32_t *ret_service,
                              uint32_t *ret_config) {
    if (replica_config >= sim->view.scaling->replica_config_count)
        return false;
    *ret_service = sim->view.replica_configs[replica_config].service;
    *ret_config = replica_config - sim->view.services[*ret_service].first_config;
    return true;
}

double service_view_figure(const struct sim *sim, uint32_t replica_config, double load,
                           uint32_t figure) {
    uint32_t service, c;
    if (!service_view_find_config(sim, replica_config, &service, &c) || !(load >= 0 && load <= 1))
        return NAN;
    const struct replica_config *config = &services_spec(sim, service)->configs[c];
    switch ((enum easim_replica_figure)figure) {
    case EASIM_REPLICA_J_PER_TOKEN:
        return load > 0 ? replica_joules(config, load) : NAN;
    case EASIM_REPLICA_POWER_W:
        return replica_power_w(config, load);
    case EASIM_REPLICA_LATENCY_MS:
        return replica_latency_ms(config, load);
    case EASIM_REPLICA_RUNNING:
        return replica_running(config, load);
    }
    return NAN;
}

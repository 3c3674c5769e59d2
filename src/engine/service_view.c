/* Services in the view: see service_view.h. */
#include "engine/service_view.h"

#include "base/units.h"

#include <math.h>

void service_view_measure(const struct sim *sim, struct view_options *shown) {
    if (!sim->workload->services || !params_scale_services(sim->params))
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
    for (uint32_t s = 0; s < sim->view.v->service_count; s++) {
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
    for (uint32_t s = 0; s < sim->view.v->service_count; s++)
        show_service(sim, s);
    if (sim->view.v->service_count == 0)
        return;
    for (uint32_t i = 0; i < sim->services.replicas.count; i++)
        show_replica(sim, i);
    view_header(&sim->view)->replica_count = (uint32_t)sim->services.replicas.count;
}

void service_view_tell(struct sim *sim) {
    if (!sim->services.by_policy)
        return;
    view_add_event(&sim->view, EASIM_EVENT_SERVICE, EASIM_NONE);
    sim->decide_pending = true;
}

bool service_view_find_config(const struct sim *sim, uint32_t replica_config, uint32_t *ret_service,
                              uint32_t *ret_config) {
    if (replica_config >= sim->view.v->replica_config_count)
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

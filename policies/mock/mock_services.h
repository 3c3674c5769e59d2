/* mock_services.h: services of the mock, and the host functions that scale them. Part of
   policy_mock.h. */
#ifndef EASIM_MOCK_SERVICES_H
#define EASIM_MOCK_SERVICES_H

#include "mock_view.h"

/* Whether a policy lists version 1 of an extension of that name. */
MOCK_FUNCTION bool mock_lists(const struct easim_policy *policy, const char *name) {
    uint32_t i = 0;
    while (i < policy->extension_count &&
           (policy->extensions[i].version != 1 || strcmp(policy->extensions[i].name, name) != 0))
        i++;
    return i < policy->extension_count;
}

MOCK_FUNCTION int mock_answer(struct mock *m, struct mock_action action) {
    MOCK_APPEND(m, actions, m->action_count, action);
    return action.answer;
}

/* Power of a replica that the view counts beyond that of its idle GPUs. */
MOCK_FUNCTION double mock_replica_w(const struct mock *m, uint32_t config) {
    const struct easim_replica_config *c = &m->replica_configs[config];
    return c->most_w - c->k * m->gpu_types[c->gpu_type].idle_w;
}

MOCK_FUNCTION void mock_hold_replica(struct mock *m, uint32_t replica, bool holds) {
    const struct easim_replica *r = &m->replicas[replica];
    uint32_t k = m->replica_configs[r->config].k;
    struct easim_service *service = &m->services[r->service];
    double per_s = m->replica_configs[r->config].most_per_s;
    bool ready = r->state == EASIM_REPLICA_READY;
    m->nodes[r->node].free = holds ? m->nodes[r->node].free - k : m->nodes[r->node].free + k;
    *(ready ? &service->ready : &service->loading) += holds ? 1u : UINT32_MAX;
    *(ready ? &service->ready_per_s : &service->loading_per_s) += holds ? per_s : -per_s;
}

/* What a test of a policy with easim.services fills in, each configuration behind its service:
   name, min, max, start_s, target, demand_per_s, backlog. */
MOCK_FUNCTION uint32_t mock_service(struct mock *m, struct easim_service service) {
    MOCK_MUST(mock_lists(m->policy, "easim.services"));
    service.first_config = m->scaling.replica_config_count;
    service.timeout_s = service.timeout_s > 0 ? service.timeout_s : INFINITY;
    MOCK_APPEND(m, services, m->scaling.service_count, service);
    return m->scaling.service_count - 1;
}

/* Of the last service: gpu_type, k, most_per_s, most_w. */
MOCK_FUNCTION uint32_t mock_replica_config(struct mock *m, struct easim_replica_config config) {
    MOCK_MUST(m->scaling.service_count > 0 && config.gpu_type < m->view.gpu_type_count);
    MOCK_MUST(config.k >= 1 && config.most_per_s > 0);
    config.service = m->scaling.service_count - 1;
    config.limit = config.limit > 0 ? config.limit : INFINITY;
    m->services[config.service].config_count++;
    MOCK_APPEND(m, replica_configs, m->scaling.replica_config_count, config);
    return m->scaling.replica_config_count - 1;
}

/* In the first place that is nobody's; EASIM_NONE: no node has room. */
MOCK_FUNCTION uint32_t mock_add_replica(struct mock *m, uint32_t config, uint32_t state) {
    const struct easim_replica_config *c = &m->replica_configs[config];
    uint32_t node = mock_choose_node(m, c->gpu_type, c->k), place = 0, number = 1;
    double now_s = m->view.now_s, load_s = m->services[c->service].start_s;
    if (node == EASIM_NONE)
        return EASIM_NONE;
    for (uint32_t i = 0; i < m->scaling.replica_count; i++)
        if (m->replicas[i].service == c->service && m->replicas[i].number >= number)
            number = m->replicas[i].number + 1;
    while (place < m->scaling.replica_count && m->replicas[place].state != EASIM_REPLICA_NONE)
        place++;
    if (place == m->scaling.replica_count)
        MOCK_APPEND(m, replicas, m->scaling.replica_count, (struct easim_replica){0});
    m->replicas[place] =
        (struct easim_replica){.state = state,
                               .service = c->service,
                               .number = number,
                               .config = config,
                               .node = node,
                               .since_s = now_s,
                               .ready_s = state == EASIM_REPLICA_READY ? now_s : now_s + load_s};
    mock_hold_replica(m, place, true);
    mock_count(m);
    return place;
}

/* One that is ready already. */
MOCK_FUNCTION uint32_t mock_replica(struct mock *m, uint32_t config) {
    MOCK_MUST(config < m->scaling.replica_config_count);
    uint32_t replica = mock_add_replica(m, config, EASIM_REPLICA_READY);
    MOCK_MUST(replica != EASIM_NONE);
    return replica;
}

/* Those whose time has come are ready. */
MOCK_FUNCTION void mock_load_replicas(struct mock *m) {
    for (uint32_t i = 0; i < m->scaling.replica_count; i++) {
        struct easim_replica *r = &m->replicas[i];
        if (r->state != EASIM_REPLICA_LOADING || r->ready_s > m->view.now_s)
            continue;
        mock_hold_replica(m, i, false);
        r->state = EASIM_REPLICA_READY;
        r->since_s = r->ready_s;
        mock_hold_replica(m, i, true);
    }
}

MOCK_FUNCTION int mock_plan_scale_up(struct easim_plan *plan, uint32_t replica_config) {
    struct mock *m = plan->mock;
    bool exists = replica_config < m->scaling.replica_config_count;
    const struct easim_service *service =
        exists ? &m->services[m->replica_configs[replica_config].service] : NULL;
    bool capped = m->policy->capabilities & EASIM_CAPABILITY_POWER_CAP;
    int answer = EASIM_OK;
    if (!exists || service->ready + service->loading >= service->max)
        answer = EASIM_INVAL;
    else if (mock_choose_node(m, m->replica_configs[replica_config].gpu_type,
                              m->replica_configs[replica_config].k) == EASIM_NONE)
        answer = EASIM_NOFIT;
    else if (capped && m->view.power_w + mock_replica_w(m, replica_config) > m->view.power_cap_w)
        answer = EASIM_CAP;
    else
        (void)mock_add_replica(m, replica_config, EASIM_REPLICA_LOADING);
    return mock_answer(
        m, (struct mock_action){MOCK_SCALE_UP, answer, EASIM_NONE, replica_config, false, 0});
}

MOCK_FUNCTION int mock_plan_scale_down(struct easim_plan *plan, uint32_t replica) {
    struct mock *m = plan->mock;
    struct easim_replica *r = replica < m->scaling.replica_count ? &m->replicas[replica] : NULL;
    bool exists = r && r->state != EASIM_REPLICA_NONE;
    const struct easim_service *service = exists ? &m->services[r->service] : NULL;
    bool may = exists && service->ready + service->loading > service->min;
    if (may) {
        mock_hold_replica(m, replica, false);
        r->state = EASIM_REPLICA_NONE;
        mock_count(m);
    }
    return mock_answer(m, (struct mock_action){MOCK_SCALE_DOWN, may ? EASIM_OK : EASIM_INVAL,
                                               EASIM_NONE, replica, false, 0});
}

/* As the test says. */
MOCK_FUNCTION double mock_replica_figure(struct easim_plan *plan, uint32_t replica_config,
                                         double load, uint32_t figure) {
    const struct mock *m = plan->mock;
    bool exists = replica_config < m->scaling.replica_config_count && load >= 0 && load <= 1;
    return exists && m->replica_figure ? m->replica_figure(replica_config, load, figure) : NAN;
}

#endif

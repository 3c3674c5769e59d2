/* Services in the exec protocol: see services.h. */
#include "services.h"

#include "answer.h"

#include <stdio.h>
#include <string.h>

#define LOADS 10 /* for which a configuration's figures are told: 0.1, 0.2 .. 1 */

static void add_real(struct text *t, const char *name, double value) {
    text_add(t, ",");
    text_real(t, name, value);
}

static void add_figures(struct text *t, const struct easim_pass *pass, uint32_t config,
                        const char *name, uint32_t figure) {
    text_printf(t, ",\"%s\":[", name);
    for (int i = 1; i <= LOADS; i++) {
        text_add(t, i > 1 ? "," : "");
        text_number(
            t, services_of(pass)->replica_figure(pass->plan, config, (double)i / LOADS, figure));
    }
    text_add(t, "]");
}

static void add_config(struct text *t, const struct easim_pass *pass, uint32_t config) {
    const struct easim_replica_config *c = easim_replica_config_at(services_of(pass), config);
    text_printf(t, "{\"service\":%u,\"gpu_type\":%u,\"k\":%u", c->service, c->gpu_type, c->k);
    add_real(t, "limit", c->limit);
    add_real(t, "most_per_s", c->most_per_s);
    add_real(t, "most_w", c->most_w);
    add_real(t, "target_j_per_token", c->target_j_per_token);
    add_real(t, "target_latency_ms", c->target_latency_ms);
    add_figures(t, pass, config, "j_per_token", EASIM_REPLICA_J_PER_TOKEN);
    add_figures(t, pass, config, "power_w", EASIM_REPLICA_POWER_W);
    add_figures(t, pass, config, "latency_ms", EASIM_REPLICA_LATENCY_MS);
    text_add(t, "}");
}

void services_hello(struct text *t, const struct easim_pass *pass) {
    const struct easim_services *services = services_of(pass);
    if (services->service_count == 0)
        return;
    text_add(t, ",\"services\":[");
    for (uint32_t i = 0; i < services->service_count; i++) {
        const struct easim_service *s = easim_service_at(services, i);
        text_add(t, i ? ",{" : "{");
        text_string(t, "name", s->name);
        text_printf(t, ",\"first_config\":%u,\"config_count\":%u,\"min\":%u,\"max\":%u",
                    s->first_config, s->config_count, s->min, s->max);
        add_real(t, "wait_s", s->wait_s);
        add_real(t, "timeout_s", s->timeout_s);
        add_real(t, "start_s", s->start_s);
        add_real(t, "target", s->target);
        text_add(t, "}");
    }
    text_add(t, "],\"replica_configs\":[");
    for (uint32_t i = 0; i < services->replica_config_count; i++) {
        text_add(t, i ? "," : "");
        add_config(t, pass, i);
    }
    text_add(t, "]");
}

void services_present(struct text *t, const struct easim_services *services) {
    const char *comma = "";
    if (services->service_count == 0)
        return;
    text_add(t, ",\"services\":[");
    for (uint32_t i = 0; i < services->service_count; i++) {
        const struct easim_service *s = easim_service_at(services, i);
        text_printf(t, "%s{\"ready\":%u,\"loading\":%u", i ? "," : "", s->ready, s->loading);
        add_real(t, "demand_per_s", s->demand_per_s);
        add_real(t, "backlog", s->backlog);
        add_real(t, "ready_per_s", s->ready_per_s);
        add_real(t, "loading_per_s", s->loading_per_s);
        text_add(t, "}");
    }
    text_add(t, "],\"replicas\":[");
    for (uint32_t i = 0; i < services->replica_count; i++) {
        const struct easim_replica *r = easim_replica_at(services, i);
        if (r->state == EASIM_REPLICA_NONE)
            continue;
        text_printf(t, "%s{\"replica\":%u,\"state\":\"%s\",\"service\":%u,\"number\":%u", comma, i,
                    r->state == EASIM_REPLICA_READY ? "ready" : "loading", r->service, r->number);
        text_printf(t, ",\"config\":%u,\"node\":%u", r->config, r->node);
        add_real(t, "since_s", r->since_s);
        add_real(t, "ready_s", r->ready_s);
        text_add(t, "}");
        comma = ",";
    }
    text_add(t, "]");
}

static int say_none(const struct easim_services *services,
                    char problem[static SERVICES_PROBLEM_BYTES]) {
    if (services->service_count > 0)
        return 0;
    snprintf(problem, SERVICES_PROBLEM_BYTES, "no service was told of (policy.params.services)");
    return -1;
}

int services_scale(const struct easim_pass *pass, const char *verb, const cJSON *value,
                   int *ret_answer, char problem[static SERVICES_PROBLEM_BYTES]) {
    const struct easim_services *services = services_of(pass);
    bool up = strcmp(verb, "scale_up") == 0;
    uint32_t count = up ? services->replica_config_count : services->replica_count;
    uint32_t index = answer_index(value, count);
    if (say_none(services, problem) < 0)
        return -1;
    if (index == EASIM_NONE) {
        snprintf(problem, SERVICES_PROBLEM_BYTES, "expected 0..%u", count - 1);
        return -1;
    }
    *ret_answer = up ? services->plan_scale_up(pass->plan, index)
                     : services->plan_scale_down(pass->plan, index);
    return 0;
}

int services_figures(const struct easim_pass *pass, const cJSON *config, const cJSON *load,
                     struct text *text, char problem[static SERVICES_PROBLEM_BYTES]) {
    static const char *const names[] = {[EASIM_REPLICA_J_PER_TOKEN] = "j_per_token",
                                        [EASIM_REPLICA_POWER_W] = "power_w",
                                        [EASIM_REPLICA_LATENCY_MS] = "latency_ms",
                                        [EASIM_REPLICA_RUNNING] = "running"};
    uint32_t count = services_of(pass)->replica_config_count, index = answer_index(config, count);
    if (say_none(services_of(pass), problem) < 0)
        return -1;
    if (index == EASIM_NONE || !cJSON_IsNumber(load) ||
        !(load->valuedouble >= 0 && load->valuedouble <= 1)) {
        snprintf(problem, SERVICES_PROBLEM_BYTES, "expected 0..%u, and a load of 0..1", count - 1);
        return -1;
    }
    for (uint32_t figure = 0; figure < sizeof names / sizeof *names; figure++)
        add_real(text, names[figure],
                 services_of(pass)->replica_figure(pass->plan, index, load->valuedouble, figure));
    return 0;
}

/* Warnings about services: see service_warnings.h. */
#include "study/service_warnings.h"

__attribute__((format(printf, 3, 4))) static void
warn_of_service(struct study *study, const struct service *service, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *text = arena_vprintf(&study->arena, format, arguments);
    va_end(arguments);
    array_push(&study->warnings, arena_printf(&study->arena, "%s.%s", service->path, text));
}

static void warn_of_demand(struct study *study, const struct service *service) {
    const struct service_demand *d = &service->demand;
    int64_t horizon_ns = study->scenario.horizon_ns;
    if (service_demand_is_none(d))
        warn_of_service(study, service, "demand: nothing is ever asked for");
    else if (d->end_ns < horizon_ns && horizon_ns != TIME_NONE_NS)
        warn_of_service(
            study, service,
            "demand: nothing is asked for from t = %.9g s on, %.9g s before the horizon "
            "(period: DURATION would repeat it)",
            units_s(d->end_ns), units_s(horizon_ns - d->end_ns));
}

/* Whether it, and not latency or what was measured, ends some configuration. */
static bool limit_binds(const struct service *service, double limit) {
    uint32_t c = 0;
    while (c < service->config_count && service->configs[c].most_n != limit)
        c++;
    return c < service->config_count;
}

/* Limits ascend: above the first that does not bind none does. */
static void warn_of_limits(struct study *study, const struct service *service) {
    const double *limits = service->replicas.b.at;
    size_t first = 0, count = service->replicas.b.count;
    while (first < count && limit_binds(service, limits[first]))
        first++;
    if (first + 1 < count)
        warn_of_service(
            study, service,
            "replicas.b: from %.9g to %.9g all are alike, as latency or what was measured ends sooner",
            limits[first], limits[count - 1]);
}

static void warn_of_scaling(struct study *study, const struct service *service) {
    const struct service_replicas *r = &service->replicas;
    if (service->has_scaling && r->min == r->max && service->config_count == 1)
        warn_of_service(study, service,
                        "scaling: of no effect, but when a replica is lost: min is max");
}

/* The rest of `scaling` says what the first replicas are. */
static void warn_of_policy(struct study *study, const struct service *service) {
    if (service->has_scaling && params_scale_services(&study->params))
        warn_of_service(
            study, service,
            "scaling: interval, down_after and preempt are of no effect, policy %s scales services itself",
            study->module.policy->name);
}

/* Asked for by name, where there is nothing to scale. */
static void warn_of_no_services(struct study *study) {
    if (study->source.services.count == 0 && params_ask_for_services(&study->params))
        array_push(&study->warnings,
                   "policy.params.services: of no effect, the workload has no services");
}

void service_warnings_find(struct study *study) {
    warn_of_no_services(study);
    const struct service *services = study->source.services.at;
    for (size_t i = 0; i < study->source.services.count; i++) {
        if (services[i].unfit)
            warn_of_service(study, &services[i], "replicas: these cannot be:%s", services[i].unfit);
        warn_of_demand(study, &services[i]);
        warn_of_limits(study, &services[i]);
        warn_of_scaling(study, &services[i]);
        warn_of_policy(study, &services[i]);
    }
}

/* Warnings about services: see service_warnings.h. */
#include "study/service_warnings.h"

#include "base/units.h"
#include "workload/service_load.h"

#include <math.h>

#define EQUAL 1e-9 /* relatively: means of bins and sums of capacities round */

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

/* ---- Overload ---- */

/* Demand from t = 0 to until_ns; first_ns TIME_NONE_NS: it is never more than `most`. */
struct demand_summary {
    double most, peak, mean;
    int64_t until_ns, first_ns;
    double above; /* share of the time with more than `most` */
};

static void sum_demand(const struct service_demand *demand, struct demand_summary *sum) {
    struct series_cursor cursor;
    series_start(&cursor, &demand->course);
    sum->first_ns = TIME_NONE_NS;
    for (int64_t from_ns = 0, to_ns; from_ns < sum->until_ns; from_ns = to_ns) {
        to_ns = series_next_ns(&cursor);
        to_ns = to_ns < sum->until_ns ? to_ns : sum->until_ns;
        double share = units_s(to_ns - from_ns) / units_s(sum->until_ns);
        sum->mean += cursor.value * share;
        sum->peak = fmax(sum->peak, cursor.value);
        if (cursor.value > sum->most * (1 + EQUAL)) {
            sum->above += share;
            sum->first_ns = from_ns < sum->first_ns ? from_ns : sum->first_ns;
        }
        if (to_ns < sum->until_ns)
            series_pass(&cursor);
    }
}

/* A round of repeated demand says all. */
static void warn_of_overload(struct study *study, const struct service *service) {
    const struct service_demand *d = &service->demand;
    int64_t period_ns = series_period_ns(&d->course);
    struct demand_summary sum = {.most = service_configs_most_per_s(service, &study->cluster),
                                 .until_ns = study->scenario.horizon_ns};
    if (period_ns > 0 && period_ns < sum.until_ns)
        sum.until_ns = period_ns;
    if (d->end_ns < sum.until_ns)
        sum.until_ns = d->end_ns;
    sum_demand(d, &sum);
    if (sum.first_ns == TIME_NONE_NS)
        return;
    bool outputs = study->models.models[service->model].serving.unit == UNIT_OUTPUT;
    warn_of_service(
        study, service,
        "demand: up to %.6g %s/s, %.6g in the mean, more than replicas.max of %lld can give here, "
        "at most %.6g: first at t = %.9g s, for %.3g %% of the time; %s",
        sum.peak * d->output_share, outputs ? "outputs" : "tokens", sum.mean * d->output_share,
        (long long)service->replicas.max, sum.most * d->output_share, units_s(sum.first_ns),
        100 * sum.above,
        isfinite(service->slo.timeout_s) ? "who would wait longer than timeout_s is not served"
        : sum.mean <= sum.most           ? "meanwhile requests wait"
        : study->scenario.horizon_ns == TIME_NONE_NS
            ? "the backlog grows until the last job ends the run"
            : "the backlog grows as long as this lasts");
}

/* ---- Keys without effect ---- */

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
        warn_of_overload(study, &services[i]);
        warn_of_limits(study, &services[i]);
        warn_of_scaling(study, &services[i]);
        warn_of_policy(study, &services[i]);
    }
}

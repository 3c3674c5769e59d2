/* The keys of a service: see service.h. */
#include "workload/service.h"

#include <math.h>
#include <string.h>

#define MOST_REPLICAS 1000000

static const char *const objective_names[] = {"energy", "latency", NULL};

static const struct field slo_fields[] = {
    {"itl_ms", REAL(service_slo, itl_ms), DEFAULT(NAN), ABOVE(0, 1e9),
     HELP("required for tokens: most ms from a token of a request to its next, at the quantile")},
    {"latency_ms", REAL(service_slo, latency_ms), DEFAULT(NAN), ABOVE(0, 1e9),
     HELP("required for outputs: most milliseconds that one takes")},
    {"quantile", CHOICE(service_slo, quantile, serving_quantile_names), DEFAULT(-1),
     HELP("quantile of itl_ms; refused for outputs (default p99)")},
    {"wait_s", DURATION(service_slo, wait_s), REQUIRED, RANGE(0, TIME_MAX_S),
     HELP("longest wait within the objective")},
    {"timeout_s", DURATION(service_slo, timeout_s), DEFAULT(INFINITY), WORD("none"),
     ABOVE(0, TIME_MAX_S), HELP("a request that would wait longer is not served; at least wait_s")},
    FIELDS_END};

static const struct field replica_fields[] = {
    {LOCATION(service_replicas, where)},
    {"min", INT(service_replicas, min), DEFAULT(1), RANGE(0, MOST_REPLICAS),
     HELP("replicas that always run; easim places them at t = 0, before any job")},
    {"max", INT(service_replicas, max), REQUIRED, RANGE(1, MOST_REPLICAS),
     HELP("most replicas; demand above their capacity is counted as overload")},
    {"k", INTS(service_replicas, k), RANGE(1, CLUSTER_MAX_GPUS),
     HELP("GPUs of a replica (default: all of the tables)")},
    {"b", REALS(service_replicas, b), ABOVE(0, 1e9),
     HELP("most requests at once (default: all of the tables)")},
    {"h", TEXTS(service_replicas, h), HELP("GPU types (default: all of the tables)")},
    FIELDS_END};

static const struct field scaling_fields[] = {
    {"target", REAL(service_scaling, target), DEFAULT(0.8), RANGE(0.01, 1),
     HELP("load at which replicas are meant to run")},
    {"interval", DURATION(service_scaling, interval_s), DEFAULT(60), RANGE(1e-3, 1e6),
     HELP("time from one look at demand to the next")},
    {"down_after", DURATION(service_scaling, down_after_s), DEFAULT(300), RANGE(1e-3, 1e6),
     HELP("stop a replica that was idle for this time, in which a backlog must be gone, too")},
    {"preempt", BOOL(service_scaling, preempt),
     HELP("a replica that finds no GPUs may displace best-effort jobs")},
    {"objective", CHOICE(service_scaling, objective, objective_names),
     HELP("choice among configurations: least energy of a token, or least latency")},
    FIELDS_END};

const struct field service_fields[] = {
    {LOCATION(service, where)},
    {"kind", STRING(service, kind), REQUIRED, HELP("a service, not a source of jobs")},
    {"name", TEXT(service, name),
     HELP("name in its replicas (chat#3) and rows, used once (default: service)")},
    {"model", TEXT(service, model_name), REQUIRED, HELP("a model with serving tables")},
    {"user", TEXT(service, user), DEFAULT_TEXT("default"),
     HELP("user who is charged for its energy")},
    {"labels", NAMED_TEXTS(service, label_node),
     HELP("labels, as label.* of jobs (default: none)")},
    {"demand", OBJECT(service, demand, service_demand_fields), REQUIRED,
     HELP("tokens or outputs per second: constant, daily cycle, series or log")},
    {"slo", OBJECT(service, slo, slo_fields), REQUIRED, HELP("service level objective")},
    {"replicas", OBJECT(service, replicas, replica_fields), REQUIRED,
     HELP("number and configurations of replicas")},
    {"start_s", DURATION(service, start_s), RANGE(0, 1e6),
     HELP("time that a new replica takes to load")},
    {"scaling", OBJECT(service, scaling, scaling_fields),
     HELP("how the number of replicas follows demand; interval, down_after and preempt have no "
          "effect if the policy scales")},
    FIELDS_END};

bool service_is(const struct yaml_node *entry) {
    const struct yaml_node *kind =
        entry->kind == YAML_NODE_MAPPING ? yaml_find(entry, "kind") : NULL;
    return kind && kind->kind == YAML_NODE_SCALAR && strcmp(kind->text, "service") == 0;
}

static void bind_labels(struct service *service, const struct binding *binding) {
    const struct yaml_node *node = service->label_node;
    const char *path = arena_printf(binding->arena, "%s.labels", service->path);
    if (!node)
        return;
    if (node->kind != YAML_NODE_MAPPING) {
        (void)schema_wrong(binding, node, path, "names and texts: {team: search}");
        return;
    }
    struct service_label *labels = arena_alloc(binding->arena, node->count * sizeof *labels);
    for (size_t i = 0; i < node->count; i++) {
        const struct yaml_node *value = node->items[i];
        labels[i] = (struct service_label){node->keys[i]->text, value->text};
        if (value->kind != YAML_NODE_SCALAR || yaml_is_null(value) || node->keys[i]->length == 0)
            (void)schema_wrong(binding, value,
                               arena_printf(binding->arena, "%s.%s", path, node->keys[i]->text),
                               "a name and a text");
        else
            schema_note_text(binding, value);
    }
    service->labels = (struct schema_list){labels, node->count};
}

static void check_slo(const struct service *service, const struct binding *binding) {
    const struct service_slo *slo = &service->slo;
    const char *path = arena_printf(binding->arena, "%s.slo", service->path);
    if (isnan(slo->itl_ms) == isnan(slo->latency_ms))
        problems_add(binding->problems, service->where, path,
                     "expected itl_ms (models of tokens) or latency_ms (of outputs), got %s",
                     isnan(slo->itl_ms) ? "neither" : "both");
    else if (!isnan(slo->latency_ms) && slo->quantile >= 0)
        problems_add(binding->problems, service->where, path,
                     "expected no quantile: tables of outputs have one latency");
    if (slo->timeout_s < slo->wait_s)
        problems_add(binding->problems, service->where, path,
                     "expected timeout_s of at least wait_s, got %.9g s and %.9g s", slo->timeout_s,
                     slo->wait_s);
}

int service_bind(struct service *service, const struct yaml_node *entry, const char *path,
                 const struct binding *binding) {
    size_t before = binding->problems->count;
    if (schema_bind(binding, service_fields, entry, path, service) < 0)
        return ERROR_INPUT;
    service->path = path;
    service->has_scaling = yaml_find(entry, "scaling") != NULL;
    if (service->replicas.min > service->replicas.max)
        problems_add(binding->problems, service->replicas.where,
                     arena_printf(binding->arena, "%s.replicas", path),
                     "expected min at most max, got %lld and %lld",
                     (long long)service->replicas.min, (long long)service->replicas.max);
    schema_sort_ints(&service->replicas.k);
    schema_sort_reals(&service->replicas.b);
    check_slo(service, binding);
    bind_labels(service, binding);
    return binding->problems->count > before ? ERROR_INPUT : 0;
}

/* The keys of a service: see service.h. */
#include "workload/service.h"

#include <math.h>
#include <string.h>

#define MOST_REPLICAS 1000000

static const char *const objective_names[] = {"energy", "latency", NULL};

#define OF(member) .offset = offsetof(struct service_slo, member)

static const struct field slo_fields[] = {
    {.key = "itl_ms",
     .type = FIELD_REAL,
     OF(itl_ms),
     .default_value = NAN,
     .above_min = true,
     .max = 1e9,
     .help = "tokens: most from one of a request to its next, at the quantile"},
    {.key = "latency_ms",
     .type = FIELD_REAL,
     OF(latency_ms),
     .default_value = NAN,
     .above_min = true,
     .max = 1e9,
     .help = "outputs: most that one takes"},
    {.key = "quantile",
     .type = FIELD_CHOICE,
     OF(quantile),
     .default_value = -1,
     .choices = serving_quantile_names,
     .help = "of itl_ms (default p99)"},
    {.key = "wait_s",
     .type = FIELD_DURATION,
     OF(wait_s),
     .required = true,
     .max = TIME_MAX_S,
     .help = "longest wait within the objective"},
    {.key = "timeout_s",
     .type = FIELD_DURATION,
     OF(timeout_s),
     .default_value = INFINITY,
     .word = "none",
     .above_min = true,
     .max = TIME_MAX_S,
     .help = "who would wait longer is not served"},
    FIELDS_END};

#undef OF
#define OF(member) .offset = offsetof(struct service_replicas, member)

static const struct field replica_fields[] = {
    {.type = FIELD_LOCATION, OF(where)},
    {.key = "min",
     .type = FIELD_INT,
     OF(min),
     .default_value = 1,
     .max = MOST_REPLICAS,
     .help = "that there always are, from t = 0 on"},
    {.key = "max", .type = FIELD_INT, OF(max), .required = true, .min = 1, .max = MOST_REPLICAS},
    {.key = "k",
     .type = FIELD_INTS,
     OF(k),
     .min = 1,
     .max = CLUSTER_MAX_GPUS,
     .help = "GPUs of a replica (default: of all tables)"},
    {.key = "b",
     .type = FIELD_REALS,
     OF(b),
     .above_min = true,
     .max = 1e9,
     .help = "most requests at once (default: what was measured)"},
    {.key = "h",
     .type = FIELD_STRINGS,
     OF(h),
     .min = 1,
     .help = "GPU types (default: of all tables)"},
    FIELDS_END};

#undef OF
#define OF(member) .offset = offsetof(struct service_scaling, member)

static const struct field scaling_fields[] = {
    {.key = "target",
     .type = FIELD_REAL,
     OF(target),
     .default_value = 0.8,
     .min = 0.01,
     .max = 1,
     .help = "load that replicas are meant to have"},
    {.key = "interval",
     .type = FIELD_DURATION,
     OF(interval_s),
     .default_value = 60,
     .min = 1e-3,
     .max = 1e6,
     .help = "from one look at demand to the next"},
    {.key = "down_after",
     .type = FIELD_DURATION,
     OF(down_after_s),
     .default_value = 300,
     .min = 1e-3,
     .max = 1e6,
     .help = "a replica goes when it was not wanted for so long; a backlog is to be gone in it"},
    {.key = "preempt",
     .type = FIELD_BOOL,
     OF(preempt),
     .help = "best-effort jobs, for a replica that finds no GPUs"},
    {.key = "objective",
     .type = FIELD_CHOICE,
     OF(objective),
     .choices = objective_names,
     .help = "of the choice among configurations: energy (of a token) | latency"},
    FIELDS_END};

#undef OF
#define OF(member) .offset = offsetof(struct service, member)

static const struct field service_fields[] = {
    {.type = FIELD_LOCATION, OF(where)},
    {.key = "kind", .type = FIELD_STRING, OF(kind), .required = true},
    {.key = "name", .type = FIELD_STRING, OF(name), .min = 1},
    {.key = "model", .type = FIELD_STRING, OF(model_name), .required = true, .min = 1},
    {.key = "user",
     .type = FIELD_STRING,
     OF(user),
     .default_text = "default",
     .min = 1,
     .help = "whose its energy is"},
    {.key = "labels",
     .type = FIELD_NODE,
     OF(label_node),
     .help = "names and texts, as label.* of jobs"},
    {.key = "demand",
     .type = FIELD_OBJECT,
     OF(demand),
     .required = true,
     .fields = service_demand_fields},
    {.key = "slo", .type = FIELD_OBJECT, OF(slo), .required = true, .fields = slo_fields},
    {.key = "replicas",
     .type = FIELD_OBJECT,
     OF(replicas),
     .required = true,
     .fields = replica_fields},
    {.key = "start_s",
     .type = FIELD_DURATION,
     OF(start_s),
     .max = 1e6,
     .help = "a new replica loads for so long"},
    {.key = "scaling", .type = FIELD_OBJECT, OF(scaling), .fields = scaling_fields},
    FIELDS_END};

#undef OF

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

/* Loading of services: see service_load.h. */
#include "workload/service_load.h"

#include "cluster/placement.h"
#include "workload/service_configs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 4, 5))) static void refuse_key(const struct service *service,
                                                             const char *key,
                                                             const struct binding *binding,
                                                             const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *text = arena_vprintf(binding->arena, format, arguments);
    va_end(arguments);
    bool of_replicas = strncmp(key, "replicas", 8) == 0;
    problems_add(binding->problems, of_replicas ? service->replicas.where : service->where,
                 arena_printf(binding->arena, "%s.%s", service->path, key), "%s", text);
}

/* ---- What it refers to ---- */

/* NULL after adding a problem. */
static const struct model *find_model(struct service *service, const struct model_set *models,
                                      const struct binding *binding) {
    int found = model_set_find(models, service->model_name);
    if (found < 0) {
        refuse_key(service, "model", binding, "no model is named \"%.80s\"%s", service->model_name,
                   model_set_suggest(models, service->model_name, binding));
        return NULL;
    }
    service->model = (uint32_t)found;
    if (models->models[found].serving.tables.count == 0) {
        refuse_key(service, "model", binding,
                   "model \"%.80s\" has no serving tables: nobody knows how it serves",
                   service->model_name);
        return NULL;
    }
    return &models->models[found];
}

static void check_gpu_types(const struct service *service, const struct cluster *cluster,
                            const struct binding *binding) {
    const char *const *types = service->replicas.h.at;
    for (size_t i = 0; i < service->replicas.h.count; i++)
        if (cluster_find_type(cluster, types[i]) < 0)
            refuse_key(service, arena_printf(binding->arena, "replicas.h[%zu]", i), binding,
                       "no GPU type is named \"%.80s\"%s", types[i],
                       cluster_suggest_type(cluster, types[i], binding));
}

static void settle_objective(struct service *service, const struct model *model,
                             const struct binding *binding) {
    const struct service_slo *slo = &service->slo;
    bool outputs = model->serving.unit == UNIT_OUTPUT;
    if (outputs && isnan(slo->latency_ms))
        refuse_key(service, "slo", binding, "expected latency_ms: model \"%.80s\" counts outputs",
                   model->name);
    if (!outputs && isnan(slo->itl_ms))
        refuse_key(service, "slo", binding, "expected itl_ms: model \"%.80s\" counts tokens",
                   model->name);
    service->objective = (struct latency_objective){
        .quantile = slo->quantile >= 0 ? (enum serving_quantile)slo->quantile : SERVING_P99,
        .most_ms = outputs ? slo->latency_ms : slo->itl_ms};
}

static struct demand_ask ask_of(const struct service *service, const struct model *model,
                                int64_t start_ns, const struct binding *binding) {
    return (struct demand_ask){.path = arena_printf(binding->arena, "%s.demand", service->path),
                               .unit = (enum work_unit)model->serving.unit,
                               .prompt = model->serving.prompt,
                               .start_ns = start_ns};
}

static void load_service(struct service *service, const struct service_surroundings *around,
                         bool with_demand, const struct binding *binding) {
    size_t before = binding->problems->count;
    const struct model *model = find_model(service, around->models, binding);
    check_gpu_types(service, around->cluster, binding);
    if (!model)
        return;
    const struct demand_ask ask = ask_of(service, model, around->scenario->start_ns, binding);
    settle_objective(service, model, binding);
    int r = with_demand ? service_demand_load(&service->demand, &ask, binding) : 0;
    if (r == 0 && binding->problems->count == before)
        r = service_configs_find(service, around->cluster, model, binding);
    (void)r; /* the problems say it */
}

int service_load_in_bins(struct service *service, double bin_s, const struct model_set *models,
                         const struct binding *binding) {
    const struct demand_ask ask =
        ask_of(service, &models->models[service->model], TIME_NONE_NS, binding);
    service->demand.bin_s = bin_s;
    service->demand.prompt_ratio = NAN; /* the log says it again */
    return service_demand_load(&service->demand, &ask, binding);
}

/* ---- All together ---- */

/* Whether files, in which a name stays on its line, have the same text. */
static bool alike(const char *a, const char *b) {
    while (*a && (*a == *b || (strchr(" \r\n", *a) && *b && strchr(" \r\n", *b)))) {
        a++;
        b++;
    }
    return *a == *b;
}

static void check_names(const struct schema_list *services, const struct binding *binding) {
    const struct service *list = services->at;
    for (size_t i = 0; i < services->count; i++)
        for (size_t j = 0; j < i; j++)
            if (alike(list[i].name, list[j].name)) {
                refuse_key(&list[i], "name", binding, "service \"%.80s\" is listed twice",
                           list[i].name);
                break;
            }
}

/* False: no configuration of the service finds room in one node. */
static bool place_replica(const struct service *service, struct placement *placement, bool *fits) {
    struct allocation taken = {0};
    for (uint32_t i = 0; i < service->config_count; i++)
        fits[i] = placement_node_free_max(placement, service->configs[i].gpu_type) >=
                  service->configs[i].k;
    uint32_t best = service_configs_best(service, 0, 0, fits);
    if (best == SERVICE_NO_CONFIG)
        return false;
    bool took = placement_take(placement, service->configs[best].gpu_type, service->configs[best].k,
                               &taken);
    allocation_finish(&taken);
    return took;
}

/* As they are placed at t = 0, before any job. */
static void check_room(const struct schema_list *services, const struct cluster *cluster,
                       const struct binding *binding) {
    const struct service *list = services->at;
    struct placement placement;
    placement_init(&placement, cluster);
    for (size_t i = 0; i < services->count; i++) {
        bool *fits = mem_alloc((list[i].config_count + 1) * sizeof *fits);
        int64_t placed = 0;
        while (placed < list[i].replicas.min && place_replica(&list[i], &placement, fits))
            placed++;
        free(fits);
        if (placed == list[i].replicas.min)
            continue;
        refuse_key(&list[i], "replicas.min", binding,
                   "expected replicas that fit the empty cluster, got %lld, of which %lld fit%s",
                   (long long)list[i].replicas.min, (long long)placed,
                   i > 0 ? " beside those of the services before" : "");
        break;
    }
    placement_finish(&placement);
}

/* The service whose replicas are called like a job; NULL: none. */
static const struct service *same_name(const struct schema_list *services, const char *id) {
    const struct service *list = services->at;
    const char *mark = strrchr(id, '#');
    if (!mark || mark[1] == '\0' || mark[1 + strspn(mark + 1, "0123456789")] != '\0')
        return NULL;
    size_t length = (size_t)(mark - id);
    for (size_t s = 0; s < services->count; s++)
        if (strlen(list[s].name) == length && memcmp(list[s].name, id, length) == 0)
            return &list[s];
    return NULL;
}

void services_check_jobs(const struct schema_list *services, const struct stream *stream,
                         bool prefixed, const struct binding *binding) {
    for (size_t i = 0; services->count > 0 && i < stream->trace.rows.count; i++) {
        const char *id = stream->trace.rows.at[i].id;
        if (!id || !strchr(id, '#'))
            continue;
        if (prefixed)
            id = arena_printf(binding->arena, "%s-%s", stream->name, id);
        const struct service *service = same_name(services, id);
        if (!service)
            continue;
        refuse_key(service, "name", binding,
                   "expected another name: a job is called \"%.80s\", as a replica would be", id);
        return;
    }
}

int services_load(const struct schema_list *services, const struct service_surroundings *around,
                  const struct binding *binding) {
    size_t before = binding->problems->count;
    struct service *list = services->at;
    for (size_t i = 0; i < services->count; i++)
        load_service(&list[i], around, true, binding);
    check_names(services, binding);
    if (binding->problems->count == before)
        check_room(services, around->cluster, binding);
    return binding->problems->count > before ? ERROR_INPUT : 0;
}

int services_load_configs(const struct schema_list *services,
                          const struct service_surroundings *around,
                          const struct binding *binding) {
    size_t before = binding->problems->count;
    struct service *list = services->at;
    for (size_t i = 0; i < services->count; i++)
        load_service(&list[i], around, false, binding);
    return binding->problems->count > before ? ERROR_INPUT : 0;
}

/* Loading of services: see service_load.h. */
#include "workload/service_load.h"

#include "base/units.h"
#include "cluster/placement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- service_configs --- */

static int service_configs_find(struct service *service, const struct cluster *cluster,
                                const struct model *model,
                                const struct binding *binding) MUST_CHECK;

#define EQUAL 1e-12 /* of values, relatively: those of equal formulas differ by rounding */

/* ---- Why not ---- */

/* A GPU type and k that a service may have, as the model's table has them. */
struct candidate {
    const char *gpu;
    int64_t k;
    const struct serving *table; /* NULL: there is none */
};

static const char *why_not(const struct candidate *candidate, const struct service *service,
                           const struct cluster *cluster, struct arena *arena) {
    int type = cluster_find_type(cluster, candidate->gpu);
    const struct latency_objective *o = &service->objective;
    if (!candidate->table)
        return "the model has no serving table for it";
    if (type < 0)
        return "the cluster has no such GPU";
    if (candidate->k > cluster->gpu_types[type].node_gpus_max)
        return arena_printf(arena, "a replica is in one node, and the largest has %u",
                            cluster->gpu_types[type].node_gpus_max);
    double least_ms = candidate->table->table.points[0].latency_ms[o->quantile];
    if (least_ms > o->most_ms)
        return arena_printf(arena, "takes %.9g ms at its least load, more than %.9g ms", least_ms,
                            o->most_ms);
    return NULL;
}

/* ---- Candidates ---- */

struct candidates {
    ARRAY_OF(struct candidate) at;
};

static void add_candidate(struct candidates *list, const struct model *model, const char *gpu,
                          int64_t k) {
    const struct serving *tables = model->serving.tables.at;
    struct candidate new = {gpu, k, NULL};
    for (size_t i = 0; i < list->at.count; i++)
        if (list->at.at[i].k == k && strcmp(list->at.at[i].gpu, gpu) == 0)
            return;
    for (size_t i = 0; i < model->serving.tables.count; i++)
        if (tables[i].k == k && strcmp(tables[i].gpu, gpu) == 0)
            new.table = &tables[i];
    array_push(&list->at, new);
}

/* With every k of the service, or of the tables on that type. */
static void add_candidates_on(struct candidates *list, const struct service *service,
                              const struct model *model, const char *gpu) {
    const struct serving *tables = model->serving.tables.at;
    const int64_t *k = service->replicas.k.at;
    for (size_t i = 0; i < service->replicas.k.count; i++)
        add_candidate(list, model, gpu, k[i]);
    for (size_t i = 0; service->replicas.k.count == 0 && i < model->serving.tables.count; i++)
        if (strcmp(tables[i].gpu, gpu) == 0)
            add_candidate(list, model, gpu, tables[i].k);
    if (list->at.count == 0)
        add_candidate(list, model, gpu, 1);
}

static void list_candidates(struct candidates *list, const struct service *service,
                            const struct cluster *cluster, const struct model *model) {
    const char *const *types = service->replicas.h.at;
    for (size_t i = 0; i < service->replicas.h.count; i++)
        add_candidates_on(list, service, model, types[i]);
    for (uint32_t h = 0; service->replicas.h.count == 0 && h < cluster->gpu_type_count; h++)
        add_candidates_on(list, service, model, cluster->gpu_types[h].name);
}

/* ---- Configurations ---- */

static void add_configs(struct service *service, const struct candidate *candidate,
                        const struct cluster *cluster) {
    const double *limits = service->replicas.b.at;
    size_t count = service->replicas.b.count;
    uint32_t type = (uint32_t)cluster_find_type(cluster, candidate->gpu);
    double loaded_w = candidate->table->loaded_w;
    for (size_t i = 0; i < (count > 0 ? count : 1); i++) {
        struct replica_config *config = &service->configs[service->config_count];
        *config = (struct replica_config){
            .table = &candidate->table->table,
            .gpu_type = type,
            .k = (uint32_t)candidate->k,
            .limit = count > 0 ? limits[i] : INFINITY,
            .loaded_w =
                isnan(loaded_w) ? (double)candidate->k * cluster->gpu_types[type].ctx_w : loaded_w};
        service->config_count += replica_settle(config, &service->objective);
    }
}

static void sort_configs(struct service *service) {
    struct replica_config *c = service->configs;
    double load = service->scaling.target;
    for (uint32_t i = 1; i < service->config_count; i++)
        for (uint32_t j = i; j > 0 && replica_before(&c[j], &c[j - 1], load); j--) {
            struct replica_config moved = c[j];
            c[j] = c[j - 1];
            c[j - 1] = moved;
        }
}

/* " h100 k 1: why; ..." of all infeasible ones; NULL: there are none. */
static const char *all_reasons(const struct service *service, const struct candidates *list,
                               const struct cluster *cluster, struct arena *arena) {
    struct str text = {0};
    for (size_t i = 0; i < list->at.count; i++) {
        const char *reason = why_not(&list->at.at[i], service, cluster, arena);
        if (reason)
            str_addf(&text, "%s %.80s k %lld: %s", text.length > 0 ? ";" : "", list->at.at[i].gpu,
                     (long long)list->at.at[i].k, reason);
    }
    const char *reasons = text.length > 0 ? arena_strdup(arena, text.text) : NULL;
    str_finish(&text);
    return reasons;
}

/* Finds the feasible configurations of a service whose model and objective are set; a problem that
   says of each why not if there is none. Negative after adding it. */
static int service_configs_find(struct service *service, const struct cluster *cluster,
                                const struct model *model, const struct binding *binding) {
    struct candidates list = {.at = {0}};
    size_t limits = service->replicas.b.count > 0 ? service->replicas.b.count : 1;
    list_candidates(&list, service, cluster, model);
    service->configs =
        arena_alloc(binding->arena, list.at.count * limits * sizeof *service->configs);
    for (size_t i = 0; i < list.at.count; i++)
        if (!why_not(&list.at.at[i], service, cluster, binding->arena))
            add_configs(service, &list.at.at[i], cluster);
    sort_configs(service);
    const char *reasons = all_reasons(service, &list, cluster, binding->arena);
    bool listed = service->replicas.k.count > 0 || service->replicas.h.count > 0;
    service->unfit = listed ? reasons : NULL;
    if (service->config_count == 0)
        problems_add(binding->problems, service->where, service->path,
                     "no replica can serve it within %.9g ms:%s", service->objective.most_ms,
                     reasons);
    free(list.at.at);
    return service->config_count == 0 ? ERROR_INPUT : 0;
}

/* Alone, configurations of one table that differ in their limit give the same to the last bit. */
static double value_of(const struct service *service, const struct replica_config *config,
                       double per_s, double others_per_s) {
    double most = config->most_per_s;
    double given = per_s > 0 ? fmin(per_s * (most / (others_per_s + most)), most)
                             : service->scaling.target * most;
    return service->scaling.objective == OBJECTIVE_ENERGY
               ? replica_joules_giving(config, given)
               : replica_latency_giving_ms(config, given);
}

uint32_t service_configs_best(const struct service *service, double per_s, double others_per_s,
                              const bool *fits) {
    uint32_t best = SERVICE_NO_CONFIG;
    double least = INFINITY;
    for (uint32_t i = 0; i < service->config_count; i++) {
        const struct replica_config *config = &service->configs[i];
        double value = value_of(service, config, per_s, others_per_s);
        if ((!fits || fits[i]) && value < least * (1 - EQUAL)) {
            least = value;
            best = i;
        }
    }
    return best;
}

/* ---- What replicas give together ---- */

/* Replicas on GPUs of one type: none gives more than `each`, and no mixture of them on the empty
   cluster more than `replicas` times that. */
struct supply {
    double each, replicas;
};

static struct supply supply_of_type(const struct service *service, const struct cluster *cluster,
                                    uint32_t type) {
    struct supply supply = {0, 0};
    double of_gpu = 0, fitting = 0;
    uint32_t least_k = UINT32_MAX;
    for (uint32_t i = 0; i < service->config_count; i++) {
        const struct replica_config *c = &service->configs[i];
        if (c->gpu_type != type)
            continue;
        supply.each = fmax(supply.each, c->most_per_s);
        of_gpu = fmax(of_gpu, c->most_per_s / c->k);
        least_k = c->k < least_k ? c->k : least_k;
    }
    for (uint32_t n = 0; n < cluster->node_count; n++)
        if (cluster->nodes[n].gpu_type == type)
            fitting += cluster->nodes[n].gpus / least_k;
    if (supply.each > 0)
        supply.replicas = fmin(fitting, cluster->gpu_types[type].gpus * of_gpu / supply.each);
    return supply;
}

double service_configs_most_per_s(const struct service *service, const struct cluster *cluster) {
    double sum = 0, left = (double)service->replicas.max, before = INFINITY;
    for (double each = 1; each > 0 && left > 0; before = each) {
        double replicas = 0;
        each = 0; /* the most of one, of the types that are left */
        for (uint32_t h = 0; h < cluster->gpu_type_count; h++) {
            const struct supply supply = supply_of_type(service, cluster, h);
            if (supply.each >= before || supply.each < each)
                continue;
            replicas = supply.replicas + (supply.each == each ? replicas : 0);
            each = supply.each;
        }
        replicas = fmin(replicas, left);
        sum += each * replicas;
        left -= replicas;
    }
    return sum;
}

/* --- service_load --- */

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
                   "model \"%.80s\" has no serving tables: its serving speed is not known",
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
                   i > 0 ? " in addition to those of the services before" : "");
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

/* --- service_scaling --- */

double service_scaling_wanted(const struct service *service, const struct scaling_need *need) {
    const struct service_scaling *s = &service->scaling;
    return need->most_per_s / s->target + need->backlog / s->down_after_s;
}

struct scaling_addition service_scaling_add(const struct service *service,
                                            const struct scaling_need *need,
                                            const struct scaling_supply *supply, const bool *fits) {
    struct scaling_addition none = {.config = SERVICE_NO_CONFIG};
    bool missing = supply->count < service->replicas.min ||
                   service_scaling_wanted(service, need) > supply->per_s;
    if (!missing || supply->count >= service->replicas.max)
        return none;
    uint32_t fitting = service_configs_best(service, need->most_per_s, supply->per_s, fits);
    if (fitting != SERVICE_NO_CONFIG)
        return (struct scaling_addition){fitting, false};
    return (struct scaling_addition){
        service_configs_best(service, need->most_per_s, supply->per_s, NULL), true};
}

/* What replicas but number `without` give. */
static double others_per_s(const struct service *service, const struct scaling_replica *replicas,
                           size_t count, size_t without) {
    double per_s = 0;
    for (size_t i = 0; i < count; i++)
        per_s += i == without ? 0 : service->configs[replicas[i].config].most_per_s;
    return per_s;
}

void service_scaling_note(const struct service *service, double wanted, int64_t now_ns,
                          struct scaling_replica *replicas, size_t count) {
    for (size_t i = 0; i < count; i++) {
        bool spare = others_per_s(service, replicas, count, i) >= wanted;
        if (!spare)
            replicas[i].spare_since_ns = TIME_NONE_NS;
        else if (replicas[i].spare_since_ns == TIME_NONE_NS)
            replicas[i].spare_since_ns = now_ns;
    }
}

static bool is_due(const struct service *service, const struct scaling_replica *replica,
                   int64_t now_ns) {
    return replica->spare_since_ns != TIME_NONE_NS &&
           now_ns - replica->spare_since_ns >= units_ns(service->scaling.down_after_s);
}

size_t service_scaling_release(const struct service *service, double backlog, int64_t now_ns,
                               const struct scaling_replica *replicas, size_t count) {
    size_t found = count;
    double most_j = 0;
    if (backlog > 0 || (int64_t)count <= service->replicas.min)
        return count;
    for (size_t i = 0; i < count; i++) {
        double joules =
            replica_joules(&service->configs[replicas[i].config], service->scaling.target);
        if (is_due(service, &replicas[i], now_ns) && joules >= most_j) {
            found = i;
            most_j = joules;
        }
    }
    return found;
}

int64_t service_scaling_due_ns(const struct service *service,
                               const struct scaling_replica *replicas, size_t count) {
    int64_t due_ns = TIME_NONE_NS;
    if ((int64_t)count <= service->replicas.min)
        return due_ns;
    for (size_t i = 0; i < count; i++)
        if (replicas[i].spare_since_ns != TIME_NONE_NS) {
            int64_t own_ns = replicas[i].spare_since_ns + units_ns(service->scaling.down_after_s);
            due_ns = own_ns < due_ns ? own_ns : due_ns;
        }
    return due_ns;
}

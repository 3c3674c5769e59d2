/* Feasible configurations: see service_configs.h. */
#include "workload/service_configs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
        return "the model has no serving table of it";
    if (type < 0)
        return "the cluster has no such GPU";
    if (candidate->k > cluster->gpu_types[type].node_gpus_max)
        return arena_printf(arena, "a replica stands in one node, and the largest has %u",
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

int service_configs_find(struct service *service, const struct cluster *cluster,
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

/* Alone, configurations of one table that differ in their limit give the same, and are equal to
   the last bit. */
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

/* Tabulation of configurations. Invariant: those of a set are together, by GPU type, k, batch,
   falling power limit. */
#include "model/config_table.h"

#include "model/batches.h"
#include "model/gpu_value.h"
#include "model/laws.h"
#include "model/model_transformer.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static_assert(MODEL_MAX_BATCHES <= CONFIG_MAX_CHOICES, "a phase's batches become a request's");

static const struct field speed_ratio = {.type = FIELD_REAL, .above_min = true, .max = 1e6};

/* Levels of a GPU type of the cluster have to be possible there. */
static int check_levels(const struct config_table *table, struct problems *problems) {
    size_t before = problems->count;
    for (uint32_t i = 0; i < table->models->count; i++)
        for (uint32_t h = 0; h < table->cluster->gpu_type_count; h++) {
            const struct gpu_type *type = &table->cluster->gpu_types[h];
            const struct gpu_model *g = model_on_gpu(&table->models->models[i], type->name);
            const struct power_level *levels = g ? g->power_limits.levels.at : NULL;
            for (size_t l = 0; g && l < g->power_limits.levels.count; l++)
                if (levels[l].power_limit_w > type->tdp_w)
                    problems_add(
                        problems, levels[l].where, "power_limit_w",
                        "expected at most the %g W that the cluster says is tdp_w of %s, got %g",
                        type->tdp_w, type->name, levels[l].power_limit_w);
        }
    return problems->count > before ? ERROR_INPUT : 0;
}

int config_table_init(struct config_table *table, const struct cluster *cluster,
                      const struct model_set *models, struct problems *problems) {
    *table = (struct config_table){.cluster = cluster, .models = models};
    table->plans = mem_zalloc(1, sizeof *table->plans);
    table->plans->published = models->published;
    table->references = mem_zalloc(models->count, sizeof *table->references);
    table->rigid_speed = mem_zalloc(cluster->gpu_type_count, sizeof *table->rigid_speed);
    for (uint32_t h = 0; h < cluster->gpu_type_count; h++)
        table->rigid_speed[h] = 1;
    const struct yaml_node *node = models->rigid_speed;
    int result = check_levels(table, problems);
    if (!node)
        return result;
    struct binding binding = {.arena = &table->arena, .problems = problems};
    if (node->kind != YAML_NODE_MAPPING)
        return schema_wrong(&binding, node, "rigid_speed",
                            "a mapping from GPU type to speed ratio");
    for (uint32_t h = 0; h < cluster->gpu_type_count; h++) {
        const struct yaml_node *value = yaml_find(node, cluster->gpu_types[h].name);
        if (value && schema_bind_value(
                         &binding, &speed_ratio, value,
                         arena_printf(&table->arena, "rigid_speed.%s", cluster->gpu_types[h].name),
                         &table->rigid_speed[h]) < 0)
            result = ERROR_INPUT;
    }
    return result;
}

void config_table_finish(struct config_table *table) {
    free(table->rigid_speed);
    free(table->references);
    free(table->configs.at);
    free(table->sets.at);
    intern_finish(&table->requests);
    if (table->plans)
        plan_table_finish(table->plans);
    free(table->plans);
    arena_finish(&table->arena);
}

bool config_table_other_nodes(const struct cluster *cluster, const struct gpu_model *gpu_model,
                              uint32_t h) {
    for (uint32_t i = 0; i < cluster->node_count && gpu_model->gpus_per_node > 0; i++)
        if (cluster->nodes[i].gpu_type == h && cluster->nodes[i].gpus != gpu_model->gpus_per_node)
            return true;
    return false;
}

const struct plan *config_table_plan(const struct config_table *table, uint32_t model,
                                     uint32_t gpu_type, uint32_t k) {
    const struct model *m = &table->models->models[model];
    if (!m->is_transformer)
        return NULL;
    return &plan_table_find(table->plans, m, table->cluster, &table->cluster->gpu_types[gpu_type],
                            k)
                ->plan;
}

/* k GPUs of a type, without a limit; speed and power are yet to be found. */
static struct easim_config config_of(const struct config_table *table, uint32_t h, uint32_t k) {
    const struct cluster *cluster = table->cluster;
    return (struct easim_config){.k = k,
                                 .gpu_type = h,
                                 .empty_span =
                                     cluster_empty_span(cluster, &cluster->gpu_types[h], k),
                                 .span_count = network_span_count(&cluster->network),
                                 .power_limit_w = INFINITY};
}

/* Speed and power of one configuration in a phase; false if a lookup table knows it in no span. It
   knows all spans across nodes, or none. */
static bool tabulate_config(const struct config_table *table, const struct model *model,
                            uint32_t phase, struct easim_config *config) {
    const struct gpu_type *type = &table->cluster->gpu_types[config->gpu_type];
    const struct gpu_model *gpu_model = model_on_gpu(model, type->name);
    double efficiency = model->efficiency == EFFICIENCY_NONE
                            ? 1
                            : efficiency_of_batch(model->m0, model_phase_phi(model, phase),
                                                  config->k * config->batch);
    bool known[NETWORK_MOST_SPANS], stands_in = false;
    for (uint32_t span = 0; span < config->span_count; span++) {
        struct interpolation_value value;
        if (span_value_is_as_below(&table->cluster->network, gpu_model, config->k, span)) {
            known[span] = known[span - 1];
            config->power_w[span] = config->power_w[span - 1];
            config->goodput[span] = config->goodput[span - 1];
            continue;
        }
        known[span] = span_value_find(table->cluster, gpu_model, config, span, &stands_in, &value);
        config->power_w[span] = known[span] ? fmin(type->tdp_w, value.power_w) : 0;
        config->goodput[span] =
            known[span] ? speed_rate(config->k, config->batch, value.iteration_s) * efficiency : 0;
    }
    for (uint32_t span = 0; span < config->span_count; span++)
        if (!known[span])
            config->power_w[span] = config->power_w[span == 0];
    config->extrapolated = stands_in || gpu_value_is_outside(gpu_model, config->k, config->batch) ||
                           config_table_other_nodes(table->cluster, gpu_model, config->gpu_type);
    return known[0] || known[1];
}

/* Whether placement could give it a known span: several nodes, once no single one has k free. */
static bool could_be_placed(const struct easim_config *config, const struct gpu_type *type) {
    return placed_when_empty(config) || (config->empty_span == EASIM_ONE_NODE && config->k > 1 &&
                                         type->node_gpus_max < type->gpus);
}

/* The configuration under each limit, from the highest down: those measured, at least floor_w, else
   those of the law. A level at tdp_w limits nothing. limits NULL: of no model. */
static void add_limited(struct config_table *table, const struct power_limits *limits,
                        const struct gpu_type *type, struct easim_config unlimited) {
    const struct power_level *levels = limits ? limits->levels.at : NULL;
    size_t measured = limits ? limits->levels.count : 0;
    double choices_w[LIMIT_CHOICES];
    for (size_t l = table->extras.power_limits ? measured : 0; l-- > 0;)
        if (levels[l].power_limit_w < type->tdp_w && levels[l].power_limit_w >= type->floor_w)
            array_push(&table->configs,
                       level_apply(limits, type, levels[l].power_limit_w, &unlimited));
    bool by_law = table->extras.law_limits && measured == 0;
    for (size_t i = by_law ? limit_law_choices(type, choices_w) : 0; i-- > 0;)
        array_push(&table->configs, level_apply(NULL, type, choices_w[i], &unlimited));
}

/* Fills in the configuration of k GPUs of a transformer; false: no plan, dropped says why. */
static bool find_plan(const struct config_table *table, const struct model *model,
                      struct easim_config *config, struct config_dropped *dropped) {
    const struct gpu_type *type = &table->cluster->gpu_types[config->gpu_type];
    const struct plan_choice *choice =
        plan_table_find(table->plans, model, table->cluster, type, config->k);
    if (plan_gpus(&choice->plan) == 0) {
        if (choice->least_gib < INFINITY)
            config_dropped_by_memory(dropped, choice->least_gib);
        else
            dropped->by_plan++;
        return false;
    }
    plan_table_tabulate(model, table->cluster, &choice->plan, config);
    if (config_table_other_nodes(table->cluster, model_on_gpu(model, type->name), config->gpu_type))
        config->extrapolated = true;
    return true;
}

static void add_plan_config(struct config_table *table, const struct config_request *request,
                            uint32_t h, uint32_t k, struct config_dropped *dropped) {
    struct easim_config c = config_of(table, h, k);
    if (request->batch_count > 0)
        dropped->by_batch++;
    else if (find_plan(table, &table->models->models[request->model], &c, dropped)) {
        const struct gpu_type *type = &table->cluster->gpu_types[h];
        const struct model *m = &table->models->models[request->model];
        array_push(&table->configs, c);
        add_limited(table, &model_on_gpu(m, type->name)->power_limits, type, c);
        table->has_plans = true;
    }
}

static void add_model_configs(struct config_table *table, const struct config_request *request,
                              uint32_t h, uint32_t k, struct config_dropped *dropped) {
    const struct model *m = &table->models->models[request->model];
    const struct gpu_type *type = &table->cluster->gpu_types[h];
    const struct gpu_model *g = model_on_gpu(m, type->name);
    const struct batch_choice *allowed = batches_on(m, g);
    size_t count = request->batch_count ? request->batch_count : batches_count(allowed);
    for (size_t i = 0; i < count; i++) {
        double batch = request->batch_count ? request->batch[i] : batches_at(allowed, i, k);
        double gib = batches_memory_gib(m, g, k, batch);
        struct easim_config c = config_of(table, h, k);
        c.batch = batch;
        if (gib > type->memory_gib) {
            config_dropped_by_memory(dropped, gib);
        } else if (batches_too_large(g, k, batch)) {
            dropped->by_most++;
        } else if (!tabulate_config(table, m, request->phase, &c)) {
            dropped->by_range++;
        } else if (!could_be_placed(&c, type)) {
            dropped->by_span++;
        } else {
            array_push(&table->configs, c);
            add_limited(table, &g->power_limits, type, c);
        }
    }
}

static void add_rigid_config(struct config_table *table, const struct config_request *request,
                             uint32_t h, uint32_t k) {
    const struct gpu_type *type = &table->cluster->gpu_types[h];
    double power_w = power_rigid_w(cluster_rigid_busy_w(type), type->tdp_w, request->utilization);
    struct easim_config c = config_of(table, h, k);
    c.milli = table->extras.shares ? request->milli : 0;
    for (uint32_t span = 0; span < c.span_count; span++) {
        c.goodput[span] = table->rigid_speed[h];
        c.power_w[span] = power_w;
    }
    table->has_shares = table->has_shares || c.milli > 0;
    array_push(&table->configs, c);
    if (c.milli == 0 && !request->changes)
        add_limited(table, NULL, type, c);
}

/* The bytes that tell one request from another; returns their number. */
static size_t request_key(const struct config_request *request,
                          unsigned char key[static sizeof *request]) {
    const struct {
        const void *at;
        size_t bytes;
    } parts[] = {{&request->kind, sizeof request->kind},
                 {&request->model, sizeof request->model},
                 {&request->type_mask, sizeof request->type_mask},
                 {&request->utilization, sizeof request->utilization},
                 {&request->milli, sizeof request->milli},
                 {&request->changes, sizeof request->changes},
                 {&request->phase, sizeof request->phase},
                 {&request->k_count, sizeof request->k_count},
                 {request->k, request->k_count * sizeof *request->k},
                 {request->batch, request->batch_count * sizeof *request->batch}};
    size_t length = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        memcpy(key + length, parts[i].at, parts[i].bytes);
        length += parts[i].bytes;
    }
    return length;
}

static bool allows_type(const struct config_table *table, const struct config_request *request,
                        uint32_t h) {
    if (request->type_mask != 0 && !(request->type_mask >> h & 1))
        return false;
    return request->kind == JOB_KIND_RIGID ||
           model_on_gpu(&table->models->models[request->model], table->cluster->gpu_types[h].name);
}

/* Leaves configurations [first, end) out if the empty cluster places none: their job might wait for
   ever. */
static void keep_if_placed(struct config_table *table, uint32_t first,
                           struct config_dropped *dropped) {
    for (size_t i = first; i < table->configs.count; i++)
        if (placed_when_empty(&table->configs.at[i]))
            return;
    dropped->by_span += table->configs.count > first;
    table->configs.count = first;
}

/* Adds all that is feasible; notes what is not. */
static void add_configs(struct config_table *table, const struct config_request *request,
                        struct config_dropped *dropped) {
    uint32_t first = (uint32_t)table->configs.count;
    for (uint32_t h = 0; h < table->cluster->gpu_type_count; h++) {
        if (!allows_type(table, request, h))
            continue;
        uint32_t gpus = table->cluster->gpu_types[h].gpus;
        dropped->most_gpus = gpus > dropped->most_gpus ? gpus : dropped->most_gpus;
        for (uint32_t i = 0; i < request->k_count; i++) {
            if (request->k[i] > gpus) {
                dropped->by_gpus++;
                dropped->least_k =
                    request->k[i] < dropped->least_k ? request->k[i] : dropped->least_k;
            } else if (request->kind != JOB_KIND_RIGID &&
                       table->models->models[request->model].is_transformer) {
                add_plan_config(table, request, h, request->k[i], dropped);
            } else if (request->kind == JOB_KIND_RIGID) {
                add_rigid_config(table, request, h, request->k[i]);
            } else {
                add_model_configs(table, request, h, request->k[i], dropped);
            }
        }
    }
    keep_if_placed(table, first, dropped);
}

/* --- phases --- */

static const struct model *model_of(const struct config_table *table,
                                    const struct config_request *request) {
    return request->kind == JOB_KIND_RIGID ? NULL : &table->models->models[request->model];
}

/* The configuration, which another phase knows, once more in the phase of request. */
static void add_in_phase(struct config_table *table, const struct config_request *request,
                         uint32_t config) {
    const struct model *m = model_of(table, request);
    struct easim_config c = table->configs.at[config];
    const struct gpu_type *type = &table->cluster->gpu_types[c.gpu_type];
    double limit_w = c.power_limit_w;
    c.power_limit_w = INFINITY;
    bool known = tabulate_config(table, m, request->phase, &c);
    assert(known);
    (void)known;
    if (limit_w < INFINITY)
        c = level_apply(&model_on_gpu(m, type->name)->power_limits, type, limit_w, &c);
    array_push(&table->configs, c);
}

/* The batches of a later phase that the job's own list has, too; all of them if there are none, or
   if `all`. */
static struct config_request request_in_phase(const struct config_request *request,
                                              const struct schema_list *stated, bool all) {
    struct config_request in_phase = *request;
    const double *batches = stated->at;
    in_phase.batch_count = 0;
    for (size_t i = 0; i < stated->count; i++)
        for (uint32_t own = 0; own < request->batch_count && !all; own++)
            if (batches[i] == request->batch[own])
                in_phase.batch[in_phase.batch_count++] = batches[i];
    for (size_t i = 0; i < stated->count && (all || in_phase.batch_count == 0); i++)
        in_phase.batch[i] = batches[i];
    in_phase.batch_count =
        in_phase.batch_count > 0 ? in_phase.batch_count : (uint32_t)stated->count;
    return in_phase;
}

/* The configurations of a phase (semantics 15.3): a job is never without any in a later phase, if
   it has some in the first. */
static void add_phase(struct config_table *table, const struct config_request *request,
                      struct config_dropped *dropped) {
    const struct model *m = model_of(table, request);
    const struct schema_list *stated = m ? model_phase_batches(m, request->phase) : NULL;
    uint32_t first = (uint32_t)table->configs.count;
    if (!stated || stated->count == 0 || (request->phase == 0 && request->batch_count > 0)) {
        add_configs(table, request, dropped);
    } else {
        struct config_request in_phase = request_in_phase(request, stated, false);
        add_configs(table, &in_phase, dropped);
        in_phase = request_in_phase(request, stated, true);
        if (table->configs.count == first && request->batch_count > 0)
            add_configs(table, &in_phase, dropped);
    }
    if (table->configs.count > first || request->phase == 0)
        return;
    const struct config_set before = table->sets.at[table->sets.count - 1];
    for (uint32_t c = before.first; c < before.first + before.count; c++)
        add_in_phase(table, request, c);
}

/* Of each configuration of the phase `from`, whether the phase `to` keeps it somewhere. */
static void add_kept(struct config_table *table, uint32_t to, uint32_t from) {
    const struct config_set source = table->sets.at[from];
    for (uint32_t c = source.first; c < source.first + source.count; c++) {
        struct config_set *set = &table->sets.at[to];
        const struct easim_config config = table->configs.at[c];
        bool keep = false;
        for (uint32_t span = 0; span < config.span_count; span++)
            keep = keep || (config.goodput[span] > 0 &&
                            config_table_in_phase(table, to, c, span) == EASIM_NONE);
        if (!keep)
            continue;
        add_in_phase(table, set->request, c);
        set->kept_count++;
    }
}

uint32_t config_table_in_phase(const struct config_table *table, uint32_t set, uint32_t config,
                               uint32_t span) {
    const struct config_set *s = &table->sets.at[set];
    const struct easim_config *all = table->configs.at, *now = &all[config];
    if (config >= s->first && config < s->first + s->count)
        return config;
    uint32_t found = phase_batch_find(all, s->first, s->count, now, span);
    for (uint32_t i = s->kept_first; i < s->kept_first + s->kept_count && found == EASIM_NONE; i++)
        if (all[i].k == now->k && all[i].gpu_type == now->gpu_type && all[i].batch == now->batch &&
            all[i].power_limit_w == now->power_limit_w)
            found = i;
    return found;
}

/* Of all phases of a request, whose sets begin at first. */
static void find_kept(struct config_table *table, uint32_t first) {
    uint32_t count = (uint32_t)table->sets.count - first;
    for (uint32_t to = first; to < first + count; to++) {
        struct config_set *set = &table->sets.at[to];
        set->kept_first = (uint32_t)table->configs.count;
        if (to > first && set->first == set[-1].first) { /* equal phases */
            set->kept_first = set[-1].kept_first;
            set->kept_count = set[-1].kept_count;
            continue;
        }
        for (uint32_t from = first; from < first + count; from++)
            if (table->sets.at[from].first != table->sets.at[to].first)
                add_kept(table, to, from);
    }
}

/* --- sets --- */

static void sum_up_set(struct config_table *table, struct config_set *set) {
    for (uint32_t i = set->first; i < set->first + set->count; i++)
        set->type_mask |= 1ull << table->configs.at[i].gpu_type;
    set->speeds = config_speeds_make(table->cluster, table->configs.at, set->first, set->count,
                                     &table->arena);
}

/* The set of the same request in table->known; NULL: none. Plans and shares are noted in the table
   when they are found, so theirs are not copied. */
static const struct config_set *find_known(const struct config_table *table,
                                           const struct config_request *request) {
    const struct config_table *known = table->known;
    const struct model *m = model_of(table, request);
    unsigned char key[sizeof *request];
    if (!known || !m || m->is_transformer ||
        memcmp(&known->extras, &table->extras, sizeof known->extras) != 0)
        return NULL;
    uint32_t number = intern_find(&known->requests, key, request_key(request, key));
    bool found = number != INTERN_NONE && known->sets.at[number].count > 0;
    return found ? &known->sets.at[number] : NULL;
}

static void copy_set(struct config_table *table, const struct config_set *known,
                     struct config_set *set) {
    for (uint32_t i = known->first; i < known->first + known->count; i++)
        array_push(&table->configs, table->known->configs.at[i]);
    set->count = known->count;
    set->type_mask = known->type_mask;
    set->speeds = config_speeds_moved(&known->speeds, set->first - known->first, &table->arena);
}

/* Equal phases that follow each other have the same configurations. */
static struct config_set make_set(struct config_table *table,
                                  const struct config_request *request) {
    const struct model *m = model_of(table, request);
    struct config_request *kept = arena_alloc(&table->arena, sizeof *kept);
    *kept = *request;
    struct config_set set = {.first = (uint32_t)table->configs.count, .request = kept};
    struct config_dropped dropped = {.least_k = UINT32_MAX};
    const struct config_set *known = find_known(table, request);
    if (request->phase > 0 && model_phases_equal(m, request->phase, request->phase - 1)) {
        set = table->sets.at[table->sets.count - 1];
        set.request = kept;
    } else if (known) {
        copy_set(table, known, &set);
    } else {
        add_phase(table, request, &dropped);
        set.count = (uint32_t)table->configs.count - set.first;
        sum_up_set(table, &set);
    }
    if (set.count == 0)
        set.reason = config_dropped_reason(&dropped, m, &table->arena);
    set.until = m ? model_phase_until(m, request->phase) : 1;
    return set;
}

uint32_t config_table_set(struct config_table *table, const struct config_request *request) {
    unsigned char key[sizeof *request];
    bool is_new;
    uint32_t number = intern(&table->requests, key, request_key(request, key), &is_new);
    if (!is_new)
        return number;
    struct config_set set = make_set(table, request);
    array_push(&table->sets, set);
    if (set.until < 1) {
        struct config_request next = *request;
        next.phase++;
        table->has_phases = true;
        (void)config_table_set(table, &next);
    }
    if (request->phase == 0 && set.until < 1 && set.count > 0)
        find_kept(table, number);
    return number;
}

struct config_best config_table_best(const struct config_table *table, uint32_t set, double work,
                                     double setup_s) {
    return config_speeds_best(&table->sets.at[set].speeds, table->configs.at, work, setup_s);
}

double config_table_best_time_within(const struct config_table *table, uint32_t set, double work,
                                     double setup_s, uint32_t most_k) {
    double goodput = config_speeds_within(&table->sets.at[set].speeds, most_k);
    return goodput > 0 ? setup_s + work / goodput : INFINITY;
}

/* Best goodput of one of k GPUs; 0: k GPUs of that type cannot run it on the empty cluster. */
static double best_per_gpu(const struct config_table *table, const struct model *model, uint32_t h,
                           uint32_t k) {
    const struct gpu_type *type = &table->cluster->gpu_types[h];
    const struct gpu_model *g = model_on_gpu(model, type->name);
    const struct batch_choice *allowed = g ? batches_on(model, g) : NULL;
    const struct schema_list *stated = model_phase_batches(model, 0);
    const double *batches = stated->at;
    double best = 0;
    if (g && model->is_transformer) {
        struct easim_config c = config_of(table, h, k);
        struct config_dropped dropped = {0};
        return find_plan(table, model, &c, &dropped) ? c.goodput[c.empty_span] / k : 0;
    }
    for (size_t i = 0; g && i < (stated->count ? stated->count : batches_count(allowed)); i++) {
        struct easim_config c = config_of(table, h, k);
        c.batch = stated->count ? batches[i] : batches_at(allowed, i, k);
        c.empty_span = k > 1 ? c.empty_span : EASIM_ONE_NODE; /* of a type without nodes, too */
        if (batches_memory_gib(model, g, k, c.batch) <= type->memory_gib &&
            !batches_too_large(g, k, c.batch) && tabulate_config(table, model, 0, &c))
            best = fmax(best, c.goodput[c.empty_span] / k);
    }
    return best;
}

struct config_unit config_table_unit(const struct config_table *table, uint32_t model,
                                     uint32_t gpu_type) {
    const struct model *m = &table->models->models[model];
    const struct k_choice *allowed = table->allowed_k ? &table->allowed_k[model] : NULL;
    struct config_unit unit = {best_per_gpu(table, m, gpu_type, 1), gpu_type, 1};
    for (size_t i = 0; allowed && i < allowed->count && unit.goodput == 0; i++) {
        unit.k = allowed->at[i];
        if (unit.k <= table->cluster->gpu_types[gpu_type].gpus)
            unit.goodput = best_per_gpu(table, m, gpu_type, unit.k);
    }
    return unit;
}

static struct config_unit find_reference(const struct config_table *table, uint32_t model) {
    struct config_unit first = {0};
    for (uint32_t h = 0; h < table->cluster->gpu_type_count; h++) {
        const struct config_unit unit = config_table_unit(table, model, h);
        if (unit.goodput > 0 && unit.k == 1)
            return unit;
        if (first.goodput == 0)
            first = unit;
    }
    return first;
}

struct config_unit config_table_reference(const struct config_table *table, uint32_t model) {
    struct config_unit *known = &table->references[model];
    if (known->k == 0)
        *known = find_reference(table, model);
    return *known;
}

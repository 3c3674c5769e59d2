/* Configurations one by one: see survey.h. Invariant: the rows of a model on a GPU type stand
   together. */
#include "model/survey.h"

#include "model/batches.h"
#include "model/gpu_value.h"
#include "model/laws.h"

#include <math.h>
#include <stdlib.h>

const char *const survey_state_names[] = {"ok",       "gpus",    "batch", "memory",
                                          "no_point", "no_plan", NULL};
const char *const survey_range_names[] = {"inside", "outside", "not_stated", NULL};

/* ---- Which configurations ---- */

struct numbers {
    ARRAY_OF(double) list;
};

/* Ascending, without repeats. */
static void settle_numbers(struct numbers *numbers) {
    double *at = numbers->list.at;
    size_t kept = 0;
    sort_array(at, numbers->list.count, by_real);
    for (size_t i = 0; i < numbers->list.count; i++)
        if (kept == 0 || at[i] > at[kept - 1] * BATCH_EQUAL)
            at[kept++] = at[i];
    numbers->list.count = kept;
}

static void add_all(struct numbers *numbers, const struct survey_list *list) {
    for (size_t i = 0; i < list->count; i++)
        array_push(&numbers->list, list->at[i]);
}

static bool is_among(double number, const struct survey_list *list) {
    for (size_t i = 0; i < list->count; i++)
        if (number < list->at[i] * BATCH_EQUAL && list->at[i] < number * BATCH_EQUAL)
            return true;
    return false;
}

#define MOST_PLANNED_GPUS 16384

/* The measured k, both ends of their range, and the powers of two between; forms go up to a whole
   node, plans to all GPUs or MOST_PLANNED_GPUS, and both from one GPU on where nothing says what is
   measured. */
static void add_usual_counts(const struct survey_pair *pair, struct numbers *counts) {
    const struct gpu_model *g = pair->gpu_model;
    const struct gpu_type *type = pair->type;
    const int64_t *range = g->range_k.count == 2 ? g->range_k.at : NULL;
    double least = range ? (double)range[0] : 1, most = range ? (double)range[1] : 1;
    if (g->lookup.count == 0)
        most = fmax(most, type->node_gpus_max);
    if (pair->model->is_transformer) {
        array_push(&counts->list, range ? (double)range[1] : least);
        most = fmax(most, fmin(type->gpus, MOST_PLANNED_GPUS));
    }
    for (size_t i = 0; i < g->lookup.count; i++) {
        double k = (double)g->lookup.points[i].k;
        least = i == 0 ? k : fmin(least, k);
        most = i == 0 ? k : fmax(most, k);
        array_push(&counts->list, k);
    }
    array_push(&counts->list, least);
    array_push(&counts->list, most);
    for (double k = 1; k <= most; k *= 2)
        if (k >= least)
            array_push(&counts->list, k);
}

/* The batches that jobs may have on k GPUs: of the workload, else the phase, else the model. */
static void add_allowed(const struct survey_pair *pair, const struct survey_wishes *wishes,
                        uint32_t phase, double k, struct numbers *batches) {
    const struct batch_choice *own = batches_on(pair->model, pair->gpu_model);
    const struct schema_list *stated = model_phase_batches(pair->model, phase);
    const struct survey_list of_phase = {stated->at, stated->count};
    const struct survey_list *listed = wishes->allowed.count > 0 ? &wishes->allowed : &of_phase;
    add_all(batches, listed);
    for (size_t i = 0; listed->count == 0 && i < batches_count(own); i++)
        array_push(&batches->list, batches_at(own, i, (uint32_t)k));
}

/* ---- One configuration ---- */

static enum survey_range range_of(const struct survey_pair *pair, uint32_t k, double batch) {
    const struct gpu_model *g = pair->gpu_model;
    if (g->range_k.count != 2 || g->range_batch.count != 2)
        return SURVEY_NOT_STATED;
    return gpu_value_is_outside(g, k, batch) || pair->other_nodes ? SURVEY_OUTSIDE : SURVEY_INSIDE;
}

/* What a plan says of a row before its time. */
static void plan_row(const struct survey_pair *pair, struct survey_row *row) {
    const struct transformer *shape = &pair->model->transformer;
    const struct plan_choice *choice =
        plan_table_find(pair->plans, pair->model, pair->cluster, pair->type, row->k);
    row->plan = choice->plan;
    row->plan_origin = choice->origin;
    row->published_k = choice->published_k;
    row->samples = (double)shape->global_batch;
    row->batch = row->steps = NAN;
    row->memory_gib = choice->least_gib < INFINITY ? choice->least_gib : NAN;
    if (plan_gpus(&row->plan) == 0)
        return;
    row->batch = row->plan.micro_batch;
    row->steps = (double)plan_micro_batches(shape, &row->plan);
    row->memory_gib = plan_memory_gib(shape, &row->plan);
    if (pair->gpu_model->range_k.count == 2)
        row->range = gpu_value_is_outside_k(pair->gpu_model, row->k) || pair->other_nodes
                         ? SURVEY_OUTSIDE
                         : SURVEY_INSIDE;
}

static struct survey_row row_in_phase(const struct survey_pair *pair, uint32_t phase, uint32_t k,
                                      double batch, uint32_t span) {
    struct survey_row row = {.model = pair->model,
                             .gpu_model = pair->gpu_model,
                             .type = pair->type,
                             .cluster = pair->cluster,
                             .phase = phase,
                             .k = k,
                             .batch = batch,
                             .span = span,
                             .power_limit_w = INFINITY,
                             .iteration_s = NAN,
                             .efficiency = NAN,
                             .rate = NAN,
                             .goodput = NAN,
                             .power_w = NAN,
                             .energy_j = NAN,
                             .speedup = NAN,
                             .scaling_efficiency = NAN};
    if (row.model->efficiency == EFFICIENCY_NOISE_SCALE)
        row.efficiency =
            efficiency_of_batch(row.model->m0, model_phase_phi(row.model, phase), k * batch);
    row.steps = batches_steps(row.gpu_model, k, batch);
    row.memory_gib = batches_memory_gib(row.model, row.gpu_model, k, batch);
    if (row.memory_gib == 0) /* no model says so of a job: it is not stated */
        row.memory_gib = NAN;
    row.range = range_of(pair, k, batch);
    row.samples = k * batch;
    if (pair->model->is_transformer)
        plan_row(pair, &row);
    return row;
}

static struct survey_row row_of(const struct survey_pair *pair, uint32_t k, double batch,
                                uint32_t span) {
    return row_in_phase(pair, 0, k, batch, span);
}

/* Figures from iteration time and power. */
static void fill_figures(struct survey_row *row, double iteration_s, double power_w) {
    row->iteration_s = iteration_s;
    row->rate = row->samples / iteration_s;
    row->goodput = isnan(row->efficiency) ? row->rate : row->rate * row->efficiency;
    row->power_w = power_w < POWER_UNKNOWN_W ? power_w : NAN;
    row->energy_j = row->k * row->power_w / row->goodput;
}

static bool is_allowed(const struct survey_pair *pair, const struct survey_wishes *wishes,
                       uint32_t phase, double k, double batch) {
    struct numbers allowed = {0};
    add_allowed(pair, wishes, phase, k, &allowed);
    bool is = is_among(batch, &(struct survey_list){allowed.list.at, allowed.list.count});
    free(allowed.list.at);
    return is;
}

static enum survey_state state_of(const struct survey_row *row, bool allowed, bool known) {
    bool too_large = row->memory_gib > row->type->memory_gib ||
                     batches_too_large(row->gpu_model, row->k, row->batch);
    return row->k > row->type->gpus     ? SURVEY_GPUS
           : !allowed                   ? SURVEY_BATCH
           : too_large                  ? SURVEY_MEMORY
           : known                      ? SURVEY_OK
           : row->model->is_transformer ? SURVEY_NO_PLAN
                                        : SURVEY_NO_POINT;
}

/* The model without a limit, and in *config what a limit is applied to; false: nothing. */
static bool predict_row(struct survey_row *row, struct easim_config *config) {
    struct interpolation_value value;
    const struct network *network = &row->cluster->network;
    const struct gpu_model slowed =
        gpu_value_slowed(row->gpu_model, network_slowdown(network, row->span));
    *config = (struct easim_config){
        .k = row->k, .batch = row->batch, .span_count = network_span_count(network)};
    uint32_t nodes = speed_nodes(row->k, row->type->node_gpus_max, row->span);
    bool plans = row->model->is_transformer;
    if (plans && plan_gpus(&row->plan) == 0)
        return false;
    if (plans)
        value = plan_value(row->model, &slowed, row->type, &row->plan, row->span);
    else if (!gpu_value_find(&slowed, row->k, row->batch, nodes, &value)) {
        if (row->span == EASIM_ONE_NODE || row->k <= row->type->node_gpus_max ||
            !gpu_value_stand_in(&slowed, row->k, row->batch, nodes, &value))
            return false;
        row->range = row->range == SURVEY_INSIDE ? SURVEY_OUTSIDE : row->range;
    }
    double power_w = fmin(row->type->tdp_w, value.power_w);
    fill_figures(row, value.iteration_s, power_w);
    for (uint32_t span = 0; span < config->span_count; span++) {
        config->goodput[span] = row->goodput;
        config->power_w[span] = power_w;
    }
    return true;
}

/* The row under a limit. */
static void limit_row(struct survey_row *row, const struct easim_config *config, double limit_w) {
    struct easim_config limited =
        level_apply(&row->gpu_model->power_limits, row->type, limit_w, config);
    row->power_limit_w = limit_w;
    fill_figures(row, row->iteration_s * (config->goodput[row->span] / limited.goodput[row->span]),
                 limited.power_w[row->span]);
}

/* Likewise under a limit, unless no level has it. */
static bool predict_at(struct survey_row *row, double limit_w) {
    const struct power_limits *limits = &row->gpu_model->power_limits;
    const struct power_level *levels = limits->levels.at;
    struct easim_config config;
    bool known = predict_row(row, &config);
    for (size_t l = 0; known && l < limits->levels.count; l++)
        if (levels[l].power_limit_w == limit_w)
            limit_row(row, &config, limit_w);
    return known;
}

static void add_config(struct survey *survey, const struct survey_wishes *wishes, bool allowed,
                       struct survey_row row) {
    const struct power_level *levels = row.gpu_model->power_limits.levels.at;
    struct easim_config config;
    bool known = predict_row(&row, &config);
    row.state = state_of(&row, allowed, known);
    array_push(&survey->rows, row);
    for (size_t l = row.gpu_model->power_limits.levels.count; l-- > 0;) {
        if (!wishes->power_limits || !known || levels[l].power_limit_w >= row.type->tdp_w ||
            levels[l].power_limit_w < row.type->floor_w)
            continue; /* a level at tdp_w limits nothing */
        struct survey_row limited = row;
        limit_row(&limited, &config, levels[l].power_limit_w);
        array_push(&survey->rows, limited);
    }
}

/* Against the fewest GPUs with a known speed for the same batch under the same limit. */
static void fill_scaling(struct survey_row *row, const struct survey_pair *pair,
                         const struct survey_list *counts) {
    for (size_t i = 0; i < counts->count && !isnan(row->rate); i++) {
        uint32_t k = (uint32_t)counts->at[i];
        struct survey_row base =
            row_of(pair, k, row->batch, cluster_empty_span(pair->cluster, pair->type, k));
        if (!predict_at(&base, row->power_limit_w))
            continue;
        if (k == row->k && i > 0)
            return; /* nothing smaller to be compared with */
        row->base_k = k;
        row->speedup = k * (row->rate / base.rate);
        row->scaling_efficiency = row->speedup / row->k;
        return;
    }
}

/* ---- Measured points ---- */

void survey_add_point(struct survey *survey, const struct survey_pair *pair,
                      const struct survey_row *measured, const char *source,
                      enum evidence evidence) {
    struct survey_point point = {.source = source, .evidence = evidence};
    point.modelled = row_of(pair, measured->k, measured->batch, measured->span);
    point.measured = point.modelled;
    point.measured.power_limit_w = measured->power_limit_w;
    fill_figures(&point.measured, measured->k * measured->batch / measured->rate,
                 measured->power_w);
    (void)predict_at(&point.modelled, measured->power_limit_w);
    array_push(&survey->points, point);
}

static void add_own_points(struct survey *survey, const struct survey_pair *pair) {
    const struct gpu_model *g = pair->gpu_model;
    const struct power_level_point *limited = g->power_limits.points.at;
    for (size_t i = 0; i < g->lookup.count; i++) {
        const struct interpolation_point *p = &g->lookup.points[i];
        struct survey_row row = row_of(pair, (uint32_t)p->k, p->batch,
                                       p->across_nodes ? EASIM_ACROSS_NODES : EASIM_ONE_NODE);
        row.rate = p->throughput_samples_s;
        row.power_w = p->power_w_per_gpu;
        survey_add_point(survey, pair, &row, "lookup", g->weakest);
    }
    for (size_t i = 0; i < g->power_limits.points.count; i++) {
        const struct power_level_point *p = &limited[i];
        struct survey_row row = row_of(pair, (uint32_t)p->k, p->batch,
                                       p->across_nodes ? EASIM_ACROSS_NODES : EASIM_ONE_NODE);
        row.power_limit_w = p->power_limit_w;
        row.rate = row.k * row.batch / p->iteration_s;
        row.power_w = p->power_w_per_gpu;
        survey_add_point(survey, pair, &row, "power_limits", g->weakest);
    }
}

/* ---- A model on a GPU type ---- */

/* Whether placement could give k GPUs that span; k that no cluster has are shown in the span that
   they would have. */
static bool has_span(const struct survey_pair *pair, uint32_t k, uint32_t span) {
    uint32_t gpus = cluster_span_gpus_max(pair->cluster, pair->type, span);
    bool is_last = span + 1 == network_span_count(&pair->cluster->network);
    if (span == EASIM_ONE_NODE || (k > gpus && !is_last))
        return k <= gpus;
    uint32_t below = cluster_span_gpus_max(pair->cluster, pair->type, span - 1);
    return k > below || (k > 1 && gpus > below);
}

/* The batches to look at on k GPUs: measured ones are shown even if no job may have them. */
static void add_usual_batches(const struct survey_pair *pair, const struct survey_wishes *wishes,
                              uint32_t phase, double k, struct numbers *batches) {
    const struct gpu_model *g = pair->gpu_model;
    add_allowed(pair, wishes, phase, k, batches);
    for (size_t i = 0; i < g->lookup.count; i++)
        if ((double)g->lookup.points[i].k == k)
            array_push(&batches->list, g->lookup.points[i].batch);
}

/* What the rows of a k have in common. */
struct count {
    const struct survey_pair *pair;
    const struct survey_list *bases; /* k to compare with */
    double k;
};

/* All spans of a batch. */
static void add_batch(struct survey *survey, const struct survey_wishes *wishes,
                      const struct count *c, uint32_t phase, double batch) {
    uint32_t k = (uint32_t)c->k;
    size_t first = survey->rows.count;
    bool allowed = c->pair->model->is_transformer
                       ? wishes->batches.count == 0 || is_among(batch, &wishes->batches)
                       : is_allowed(c->pair, wishes, phase, c->k, batch);
    for (uint32_t span = 0; span < network_span_count(&c->pair->cluster->network); span++)
        if (wishes->spans[span != EASIM_ONE_NODE] && has_span(c->pair, k, span))
            add_config(survey, wishes, allowed, row_in_phase(c->pair, phase, k, batch, span));
    for (size_t r = first; r < survey->rows.count; r++)
        fill_scaling(&survey->rows.at[r], c->pair, c->bases);
}

/* All phases and batches of a k. */
static void add_count(struct survey *survey, const struct survey_wishes *wishes,
                      const struct count *c) {
    if (c->pair->model->is_transformer) {
        add_batch(survey, wishes, c, 0, row_of(c->pair, (uint32_t)c->k, NAN, EASIM_ONE_NODE).batch);
        return;
    }
    for (uint32_t phase = 0; phase < model_phase_count(c->pair->model); phase++) {
        struct numbers batches = {0};
        if (wishes->batches.count > 0)
            add_all(&batches, &wishes->batches);
        else
            add_usual_batches(c->pair, wishes, phase, c->k, &batches);
        settle_numbers(&batches);
        for (size_t i = 0; i < batches.list.count; i++)
            add_batch(survey, wishes, c, phase, batches.list.at[i]);
        free(batches.list.at);
    }
}

static void add_pair(struct survey *survey, const struct survey_wishes *wishes,
                     const struct survey_pair *pair) {
    struct numbers usual = {0}, counts = {0};
    add_usual_counts(pair, &usual);
    if (pair->gpu_model->lookup.count == 0)
        array_push(&usual.list, 1); /* a form knows one GPU, which figures are relative to */
    settle_numbers(&usual);
    if (wishes->k.count > 0)
        add_all(&counts, &wishes->k);
    else
        add_usual_counts(pair, &counts);
    settle_numbers(&counts);
    const struct survey_list bases = {usual.list.at, usual.list.count};
    for (size_t i = 0; i < counts.list.count; i++)
        add_count(survey, wishes, &(struct count){pair, &bases, counts.list.at[i]});
    free(usual.list.at);
    free(counts.list.at);
}

bool survey_wants(const char *const *names, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return count == 0;
}

void survey_make(struct survey *survey, const struct model_set *models,
                 const struct cluster *cluster, const struct survey_wishes *wishes) {
    survey->plans.published = models->published;
    for (uint32_t m = 0; m < models->count; m++)
        for (uint32_t h = 0; h < cluster->gpu_type_count; h++) {
            struct survey_pair pair = {.model = &models->models[m],
                                       .type = &cluster->gpu_types[h],
                                       .cluster = cluster,
                                       .plans = &survey->plans};
            pair.gpu_model = model_on_gpu(pair.model, pair.type->name);
            pair.other_nodes =
                pair.gpu_model && config_table_other_nodes(cluster, pair.gpu_model, h);
            if (!pair.gpu_model ||
                !survey_wants(wishes->models, wishes->model_count, pair.model->name) ||
                !survey_wants(wishes->gpus, wishes->gpu_count, pair.type->name))
                continue;
            array_push(&survey->pairs, pair);
            add_pair(survey, wishes, &pair);
            add_own_points(survey, &pair);
        }
}

const struct survey_pair *survey_find(const struct survey *survey, const char *model,
                                      const char *gpu) {
    for (size_t i = 0; i < survey->pairs.count; i++)
        if (strcmp(survey->pairs.at[i].model->name, model) == 0 &&
            strcmp(survey->pairs.at[i].type->name, gpu) == 0)
            return &survey->pairs.at[i];
    return NULL;
}

void survey_finish(struct survey *survey) {
    free(survey->pairs.at);
    free(survey->rows.at);
    free(survey->points.at);
    plan_table_finish(&survey->plans);
}

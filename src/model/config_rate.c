/* Rates of configurations: see config_rate.h. */
#include "model/config_rate.h"

#include "model/batches.h"
#include "model/gpu_value.h"
#include "model/laws.h"

#include <math.h>

/* A job of a model in a configuration, on GPUs of a type in a span. */
struct place {
    const struct model *model;
    const struct gpu_model *gpu_model;
    const struct gpu_type *type;
    const struct easim_config *config;
    uint32_t span;
};

/* Samples of an iteration: of a transformer the batch of the configuration is a micro-batch. */
static double iteration_samples(const struct place *at) {
    return at->model->is_transformer ? (double)at->model->transformer.global_batch
                                     : at->config->k * at->config->batch;
}

static double efficiency(const struct place *at, uint32_t phase) {
    const struct model *m = at->model;
    return m->efficiency == EFFICIENCY_NONE
               ? 1
               : efficiency_of_batch(m->m0, model_phase_phi(m, phase), iteration_samples(at));
}

/* Of a form the whole rate adds (pmax_w - p0_w) x the share of saturation that it is. What a lookup
   table or the law of a limit says of power is taken apart into computing and waiting, at ctx_w. */
static void find_power(const struct place *at, struct config_rate *rate) {
    const struct gpu_model *g = at->gpu_model;
    const struct power_limits *limits = &g->power_limits;
    double limit_w = at->config->power_limit_w, saturation;
    bool limited = limit_w < INFINITY;
    rate->tdp_w = at->type->tdp_w;
    rate->factor = 1;
    if (g->lookup_power || (limited && limits->levels.count == 0)) {
        rate->still_w = fmin(at->type->ctx_w, at->config->power_w[at->span]);
        rate->moving_w = at->config->power_w[at->span] - rate->still_w;
        return;
    }
    struct limit_point under = {.draw = 1, .speed = 1};
    if (limited)
        under = level_point(limits, rate->tdp_w, limit_w, at->config, at->span);
    double unlimited_s = rate->iteration_s * under.speed;
    rate->factor = under.draw;
    if (at->model->is_transformer)
        saturation = transformer_flop(&at->model->transformer) /
                     (at->config->k * g->links.peak_flops * unlimited_s);
    else
        saturation = g->speed.c_s * at->config->batch / unlimited_s;
    rate->still_w = g->power.p0_w;
    rate->moving_w = (g->power.pmax_w - g->power.p0_w) * saturation;
}

static double sync_bytes(const struct config_table *table, uint32_t model,
                         const struct easim_config *config) {
    const struct model *m = &table->models->models[model];
    if (!m->is_transformer)
        return m->sync_bytes;
    return plan_network_bytes(&m->transformer,
                              config_table_plan(table, model, config->gpu_type, config->k));
}

struct config_rate config_rate_of(const struct config_table *table, uint32_t model, uint32_t phase,
                                  const struct easim_config *config, uint32_t span) {
    const struct model *m = &table->models->models[model];
    const struct gpu_type *type = &table->cluster->gpu_types[config->gpu_type];
    const struct place at = {m, model_on_gpu(m, type->name), type, config, span};
    struct config_rate rate = {.sync_bytes = sync_bytes(table, model, config),
                               .storage_bytes = model_storage_bytes(m)};
    rate.samples_s = config->goodput[span] / efficiency(&at, phase);
    rate.iteration_s = iteration_samples(&at) / rate.samples_s;
    find_power(&at, &rate);
    return rate;
}

double config_rate_power_w(const struct config_rate *rate, double share) {
    return rate->factor * fmin(rate->tdp_w, rate->still_w + share * rate->moving_w);
}

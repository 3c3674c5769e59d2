/* The survey of configurations against the table that a simulation computes with: the same
 * configurations are feasible, with the same goodput and power. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"
#include "model/survey.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(survey, .init = temp_dir_enter, .fini = temp_dir_leave);

/* A form that needs 1 + 0.5 b GiB, with an own batch list on h, limits, a table known in one span
   each for k = 2 and k = 3, and a transformer that three GPUs cannot divide. */
static const char models[] =
    "models:\n"
    "  - {name: form, m0: 4, phi: 4, batches: [18, 2, 20, 4], mem0_gib: 1, mem1_gib: 0.5, gpus: {\n"
    "     g: {a_s: 1, c_s: 0.5, gamma: 1.5, alpha_s: 0.25, alpha_inter_s: 1, beta_inter_s: 0.5, p0_w: 100, pmax_w: 900,\n"
    "         evidence: measured, source: x, range_k: [1, 2], range_batch: [2, 4]},\n"
    "     h: {a_s: 2, c_s: 0.75, gamma: 2, alpha_s: 0.5, p0_w: 90, pmax_w: 250, global_batches: [6, 12],\n"
    "         evidence: assumed, source: x, power_limits: {levels: [\n"
    "           {power_limit_w: 120, time_ratio: 1.4, power_ratio: 0.7, energy_ratio: 0.98, configurations: 1},\n"
    "           {power_limit_w: 200, time_ratio: 1.1, power_ratio: 0.9, energy_ratio: 0.99, configurations: 1}]}}}}\n"
    "  - {name: table, efficiency: none, batches: [1, 2, 8], gpus: {\n"
    "     g: {evidence: measured, source: x, lookup: [\n"
    "       {k: 2, batch: 1, throughput_samples_s: 2, power_w_per_gpu: 100},\n"
    "       {k: 2, batch: 2, throughput_samples_s: 3, power_w_per_gpu: 110},\n"
    "       {k: 3, batch: 1, throughput_samples_s: 2.5, power_w_per_gpu: 80, across_nodes: true},\n"
    "       {k: 3, batch: 2, throughput_samples_s: 4, power_w_per_gpu: 95, across_nodes: true}]}}}\n"
    "  - {name: plans, transformer: {layers: 4, hidden: 64, heads: 2, sequence: 8, vocabulary: 10, parameters: 1e6, global_batch: 4}, gpus: {\n"
    "     g: {evidence: measured, source: x, peak_flops: 1e9, memory_bytes_s: 1e9, node_bytes_s: 1e9, network_bytes_s: 1e8,\n"
    "         compute_fraction: 0.5, memory_traffic: 1, gradient_overlap: 0.5, p0_w: 100, pmax_w: 300, range_k: [1, 2]}}}\n";

/* g: two nodes of 2 with 10 GiB; h: one node of 4. */
static const char scenario[] =
    "name: n\n"
    "horizon: 1\n"
    "models: models.yaml\n"
    "policy: {name: fcfs}\n"
    "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 60, tdp_w: 400, memory_gib: 10}, {name: h, idle_w: 30, tdp_w: 300, memory_gib: 10}], nodes: [{count: 2, gpu: g, gpus: 2}, {gpu: h, gpus: 4}]}\n"
    "workload: {kind: periodic, period: 1, sizes: {law: constant, mean: 1}, rigid: {k: 1}}\n";

static const double counts[] = {1, 2, 3, 4, 5};

/* The row of a configuration in a span, or NULL. */
static const struct survey_row *find_row(const struct survey *survey, const struct cluster *cluster,
                                         const char *model, const struct easim_config *config,
                                         int span) {
    for (size_t i = 0; i < survey->rows.count; i++) {
        const struct survey_row *row = &survey->rows.at[i];
        if (strcmp(row->model->name, model) == 0 && row->k == config->k &&
            row->type == &cluster->gpu_types[config->gpu_type] && row->batch == config->batch &&
            row->power_limit_w == config->power_limit_w && row->span == (enum easim_span)span)
            return row;
    }
    return NULL;
}

/* How many rows hold what the table has, configuration by configuration and span by span. */
static size_t compare_model(const struct survey *survey, struct config_table *table,
                            uint32_t model) {
    struct config_request q = {.kind = JOB_KIND_MALLEABLE, .model = model, .k_count = 5};
    size_t same = 0;
    for (uint32_t i = 0; i < q.k_count; i++)
        q.k[i] = (uint32_t)counts[i];
    uint32_t number = config_table_set(table, &q); /* before the array is looked at: it may move */
    const struct config_set *set = &table->sets.at[number];
    cr_assert_gt(set->count, 0);
    for (uint32_t i = set->first; i < set->first + set->count; i++)
        for (int span = 0; span < 2; span++) {
            const struct easim_config *c = &table->configs.at[i];
            const struct survey_row *row =
                find_row(survey, table->cluster, table->models->models[model].name, c, span);
            if (!row || c->goodput[span] == 0) {
                cr_assert(!row || row->state == SURVEY_NO_POINT);
                continue;
            }
            cr_assert_eq(row->state, SURVEY_OK, "k %u b %g: %d", c->k, c->batch, row->state);
            cr_assert_float_eq(row->goodput, c->goodput[span], 1e-12 * c->goodput[span]);
            cr_assert_float_eq(row->power_w, c->power_w[span], 1e-12 * c->power_w[span]);
            cr_assert_eq(row->range == SURVEY_INSIDE, !c->extrapolated);
            same++;
        }
    return same;
}

Test(survey, what_is_ok_is_what_jobs_may_have) {
    static const struct trial_options options = {.models = models};
    struct trial t;
    struct config_table table;
    struct survey survey = {0};
    const struct survey_wishes wishes = {
        .k = {counts, 5}, .spans = {true, true}, .power_limits = true};
    trial_load_table(&t, &table, &options, scenario);
    table.extras.power_limits = true;
    survey_make(&survey, &t.study.models, &t.study.cluster, &wishes);
    size_t ok = 0, by_state[SURVEY_STATES] = {0};
    for (size_t i = 0; i < survey.rows.count; i++)
        by_state[survey.rows.at[i].state]++;
    for (uint32_t m = 0; m < t.study.models.count; m++)
        ok += compare_model(&survey, &table, m);
    cr_assert_eq(ok, by_state[SURVEY_OK], "%zu of %zu", ok, by_state[SURVEY_OK]);
    for (int state = 0; state < SURVEY_STATES; state++)
        cr_assert(by_state[state] > 0 || state == SURVEY_BATCH, "%d", state);
    survey_finish(&survey);
    trial_finish_table(&t, &table);
}

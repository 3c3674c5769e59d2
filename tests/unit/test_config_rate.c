/* What a configuration moves and draws at a share of its rate: by hand, and at the whole rate what
   the table of configurations says, for every configuration of the shipped models. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"
#include "model/config_rate.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

TestSuite(config_rate, .init = temp_dir_enter, .fini = temp_dir_leave);

#define SCENARIO(cluster) \
    "name: n\nhorizon: 1h\nmodels: models.yaml\npolicy: {name: fcfs}\n" cluster \
    "workload: {kind: poisson, rate_per_s: 0.01, until: {jobs: 1}, sizes: {law: constant, mean: 1h}}\n"
#define NODES \
    "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 250, memory_gib: 80}], nodes: " \
    "[{count: 4, gpu: g, gpus: 4}]}\n"

static void expect_rate(const struct config_rate *rate, double iteration_s, double samples_s) {
    cr_expect_float_eq(rate->iteration_s, iteration_s, 1e-12 * iteration_s);
    cr_expect_float_eq(rate->samples_s, samples_s, 1e-12 * samples_s);
}

static void expect_power(const struct config_rate *rate, double share, double power_w) {
    cr_expect_float_eq(config_rate_power_w(rate, share), power_w, 1e-10, "at %g: %.12g, not %g",
                       share, config_rate_power_w(rate, share), power_w);
}

static uint32_t set_of(struct config_table *table, uint32_t model, uint32_t k, double batch) {
    struct config_request request = {
        .kind = JOB_KIND_MALLEABLE, .model = model, .k_count = 1, .batch_count = batch > 0 ? 1 : 0};
    request.k[0] = k;
    request.batch[0] = batch;
    return config_table_set(table, &request);
}

static const struct easim_config *config_at(const struct config_table *table, uint32_t set,
                                            uint32_t place) {
    return &table->configs.at[table->sets.at[set].first + place];
}

/* a: 2 GPUs x 20 samples in 0.1 + 0.01 x 20 + 0.2 = 0.5 s across nodes, 0.3 + 0.1 s in one: 80 and
   100 samples/s, eff (10 + 20)/(10 + 40). Power 100 + 400 x 0.01 x 40 = 260 W, cut at 250; at half
   the rate 180. Under the limit 1.25 x as long, 0.8 x the power: at 80 % of 80 samples/s 0.8 x (100
   + 400 x 0.01 x 40), 0.8 x 250 = 200 W, above the limit; at half of that 0.8 x 180 = 144. */
static const char by_form[] =
    "models: [{name: a, m0: 20, phi: 10, batches: [20], sync_bytes: 3MB, bytes_per_sample: 7,\n"
    "  gpus: {g: {a_s: 0.1, c_s: 0.01, gamma: 1, alpha_s: 0.1, alpha_inter_s: 0.2, p0_w: 100, pmax_w: 500,\n"
    "  evidence: assumed, source: by hand, power_limits: {levels: [{power_limit_w: 190, time_ratio: 1.25,\n"
    "    power_ratio: 0.8, energy_ratio: 1, configurations: 1}]}}}}]\n";

Test(config_rate, of_forms) {
    struct trial t;
    struct config_table table;
    trial_load_table(&t, &table, &(struct trial_options){.models = by_form}, SCENARIO(NODES));
    table.extras.power_limits = true;
    uint32_t set = set_of(&table, 0, 2, 20);
    const struct easim_config *config = config_at(&table, set, 0), *limited = &config[1];
    cr_assert(config->power_limit_w == INFINITY && limited->power_limit_w == 190);
    struct config_rate rate = config_rate_of(&table, 0, 0, config, EASIM_ACROSS_NODES);
    expect_rate(&rate, 0.5, 80);
    cr_expect(rate.sync_bytes == 3e6 && rate.storage_bytes == 7);
    expect_power(&rate, 1, 250);
    expect_power(&rate, 0.5, 180);
    expect_power(&rate, 0, 100);
    rate = config_rate_of(&table, 0, 0, config, EASIM_ONE_NODE);
    expect_rate(&rate, 0.4, 100);
    expect_power(&rate, 0.75, 250); /* 100 + 200 x 0.75 */
    rate = config_rate_of(&table, 0, 0, limited, EASIM_ACROSS_NODES);
    expect_rate(&rate, 0.625, 64);
    expect_power(&rate, 1, 200);
    expect_power(&rate, 0.5, 144);
    trial_finish_table(&t, &table);
}

/* A lookup of 300 W and 80 samples/s: 90 W where it waits, so 195 at half the rate. Without
   measured power tdp_w at any rate. */
static const char by_table[] =
    "models:\n"
    "  - {name: a, m0: 20, phi: 10, batches: [20], storage_bytes_per_sample: 1kB, bytes_per_sample: 5, gpus: {g: {\n"
    "     evidence: assumed, source: by hand, lookup: [{k: 1, batch: 20, throughput_samples_s: 80, power_w_per_gpu: 210}]}}}\n"
    "  - {name: b, m0: 20, phi: 10, batches: [20], gpus: {g: {a_s: 0.1, c_s: 0.01, gamma: 1, alpha_s: 0, power: tdp,\n"
    "     evidence: assumed, source: by hand}}}\n";

Test(config_rate, of_tables) {
    struct trial t;
    struct config_table table;
    trial_load_table(&t, &table, &(struct trial_options){.models = by_table}, SCENARIO(NODES));
    uint32_t set = set_of(&table, 0, 1, 20);
    struct config_rate rate =
        config_rate_of(&table, 0, 0, config_at(&table, set, 0), EASIM_ONE_NODE);
    expect_rate(&rate, 0.25, 80);
    cr_expect(isnan(rate.sync_bytes) && rate.storage_bytes == 1000);
    expect_power(&rate, 1, 210);
    expect_power(&rate, 0.5, 150);
    set = set_of(&table, 1, 1, 20);
    rate = config_rate_of(&table, 1, 0, config_at(&table, set, 0), EASIM_ONE_NODE);
    cr_expect(rate.storage_bytes == 0);
    expect_power(&rate, 0.1, 250);
    trial_finish_table(&t, &table);
}

/* Bytes of a plan: tp 2, pp 2, dp 2, one micro-batch of 2 sequences: m = 8 / (2 x 2) = 2. Transfers
   2 x 2 x 2 x numbers (2 x 128 x 64), gradients 4 x 1e6 / 4 x 1/2. LoRA: no gradients. */
Test(config_rate, of_plans) {
    struct transformer shape = {.layers = 4,
                                .hidden = 64,
                                .heads = 4,
                                .kv_heads = 4,
                                .sequence = 128,
                                .vocabulary = 1000,
                                .parameters = 1e6,
                                .global_batch = 8};
    const struct plan plan = {
        .tensor = 2, .pipeline = 2, .data = 2, .context = 1, .interleaving = 1, .micro_batch = 2};
    cr_expect_float_eq(plan_network_bytes(&shape, &plan), 2.0 * 2 * 2 * 16384 + 500000, 1e-6);
    shape.lora = true;
    cr_expect_float_eq(plan_network_bytes(&shape, &plan), 131072, 1e-6);
    const struct plan one_stage = {
        .tensor = 4, .pipeline = 1, .data = 2, .context = 1, .interleaving = 1, .micro_batch = 1};
    cr_expect_eq(plan_network_bytes(&shape, &one_stage), 0);
}

static void expect_whole_rates(const struct config_table *table, uint32_t model, uint32_t set) {
    const struct config_set *s = &table->sets.at[set];
    for (uint32_t i = s->first; i < s->first + s->count; i++) {
        const struct easim_config *config = &table->configs.at[i];
        for (uint32_t span = 0; span < config->span_count; span++) {
            if (!(config->goodput[span] > 0))
                continue;
            const struct config_rate rate = config_rate_of(table, model, 0, config, span);
            cr_assert_float_eq(config_rate_power_w(&rate, 1), config->power_w[span],
                               1e-9 * config->power_w[span], "%s, k %u, b %g, limit %g, span %u",
                               table->models->models[model].name, config->k, config->batch,
                               config->power_limit_w, span);
            cr_assert(config_rate_power_w(&rate, 0.5) <= config->power_w[span] * (1 + 1e-12));
            cr_assert(rate.iteration_s > 0 && rate.samples_s > 0);
        }
    }
}

static void expect_whole_rates_of(const char *models, const char *gpu, uint32_t most_k,
                                  uint32_t least_found) {
    struct trial t;
    struct config_table table;
    char yaml[2048];
    uint32_t found = 0;
    (void)snprintf(
        yaml, sizeof yaml,
        "name: n\nhorizon: 1h\nmodels: %s\npolicy: {name: fcfs}\n"
        "cluster: {gpu_types: [{name: %s, idle_w: 50, ctx_w: 90, tdp_w: 380, memory_gib: 80}], nodes: "
        "[{count: 16, gpu: %s, gpus: 8}]}\n"
        "workload: {kind: poisson, rate_per_s: 0.01, until: {jobs: 1}, sizes: {law: constant, mean: 1h}}\n",
        models, gpu, gpu);
    trial_load_table(&t, &table, &(struct trial_options){0}, yaml);
    table.extras.power_limits = true;
    for (uint32_t m = 0; m < table.models->count; m++)
        for (uint32_t k = 1; k <= most_k && table.models->models[m].gpu_count > 0; k *= 2) {
            uint32_t set = set_of(&table, m, k, 0);
            found += table.sets.at[set].count;
            expect_whole_rates(&table, m, set);
        }
    trial_finish_table(&t, &table);
    cr_expect_geq(found, least_found, "%s: %u", models, found);
}

Test(config_rate, whole_rate_of_shipped_models) {
    static const char *const files[] = {"eas-sim.yaml", "zeus-a40.yaml"};
    static const char *const gpus[] = {"a100", "a40"};
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        char path[512];
        (void)snprintf(path, sizeof path, "%s/configs/models/%s", getenv("EASIM_SOURCE"), files[f]);
        expect_whole_rates_of(path, gpus[f], 16, 10);
    }
}

Test(config_rate, whole_rate_of_transformers) {
    expect_whole_rates_of(
        "{models: [{name: gpt, transformer: {layers: 4, hidden: 64, heads: 4, sequence: 128, vocabulary: 1000,"
        " parameters: 1e6, global_batch: 16}, gpus: {g: {peak_flops: 1e12, memory_bytes_s: 1.6e12, node_bytes_s: 1e12,"
        " network_bytes_s: 1e12, compute_fraction: 0.9, memory_traffic: 0, gradient_overlap: 1, p0_w: 100, pmax_w: 500,"
        " evidence: assumed, source: made up}}}]}",
        "g", 16, 3);
}

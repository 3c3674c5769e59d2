/* Forms of models beside the plain ones: batches of all GPUs and of a GPU type, accumulation,
   synchronization over nodes, speed and power chosen apart. Expected values are worked out by hand
   in the comments. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"
#include "model/config_table.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(model_forms, .init = temp_dir_enter, .fini = temp_dir_leave);

/* g: four nodes of 4 GPUs with 10 GiB; h: one node of 2. */
static void open_models(struct trial *t, struct config_table *table, const char *models) {
    const struct trial_options options = {.models = models};
    trial_load_table(
        t, table, &options,
        "name: n\n"
        "horizon: 1\n"
        "models: models.yaml\n"
        "policy: {name: fcfs}\n"
        "cluster: {gpu_types: [{name: g, idle_w: 50, tdp_w: 400, memory_gib: 10}, {name: h, idle_w: 30, tdp_w: 300, memory_gib: 10}], nodes: [{count: 4, gpu: g, gpus: 4}, {gpu: h, gpus: 2}]}\n"
        "workload: {kind: periodic, period: 1, sizes: {law: constant, mean: 1}, rigid: {k: 1}}\n");
}

/* The configurations of model 0 on type h with the given k (ascending), and batches if any. */
static const struct config_set *find_set(struct config_table *table, uint32_t h, uint32_t k_count,
                                         const uint32_t *k, double batch) {
    struct config_request q = {.kind = JOB_KIND_MALLEABLE, .type_mask = 1u << h};
    q.k_count = k_count;
    for (uint32_t i = 0; i < k_count; i++)
        q.k[i] = k[i];
    q.batch_count = batch > 0;
    q.batch[0] = batch;
    uint32_t number = config_table_set(table, &q); /* may move the sets */
    return &table->sets.at[number];
}

static const struct easim_config *config_at(const struct config_table *table,
                                            const struct config_set *set, uint32_t i) {
    return &table->configs.at[set->first + i];
}

static void expect_near(double found, double expected, const char *what) {
    cr_expect(fabs(found - expected) <= 1e-13 * fabs(expected), "%s: %.17g, not %.17g", what, found,
              expected);
}

#define FORM   "a_s: 1, c_s: 0.5, gamma: 1, alpha_s: 0.25, p0_w: 100, pmax_w: 300"
#define SOURCE "evidence: assumed, source: by hand"

/* On g: B 6 and 2 (b = B/k); on h its own b. t = 1 + 0.5 b + 0.25 (two GPUs and more). */
Test(model_forms, batches_by_gpu_type) {
    struct trial t;
    struct config_table table;
    open_models(&t, &table,
                "models: [{name: m, m0: 100, phi: 1, global_batches: [6, 2, 6], gpus: {g: {" FORM
                ", " SOURCE "}, h: {" FORM ", " SOURCE ", batches: [5, 0.5]}}}]\n");
    static const uint32_t k[] = {1, 4};
    const struct config_set *set = find_set(&table, 0, 2, k, 0);
    static const struct {
        uint32_t k;
        double batch, goodput;
    } rows[] = {{1, 2, 2 / 2.0},
                {1, 6, 6 / 4.0},
                {4, 0.5, 2 / 1.5},
                {4, 1.5, 6 / 2.0}}; /* B / (1 + 0.5 b [+ 0.25]) */
    cr_assert_eq(set->count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        const struct easim_config *c = config_at(&table, set, i);
        cr_expect(c->k == rows[i].k && c->batch == rows[i].batch, "row %u: k %u, b %g", i, c->k,
                  c->batch);
        expect_near(c->goodput[EASIM_ONE_NODE], rows[i].goodput, "goodput");
    }
    set = find_set(&table, 1, 1, k, 0);
    cr_assert_eq(set->count, 2);
    cr_expect_eq(config_at(&table, set, 0)->batch, 0.5);
    cr_expect_eq(config_at(&table, set, 1)->batch, 5);
    set = find_set(&table, 0, 2, k, 3); /* a request for b stands above both */
    cr_assert_eq(set->count, 2);
    cr_expect(config_at(&table, set, 0)->batch == 3 && config_at(&table, set, 1)->batch == 3);
    trial_finish_table(&t, &table);
}

/* Outputs count in full however many are computed at once: m0 and phi are not needed. */
Test(model_forms, without_efficiency) {
    struct trial t;
    struct config_table table;
    open_models(&t, &table,
                "models: [{name: m, efficiency: none, global_batches: 1e6, gpus: {g: {" FORM
                ", " SOURCE "}}}]\n");
    const struct config_set *set = find_set(&table, 0, 1, (uint32_t[]){4}, 0);
    cr_assert_eq(set->count, 1);
    expect_near(config_at(&table, set, 0)->goodput[0], 1e6 / (1.25 + 125000), "goodput");
    trial_finish_table(&t, &table);
}

/* b = 8 in 4 steps on k = 2: t = 4 (1 + 0.5 * 2 + 0.25) = 9 s instead of 5.25; 1 + 2 = 3 GiB
   instead of 9; b = 16 does not fit at all on k = 4 (17 GiB), in 8 steps it does. Power by the rate
   of a GPU, 100 + 200 * 0.5 * 8/9. */
Test(model_forms, accumulation) {
    struct trial t;
    struct config_table table;
    open_models(&t, &table,
                "models: [{name: m, m0: 100, phi: 1, batches: [8, 16], mem0_gib: 1, mem1_gib: 1, "
                "gpus: {g: {" FORM ", " SOURCE
                ", grad_accum: [{k: 2, batch: 8, steps: 4}, {k: 2, batch: 16, steps: 8}]}}}]\n");
    static const uint32_t k[] = {2, 4};
    const struct config_set *set = find_set(&table, 0, 2, k, 0);
    cr_assert_eq(set->count, 3);
    const struct easim_config *c = config_at(&table, set, 0);
    cr_expect(c->k == 2 && c->batch == 8);
    expect_near(c->goodput[EASIM_ONE_NODE], 16 / 9.0, "4 steps");
    expect_near(c->power_w[EASIM_ONE_NODE], 100 + 200 * 0.5 * 8 / 9, "power");
    c = config_at(&table, set, 1);
    expect_near(c->goodput[EASIM_ONE_NODE], 32 / 18.0, "8 steps"); /* 8 (1 + 1 + 0.25) */
    c = config_at(&table, set, 2);
    cr_expect(c->k == 4 && c->batch == 8);
    expect_near(c->goodput[EASIM_ONE_NODE], 32 / 5.25, "one step elsewhere");
    trial_finish_table(&t, &table);
}

/* A measured point is of the whole iteration; elsewhere the table is asked for one step. */
Test(model_forms, accumulation_of_a_table) {
    struct trial t;
    struct config_table table;
    open_models(&t, &table,
                "models: [{name: m, m0: 100, phi: 1, batches: [4, 12], gpus: {g: {" SOURCE
                ", lookup: [{k: 1, batch: 2, throughput_samples_s: 4, power_w_per_gpu: 90}, "
                "{k: 1, batch: 4, throughput_samples_s: 5, power_w_per_gpu: 100}], "
                "grad_accum: [{k: 1, batch: 4, steps: 2}, {k: 1, batch: 12, steps: 4}]}}}]\n");
    const struct config_set *set = find_set(&table, 0, 1, (uint32_t[]){1}, 0);
    cr_assert_eq(set->count, 2);
    expect_near(config_at(&table, set, 0)->goodput[0], 5, "as measured");
    /* four steps of b 3: between 2/4 = 0.5 s and 4/5 = 0.8 s, 0.65 s each; 95 W */
    expect_near(config_at(&table, set, 1)->goodput[0], 12 / 2.6, "four steps");
    expect_near(config_at(&table, set, 1)->power_w[0], 95, "power of a step");
    trial_finish_table(&t, &table);
}

/* alpha + beta log2 n across nodes of 4: k = 2 and 4 count as 2 nodes where they are spread, k = 6
   as 2, k = 16 as 4; in one node nothing changes. t = 1 + 0.5 + s. */
Test(model_forms, nodes_by_their_number) {
    struct trial t;
    struct config_table table;
    open_models(&t, &table,
                "models: [{name: m, m0: 100, phi: 1, batches: [1], gpus: {g: {" FORM ", " SOURCE
                ", beta_s: 0.125, sync_inter: log2, alpha_inter_s: 2, beta_inter_s: 3, "
                "gpus_per_node: 4, range_k: [1, 16], range_batch: [1, 1]}, h: {" FORM ", " SOURCE
                ", gpus_per_node: 8, range_k: [1, 16], range_batch: [1, 1]}}}]\n");
    static const uint32_t k[] = {1, 2, 4, 6, 16};
    static const double seconds[][2] = {
        {1.5, 1.5}, {1.75, 6.5}, {2, 6.5}, {2.25, 6.5}, {3.5, 9.5}}; /* by span */
    const struct config_set *set = find_set(&table, 0, 5, k, 0);
    cr_assert_eq(set->count, 5);
    for (uint32_t i = 0; i < 5; i++) {
        const struct easim_config *c = config_at(&table, set, i);
        for (int span = 0; span < 2; span++)
            expect_near(c->goodput[span], k[i] / seconds[i][span], "goodput");
        cr_expect(!c->extrapolated); /* nodes of 4, as measured */
    }
    set = find_set(&table, 1, 1, k, 0);
    cr_expect(config_at(&table, set, 0)->extrapolated); /* measured on nodes of 8, here of 2 */
    trial_finish_table(&t, &table);
}

/* Of B = 6, 24 and 96 on GPUs that hold steps of 8: k = 1 has 6 alone, k = 4 has 1.5 and 6, and 24
   in four steps; k = 16 has all. Without a fitting one the set says why. */
Test(model_forms, largest_step) {
    struct trial t;
    struct config_table table;
    open_models(&t, &table,
                "models: [{name: m, m0: 100, phi: 1, global_batches: [6, 24, 96], gpus: {g: {" FORM
                ", " SOURCE ", most_batch: 8, grad_accum: [{k: 4, batch: 24, steps: 4}]}, h: {" FORM
                ", " SOURCE ", batches: [9], most_batch: 8}}}]\n");
    static const uint32_t k[] = {1, 4, 16};
    static const double expected[] = {6, 1.5, 6, 24, 0.375, 1.5, 6};
    const struct config_set *set = find_set(&table, 0, 3, k, 0);
    cr_assert_eq(set->count, 7);
    for (uint32_t i = 0; i < 7; i++)
        cr_expect_eq(config_at(&table, set, i)->batch, expected[i]);

    set = find_set(&table, 1, 3, k, 0);
    cr_assert_eq(set->count, 0);
    cr_expect_str_eq(set->reason,
                     "needs steps of more samples per GPU than most_batch of its model");
    trial_finish_table(&t, &table);
}

/* Measured on nodes of 4: k = 1 and 4 in one, k = 8 across two. Here g has nodes of 4 and h of 2.
   On h k = 4 has to be spread: the points in one node stand in, also between k = 4 (1 s) and k = 8
   (2 s): k = 6, 1.5 s. That is outside what was measured. Nothing stands in for one node, nor where
   nodes are large enough. */
Test(model_forms, table_on_smaller_nodes) {
    struct trial t;
    struct config_table table;
    const struct trial_options options = {
        .models =
            "models: [{name: m, m0: 1000, phi: 1, batches: [1], gpus: {g: {" SOURCE
            ", range_k: [1, 8], range_batch: [1, 1], lookup: [{k: 1, batch: 1, "
            "throughput_samples_s: 2, power_w_per_gpu: 90}, {k: 4, batch: 1, "
            "throughput_samples_s: 4, power_w_per_gpu: 100}, {k: 8, batch: 1, "
            "throughput_samples_s: 4, power_w_per_gpu: 120, across_nodes: true}]}, h: {" SOURCE
            ", range_k: [1, 8], range_batch: [1, 1], lookup: [{k: 1, batch: 1, "
            "throughput_samples_s: 2, power_w_per_gpu: 90}, {k: 4, batch: 1, "
            "throughput_samples_s: 4, power_w_per_gpu: 100}, {k: 8, batch: 1, "
            "throughput_samples_s: 4, power_w_per_gpu: 120, across_nodes: true}]}}}]\n"};
    trial_load_table(
        &t, &table, &options,
        "name: n\n"
        "horizon: 1\n"
        "models: models.yaml\n"
        "policy: {name: fcfs}\n"
        "cluster: {gpu_types: [{name: g, idle_w: 50, tdp_w: 400, memory_gib: 10}, {name: h, idle_w: 30, tdp_w: 300, memory_gib: 10}], nodes: [{count: 4, gpu: g, gpus: 4}, {count: 4, gpu: h, gpus: 2}, {gpu: g, gpus: 2}]}\n"
        "workload: {kind: periodic, period: 1, sizes: {law: constant, mean: 1}, rigid: {k: 1}}\n");
    static const uint32_t k[] = {1, 4, 6, 8};
    static const double iteration_s[] = {0.5, 1, 1.5, 2}, power_w[] = {90, 100, 110, 120};
    const struct config_set *set = find_set(&table, 1, 4, k, 0);
    cr_assert_eq(set->count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        const struct easim_config *c = config_at(&table, set, i);
        cr_assert(c->k == k[i] && c->empty_span == (k[i] > 2));
        expect_near(c->goodput[c->empty_span], k[i] / iteration_s[i], "goodput on small nodes");
        expect_near(c->power_w[c->empty_span], power_w[i], "power on small nodes");
        cr_expect_eq(c->extrapolated, k[i] == 4 || k[i] == 6, "k %u", k[i]);
    }
    set = find_set(&table, 0, 4, k, 0);
    cr_assert_eq(set->count, 4);
    cr_expect_eq(config_at(&table, set, 1)->goodput[EASIM_ACROSS_NODES], 0); /* k = 4 fits */
    cr_expect_eq(config_at(&table, set, 2)->goodput[EASIM_ONE_NODE], 0);     /* k = 6 does not */
    trial_finish_table(&t, &table);
}

/* Speed of a table with power of the form, P = 100 + 200 * 0.5 r / k, and the reverse. */
Test(model_forms, speed_and_power_apart) {
    struct trial t;
    struct config_table table;
    open_models(&t, &table,
                "models: [{name: m, m0: 100, phi: 1, batches: [1, 2], gpus: {\n"
                "  g: {c_s: 0.5, p0_w: 100, pmax_w: 300, " SOURCE
                ", lookup: [{k: 2, batch: 1, throughput_samples_s: 1}, {k: 2, batch: 2, "
                "throughput_samples_s: 3}]},\n"
                "  h: {a_s: 1, c_s: 0.5, gamma: 1, alpha_s: 0.25, " SOURCE
                ", lookup: [{k: 1, batch: 1, power_w_per_gpu: 120}, {k: 2, batch: 1, "
                "power_w_per_gpu: 140}, {k: 2, batch: 2, power_w_per_gpu: 500}]}}}]\n");
    static const uint32_t k[] = {1, 2};
    const struct config_set *set = find_set(&table, 0, 2, k, 0);
    cr_assert_eq(set->count, 2); /* k = 1 is outside the table */
    expect_near(config_at(&table, set, 0)->goodput[0], 1, "measured speed");
    expect_near(config_at(&table, set, 0)->power_w[0], 150, "power by the form");
    expect_near(config_at(&table, set, 1)->goodput[0], 3, "measured speed");
    expect_near(config_at(&table, set, 1)->power_w[0], 250, "power by the form");
    set = find_set(&table, 1, 2, k, 0);
    cr_assert_eq(set->count, 3); /* k = 1, b = 2 is outside the table */
    static const double expected[][2] = {{1 / 1.5, 120}, {2 / 1.75, 140}, {4 / 2.25, 300}};
    for (uint32_t i = 0; i < 3; i++) {
        expect_near(config_at(&table, set, i)->goodput[0], expected[i][0], "speed by the form");
        expect_near(config_at(&table, set, i)->power_w[0], expected[i][1],
                    "measured power, at most tdp_w");
    }
    trial_finish_table(&t, &table);
}

/* The table of configurations: T*, EDP* and their ties against support/reference.c, and what is
 * infeasible. */
#include "../support/reference.h"
#include "../support/scenario.h"
#include "../support/temp_dir.h"
#include "model/config_table.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(config_table, .init = temp_dir_enter, .fini = temp_dir_leave);

/* Models of known speed: "even" makes 2 samples/s on 2 and on 4 GPUs and as much on both types (T
   ties); "edge" needs 1 + 0.5 b GiB. Batches stand in any order, one of them twice: the table has
   them ascending and once. */
static const char models[] =
    "models:\n"
    "  - {name: even, m0: 1000, phi: 1, batches: [2, 1], gpus: {\n"
    "     g: {evidence: assumed, source: by hand, lookup: [\n"
    "       {k: 2, batch: 1, throughput_samples_s: 2, power_w_per_gpu: 100},\n"
    "       {k: 2, batch: 2, throughput_samples_s: 2, power_w_per_gpu: 100},\n"
    "       {k: 4, batch: 1, throughput_samples_s: 2, power_w_per_gpu: 10},\n"
    "       {k: 4, batch: 2, throughput_samples_s: 2, power_w_per_gpu: 20}]},\n"
    "     h: {evidence: assumed, source: by hand, lookup: [\n"
    "       {k: 2, batch: 1, throughput_samples_s: 2, power_w_per_gpu: 90},\n"
    "       {k: 2, batch: 2, throughput_samples_s: 2, power_w_per_gpu: 90}]}}}\n"
    "  - {name: edge, m0: 4, phi: 4, batches: [18, 2, 20, 4, 2], mem0_gib: 1, mem1_gib: 0.5, gpus: {\n"
    "     g: {a_s: 1, c_s: 0.5, gamma: 1, alpha_s: 0.25, alpha_inter_s: 1, beta_inter_s: 0.5, p0_w: 100, pmax_w: 900,\n"
    "         evidence: measured, source: x, range_k: [1, 2], range_batch: [2, 4]}}}\n"
    "rigid_speed: {h: 1.5}\n";

/* g: two nodes of 2 with 10 GiB; h: one node of 2. */
static void open_table(struct trial *t, struct config_table *table) {
    static const struct trial_options options = {.models = models};
    trial_load_table(
        t, table, &options,
        "name: n\n"
        "horizon: 1\n"
        "models: models.yaml\n"
        "policy: {name: fcfs}\n"
        "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 60, busy_w: 120, tdp_w: 400, memory_gib: 10}, {name: h, idle_w: 30, tdp_w: 300, memory_gib: 10}, {name: other, idle_w: 1, tdp_w: 2}], nodes: [{count: 2, gpu: g, gpus: 2}, {gpu: h, gpus: 2}, {gpu: other, gpus: 1}]}\n"
        "workload: {kind: periodic, period: 1, sizes: {law: constant, mean: 1}, rigid: {k: 1}}\n");
}

static uint32_t request(struct config_table *table, uint32_t model, uint64_t mask, uint32_t k_count,
                        const uint32_t *k) {
    struct config_request q = {.kind = job_kind_of_model(model),
                               .model = model,
                               .type_mask = mask,
                               .k_count = k_count,
                               .utilization = 0.5};
    for (uint32_t i = 0; i < k_count; i++)
        q.k[i] = k[i];
    return config_table_set(table, &q);
}

#define K(...) \
    sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), (const uint32_t[]) { \
        __VA_ARGS__ \
    }

/* T = 3 + 10/2 = 8 s everywhere. Fewer GPUs: k = 2, though k = 4 draws less; lower k * P: h;
   smaller batch: 1. EDP*: of 4 GPUs at 10 W on g: 4 * (60 * 3 + 10 * 5) * 8 = 7360; of 2 on h (ctx
   30): 2 * (30 * 3 + 90 * 5) * 8 = 8640. */
Test(config_table, ties) {
    struct trial t;
    struct config_table table;
    open_table(&t, &table);
    uint32_t set = request(&table, 0, 0, K(2, 4));
    struct config_best best = config_table_best(&table, set, 10, 3);
    const struct easim_config *c = &table.configs.at[best.config];
    cr_expect(c->k == 2 && c->gpu_type == 1 && c->batch == 1, "k %u, type %u, batch %g", c->k,
              c->gpu_type, c->batch);
    cr_expect_eq(best.time_s, 8);
    cr_expect_float_eq(best.edp_js, 7360, 1e-9);
    set = request(&table, 0, 1, K(4));
    best = config_table_best(&table, set, 10, 3);
    c = &table.configs.at[best.config];
    cr_expect(c->k == 4 && c->gpu_type == 0 && c->batch == 1); /* lower k * P, then smaller batch */
    cr_expect_eq(request(&table, 0, 1, K(4)), set);            /* equal requests share a set */
    cr_expect_neq(request(&table, 0, 1, K(2, 4)), set);
    /* rigid, 1.5 times as fast on h: 6/1.5 = 4 s; power 30 + 0.5 * 270 */
    set = request(&table, EASIM_NONE, 0, K(2));
    cr_expect_eq(table.sets.at[set].count, 2);
    best = config_table_best(&table, set, 6, 1);
    cr_expect_eq(best.time_s, 5);
    cr_expect_eq(table.configs.at[best.config].gpu_type, 1);
    cr_expect_eq(table.configs.at[best.config].power_w[0], 165);
    /* g, with a busy_w: 120 + 0.5 * 280 */
    cr_expect_eq(table.configs.at[table.sets.at[set].first].power_w[0], 260);
    trial_finish_table(&t, &table);
}

/* Order of a set: type, k, batch. "edge" on g: t = 1 + b/2 + s; b = 18 needs just 10 GiB, b = 20
 * one more. */
Test(config_table, rows) {
    static const struct {
        uint32_t k, batch, empty_span;
        double t[2]; /* by span */
        bool extrapolated;
    } rows[] = {
        {1, 2, 0, {2, 2}, false},    {1, 4, 0, {3, 3}, false},    {1, 18, 0, {10, 10}, true},
        {2, 2, 0, {2.25, 3}, false}, {2, 4, 0, {3.25, 4}, false}, {2, 18, 0, {10.25, 11}, true},
        {4, 2, 1, {2.25, 4}, true},  {4, 4, 1, {3.25, 5}, true},  {4, 18, 1, {10.25, 12}, true}};
    struct trial t;
    struct config_table table;
    open_table(&t, &table);
    uint32_t number = request(&table, 1, 0, K(1, 2, 4));
    const struct config_set *set = &table.sets.at[number];
    cr_assert_eq(set->count, 9);
    for (uint32_t i = 0; i < 9; i++) {
        const struct easim_config *c = &table.configs.at[set->first + i];
        double global = rows[i].k * rows[i].batch, eff = global > 4 ? 8 / (4 + global) : 1;
        cr_expect(c->k == rows[i].k && c->batch == rows[i].batch && c->gpu_type == 0 &&
                      c->empty_span == rows[i].empty_span &&
                      c->extrapolated == rows[i].extrapolated,
                  "row %u", i);
        for (int span = 0; span < 2; span++) {
            double power_w = fmin(400, 100 + 800 * 0.5 * rows[i].batch / rows[i].t[span]);
            cr_expect_float_eq(c->goodput[span], global / rows[i].t[span] * eff, 1e-12, "row %u",
                               i);
            cr_expect_float_eq(c->power_w[span], power_w, 1e-10, "row %u: %g W", i,
                               c->power_w[span]);
        }
    }
    /* best goodput of one GPU: b = 2: 1, b = 4: 4/3, b = 18: 1.8 * 8/22 = 0.65 samples/s */
    cr_expect_float_eq(config_table_unit(&table, 1, 0).goodput, 4 / 3.0, 1e-12);
    cr_expect_eq(config_table_unit(&table, 1, 1).goodput, 0);
    trial_finish_table(&t, &table);
}

Test(config_table, infeasible) {
    struct trial t;
    struct config_table table;
    open_table(&t, &table);
    struct config_request large = {.kind = JOB_KIND_MALLEABLE,
                                   .model = 1,
                                   .k_count = 1,
                                   .k = {1},
                                   .batch_count = 2,
                                   .batch = {19, 20}};
    const struct {
        uint32_t set;
        const char *reason;
    } cases[] = {{request(&table, 1, 0, K(5, 8)),
                  "needs 5 GPUs of one type, the largest allowed type has 4"},
                 {request(&table, EASIM_NONE, 2, K(3)),
                  "needs 3 GPUs of one type, the largest allowed type has 2"},
                 {request(&table, 1, 2, K(1, 8)), "its model knows no allowed GPU type"},
                 {request(&table, 0, 0, K(1)),
                  "no allowed configuration is in the measured range of its lookup table"},
                 {config_table_set(&table, &large), "needs at least 10.5 GiB of GPU memory"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct config_set *set = &table.sets.at[cases[i].set];
        cr_expect_eq(set->count, 0);
        cr_expect_str_eq(set->reason, cases[i].reason, "case %zu: %s", i, set->reason);
        struct config_best best = config_table_best(&table, cases[i].set, 1, 1);
        cr_expect(best.config == EASIM_NONE && isinf(best.time_s) && isinf(best.edp_js));
    }
    trial_finish_table(&t, &table);
}

/* With k <= most, or the smallest k there is: "edge", R = 6, set-up 1: k = 1: 6/(4/3) = 4.5; k = 2:
   b = 2: 6/(4/2.25) = 3.375, b = 4: 8/3.25 * 8/12 = 1.641: 3.656; k = 4 across: b = 2: 8/4 * 8/12 =
   4/3: 4.5, b = 4: 16/5
   * 8/20: 4.69 */
Test(config_table, best_time_within) {
    static const struct {
        uint32_t most_k;
        double time_s;
    } cases[] = {{0, 5.5}, {1, 5.5}, {2, 4.375}, {3, 4.375}, {100, 4.375}};
    struct trial t;
    struct config_table table;
    open_table(&t, &table);
    uint32_t set = request(&table, 1, 0, K(1, 2, 4)), large = request(&table, 1, 0, K(4));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_float_eq(config_table_best_time_within(&table, set, 6, 1, cases[i].most_k),
                           cases[i].time_s, 1e-12, "case %zu", i);
    cr_expect_float_eq(config_table_best_time_within(&table, large, 6, 1, 2), 5.5, 1e-12);
    trial_finish_table(&t, &table);
}

/* The shipped models on the cluster of the study. */
static void expect_reference(const struct trial *t, struct config_table *table, bool backwards) {
    static const double works[] = {1, 2385.125, 1e6, 3.1e8};
    for (int i = 0; i < REFERENCE_MODELS; i++)
        for (size_t w = 0; w < sizeof works / sizeof *works; w++)
            for (int m = 1; m <= 3; m++) {
                const struct reference_model *r = &reference_models[i];
                int mask = backwards ? 4 - m : m;
                uint32_t set = request(table, (uint32_t)model_set_find(&t->study.models, r->name),
                                       (uint64_t)mask, K(1, 2, 4, 8));
                struct config_best best = config_table_best(table, set, works[w], r->start_s);
                struct reference_run time = reference_best(r, mask, works[w], false),
                                     edp = reference_best(r, mask, works[w], true);
                const struct easim_config *c = &table->configs.at[best.config];
                cr_expect_float_eq(best.time_s, time.time_s, 1e-12 * time.time_s);
                cr_expect_float_eq(best.edp_js, edp.edp_js, 1e-12 * edp.edp_js);
                cr_expect(c->k == time.k && c->batch == time.batch &&
                          (int)c->gpu_type == time.type);
            }
}

/* Also in a table that takes its sets, in another order, from the first. */
Test(config_table, best_of_shipped_models) {
    static const struct trial_options options = {0};
    struct trial t;
    struct config_table table, copy;
    struct problems problems = {0};
    trial_load_table(
        &t, &table, &options,
        "name: n\n"
        "horizon: 1\n"
        "models: ${EASIM_SOURCE}/configs/models/eas-sim.yaml\n"
        "policy: {name: fcfs}\n"
        "cluster:\n" REFERENCE_TYPES "  nodes: [{gpu: a100, gpus: 8}, {gpu: h100, gpus: 8}]\n"
        "workload: {kind: periodic, period: 1, sizes: {law: constant, mean: 1}, rigid: {k: 1}}\n");
    expect_reference(&t, &table, false);
    cr_assert(config_table_init(&copy, &t.study.cluster, &t.study.models, &problems) == 0);
    copy.known = &table;
    expect_reference(&t, &copy, true);
    cr_expect(copy.configs.count == table.configs.count);
    config_table_finish(&copy);
    trial_finish_table(&t, &table);
}

/* T* and EDP* look at few configurations: as if they looked at all, for works from dust beside the
   set-up to years of it. */
Test(config_table, those_outdone_are_never_best) {
    static const struct trial_options options = {0};
    struct trial t;
    struct config_table table;
    trial_load_table(
        &t, &table, &options,
        "name: n\n"
        "horizon: 1\n"
        "models: ${EASIM_SOURCE}/configs/models/eas-sim.yaml\n"
        "policy: {name: fcfs}\n"
        "cluster:\n" REFERENCE_TYPES "  nodes: [{gpu: a100, gpus: 8}, {gpu: h100, gpus: 8}]\n"
        "workload: {kind: periodic, period: 1, sizes: {law: constant, mean: 1}, rigid: {k: 1}}\n");
    for (uint32_t model = 0; model < t.study.models.count; model++) {
        uint32_t set = request(&table, model, 0, K(1, 2, 4, 8));
        const struct config_speeds *some = &table.sets.at[set].speeds;
        struct config_speeds all = *some;
        all.front = all.at;
        all.front_count = all.count;
        cr_expect(some->front_count > 0 && some->front_count < all.count / 2);
        for (double work = 1e-12; work < 1e13; work *= 1.37)
            for (double setup_s = 0; setup_s < 1e5; setup_s = setup_s * 31 + 0.7) {
                struct config_best a = config_speeds_best(some, table.configs.at, work, setup_s),
                                   b = config_speeds_best(&all, table.configs.at, work, setup_s);
                cr_expect(a.config == b.config && a.time_s == b.time_s && a.edp_js == b.edp_js);
            }
    }
    trial_finish_table(&t, &table);
}

/* "edge" with two levels below tdp_w and one at it: each configuration once more for each, highest
   limit first. T* and EDP* stay those without limit, though 200 W takes no longer and draws less:
   they must not depend on the policy.
 */
Test(config_table, power_limits) {
    struct power_level levels[] = {{.power_limit_w = 150, .time_ratio = 2, .power_ratio = 0.5},
                                   {.power_limit_w = 200, .time_ratio = 1, .power_ratio = 0.75},
                                   {.power_limit_w = 400, .time_ratio = 1, .power_ratio = 1}};
    struct trial t;
    struct config_table table;
    open_table(&t, &table);
    uint32_t plain = request(&table, 1, 0, K(1, 2));
    struct config_best best = config_table_best(&table, plain, 10, 3);
    const struct config_set without = table.sets.at[plain];
    struct gpu_model *g = &t.study.models.models[1].gpus[0];
    g->power_limits.levels = (struct schema_list){.at = levels, .count = 3};
    table.extras.power_limits = true;
    uint32_t limited = request(&table, 1, 1, K(1, 2)); /* another mask, and so another set */
    const struct config_set with = table.sets.at[limited];
    cr_assert_eq(with.count, 3 * without.count);
    for (uint32_t i = 0; i < with.count; i++) {
        static const double limits[] = {INFINITY, 200, 150}, slower[] = {1, 1, 2},
                            share[] = {1, 0.75, 0.5};
        const struct easim_config *c = &table.configs.at[with.first + i];
        const struct easim_config *from = &table.configs.at[without.first + i / 3];
        cr_expect(c->k == from->k && c->batch == from->batch && c->power_limit_w == limits[i % 3],
                  "row %u", i);
        cr_expect_float_eq(c->goodput[0], from->goodput[0] / slower[i % 3], 1e-12, "row %u", i);
        cr_expect_float_eq(c->power_w[0], from->power_w[0] * share[i % 3], 1e-12, "row %u", i);
    }
    struct config_best same = config_table_best(&table, limited, 10, 3);
    cr_expect(same.time_s == best.time_s && same.edp_js == best.edp_js);
    cr_expect_eq(table.configs.at[same.config].power_limit_w, INFINITY);
    trial_finish_table(&t, &table);
}

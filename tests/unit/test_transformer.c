/* Plans of transformers against closed forms (Narayanan et al., SC'21; Korthikanti et al., 2022),
   figures by hand, and a search by nested loops. */
#include "model/plan.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

static void expect_near(double found, double expected, double tolerance, const char *what) {
    cr_expect(fabs(found - expected) <= tolerance * fabs(expected), "%s: %.17g, not %.17g", what,
              found, expected);
}

static struct transformer gpt(int64_t layers, int64_t hidden, int64_t heads, double parameters,
                              int64_t batch) {
    return (struct transformer){.layers = layers,
                                .hidden = hidden,
                                .heads = heads,
                                .kv_heads = heads,
                                .feed_forward = 4 * hidden,
                                .sequence = 2048,
                                .vocabulary = 51200,
                                .parameters = parameters,
                                .global_batch = batch,
                                .recompute = RECOMPUTE_FULL};
}

/* The two formulas of the paper's section 5.1 and appendix. */
Test(transformer, operations_of_the_paper) {
    static const int64_t shapes[][4] = {
        {24, 2304, 24, 512}, {96, 12288, 96, 1536}, {128, 25600, 160, 3072}};
    for (size_t i = 0; i < COUNT(shapes); i++) {
        struct transformer t = gpt(shapes[i][0], shapes[i][1], shapes[i][2], 1e9, shapes[i][3]);
        double L = (double)t.layers, h = (double)t.hidden, B = (double)t.global_batch;
        double s = 2048, V = 51200;
        expect_near(transformer_flop(&t),
                    96 * B * s * L * h * h * (1 + s / (6 * h) + V / (16 * L * h)), 1e-14, "full");
        t.recompute = RECOMPUTE_NONE;
        expect_near(transformer_flop(&t),
                    72 * B * s * L * h * h * (1 + s / (6 * h) + V / (12 * L * h)), 1e-14, "none");
        /* A model of 6 N operations a token and direction, N = 12 L h^2 + h V. */
        t.sequence = 1;
        expect_near(transformer_flop(&t) / B, 6 * (12 * L * h * h + h * V) + 12 * L * h, 1e-14,
                    "one token");
    }
}

/* Llama 3 70B, operations of one token's matrices counted one by one from their shapes. */
Test(transformer, operations_of_grouped_heads_and_a_gate) {
    struct transformer t = {.layers = 80,
                            .hidden = 8192,
                            .heads = 64,
                            .kv_heads = 8,
                            .feed_forward = 28672,
                            .gated = true,
                            .causal = true,
                            .sequence = 8192,
                            .vocabulary = 128256,
                            .parameters = 70.6e9,
                            .global_batch = 1};
    double weights = 8192.0 * 8192 * 2 + 2 * 8192.0 * 1024 + 3 * 8192.0 * 28672;
    double scores = 2 * 2 * 8192.0 * 8192 / 2; /* queries by keys, by values; half of them */
    double token = 80 * (2 * weights + scores) + 2 * 8192.0 * 128256;
    expect_near(transformer_flop(&t), 8192 * 3 * token, 1e-14, "trained");
    t.lora = true; /* no gradients of weights; scores have none */
    expect_near(transformer_flop(&t),
                8192 * (80 * (2 * 2 * weights + 3 * scores) + 2 * 2 * 8192.0 * 128256), 1e-14,
                "adapters");
    t.lora = false;
    t.recompute = RECOMPUTE_SELECTIVE;
    expect_near(transformer_flop(&t), 8192 * (3 * token + 80 * scores), 1e-14, "selective");
}

/* L 4, h 16, a 4, s 8: the sums are in the comments. */
static struct transformer small(void) {
    struct transformer t = gpt(4, 16, 4, 1e6, 8);
    t.sequence = 8;
    t.vocabulary = 32;
    return t;
}

Test(transformer, memory_by_hand) {
    const double gib = 1073741824.0;
    struct transformer t = small();
    struct plan plan = {.tensor = 2, .pipeline = 2, .data = 2, .context = 1, 1, 1};
    /* 18e6/4 of weights and their optimizer; two layers of 2 s h = 256 bytes for two micro-batches,
       and one whole layer: 128 (10 + 24/2 + 5*4*8/(16*2)) = 128 * 27. */
    expect_near(plan_memory_gib(&t, &plan) * gib, 4.5e6 + 256 * 2 * 2 + 128 * 27, 1e-14, "full");
    t.recompute = RECOMPUTE_SELECTIVE; /* 128 (10 + 12) a layer */
    expect_near(plan_memory_gib(&t, &plan) * gib, 4.5e6 + 128 * 22 * 4, 1e-14, "selective");
    t.recompute = RECOMPUTE_NONE;
    t.distributed_optimizer = true; /* 6 + 12/2 bytes */
    expect_near(plan_memory_gib(&t, &plan) * gib, 3e6 + 128 * 27 * 4, 1e-14, "shared optimizer");
    plan.interleaving = 2; /* 1 + 1/(2*2) */
    expect_near(plan_memory_gib(&t, &plan) * gib, 3e6 + 128 * 27 * 5, 1e-14, "interleaved");
    t.sequence_parallel = true; /* 10/2 */
    plan.context = 2;           /* half the tokens */
    expect_near(plan_memory_gib(&t, &plan) * gib, 3e6 + 128 * 22 * 5 / 2.0, 1e-14, "context");
    t.lora = true; /* 2e6/4 of weights */
    expect_near(plan_memory_gib(&t, &plan) * gib, 0.5e6 + 128 * 22 * 5 / 2.0, 1e-14, "adapters");
}

static const struct plan_hardware hardware = {
    {1e9, 1e8, 1e7, 1e6}, {0.5, 2, 0.25, 0.001, 0, 1}, INFINITY, 4};

Test(transformer, time_by_hand) {
    struct transformer t = small();
    const struct plan plan = {.tensor = 2, .pipeline = 2, .data = 2, .context = 1, 1, 2};
    /* m = 8 / (2*2) = 2 micro-batches of b = 2 sequences; 4/2 * 2 = 4 layers. */
    struct plan_parts p = plan_time_parts(&t, &plan, &hardware, true);
    expect_near(p.compute_s, transformer_flop(&t) / (8 * 0.5e9), 1e-14, "compute");
    expect_near(p.memory_s, 2 * 4 * 4 * 2 * 128 * 27 / 1e8, 1e-14, "memory");
    /* 6 all-reduces of 2 s b h = 512 bytes, of which each GPU sends 2 (2-1)/2. */
    expect_near(p.tensor_s, 4 * 6 * 512 * 1 / 1e7, 1e-14, "tensor");
    expect_near(p.pipeline_s, 2 * 2 * 512 / 1e6, 1e-14, "pipeline");
    expect_near(p.bubble_s, (p.compute_s + p.memory_s + p.tensor_s + p.pipeline_s) / 2, 1e-14,
                "bubble (2-1)/2");
    expect_near(p.gradient_s, 0.75 * 4e6 / 4 / 2 / 1e6, 1e-14, "gradients of half the others");
    expect_near(p.fixed_s, 0.002, 1e-14, "two nodes");
    expect_near(plan_parts_sum_s(&p),
                p.compute_s + p.memory_s + p.tensor_s + p.pipeline_s + p.bubble_s + p.gradient_s +
                    p.fixed_s,
                1e-14, "sum");
    t.recompute = RECOMPUTE_NONE;
    const struct plan_parts fewer = plan_time_parts(&t, &plan, &hardware, false);
    expect_near(fewer.memory_s, p.memory_s * 3 / 4, 1e-14, "three passes of four");
    expect_near(fewer.tensor_s, p.tensor_s * 4 / 6, 1e-14, "four all-reduces of six");
    expect_near(fewer.pipeline_s, p.pipeline_s / 10, 1e-14, "in one node");
    t.lora = true;
    cr_expect_eq(plan_time_parts(&t, &plan, &hardware, true).gradient_s, 0);
}

/* What is fixed is added to the nodes'; slower software takes longer for everything. */
Test(transformer, fixed_time_and_software) {
    const struct transformer t = small();
    const struct plan plan = {.tensor = 2, .pipeline = 2, .data = 2, .context = 1, 1, 2};
    struct plan_hardware other = hardware;
    const struct plan_parts before = plan_time_parts(&t, &plan, &hardware, true);
    other.fit.fixed_s = 0.03;
    expect_near(plan_time_parts(&t, &plan, &other, true).fixed_s, 0.032, 1e-14, "and two nodes");
    other.fit.fixed_s = 0;
    other.fit.software_factor = 0.74;
    const struct plan_parts after = plan_time_parts(&t, &plan, &other, true);
    expect_near(plan_parts_sum_s(&after), plan_parts_sum_s(&before) / 0.74, 1e-14, "slower");
    expect_near(after.bubble_s, before.bubble_s / 0.74, 1e-14, "in every part");
    expect_near(after.fixed_s, before.fixed_s / 0.74, 1e-14, "in every part");
}

Test(transformer, what_does_not_divide) {
    const struct transformer t = small();
    static const struct {
        struct plan plan;
        const char *wrong; /* part of it; NULL: it can be */
    } cases[] = {
        {{2, 2, 2, 1, 1, 1}, NULL},
        {{2, 2, 2, 1, 2, 1}, NULL}, /* m = 4 */
        {{8, 1, 1, 1, 1, 1}, "GPUs of a node"},
        {{3, 1, 1, 1, 1, 1}, "heads"},
        {{1, 3, 1, 1, 1, 1}, "layers"},
        {{1, 2, 1, 1, 4, 1}, "layers"},
        {{1, 1, 3, 1, 1, 1}, "global batch"},
        {{1, 1, 2, 1, 1, 3}, "global batch"},
        {{1, 1, 1, 3, 1, 1}, "sequence"},
        {{1, 1, 1, 1, 2, 1}, "v is above 1"},
        {{1, 2, 8, 1, 2, 1}, "v is above 1"}, /* m = 1 */
        {{1, 1, 1, 1, 1, 0}, "0"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *wrong = plan_wrong(&t, &cases[i].plan, 4);
        cr_expect((wrong == NULL) == (cases[i].wrong == NULL) &&
                      (!wrong || strstr(wrong, cases[i].wrong)),
                  "case %zu: %s", i, wrong ? wrong : "none");
    }
}

struct nested {
    struct plan best;
    double time_s;
    size_t count;
};

/* Every five numbers whose product may be k, in the order of ties. */
static struct nested search_by_loops(const struct transformer *t, uint32_t k,
                                     const struct plan_hardware *hw) {
    struct nested found = {.time_s = INFINITY};
    for (uint32_t pp = 1; pp <= k; pp++)
        for (uint32_t tp = 1; tp <= k; tp++)
            for (uint32_t dp = 1; dp <= k; dp++)
                for (uint32_t v = 1; v <= (uint32_t)t->layers; v++)
                    for (uint32_t mb = 1; mb <= (uint32_t)t->global_batch; mb++) {
                        const struct plan plan = {tp, pp, dp, 1, v, mb};
                        if (tp * pp * dp != k || plan_wrong(t, &plan, hw->node_gpus))
                            continue;
                        found.count++;
                        const struct plan_parts parts =
                            plan_time_parts(t, &plan, hw, k > hw->node_gpus);
                        if (plan_memory_gib(t, &plan) <= hw->memory_gib &&
                            plan_parts_sum_s(&parts) < found.time_s) {
                            found.time_s = plan_parts_sum_s(&parts);
                            found.best = plan;
                        }
                    }
    return found;
}

static void count_plan(void *to, const struct plan *plan) {
    (void)plan;
    ++*(size_t *)to;
}

Test(transformer, best_of_all_plans) {
    struct transformer t = gpt(12, 768, 12, 1.2e8, 48);
    static const uint32_t counts[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 5};
    static const double memories_gib[] = {INFINITY, 4, 1.2, 0.5};
    static const struct plan_fit fits[] = {{0.6, 2, 1, 0, 0, 1}, {0.4, 0, 0, 0.01, 0.5, 0.8}};
    size_t chosen = 0, none = 0;
    for (size_t i = 0; i < COUNT(counts) * COUNT(memories_gib) * COUNT(fits); i++) {
        uint32_t k = counts[i % COUNT(counts)];
        const struct plan_hardware hw = {{312e12, 1.6e12, 230e9, 25e9},
                                         fits[i % COUNT(fits)],
                                         memories_gib[i / COUNT(counts) % COUNT(memories_gib)],
                                         4};
        t.recompute = (int32_t)(i % 3);
        const struct nested expected = search_by_loops(&t, k, &hw);
        struct plan best;
        double least_gib;
        size_t count = 0;
        bool found = plan_best(&t, k, &hw, k > 4, &best, &least_gib);
        plan_each(&t, k, 4, count_plan, &count);
        cr_expect_eq(count, expected.count);
        cr_expect_eq(found, expected.time_s < INFINITY);
        cr_expect(memcmp(&best, &expected.best, sizeof best) == 0, "k %u: another plan", k);
        cr_expect(found || count == 0 || least_gib > hw.memory_gib);
        chosen += found;
        none += !found;
    }
    cr_expect(chosen > 20 && none > 5);
}

struct plan_list {
    size_t count;
    struct plan at[4096];
};

static void keep_plan(void *to, const struct plan *plan) {
    struct plan_list *list = to;
    cr_assert_lt(list->count, COUNT(list->at));
    list->at[list->count++] = *plan;
}

/* Every number up to its bound, asked one by one. */
static void list_by_loops(const struct transformer *t, uint32_t k, uint32_t node_gpus,
                          struct plan_list *list) {
    const int64_t *degrees = t->context_parallel.at, places = t->layers + 2 * t->embedding_places;
    for (uint32_t pp = 1; pp <= k; pp++)
        for (uint32_t tp = 1; tp <= k / pp; tp++)
            for (size_t c = 0; c < t->context_parallel.count; c++)
                for (uint32_t v = 1; v <= places; v++)
                    for (uint32_t mb = 1; mb <= t->global_batch; mb++) {
                        const uint32_t cp = (uint32_t)degrees[c], dp = k / (pp * tp * cp);
                        const struct plan plan = {tp, pp, dp, cp, v, mb};
                        if (pp * tp * cp * dp == k && !plan_wrong(t, &plan, node_gpus))
                            keep_plan(list, &plan);
                    }
}

/* Divisors of the layers, the heads and the batch give what all numbers give, in the same order. */
Test(transformer, all_plans_in_order) {
    static const int64_t shapes[][4] = {/* layers, heads, kv_heads, batch */
                                        {12, 12, 12, 48}, {30, 8, 2, 60}, {7, 6, 3, 36},
                                        {22, 16, 16, 1},  {16, 4, 4, 97}, {1, 1, 1, 64}};
    static const uint32_t counts[] = {1, 2, 3, 4, 6, 7, 8, 12, 16, 24, 36, 48, 60, 64, 97};
    static int64_t degrees[] = {1, 2, 4};
    static struct plan_list found, expected;
    size_t all = 0;
    for (size_t i = 0; i < COUNT(shapes) * COUNT(counts) * 4; i++) {
        const int64_t *s = shapes[i % COUNT(shapes)];
        const uint32_t k = counts[i / COUNT(shapes) % COUNT(counts)];
        const size_t kind = i / COUNT(shapes) / COUNT(counts);
        struct transformer t = gpt(s[0], 192, s[1], 1e8, s[3]);
        t.kv_heads = s[2];
        t.embedding_places = kind % 2;
        t.context_parallel = (struct schema_list){.at = degrees, .count = kind < 2 ? 1 : 3};
        found.count = expected.count = 0;
        list_by_loops(&t, k, kind == 3 ? 4 : 8, &expected);
        plan_each(&t, k, kind == 3 ? 4 : 8, keep_plan, &found);
        cr_assert_eq(found.count, expected.count, "case %zu: %zu plans, not %zu", i, found.count,
                     expected.count);
        cr_assert(memcmp(found.at, expected.at, found.count * sizeof *found.at) == 0, "case %zu",
                  i);
        all += found.count;
    }
    cr_assert_gt(all, 5000, "%zu", all);
}

/* One GPU has a plan for each divisor of the batch: 10^9 = 2^9 5^9, a prime, the number of nine
   digits that has most (OEIS A066150); 2^30 GPUs one for each that is a multiple of dp. */
Test(transformer, large_batches_and_many_gpus) {
    static const struct {
        int64_t batch;
        uint32_t k;
        size_t plans;
    } cases[] = {{1000000000, 1, 100},
                 {999999937, 1, 2},
                 {735134400, 1, 1344},
                 {1 << 29, 1u << 29, 1},
                 {1 << 20, 1u << 30, 0}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct transformer t = gpt(1, 64, 1, 1e6, cases[i].batch);
        size_t count = 0;
        plan_each(&t, cases[i].k, 8, count_plan, &count);
        cr_expect_eq(count, cases[i].plans, "%zu: %zu plans", i, count);
    }
}

Test(transformer, text) {
    char text[PLAN_TEXT_BYTES];
    plan_text(text, &(struct plan){8, 4, 2, 1, 2, 1});
    cr_expect_str_eq(text, "tp8pp4v2dp2mb1");
    plan_text(text, &(struct plan){8, 4, 2, 16, 2, 1});
    cr_expect_str_eq(text, "tp8pp4v2dp2cp16mb1");
}

/* What plan_text writes is read back; nothing else is a plan. */
Test(transformer, text_read_back) {
    static const struct plan plans[] = {
        {8, 4, 2, 1, 2, 1}, {8, 4, 2, 16, 2, 1}, {1, 1, 1, 1, 1, 1}, {4, 6, 484, 1, 8, 3}};
    for (size_t i = 0; i < COUNT(plans); i++) {
        char text[PLAN_TEXT_BYTES];
        struct plan found;
        plan_text(text, &plans[i]);
        cr_expect(plan_parse(text, &found) && memcmp(&found, &plans[i], sizeof found) == 0, "%s",
                  text);
    }
    static const char *const others[] = {"",
                                         "tp8",
                                         "tp8pp4v2dp2",
                                         "tp8pp4v2dp2mb1 ",
                                         "tp8pp4v2dp2mb1x",
                                         "tp08pp4v2dp2mb1",
                                         "tp0pp4v2dp2mb1",
                                         "tp-8pp4v2dp2mb1",
                                         "pp4tp8v2dp2mb1",
                                         "tp8pp4v2dp2cp1mb1",
                                         "tp8pp4v2dp2mb99999999999999999999",
                                         "tp1000pp1000v1dp1000mb1"};
    for (size_t i = 0; i < COUNT(others); i++) {
        struct plan found = {7, 7, 7, 7, 7, 7};
        cr_expect(!plan_parse(others[i], &found) && found.tensor == 7, "%s", others[i]);
    }
}

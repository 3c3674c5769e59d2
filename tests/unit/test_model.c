/* The pure functions of semantics 3: speed, efficiency, power, lookup. Figures by hand; then every
   cell of the profile table that was computed with these formulas, to the rounding of the table. */
#include "../support/reference.h"
#include "io/csv.h"
#include "model/gpu_value.h"
#include "model/laws.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect_near(double found, double expected, const char *what) {
    cr_expect(fabs(found - expected) <= 1e-14 * fabs(expected), "%s: %.17g, not %.17g", what, found,
              expected);
}

Test(model, iteration_time) {
    static const struct {
        struct speed_params p;
        uint32_t k;
        double batch;
        uint32_t nodes;
        double seconds;
    } cases[] = {
        {{0.03, 0.004, 2, {9, 9}, {9, 9}, 1, 0, 0}, 1, 10, 1, 0.05}, /* 3, 4, 5 */
        {{0.03, 0.004, 2, {9, 9}, {9, 9}, 1, 0, 0},
         1,
         10,
         2,
         0.05}, /* one GPU never synchronizes */
        {{0.03, 0.004, 1, {0, 0}, {0, 0}, 1, 0, 0}, 2, 10, 1, 0.07}, /* no overlap: the sum */
        {{0.5, 0.25, 10, {0, 0}, {0, 0}, 1, 0, 0},
         1,
         2,
         1,
         0.5 * 1.0717734625362931}, /* equal: 2^(1/10) */
        {{0.03, 0.004, 2, {0.01, 0.1}, {0.002, 0.05}, 1, 0, 0}, 2, 10, 1, 0.05 + 0.01},
        {{0.03, 0.004, 2, {0.01, 0.1}, {0.002, 0.05}, 1, 0, 0}, 5, 10, 1, 0.05 + 0.01 + 3 * 0.002},
        {{0.03, 0.004, 2, {0.01, 0.1}, {0.002, 0.05}, 1, 0, 0}, 2, 10, 2, 0.05 + 0.1},
        {{0.03, 0.004, 2, {0.01, 0.1}, {0.002, 0.05}, 1, 0, 0}, 8, 10, 2, 0.05 + 0.1 + 6 * 0.05},
        {{4, 1.5, 1.5, {0, 0}, {0, 0}, 1, 0, 0}, 1, 6, 1, 10.699874805650794}, /* (8 + 27)^(2/3) */
        /* a norm of compute (5, 12) and synchronization (84 = 80 + 2*2): 13, 84, 85 */
        {{5, 1.5, 2, {80, 0}, {2, 0}, 2, 0, 0}, 4, 8, 1, 85},
        {{5, 1.5, 2, {80, 0}, {2, 0}, 2, 0, 0}, 1, 8, 1, 13},
        {{3, 0.5, 2, {1, 0}, {0, 0}, 1, 0.5, 0},
         4,
         8,
         1,
         5 * 2 + 1}, /* compute grows as the root of k */
        /* across n nodes alpha + beta log2 n, whatever k; inside one the linear law stays */
        {{0.03, 0.004, 2, {0.01, 0.1}, {0.002, 0.05}, 1, 0, SYNC_LAW_LOG2},
         4096,
         10,
         512,
         0.05 + 0.1 + 9 * 0.05},
        {{0.03, 0.004, 2, {0.01, 0.1}, {0.002, 0.05}, 1, 0, SYNC_LAW_LOG2},
         9,
         10,
         2,
         0.05 + 0.1 + 0.05},
        {{0.03, 0.004, 2, {0.01, 0.1}, {0.002, 0.05}, 1, 0, SYNC_LAW_LOG2},
         5,
         10,
         1,
         0.05 + 0.01 + 3 * 0.002},
        {{0.03, 0.004, 2, {0.01, 0.1}, {0.002, 0.05}, 1, 0, SYNC_LAW_LINEAR},
         5,
         10,
         512,
         0.05 + 0.1 + 3 * 0.05},
        {{0.03, 0.004, 2, {0.01, 0.1}, {0.002, 0.05}, 1, 0, SYNC_LAW_LOG2}, 1, 10, 2, 0.05},
        {{1, 4, 1, {0, 0}, {0, 0}, 1, 0, 0}, 3, 0.125, 1, 1.5}, /* an eighth of a sample */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double seconds = speed_iteration_s(&cases[i].p, cases[i].k, cases[i].batch, cases[i].nodes);
        cr_expect(fabs(seconds - cases[i].seconds) <= 1e-14 * cases[i].seconds, "case %zu: %.17g",
                  i, seconds);
    }
    static const uint32_t nodes[][3] = {{1, 8, 2},      {8, 8, 2}, {16, 8, 2}, {17, 8, 3},
                                        {4096, 8, 512}, {7, 1, 7}, {2, 1, 2}};
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        cr_expect_eq(speed_nodes(nodes[i][0], nodes[i][1], EASIM_ACROSS_NODES), nodes[i][2]);
        cr_expect_eq(speed_nodes(nodes[i][0], nodes[i][1], EASIM_ONE_NODE), 1);
    }
    expect_near(speed_rate(4, 16, 0.125), 512, "rate");
    expect_near(speed_rate(1, 3, 2.385), 3 / 2.385, "rate");
    /* products over 32 bits */
    expect_near(speed_rate(1u << 20, 1000000000, 1), 1048576e9, "large rate");
}

/* eff(B) = (phi + m0)/(phi + B) above m0 */
Test(model, efficiency) {
    static const double cases[][4] = {{4096, 15000, 4096, 1},
                                      {4096, 15000, 1, 1},
                                      {4096, 15000, 4097, 19096.0 / 19097},
                                      {4096, 15000, 8192, 19096.0 / 23192},
                                      {100, 0, 400, 0.25},
                                      {2.385, 7.615, 12.385, 0.5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_near(efficiency_of_batch(cases[i][0], cases[i][1], cases[i][2]), cases[i][3],
                    "efficiency");
}

/* P = min(tdp, p0 + (pmax - p0) * c * rate of one GPU): pmax at 1/c samples/s */
Test(model, power) {
    const struct power_params p = {120, 320};
    expect_near(power_training_w(&p, 0.005, 0, 400), 120, "at rest");
    expect_near(power_training_w(&p, 0.005, 200, 400), 320, "saturated");
    expect_near(power_training_w(&p, 0.005, 47.7, 400), 120 + 47.7, "between");
    expect_near(power_training_w(&p, 0.005, 200, 250.5), 250.5, "at the limit");
    expect_near(power_rigid_w(60, 400, 1), 400, "rigid");
    expect_near(power_rigid_w(60, 400, 0), 60, "rigid, idle");
    expect_near(power_rigid_w(60, 400, 0.385), 60 + 0.385 * 340, "rigid, between");
}

/* --- lookup --- */

/* Within a node: k = 1: b 4 (1 s, 100 W), b 8 (1.5 s, 180 W); k = 4: b 4 (2 s, 130 W), b 8 (4 s,
   190 W). Throughputs are k * b / iteration time, given here with the table unsorted. */
static struct interpolation_point points[] = {{4, 8, 8, 190, false, {0}},
                                              {1, 8, 8 / 1.5, 180, false, {0}},
                                              {4, 4, 8, 130, false, {0}},
                                              {1, 4, 4, 100, false, {0}},
                                              {4, 4, 2, 90, true, {0}}};

Test(model, lookup) {
    static const struct {
        uint32_t k;
        double batch;
        uint32_t
            points; /* the first points of the table, sorted: the fifth is the one across nodes */
        enum easim_span span;
        double iteration_s, power_w; /* 0: outside */
    } cases[] = {
        {1, 4, 5, EASIM_ONE_NODE, 1, 100},
        {4, 8, 5, EASIM_ONE_NODE, 4, 190},
        {1, 5, 5, EASIM_ONE_NODE, 1.125, 120}, /* a quarter of the way from b 4 to b 8 */
        {4, 7, 5, EASIM_ONE_NODE, 3.5, 175},
        {2, 4, 5, EASIM_ONE_NODE, 1 + 1 / 3.0, 110}, /* a third of the way from k 1 to k 4 */
        {3, 6, 5, EASIM_ONE_NODE, 1.25 + (3 - 1.25) * 2 / 3, 140 + 20 * 2 / 3.0},
        {1, 4.5, 5, EASIM_ONE_NODE, 1.0625, 110},  /* an eighth */
        {1, 4 - 1e-12, 5, EASIM_ONE_NODE, 1, 100}, /* a quotient rounded twice is still b 4 */
        {1, 8 + 1e-12, 5, EASIM_ONE_NODE, 1.5, 180},
        {1, 4 - 1e-7, 5, EASIM_ONE_NODE, 0, 0},
        {1, 3, 5, EASIM_ONE_NODE, 0, 0},
        {1, 9, 5, EASIM_ONE_NODE, 0, 0},
        {5, 4, 5, EASIM_ONE_NODE, 0, 0},
        {4, 4, 5, EASIM_ACROSS_NODES, 8, 90},
        {4, 5, 5, EASIM_ACROSS_NODES, 0, 0},
        {2, 4, 5, EASIM_ACROSS_NODES, 0, 0},
        {4, 8, 4, EASIM_ACROSS_NODES, 4,
         190}, /* no point across nodes: those within stand for both */
        {1, 4, 0, EASIM_ONE_NODE, 0, 0},
    };
    struct interpolation all = {points, sizeof points / sizeof *points, false};
    cr_assert_eq(interpolation_sort(&all), -1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct interpolation some = {points, cases[i].points, false};
        struct interpolation_value value;
        bool found = interpolation_find(&some, cases[i].k, cases[i].batch, cases[i].span, &value);
        cr_assert_eq(found, cases[i].power_w > 0, "case %zu", i);
        if (found)
            cr_expect(fabs(value.iteration_s - cases[i].iteration_s) < 1e-14 * 8 &&
                          fabs(value.power_w - cases[i].power_w) < 1e-12,
                      "case %zu: %g s, %g W", i, value.iteration_s, value.power_w);
    }
    struct interpolation_point twice[] = {
        {1, 2, 3, 4, false, {0}}, {1, 2, 5, 6, true, {0}}, {1, 2, 3, 4, false, {0}}};
    cr_expect_eq(interpolation_sort(&(struct interpolation){twice, 3, false}), 1);
}

/* The table above. k = 1: an iteration takes 100 J at b 4, 270 J at b 8; k = 4: 260 J and 760 J a
   GPU. Time is as before, and so is what stands between two k. */
Test(model, lookup_by_energy) {
    static const struct {
        uint32_t k;
        double batch, iteration_s, power_w;
    } cases[] = {
        {1, 4, 1, 100},
        {1, 8, 1.5, 180},
        {1, 5, 1.125, (100 + 170 / 4.0) / 1.125},
        {4, 7, 3.5, (260 + 500 * 3 / 4.0) / 3.5},
        {2, 4, 1 + 1 / 3.0, 110},
        {3, 6, 1.25 + (3 - 1.25) * 2 / 3, 185 / 1.25 + (510 / 3.0 - 185 / 1.25) * 2 / 3},
    };
    struct interpolation table = {points, sizeof points / sizeof *points, true};
    cr_assert_eq(interpolation_sort(&table), -1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct interpolation_value value;
        cr_assert(interpolation_find(&table, cases[i].k, cases[i].batch, EASIM_ONE_NODE, &value));
        cr_expect(fabs(value.iteration_s - cases[i].iteration_s) < 1e-14 * 8 &&
                      fabs(value.power_w - cases[i].power_w) < 1e-12,
                  "case %zu: %g s, %g W", i, value.iteration_s, value.power_w);
    }
}

/* --- the profile table --- */

/* A derived cell: k = 1 and 2 only, since the table synchronizes by s * 2(k - 1)/k, which is s at k
 * = 2. */
static bool check_row(struct csv *csv, const int columns[7]) {
    static const struct {
        const char *model, *precision;
    } names[REFERENCE_MODELS] = {
        {"ViT-B/16", "FP32 strict (allow_tf32=False, PyTorch>=1.12 default for matmul)"},
        {"ViT-B/16", "FP32(TF32 matmul on)"},
        {"ALBERT-base-v2 seq512", "bf16"},
        {"ResNet-50", "FP32(TF32 conv, PyTorch default)"}};
    char text[7][128];
    for (int c = 0; c < 7; c++) {
        struct slice field = csv_field(csv, columns[c]);
        snprintf(text[c], sizeof text[c], "%.*s", (int)field.length, field.at);
    }
    uint32_t k = (uint32_t)atoi(text[3]), batch = (uint32_t)atoi(text[4]);
    int m = 0, h = strcmp(text[2], "H100") == 0;
    while (m < REFERENCE_MODELS &&
           (strcmp(text[0], names[m].model) != 0 || strcmp(text[1], names[m].precision) != 0))
        m++;
    if (m == REFERENCE_MODELS || (k != 1 && k != 2))
        return false;
    const struct reference_gpu *g = &reference_models[m].gpus[h];
    const struct speed_params speed = {g->a_s, g->c_s, g->gamma, {g->alpha_s, g->alpha_s},
                                       {0, 0}, 1,      0,        0};
    const struct power_params power = {g->p0_w, g->pmax_w};
    double rate = speed_rate(k, batch, speed_iteration_s(&speed, k, batch, 1));
    double power_w = power_training_w(&power, g->c_s, rate / k, reference_types[h].tdp_w);
    cr_expect(fabs(rate - atof(text[5])) <= 0.05 + 1e-9, "%s %s k %u b %u: %g samples/s, table %s",
              text[0], text[2], k, batch, rate, text[5]);
    cr_expect(fabs(power_w - atof(text[6])) <= 0.5 + 1e-9, "%s %s k %u b %u: %g W, table %s",
              text[0], text[2], k, batch, power_w, text[6]);
    return true;
}

Test(model, profile_table) {
    static const char *const names[7] = {
        "model",          "precision", "gpu", "k", "batch_per_gpu", "throughput_samples_s",
        "power_w_per_gpu"};
    if (!getenv("EASIM_DATA"))
        cr_skip("EASIM_DATA is not set");
    char path[512];
    struct csv *csv;
    struct error error = {0};
    int columns[7], rows = 0, got;
    snprintf(path, sizeof path, "%s/profiles/profile_table.csv", getenv("EASIM_DATA"));
    cr_assert_eq(csv_open(path, ',', &csv, &error), 0, "%s", error.text);
    for (int c = 0; c < 7; c++)
        columns[c] = csv_column(csv, names[c]);
    while ((got = csv_next(csv, &error)) > 0)
        rows += check_row(csv, columns);
    cr_assert_eq(got, 0, "%s", error.text);
    cr_assert_eq(rows, 2 * 2 * (6 + 6 + 6 + 5), "%d rows", rows);
    csv_close(csv);
}

/* Ratios of the nearest place measured at the level: same span first, then k, then batch, distances
   as ratios. Below a time ratio of 1 and above a power ratio of 1 the configuration without limit
   stands; a power measured above the limit stays. */
Test(model, power_limit_of_a_configuration) {
    struct power_level levels[] = {{.power_limit_w = 100, .time_ratio = 4, .power_ratio = 0.25},
                                   {.power_limit_w = 200, .time_ratio = 1.5, .power_ratio = 0.5}};
    struct power_level_point places[] = {
        {.power_limit_w = 200, .k = 1, .batch = 8, .time_ratio = 1.25, .power_ratio = 0.75},
        {.power_limit_w = 200, .k = 1, .batch = 64, .time_ratio = 1.75, .power_ratio = 0.625},
        {.power_limit_w = 200, .k = 4, .batch = 8, .time_ratio = 0.5, .power_ratio = 2},
        {.power_limit_w = 200,
         .k = 4,
         .batch = 8,
         .time_ratio = 2.5,
         .power_ratio = 0.125,
         .across_nodes = true},
        {.power_limit_w = 200,
         .k = 1,
         .batch = 16,
         .time_ratio = NAN,
         .power_ratio = NAN}, /* says nothing */
    };
    const struct power_limits limits = {.levels = {.at = levels, .count = 2},
                                        .points = {.at = places, .count = 5}};
    static const struct {
        int level;
        uint32_t k, batch;
        double power_w;                /* without limit */
        double ratio[2], limited_w[2]; /* by span: time, power */
    } cases[] = {
        /* one place across nodes stands for all there; its 0.125 and the 0.25 at 100 W are pooled
         */
        {1, 1, 8, 240, {1.25, 2.5}, {180, 45}},
        {1, 1, 20, 240, {1.25, 2.5}, {180, 45}}, /* 20 / 8 < 64 / 20 */
        {1, 1, 32, 240, {1.75, 2.5}, {150, 45}}, /* 32 / 8 > 64 / 32 */
        {1, 1, 32, 400, {1.75, 2.5}, {250, 75}}, /* above the limit */
        {1, 3, 64, 240, {1, 2.5}, {240, 45}}, /* k first: 4 / 3 < 3 / 1; no faster, no more than 240
                                               */
        {1, 8, 8, 160, {1, 2.5}, {160, 30}},
        {0, 1, 8, 240, {4, 4}, {60, 45}}}; /* no place: the means of the level, across nodes pooled
                                              with 0.125 at 200 W */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct easim_config unlimited = {.k = cases[i].k,
                                               .batch = cases[i].batch,
                                               .gpu_type = 3,
                                               .span_count = 2,
                                               .goodput = {70, 35},
                                               .power_w = {cases[i].power_w, cases[i].power_w},
                                               .power_limit_w = INFINITY};
        const struct gpu_type type = {.tdp_w = 500};
        struct easim_config c =
            level_apply(&limits, &type, levels[cases[i].level].power_limit_w, &unlimited);
        cr_expect(c.k == cases[i].k && c.batch == cases[i].batch && c.gpu_type == 3);
        cr_expect_eq(c.power_limit_w, levels[cases[i].level].power_limit_w);
        for (int span = 0; span < 2; span++) {
            expect_near(c.goodput[span], unlimited.goodput[span] / cases[i].ratio[span], "goodput");
            expect_near(c.power_w[span], cases[i].limited_w[span], "power");
        }
    }
}

/* --- power limits --- */

/* POWER.md 20.6: s 0.3, m 0.7, draws of 1800/7 W of 400 and 1375/7 W of 250. At 0.4: 1 / (0.7 + 0.3
   x 0.7 / 0.1) = 1 / 2.8. Least energy per work: 0.3 + sqrt(0.3 x 0.3 x 0.7 / 0.7) = 0.6. */
Test(model, limit_law_by_hand) {
    const struct limit_law law = {.s = 0.3, .m = 0.7};
    static const double cases[][2] = {
        {1800.0 / 7 / 400, 16.0 / 21}, {1375.0 / 7 / 250, 68.0 / 77}, {0.4, 1 / 2.8}, {1, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect_float_eq(limit_law_speed(&law, cases[i][0]), cases[i][1], 1e-14, "%zu", i);
        cr_expect_float_eq(limit_law_draw(&law, cases[i][1]), cases[i][0], 1e-14, "%zu", i);
    }
    cr_expect_float_eq(limit_law_least(&law), 0.4, 1e-15);
    cr_expect_float_eq(limit_law_best(&law), 0.6, 1e-14);
    cr_expect_float_eq(limit_law_speed(&law, 0.2), 1 / 2.8, 1e-14, "below the least draw");
    cr_expect_float_eq(limit_law_draw(&law, 0.1), 0.4, 1e-14);
    cr_expect_eq(limit_law_speed(&law, 1.5), 1);
}

/* Ends of the ranges: m 1 slows nothing down; m 0 and s 0 is proportional, so energy per work is
   the same at any draw and the fastest is as good; at s 0.9 there is no room. */
Test(model, limit_law_at_its_ends) {
    const struct limit_law none = {.s = 0.2, .m = 1}, proportional = {0},
                           no_room = {.s = 0.9, .m = 0.5};
    cr_expect(limit_law_speed(&none, 0.3) == 1 &&
              limit_law_draw(&none, 1) == limit_law_least(&none));
    cr_expect_float_eq(limit_law_best(&none), 0.3, 1e-15);
    cr_expect_float_eq(limit_law_speed(&proportional, 0.37), 0.37, 1e-15);
    cr_expect_float_eq(limit_law_draw(&proportional, 0.37), 0.37, 1e-15);
    cr_expect_eq(limit_law_best(&proportional), 1);
    cr_expect(limit_law_least(&no_room) == 1 && limit_law_speed(&no_room, 0.5) == 1);
}

/* For many laws the inverse is one, speed rises with the draw, and no draw of a fine grid has less
   energy per work than the best. */
Test(model, limit_law_inverse_and_best) {
    for (int a = 0; a <= 17; a++)
        for (int b = 0; b <= 20; b++) {
            const struct limit_law law = {.s = a * 0.05, .m = b * 0.05};
            double best = limit_law_best(&law), before = 0;
            double least = best / limit_law_speed(&law, best);
            for (int i = 0; i <= 500; i++) {
                double p = limit_law_least(&law) + (1 - limit_law_least(&law)) * i / 500,
                       rho = limit_law_speed(&law, p);
                cr_assert(rho >= before && rho <= 1, "s %g, m %g, p %g", law.s, law.m, p);
                cr_assert_geq(p / rho, least - 1e-12, "s %g, m %g, p %g", law.s, law.m, p);
                if (law.m < 1)
                    cr_assert_float_eq(limit_law_draw(&law, rho), p, 1e-9);
                before = rho;
            }
        }
}

/* 400 W, floor 160 by default: from 1 / 2.8 in steps of a quarter of 1 - 1/2.8, and 0.3 + 0.21 /
   (1/rho - 0.7) of 400 W each. With m 1 all speeds are 1, which leaves one. */
Test(model, limit_choices_of_a_type) {
    struct gpu_type type = {.tdp_w = 400, .limit_law = {.s = 0.3, .m = 0.7}};
    double limits_w[LIMIT_CHOICES];
    cr_assert_eq(limit_law_choices(&type, limits_w), 4);
    for (int i = 0; i < 4; i++) {
        double rho = 1 / 2.8 + (1 - 1 / 2.8) * i / 4;
        cr_expect_float_eq(limits_w[i], 400 * (0.3 + 0.21 / (1 / rho - 0.7)), 1e-9);
    }
    type.floor_w = 250;
    cr_assert_eq(limit_law_choices(&type, limits_w), 4);
    cr_expect_float_eq(limits_w[0], 250, 1e-9);
    type.limit_law.m = 1;
    cr_expect(limit_law_choices(&type, limits_w) == 1 && limits_w[0] == 250);
    type.floor_w = 400;
    cr_expect_eq(limit_law_choices(&type, limits_w), 0);
}

/* 400 W under 257.142857 W draw that; 250 W under 100 W are at 0.4 P = 100 W; 120 W are below the
   limit. */
Test(model, limit_law_of_a_configuration) {
    const struct gpu_type type = {.tdp_w = 400, .limit_law = {.s = 0.3, .m = 0.7}};
    const struct easim_config c = {
        .span_count = 2, .goodput = {42, 77}, .power_w = {400, 250}, .power_limit_w = INFINITY};
    struct easim_config under = limit_law_apply(&type, 1800.0 / 7, &c);
    cr_expect(under.power_limit_w == 1800.0 / 7 && under.power_w[0] == 1800.0 / 7 &&
              under.power_w[1] == 250 && under.goodput[1] == 77);
    cr_expect_float_eq(under.goodput[0], 32, 1e-12);
    under = limit_law_apply(&type, 90, &c);
    cr_expect_float_eq(under.power_w[1], 100, 1e-12);
    cr_expect_float_eq(under.goodput[1], 77 / 2.8, 1e-12);
}

/* Draws 0.3, 0.1, 0.2 and speeds 0.7, 0.5, 0.3 become their means. Between 200 and 300 W linear. */
Test(model, limit_table) {
    struct limit_point table[] = {
        {100, 0.3, 0.1}, {200, 0.1, 0.2}, {300, 0.2, 0.7}, {400, 0.9, 0.5}, {500, 1, 0.3}};
    limit_table_settle(table, 5);
    static const double draws[] = {0.2, 0.2, 0.2, 0.9, 1}, speeds[] = {0.1, 0.2, 0.5, 0.5, 0.5};
    for (int i = 0; i < 5; i++) {
        cr_expect_float_eq(table[i].draw, draws[i], 1e-15, "%d", i);
        cr_expect_float_eq(table[i].speed, speeds[i], 1e-15, "%d", i);
    }
    struct limit_point at = limit_table_at(table, 5, 230);
    cr_expect_float_eq(at.speed, 0.29, 1e-15);
    cr_expect_float_eq(at.draw, 0.2, 1e-15);
    cr_expect(limit_table_at(table, 5, 50).speed == 0.1 && limit_table_at(table, 5, 600).draw == 1);
    cr_expect_eq(limit_table_at(table, 5, 300).speed, table[2].speed);
}

/* Speed over draw under a limit: figures of POWER.md 20.6 by hand, small tables by hand, and random
   tables against level_apply, limit by limit. */
#include "base/rng.h"
#include "model/gpu_value.h"

#include <criterion/criterion.h>
#include <math.h>

#define SPAN EASIM_ONE_NODE

/* One GPU that draws power_w at a goodput of 1. */
static struct easim_config config_of(double power_w) {
    return (struct easim_config){.k = 1,
                                 .batch = 8,
                                 .span_count = 2,
                                 .goodput = {1, 1},
                                 .power_w = {power_w, power_w},
                                 .power_limit_w = INFINITY};
}

static struct limit_curve curve_of(const struct power_limits *limits, const struct gpu_type *type,
                                   double power_w) {
    const struct easim_config unlimited = config_of(power_w);
    struct limit_curve curve;
    limit_curve_init(&curve, limits, type, &unlimited, SPAN);
    return curve;
}

/* tdp 400, floor 160 = 0.4 tdp, s 0.3, m 0.7. Of 400 W 1800/7 are a speed of 16/21; of 250 W 1375/7
   are 68/77. d_eff is 0.6 P: 0.3 + sqrt(0.3 0.3 0.7 / 0.7). */
Test(limit_curve, law_by_hand) {
    const struct gpu_type type = {.tdp_w = 400, .limit_law = {.s = 0.3, .m = 0.7}};
    struct limit_curve a = curve_of(NULL, &type, 400), b = curve_of(NULL, &type, 250);
    cr_expect(a.least_limit_w == 160 && a.most_limit_w == 400 && a.count == 0);
    cr_expect(limit_curve_least_w(&a) == 160 && limit_curve_least_w(&b) == 160);
    cr_expect(limit_curve_draw_w(&a, 1800.0 / 7) == 1800.0 / 7);
    cr_expect_float_eq(limit_curve_speed(&a, 1800.0 / 7), 16.0 / 21, 1e-14);
    cr_expect_float_eq(limit_curve_speed(&b, 1375.0 / 7), 68.0 / 77, 1e-14);
    cr_expect_float_eq(limit_curve_draw_at_speed_w(&a, 16.0 / 21), 1800.0 / 7, 1e-11);
    cr_expect_float_eq(limit_curve_draw_at_speed_w(&b, 68.0 / 77), 1375.0 / 7, 1e-11);
    cr_expect_float_eq(limit_curve_best_w(&a, 400), 240, 1e-11);
    cr_expect_eq(limit_curve_best_w(&a, 200), 200, "kept below the wish");
    cr_expect_eq(limit_curve_best_w(&b, 250), 160, "0.6 P = 150 W are below the least");
    /* limits outside the range, and no limit */
    cr_expect(limit_curve_draw_w(&a, 90) == 160 && limit_curve_draw_w(&a, INFINITY) == 400 &&
              limit_curve_draw_w(&b, 300) == 250);
    cr_expect(limit_curve_speed(&b, 250) == 1 && limit_curve_speed(&b, 300) == 1);
    cr_expect_eq(limit_curve_speed(&b, 90), limit_curve_speed(&b, 160));
    cr_expect_eq(limit_curve_draw_at_speed_w(&b, 0.01), 160);
    limit_curve_finish(&a);
    limit_curve_finish(&b);
}

/* p is at least s + 0.1: 400 W draw 240 W at all limits below if s is 0.5, at a speed of 1 / (0.7 +
   0.3 0.5 / 0.1) = 1 / 2.2. Below floor_w nothing can be taken away. */
Test(limit_curve, law_at_its_ends) {
    struct gpu_type type = {.tdp_w = 400, .floor_w = 100, .limit_law = {.s = 0.5, .m = 0.7}};
    struct limit_curve curve = curve_of(NULL, &type, 400);
    cr_expect_eq(curve.least_limit_w, 100);
    cr_expect_float_eq(limit_curve_least_w(&curve), 240, 1e-11);
    cr_expect_eq(limit_curve_draw_w(&curve, 200), limit_curve_least_w(&curve));
    cr_expect_float_eq(limit_curve_speed(&curve, limit_curve_least_w(&curve)), 1 / 2.2, 1e-14);
    curve = curve_of(NULL, &type, 95);
    cr_expect(limit_curve_least_w(&curve) == 95 && limit_curve_speed(&curve, 95) == 1 &&
              limit_curve_best_w(&curve, 95) == 95 &&
              limit_curve_draw_at_speed_w(&curve, 0.5) == 95);
    curve = curve_of(NULL, &type, 0);
    cr_expect(limit_curve_least_w(&curve) == 0 && limit_curve_speed(&curve, 0) == 1);
    type.limit_law.m = 1; /* no limit slows it down: the least draw has every speed */
    curve = curve_of(NULL, &type, 400);
    cr_expect(limit_curve_speed(&curve, 300) == 1);
    cr_expect_eq(limit_curve_draw_at_speed_w(&curve, 1), limit_curve_least_w(&curve));
    cr_expect_eq(limit_curve_best_w(&curve, 400), limit_curve_least_w(&curve));
}

#define LEVELS 5
struct table {
    struct power_level levels[LEVELS];
    struct power_limits limits;
};

/* Without places: the ratios of the levels stand for every configuration. */
static void make_table(struct table *table, size_t count, const double points[][3]) {
    *table = (struct table){.limits.levels = {.at = table->levels, .count = count}};
    for (size_t i = 0; i < count; i++)
        table->levels[i] = (struct power_level){.power_limit_w = points[i][0],
                                                .power_ratio = points[i][1],
                                                .time_ratio = 1 / points[i][2]};
}

/* P 200 W, tdp 300. Draws 50, 100, 100, 150, 200 W at speeds 0.25, 0.5, 0.625, 0.625 and 1: flat in
   draw between 150 and 200 W, where 100 W have the highest of their speeds; flat in speed between
   200 and 250 W, where the least draw of 0.625 is 100 W. Energy per work 200, 200, 160, 240, 200.
 */
Test(limit_curve, flat_pieces) {
    struct table table;
    make_table(&table, 4,
               (const double[][3]){
                   {100, 0.25, 0.25}, {150, 0.5, 0.5}, {200, 0.5, 0.625}, {250, 0.75, 0.625}});
    struct gpu_type type = {.tdp_w = 300};
    struct limit_curve curve = curve_of(&table.limits, &type, 200);
    cr_expect(curve.least_limit_w == 100 && curve.most_limit_w == 300 && curve.count == 5);
    static const double limits_w[] = {60, 100, 125, 150, 175, 200, 225, 250, 275, 300},
                        draws_w[] = {50, 50, 75, 100, 100, 100, 125, 150, 175, 200},
                        speeds[] = {.25, .25, .375, .625, .625, .625, .625, .625, .8125, 1};
    for (size_t i = 0; i < sizeof draws_w / sizeof *draws_w; i++) {
        cr_expect_eq(limit_curve_draw_w(&curve, limits_w[i]), draws_w[i], "%g W", limits_w[i]);
        cr_expect_eq(limit_curve_speed(&curve, draws_w[i]), speeds[i], "%g W", draws_w[i]);
    }
    static const double asked[] = {0.1, 0.25, 0.375, 0.5, 0.6, 0.625, 0.8125, 1},
                        least_w[] = {50, 50, 75, 100, 100, 100, 175, 200};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        cr_expect_eq(limit_curve_draw_at_speed_w(&curve, asked[i]), least_w[i], "%g", asked[i]);
    cr_expect(limit_curve_best_w(&curve, 200) == 100 && limit_curve_best_w(&curve, 75) == 75);
    limit_curve_finish(&curve);
    /* a stated floor narrows the range: 175 W, then above all limits that were measured */
    type.floor_w = 225;
    curve = curve_of(&table.limits, &type, 200);
    cr_expect(limit_curve_least_w(&curve) == 125 && limit_curve_speed(&curve, 10) == 0.625 &&
              limit_curve_best_w(&curve, 200) == 125 &&
              limit_curve_draw_at_speed_w(&curve, 0.3) == 125);
    limit_curve_finish(&curve);
    type.floor_w = 300;
    curve = curve_of(&table.limits, &type, 200);
    cr_expect(limit_curve_least_w(&curve) == 200 && limit_curve_speed(&curve, 10) == 1);
    limit_curve_finish(&curve);
    /* equal energy per work at 50, 100 and 200 W: the lower draw */
    make_table(&table, 2, (const double[][3]){{100, 0.25, 0.25}, {150, 0.5, 0.5}});
    type.floor_w = 0;
    curve = curve_of(&table.limits, &type, 200);
    cr_expect_eq(limit_curve_best_w(&curve, 200), 50);
    limit_curve_finish(&curve);
}

/* Measured at 200 W: draw 1.25, speed 1.5 times that without a limit. Pooled with no limit they are
   1.125 and 1.25, and count as 1 from where they pass it: draw at 180 W, speed at 175 W, which draw
   0.5 + 0.75 0.625 of 160 W, 155 W. A level at or above tdp_w limits nothing; without others there
   is but one limit. */
Test(limit_curve, above_one) {
    struct table table;
    make_table(&table, 2, (const double[][3]){{100, 0.5, 0.25}, {200, 1.25, 1.5}});
    struct gpu_type type = {.tdp_w = 400};
    struct limit_curve curve = curve_of(&table.limits, &type, 160);
    cr_expect(limit_curve_draw_w(&curve, 140) == 120 && limit_curve_draw_w(&curve, 180) == 160 &&
              limit_curve_draw_w(&curve, 200) == 160);
    cr_expect_float_eq(limit_curve_speed(&curve, 120), 0.65, 1e-15);
    cr_expect_float_eq(limit_curve_draw_at_speed_w(&curve, 0.65), 120, 1e-12);
    cr_expect(limit_curve_speed(&curve, 160) == 1 && limit_curve_draw_at_speed_w(&curve, 1) == 155);
    limit_curve_finish(&curve);
    type.tdp_w = 100;
    curve = curve_of(&table.limits, &type, 90);
    cr_expect(curve.least_limit_w == 100 && curve.count == 1 && limit_curve_least_w(&curve) == 90 &&
              limit_curve_speed(&curve, 50) == 1 && limit_curve_draw_at_speed_w(&curve, 0.5) == 90);
    limit_curve_finish(&curve);
}

/* Of any table and law: draw and speed of each level and of limits between them are those of
   level_apply, to the last digit at a level; where higher limits draw as much, the speed may be
   more. The least draw of a speed reaches it, and 1e-9 less do not; no measured limit takes less
   energy for the work than the best. */
static void check_curve(const struct power_limits *limits, const struct gpu_type *type,
                        double power_w) {
    const struct easim_config unlimited = config_of(power_w);
    struct limit_curve curve = curve_of(limits, type, power_w);
    double best_w = limit_curve_best_w(&curve, power_w), before = 0;
    double least_j = best_w / limit_curve_speed(&curve, best_w), last_w = 0;
    for (int i = 0; i <= 20; i++) {
        double limit_w = curve.least_limit_w + (type->tdp_w - curve.least_limit_w) * i / 20;
        const struct power_level *levels = limits ? limits->levels.at : NULL;
        bool is_level = limits && i < (int)limits->levels.count;
        if (is_level)
            limit_w = levels[i].power_limit_w;
        const struct easim_config c = level_apply(limits, type, limit_w, &unlimited);
        double draw_w = limit_curve_draw_w(&curve, limit_w),
               rho = limit_curve_speed(&curve, draw_w);
        cr_assert_eq(draw_w, c.power_w[SPAN]);
        const struct easim_config more = level_apply(limits, type, limit_w + 1e-6, &unlimited);
        if (limit_w >= type->tdp_w || more.power_w[SPAN] > draw_w)
            cr_assert_float_eq(rho, c.goodput[SPAN], is_level || !limits ? 0 : 1e-12);
        cr_assert(rho >= c.goodput[SPAN] - 1e-12 && rho > 0 && rho <= 1);
        if (!is_level) {
            cr_assert(rho >= before && draw_w >= last_w);
            before = rho;
            last_w = draw_w;
        }
        double at_w = limit_curve_draw_at_speed_w(&curve, rho);
        cr_assert(at_w <= draw_w * (1 + 1e-9) && at_w >= limit_curve_least_w(&curve));
        cr_assert_geq(limit_curve_speed(&curve, at_w), rho - 1e-9);
        if (at_w * (1 - 1e-9) > limit_curve_least_w(&curve) && at_w < power_w)
            cr_assert_lt(limit_curve_speed(&curve, at_w * (1 - 1e-9)), rho);
        if (is_level || !limits)
            cr_assert_geq(draw_w / rho, least_j * (1 - 1e-12));
    }
    limit_curve_finish(&curve);
}

Test(limit_curve, agrees_with_levels) {
    gsl_rng *rng = rng_create(41, 0, "limit_curve");
    for (int round = 0; round < 2000; round++) {
        double points[LEVELS][3], power_w = 40 + 360 * gsl_rng_uniform(rng);
        size_t count = 1 + gsl_rng_uniform_int(rng, LEVELS);
        for (size_t i = 0; i < count; i++) {
            points[i][0] = 100 + 60 * ((double)i + 0.9 * gsl_rng_uniform(rng));
            points[i][1] = 0.2 + 0.17 * (double)i + 0.3 * gsl_rng_uniform(rng);
            points[i][2] = 0.2 + 0.17 * (double)i + 0.3 * gsl_rng_uniform(rng);
        }
        struct table table;
        make_table(&table, count, (const double(*)[3])points);
        const struct gpu_type type = {
            .tdp_w = 400,
            .limit_law = {.s = 0.6 * gsl_rng_uniform(rng), .m = gsl_rng_uniform(rng)}};
        check_curve(&table.limits, &type, power_w);
        check_curve(NULL, &type, power_w);
    }
    gsl_rng_free(rng);
}

/* Calibration: gradients against differences, known parameters found again, errors and choices by
 * hand. */
#include "../support/temp_dir.h"
#include "base/rng.h"
#include "calibrate/choice.h"
#include "calibrate/validation.h"

#include <criterion/criterion.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>

static void set_up(void) {
    gsl_set_error_handler_off(); /* as the program does: codes are checked */
    temp_dir_enter();
}

TestSuite(calibrate, .init = set_up, .fini = temp_dir_leave);

/* a_s, c_s, gamma, alpha_s, beta_s, alpha_inter_s, beta_inter_s, sync_gamma, scaling_exponent,
 * p0_w, pmax_w */
typedef double values_of[PARAM_COUNT];

/* The last two: in micro-steps; on 20 nodes by the log2 law. */
static const struct place places[] = {
    {1, 1, EASIM_ONE_NODE, 1, 0},     {1, 8, EASIM_ONE_NODE, 1, 0},
    {1, 64, EASIM_ONE_NODE, 1, 0},    {2, 16, EASIM_ONE_NODE, 1, 0},
    {7, 3, EASIM_ONE_NODE, 1, 0},     {4, 256, EASIM_ONE_NODE, 1, 0},
    {2, 5, EASIM_ACROSS_NODES, 1, 0}, {16, 32, EASIM_ACROSS_NODES, 1, 0},
    {4, 0.375, EASIM_ONE_NODE, 3, 0}, {160, 2.5, EASIM_ACROSS_NODES, 5, 20}};

static const struct choice_options usual = {"p.csv", 0.04, {NAN, NULL, NAN}},
                                   lenient = {"p.csv", 0.1, {NAN, NULL, NAN}};

/* ---- Gradients ---- */

/* Each derivative against a central difference of the functions that a simulation uses. */
Test(calibrate, gradients) {
    static const values_of cases[] = {
        {0.03, 0.004, 1.7, 0.006, 0.002, 0.02, 0.003, 1, 0, 95, 310},
        {0.03, 0.004, 10, 0.006, 0.002, 0.02, 0.003, 2.4, 0, 95, 310},
        {0.003, 0.01, 3, 0, 0, 0, 0, 1, 0.13, 200, 200},
        {0.03, 0.004, 1, 0.5, 0.2, 0.9, 0.3, 5, 0.07, 95, 310},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            values_of rate_gradient, watts_gradient;
            struct speed_params speed = form_speed(cases[c]);
            double steps = places[i].steps;
            uint32_t nodes = 1 + places[i].span;
            if (places[i].log2_nodes > 0) {
                speed.sync_inter = SYNC_LAW_LOG2;
                nodes = places[i].log2_nodes;
            }
            double seconds =
                steps * speed_iteration_s(&speed, places[i].k, places[i].batch / steps, nodes);
            cr_expect_eq(form_iteration_s(cases[c], places[i]), seconds);
            double rate = form_rate(cases[c], places[i], rate_gradient);
            cr_expect(fabs(rate - places[i].batch / seconds) <= 1e-14 * rate, "case %zu, place %zu",
                      c, i);
            double watts = form_watts(cases[c], rate, rate_gradient, watts_gradient);
            cr_expect(
                fabs(watts - (cases[c][PARAM_P0] + (cases[c][PARAM_PMAX] - cases[c][PARAM_P0]) *
                                                       cases[c][PARAM_C] * rate)) <= 1e-12);
            for (int p = 0; p < PARAM_COUNT; p++) {
                /* At a gamma of 1 its derivative is not defined by form_rate; at 0 a difference
                 * would leave the range. */
                if (((p == PARAM_GAMMA || p == PARAM_SYNC_GAMMA) && cases[c][p] == 1) ||
                    (p < PARAM_P0 && cases[c][p] == 0))
                    continue;
                double step = 1e-5 * fmax(cases[c][p], 1e-3), rates[2], powers[2];
                for (int side = 0; side < 2; side++) {
                    values_of moved, ignored;
                    memcpy(moved, cases[c], sizeof moved);
                    moved[p] += side ? step : -step;
                    if (p == PARAM_P0) /* the excess stays */
                        moved[PARAM_PMAX] += side ? step : -step;
                    rates[side] = form_rate(moved, places[i], ignored);
                    powers[side] = form_watts(moved, rates[side], ignored, ignored);
                }
                double by_rate = (rates[1] - rates[0]) / (2 * step),
                       by_watts = (powers[1] - powers[0]) / (2 * step);
                cr_expect(
                    fabs(rate_gradient[p] - by_rate) <= 1e-6 * fabs(by_rate) + 4e-15 * rate / step,
                    "%zu %zu %s: %g, %g", c, i, parameter_names[p], rate_gradient[p], by_rate);
                cr_expect(fabs(watts_gradient[p] - by_watts) <=
                              1e-6 * fabs(by_watts) + 4e-15 * watts / step,
                          "%zu %zu %s: %g, %g", c, i, parameter_names[p], watts_gradient[p],
                          by_watts);
            }
        }
}

/* Coordinates and values are each other's inverse, and the slope is the derivative. */
Test(calibrate, coordinates) {
    static const values_of v = {0.03, 0.004, 1.7, 0.006, 0.002, 0.02, 0.003, 2.4, 0.13, 95, 310};
    for (int p = 0; p < PARAM_COUNT; p++) {
        double slope, u = form_coordinate((enum parameter)p, v);
        double value = form_value((enum parameter)p, u, v[PARAM_P0], &slope);
        double above = form_value((enum parameter)p, u + 1e-6, v[PARAM_P0], NULL);
        double below = form_value((enum parameter)p, u - 1e-6, v[PARAM_P0], NULL);
        cr_expect(fabs(value - v[p]) <= 1e-13 * v[p], "%s: %.17g", parameter_names[p], value);
        cr_expect(fabs(slope - (above - below) / 2e-6) <= 1e-6 * fabs(slope), "%s",
                  parameter_names[p]);
    }
}

/* ---- Known parameters found again ---- */

static const uint32_t batches[] = {4, 8, 16, 32, 64, 128, 256};

/* A point at every k, batch and span of the form, with relative normal noise on throughput and
 * power. */
static void synthesise(struct points *points, const struct form *form, const values_of v,
                       double noise, gsl_rng *rng) {
    static const uint32_t ks[] = {1, 2, 3, 4, 8};
    struct profile_point rows[128];
    struct profile_group group = {.rows = rows};
    values_of ignored;
    for (int span = 0; span < 2; span++)
        for (size_t k = 0; k < 5; k++)
            for (size_t b = 0; b < sizeof batches / sizeof *batches; b++) {
                bool several = ks[k] > 1;
                if (span == 0 ? several && !form->one_node : !several || !form->across_nodes)
                    continue;
                struct place at = {ks[k], batches[b], (enum easim_span)span, 1, 0};
                double rate = form_rate(v, at, ignored),
                       watts = form_watts(v, rate, ignored, ignored);
                rows[group.count++] = (struct profile_point){
                    .k = at.k,
                    .batch = at.batch,
                    .across_nodes = span == 1,
                    .limit_w = NAN,
                    .throughput_samples_s =
                        at.k * rate * (1 + (noise > 0 ? noise * gsl_ran_gaussian(rng, 1) : 0)),
                    .power_w =
                        form->power == POWER_LAW_NONE
                            ? NAN
                            : watts *
                                  (1 + (noise > 0 ? 0.3 * noise * gsl_ran_gaussian(rng, 1) : 0)),
                    .line = (uint32_t)group.count + 2};
            }
    group.base_count = group.count;
    points_of_group(points, &group);
}

static const struct {
    struct form form;
    values_of v;
} known[] = {
    {{COMPUTE_PROPORTIONAL, SYNC_NONE, POWER_LAW_CONSTANT, false, false, false, false},
     {FLOOR_NONE_S, 0.00523, 1, 0, 0, 0, 0, 1, 0, 231.7, 231.7}},
    {{COMPUTE_AFFINE, SYNC_NONE, POWER_LAW_LINEAR, false, false, false, false},
     {0.0231, 0.00523, 1, 0, 0, 0, 0, 1, 0, 91.3, 287.9}},
    {{COMPUTE_ROOFLINE, SYNC_CONSTANT, POWER_LAW_LINEAR, true, false, false, false},
     {0.1231, 0.00523, 10, 0.0131, 0, 0.0131, 0, 1, 0, 91.3, 287.9}},
    {{COMPUTE_NORM, SYNC_ADDITIVE, POWER_LAW_LINEAR, true, false, false, false},
     {0.1231, 0.00523, 2.317, 0.0131, 0.00317, 0.0131, 0.00317, 1, 0, 91.3, 287.9}},
    {{COMPUTE_NORM, SYNC_ADDITIVE, POWER_LAW_NONE, true, true, false, false},
     {0.1231, 0.00523, 2.317, 0.0131, 0.00317, 0.0431, 0.00917, 1, 0, 0, 0}},
    {{COMPUTE_AFFINE, SYNC_EXPONENT, POWER_LAW_CONSTANT, true, false, false, false},
     {0.0231, 0.00523, 1, 0, 0, 0, 0, 1, 0.0817, 231.7, 231.7}},
    {{COMPUTE_AFFINE, SYNC_NORM, POWER_LAW_LINEAR, true, false, false, false},
     {0.0231, 0.00523, 1, 0.2131, 0.0317, 0.2131, 0.0317, 2.117, 0, 91.3, 287.9}},
};

/* Exact data gives the parameters back to 1e-6, and no residual. */
Test(calibrate, exact_data) {
    for (size_t c = 0; c < sizeof known / sizeof *known; c++) {
        struct points points = {0};
        struct fit fit;
        synthesise(&points, &known[c].form, known[c].v, 0, NULL);
        cr_assert(fit_form(&points, &known[c].form, NO_FOLD, NULL, &fit));
        for (int p = 0; p < PARAM_COUNT; p++)
            cr_expect(fabs(fit.values[p] - known[c].v[p]) <= 1e-6 * known[c].v[p],
                      "case %zu: %s %.9g, not %.9g", c, parameter_names[p], fit.values[p],
                      known[c].v[p]);
        points_finish(&points);
    }
}

/* With noise of 2 % (throughput) and 0.6 % (power), 40 draws of each: no parameter is ever off by
   more than 4.5 standard errors, and by more than 3 in at most 1 % of the cases (normal: 0.27 %);
   the standard errors are right on average too: the mean square of the deviation in standard errors
   is 1, over 40 draws with a standard deviation of sqrt(2/40) = 0.22 (4 of which are allowed). */
Test(calibrate, noisy_data) {
    size_t cases = 0, beyond = 0;
    for (size_t c = 0; c < sizeof known / sizeof *known; c++) {
        values_of squares = {0};
        struct covariance covariance;
        for (uint64_t seed = 1; seed <= 40; seed++) {
            struct points points = {0};
            struct fit fit;
            gsl_rng *rng = rng_create(seed, (uint32_t)c, "calibrate");
            synthesise(&points, &known[c].form, known[c].v, 0.02, rng);
            gsl_rng_free(rng);
            cr_assert(fit_form(&points, &known[c].form, NO_FOLD, NULL, &fit));
            fit_covariance(&points, &known[c].form, &fit, &covariance);
            cr_assert(!covariance.singular);
            for (size_t i = 0; i < covariance.count; i++) {
                enum parameter p = covariance.free[i];
                double deviation =
                    (fit.values[p] - known[c].v[p]) / covariance_error(&covariance, i);
                cr_expect(fabs(deviation) < 4.5, "case %zu, seed %d: %s off by %.2f", c, (int)seed,
                          parameter_names[p], deviation);
                squares[i] += deviation * deviation / 40;
                beyond += fabs(deviation) > 3;
                cases++;
            }
            points_finish(&points);
        }
        for (size_t i = 0; i < covariance.count; i++)
            cr_expect(squares[i] > 0.4 && squares[i] < 1.9, "case %zu: %s: mean square %.2f", c,
                      parameter_names[covariance.free[i]], squares[i]);
    }
    cr_expect(beyond <= cases / 100, "%zu of %zu beyond 3 standard errors", beyond, cases);
}

/* What is predicted of a part left out comes from a fit that starts at the fit to all points. It is
   what a fit from the fixed starts, which have not seen that part, predicts, also where the fit to
   all points ends at a bound. */
Test(calibrate, left_out_fits_do_not_remember) {
    static const struct {
        struct form form;
        values_of v;
    } at_bounds[] = {
        {{COMPUTE_AFFINE, SYNC_NORM, POWER_LAW_NONE, true, false, false, false},
         {0.0231, 0.00523, 1, 0.2131, 0.0317, 0.2131, 0.0317, 10, 0, 0, 0}},
        {{COMPUTE_NORM, SYNC_ADDITIVE, POWER_LAW_NONE, true, false, false, false},
         {0.1231, 0.00523, 2.317, 0, 0.00317, 0, 0.00317, 1, 0, 0, 0}},
        {{COMPUTE_AFFINE, SYNC_EXPONENT, POWER_LAW_CONSTANT, true, false, false, false},
         {0.0231, 0.00523, 1, 0, 0, 0, 0, 1, 0, 231.7, 231.7}},
    };
    size_t ended_at_bound = 0;
    for (size_t c = 0; c < sizeof at_bounds / sizeof *at_bounds; c++)
        for (uint64_t seed = 1; seed <= 4; seed++) {
            const struct form *form = &at_bounds[c].form;
            struct points points = {0};
            struct prediction predictions[128];
            struct fit all, rest;
            gsl_rng *rng = rng_create(seed, (uint32_t)c, "bounds");
            synthesise(&points, form, at_bounds[c].v, 0.02, rng);
            gsl_rng_free(rng);
            cr_assert(fit_form(&points, form, NO_FOLD, NULL, &all));
            cr_assert(predict_left_out(&points, form, &all, predictions));
            ended_at_bound += all.values[PARAM_SYNC_GAMMA] == 10 || all.values[PARAM_ALPHA] == 0;
            for (size_t i = 0; i < points.at.count; i++) {
                values_of ignored;
                cr_assert(fit_form(&points, form, points.at.at[i].fold, NULL, &rest));
                double rate = form_rate(rest.values, points.at.at[i].at, ignored);
                cr_expect(fabs(predictions[i].rate / rate - 1) < 1e-4,
                          "case %zu, seed %d, point %zu: %g, not %g", c, (int)seed, i,
                          predictions[i].rate, rate);
            }
            points_finish(&points);
        }
    cr_expect(ended_at_bound >= 4, "%zu", ended_at_bound);
}

/* The mean is the simplest fit: t = c b at one batch. Rates 90, 100, 110 samples/s. Least squares
   of r/m - 1 over r: r = sum(1/m)/sum(1/m^2) = 98.66...; its variance is s^2 / sum(1/m^2) with s^2
   = SSR/2, and c = 1/r. */
Test(calibrate, covariance_by_hand) {
    static const double measured[] = {90, 100, 110};
    struct profile_point rows[3];
    double first = 0, second = 0, squares = 0;
    for (int i = 0; i < 3; i++) {
        rows[i] = (struct profile_point){.k = 1,
                                         .batch = 5,
                                         .limit_w = NAN,
                                         .throughput_samples_s = measured[i],
                                         .power_w = NAN};
        first += 1 / measured[i];
        second += 1 / (measured[i] * measured[i]);
    }
    double r = first / second;
    for (int i = 0; i < 3; i++)
        squares += (r / measured[i] - 1) * (r / measured[i] - 1);
    struct points points = {0};
    struct fit fit;
    struct covariance covariance;
    struct form form = {0};
    points_of_group(&points, &(struct profile_group){.rows = rows, .count = 3, .base_count = 3});
    cr_expect_eq(points.configurations, 1);
    cr_assert(fit_form(&points, &form, NO_FOLD, NULL, &fit));
    /* a minimum of squares is found to about the root of the rounding error */
    cr_expect(fabs(fit.values[PARAM_C] - 1 / r) <= 1e-7 / r, "%.12g", fit.values[PARAM_C]);
    fit_covariance(&points, &form, &fit, &covariance);
    double expected = sqrt(squares / 2 / second) / (r * r);
    cr_expect(fabs(covariance_error(&covariance, 0) - expected) <= 1e-6 * expected, "%g, not %g",
              covariance_error(&covariance, 0), expected);
    points_finish(&points);
}

/* Parameters that points cannot tell apart: the floor and the slope at one batch; beta at k of 1
 * and 2. */
Test(calibrate, open_parameters) {
    static const struct form forms[] = {{.compute = COMPUTE_AFFINE},
                                        {.sync = SYNC_ADDITIVE, .one_node = true}};
    for (int c = 0; c < 2; c++) {
        struct profile_point rows[4];
        for (uint32_t i = 0; i < 4; i++)
            rows[i] = (struct profile_point){.k = 1 + i % 2 * (uint32_t)c,
                                             .batch = c ? 8 << i : 8,
                                             .limit_w = NAN,
                                             .throughput_samples_s = 100 + i,
                                             .power_w = NAN};
        struct points points = {0};
        struct fit fit;
        struct covariance covariance;
        points_of_group(&points,
                        &(struct profile_group){.rows = rows, .count = 4, .base_count = 4});
        cr_assert(fit_form(&points, &forms[c], NO_FOLD, NULL, &fit));
        fit_covariance(&points, &forms[c], &fit, &covariance);
        cr_expect(covariance.singular, "case %d", c);
        cr_expect(isinf(covariance_error(&covariance, covariance.count - 1)), "case %d", c);
        points_finish(&points);
    }
}

/* ---- Profiles, errors, tables, limits ---- */

#define HEAD \
    "gpu,k,model,precision,nodes,batch_per_gpu,power_limit_w,throughput_samples_s,power_w_per_gpu\n"

static void load(struct profile_table *profile, const char *text) {
    struct problems problems = {0};
    temp_file_write_text("p.csv", text);
    *profile = (struct profile_table){0};
    cr_assert_eq(profile_table_load(profile, "p.csv", &problems), 0, "%s",
                 problems.count ? problems.texts[0] : "");
}

/* Grouping, order of rows, and which of them are calibrated. */
Test(calibrate, groups) {
    struct profile_table p;
    load(&p, HEAD "g,2,m,,1,8,,100,50\n"
                  "h,1,m,,,8,300,10,5\n"
                  "g,1,m,,,8,,60,50\n"
                  "h,1,m,,,8,200,9,4\n"
                  "h,1,m,,,4,300,8,4\n"
                  "g,2,m,fp16,,8,250,100,\n"
                  "g,2,m,,2,8,250,100,50\n"
                  "g,1,m,,,8,250,50,40\n");
    static const struct {
        const char *model, *gpu;
        size_t count, base;
        uint32_t lines[4];
    } expected[] = {
        {"m", "g", 4, 2, {4, 2, 9, 8}}, {"m", "h", 3, 2, {6, 3, 5}}, {"m-fp16", "g", 1, 1, {7}}};
    cr_assert_eq(p.groups.count, 3);
    for (size_t g = 0; g < 3; g++) {
        const struct profile_group *group = &p.groups.at[g];
        cr_expect_str_eq(group->model, expected[g].model);
        cr_expect_str_eq(group->gpu, expected[g].gpu);
        cr_expect(group->count == expected[g].count && group->base_count == expected[g].base,
                  "group %zu", g);
        for (size_t i = 0; i < group->count; i++)
            cr_expect_eq(group->rows[i].line, expected[g].lines[i], "group %zu, row %zu: line %u",
                         g, i, group->rows[i].line);
    }
    cr_expect(isnan(p.groups.at[2].rows[0].power_w) &&
              p.groups.at[0].rows[2].across_nodes == false);
    profile_table_finish(&p);
}

/* Errors by hand. Two configurations: (k 1, b 8) measured twice, (k 1, b 16) once. */
Test(calibrate, errors_by_hand) {
    struct profile_table p;
    struct points points = {0};
    load(&p, HEAD "g,1,m,,,8,,100,50\ng,1,m,,,8,,80,\ng,1,m,,,16,,200,100\n");
    points_of_group(&points, &p.groups.at[0]);
    const struct prediction a[] = {{110, 60}, {88, 60}, {150, 100}},
                            b[] = {{100, 50}, {84, 50}, {NAN, NAN}};
    struct scores s = score_all(&points, a), t = score_all(&points, b);
    cr_expect(fabs(s.mape[THROUGHPUT] - (0.1 + 0.1 + 0.25) / 3) < 1e-15 &&
              s.points[THROUGHPUT] == 3);
    cr_expect(fabs(s.mape[POWER] - (0.2 + 0) / 2) < 1e-15 && s.points[POWER] == 2);
    /* energy per sample: 60/110 against 0.5, 100/150 against 0.5 */
    cr_expect(fabs(s.mape[ENERGY] - (1.0 / 11 + 1.0 / 3) / 2) < 1e-15);
    cr_expect(fabs(t.mape[THROUGHPUT] - 0.025) < 1e-15 && t.points[THROUGHPUT] == 2);
    const struct prediction c[] = {{100, 50}, {80, 50}, {220, 90}};
    /* differences 0.1, 0.1 | 0.15; mean 0.35/3; by configuration the deviations sum to -1/30 and
       1/30: sqrt(2 * 2 * (1/30)^2) / 3 */
    struct score_comparison d = score_compare(&points, THROUGHPUT, a, c);
    cr_expect(fabs(d.mean - 0.35 / 3) < 1e-15 && fabs(d.standard_error - 2.0 / 30 / 3) < 1e-15,
              "%g %g", d.mean, d.standard_error);
    points_finish(&points);
    profile_table_finish(&p);
}

/* Rates 100 and 80 become a mean of 90 at b 8; left out, b 16 lies between 8 and 32: iteration
   times 8/90 and 32/320 give (2/3)(8/90) + (1/3)(0.1). The ends are enclosed by nothing. */
Test(calibrate, tables) {
    struct profile_table p;
    struct points points = {0};
    struct interpolation table;
    struct prediction left_out[4];
    double levels[MOST_ROUNDS];
    load(&p,
         HEAD "g,1,m,,,8,,100,50\ng,1,m,,,8,,80,70\ng,1,m,,,16,,200,100\ng,1,m,,,32,,320,120\n");
    points_of_group(&points, &p.groups.at[0]);
    table_levels(&points, levels);
    cr_expect_eq(levels[0], 1);
    table_of_points(&points, levels, NO_FOLD, &table);
    cr_assert_eq(table.count, 3);
    cr_expect(table.points[0].throughput_samples_s == 90 && table.points[0].power_w_per_gpu == 60);
    table_predict_left_out(&points, levels, left_out);
    cr_expect(isnan(left_out[0].rate) && isnan(left_out[1].rate) && isnan(left_out[3].rate));
    cr_expect(fabs(left_out[2].rate - 16 / (2.0 / 3 * 8 / 90 + 0.1 / 3)) < 1e-12, "%.17g",
              left_out[2].rate);
    cr_expect(fabs(left_out[2].power_w - (60 * 2.0 / 3 + 120 / 3.0)) < 1e-12);
    free(table.points);
    points_finish(&points);
    profile_table_finish(&p);
}

/* Two batches at 300 and 200 W, one at 100 W, which therefore cannot be the optimum although its
 * energy is least.
 */
Test(calibrate, power_limits) {
    struct profile_table p;
    struct limits l = {0};
    load(&p, HEAD "g,1,m,,,8,300,100,300\n"
                  "g,1,m,,,16,300,120,290\n"
                  "g,1,m,,,8,200,80,200\n"
                  "g,1,m,,,16,200,90,190\n"
                  "g,1,m,,,8,100,50,60\n"
                  "g,1,m,,,16,100,60,\n");
    limits_of_group(&l, &p.groups.at[0]);
    cr_assert_eq(l.levels.count, 3);
    const struct power_level *at = l.levels.at;
    cr_expect(at[0].power_limit_w == 100 && at[0].configurations == 1 && at[0].time_ratio == 2);
    cr_expect(fabs(at[0].energy_ratio - 2 * 60.0 / 300) < 1e-15);
    cr_expect(at[1].power_limit_w == 200 && at[1].configurations == 2);
    cr_expect(fabs(at[1].time_ratio - (100.0 / 80 + 120.0 / 90) / 2) < 1e-15);
    cr_expect(fabs(at[1].power_ratio - (200.0 / 300 + 190.0 / 290) / 2) < 1e-15);
    cr_expect(fabs(at[1].energy_ratio - (200.0 / 300 * 1.25 + 190.0 / 290 * 4 / 3) / 2) < 1e-15);
    double one = 100.0 / 80, other = 120.0 / 90; /* each predicted by the other */
    cr_expect(fabs(l.errors.at[1].left_out[LIMIT_TIME] -
                   (fabs(other / one - 1) + fabs(one / other - 1)) / 2) < 1e-15);
    cr_expect(isnan(l.errors.at[0].left_out[LIMIT_TIME]));
    cr_expect(at[2].energy_ratio == 1 && l.energy_optimal_w == 200);
    cr_assert_eq(l.points.count, 5);
    cr_expect(l.points.at[0].iteration_s == 8.0 / 50 && l.points.at[0].power_w_per_gpu == 60);
    cr_expect(l.points.at[0].time_ratio == 2 && l.points.at[0].power_ratio == 60.0 / 300);
    cr_expect(fabs(l.points.at[2].time_ratio - 120.0 / 90) < 1e-15 &&
              l.points.at[2].power_ratio == 190.0 / 290);
    left_out_limits_finish(&l);
    profile_table_finish(&p);
}

/* ---- Choices ---- */

static void choose(struct form_choice *choice, struct arena *arena, const struct form *form,
                   const values_of v, double noise) {
    struct points points = {0};
    struct profile_point rows[128];
    struct profile_group *group = arena_alloc(arena, sizeof *group);
    gsl_rng *rng = rng_create(7, 0, "calibrate");
    synthesise(&points, form, v, noise, rng);
    gsl_rng_free(rng);
    for (size_t i = 0; i < points.at.count; i++)
        rows[i] = (struct profile_point){
            .k = points.at.at[i].at.k,
            .batch = points.at.at[i].at.batch,
            .across_nodes = points.at.at[i].at.span == EASIM_ACROSS_NODES,
            .limit_w = NAN,
            .throughput_samples_s = points.at.at[i].rate * points.at.at[i].at.k,
            .power_w = points.at.at[i].power_w,
            .line = (uint32_t)i + 2};
    *group = (struct profile_group){
        .model = "m", .gpu = "g", .rows = rows, points.at.count, points.at.count};
    form_choice_make(choice, group, &usual, arena);
    points_finish(&points);
}

/* Data of each form is best told by that form, up to what 0.2 % noise can tell: nothing simpler is
   chosen, nothing needs a table, and left-out errors are near the mean of |noise|, 0.2 % sqrt(2/pi)
   = 0.16 %. */
Test(calibrate, the_form_of_the_data_is_chosen) {
    for (size_t c = 0; c < sizeof known / sizeof *known; c++) {
        struct arena arena = {0};
        struct form_choice choice;
        choose(&choice, &arena, &known[c].form, known[c].v, 0.002);
        enum parameter ignored[PARAM_COUNT];
        cr_expect(choice.table.count == 0, "case %zu: %s", c, choice.why);
        cr_expect(
            choice.form.compute == known[c].form.compute &&
                choice.form.sync == known[c].form.sync && choice.form.power == known[c].form.power,
            "case %zu: %s (%zu parameters)", c, choice.why, form_parameters(&choice.form, ignored));
        cr_expect(choice.left_out.mape[THROUGHPUT] > 0.0008 &&
                      choice.left_out.mape[THROUGHPUT] < 0.0032,
                  "case %zu: %g", c, choice.left_out.mape[THROUGHPUT]);
        form_choice_finish(&choice);
        arena_finish(&arena);
    }
}

/* The synchronization rests on one row of two GPUs: a fit without it knows nothing of it, so that
   no form with synchronization can be tested, even if it meets every point. */
Test(calibrate, nothing_leaks_into_what_is_left_out) {
    struct arena arena = {0};
    struct form_choice choice;
    struct profile_point rows[6];
    struct profile_group group = {
        .model = "m", .gpu = "g", .rows = rows, .count = 6, .base_count = 6};
    for (uint32_t i = 0; i < 6; i++) {
        uint32_t k = i == 5 ? 2 : 1, batch = i == 5 ? 8 : 4u << i;
        double seconds = 0.02 + 0.003 * batch + (k - 1) * 0.01;
        rows[i] = (struct profile_point){.k = k,
                                         .batch = batch,
                                         .limit_w = NAN,
                                         .throughput_samples_s = k * batch / seconds,
                                         .power_w = NAN};
    }
    form_choice_make(&choice, &group, &usual, &arena);
    for (size_t i = 0; i < choice.speed.count; i++) {
        const struct candidate *one = &choice.speed.candidates[i];
        if (one->form.compute == COMPUTE_AFFINE && one->form.sync == SYNC_CONSTANT)
            cr_expect_str_eq(one->refused, "a parameter rests on one of the parts left out");
        else if (one->form.sync != SYNC_NONE)
            cr_expect_not_null(one->refused);
    }
    form_choice_finish(&choice);
    arena_finish(&arena);
}

/* Times 1, 2, 1, 2, ... over ascending batches: no form comes near, the table does. One row off by
 * 30 %: named. */
Test(calibrate, tables_and_outliers) {
    struct arena arena = {0};
    struct form_choice choice;
    struct profile_point rows[12];
    struct profile_group group = {
        .model = "m", .gpu = "g", .rows = rows, .count = 12, .base_count = 12};
    for (uint32_t i = 0; i < 12; i++)
        rows[i] = (struct profile_point){.k = 1,
                                         .batch = 10 * (i + 1),
                                         .limit_w = NAN,
                                         .throughput_samples_s = 10.0 * (i + 1) / (1 + i % 2),
                                         .power_w = NAN,
                                         .line = i + 2};
    form_choice_make(&choice, &group, &usual, &arena);
    cr_expect_eq(choice.table.count, 12);
    cr_expect_not_null(strstr(choice.why, "lookup table: the form misses the throughput"), "%s",
                       choice.why);
    form_choice_finish(&choice);
    for (uint32_t i = 0; i < 12; i++)
        rows[i].throughput_samples_s = rows[i].batch / (0.02 + 0.003 * rows[i].batch) *
                                       (1 + (i % 3 - 1.0) * 0.002) * (i == 7 ? 1.3 : 1);
    form_choice_make(&choice, &group, &lenient, &arena);
    cr_expect_eq(choice.table.count, 0);
    size_t outliers = 0, named = 0;
    for (size_t i = 0; i < choice.warnings.count; i++) {
        outliers += strncmp(choice.warnings.at[i], "outlier: ", 9) == 0;
        named += strstr(choice.warnings.at[i],
                        "outlier: p.csv:9: k 1, batch 80: throughput_samples_s") != NULL;
    }
    cr_expect(outliers == 1 && named == 1, "%zu outliers", outliers);
    form_choice_finish(&choice);
    group.base_count = group.count = 1;
    form_choice_make(&choice, &group, &usual, &arena);
    cr_expect_not_null(strstr(choice.why, "too few configurations (1)"), "%s", choice.why);
    cr_expect_eq(choice.table.count, 1);
    form_choice_finish(&choice);
    arena_finish(&arena);
}

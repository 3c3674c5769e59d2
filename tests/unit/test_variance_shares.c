/* The budget of a difference over worlds and workloads: outputs whose shares are known in closed
   form, mean squares by another way, coverage of the intervals. */
#include "base/mem.h"
#include "base/rng.h"
#include "experiment/statistics.h"
#include "experiment/worlds/variance_shares.h"

#include <criterion/criterion.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>

/* --- mean squares --- */

/* By sums of squares of row and column means, without taking anything apart first. */
static struct crossed_squares squares_by_sums(const double *values, size_t worlds, size_t reps) {
    double total = 0, all = 0, of_worlds = 0, of_reps = 0, cells = (double)(worlds * reps);
    for (size_t i = 0; i < worlds * reps; i++) {
        total += values[i];
        all += values[i] * values[i];
    }
    for (size_t w = 0; w < worlds; w++) {
        double sum = 0;
        for (size_t r = 0; r < reps; r++)
            sum += values[w * reps + r];
        of_worlds += sum * sum / (double)reps;
    }
    for (size_t r = 0; r < reps; r++) {
        double sum = 0;
        for (size_t w = 0; w < worlds; w++)
            sum += values[w * reps + r];
        of_reps += sum * sum / (double)worlds;
    }
    double mean_part = total * total / cells, w1 = (double)worlds - 1, r1 = (double)reps - 1;
    return (struct crossed_squares){
        .ms_worlds = (of_worlds - mean_part) / w1,
        .ms_replications = (of_reps - mean_part) / r1,
        .ms_rest = (all - of_worlds - of_reps + mean_part) / (w1 * r1),
    };
}

static void expect_squares(const struct crossed_squares *found,
                           const struct crossed_squares *expected) {
    cr_expect_float_eq(found->ms_worlds, expected->ms_worlds, 1e-9 * expected->ms_worlds);
    cr_expect_float_eq(found->ms_replications, expected->ms_replications,
                       1e-9 * expected->ms_replications);
    cr_expect_float_eq(found->ms_rest, expected->ms_rest, 1e-9 * expected->ms_rest);
}

/* Rows 1 2 6 and 4 5 3: grand mean 3.5; rows 3 and 4; columns 2.5, 3.5, 4.5; squares 1.5, 4 and 12
   with 1, 2 and 2 degrees of freedom. Variances: 1.5 - 6 and 2 - 6 are below 0, so 0. */
Test(variance_shares, mean_squares_by_hand) {
    static const double values[] = {2, 3, 7, 5, 6, 4}, base[] = {1, 1, 1, 1, 1, 1};
    struct crossed c;
    crossed_init(&c, values, base, 2, 3);
    struct crossed_squares s = crossed_squares_of(&c, NULL);
    cr_expect_float_eq(c.mean, 3.5, 1e-15);
    cr_expect_float_eq(s.ms_worlds, 1.5, 1e-14);
    cr_expect_float_eq(s.ms_replications, 2, 1e-14);
    cr_expect_float_eq(s.ms_rest, 6, 1e-14);
    cr_expect(s.physics == 0 && s.workload == 0);
    cr_expect_float_eq(s.residual, 6, 1e-14);
    /* max(1.5, 1.5 + 2 - 6) / 6 with 1 degree of freedom, for which t is 12.706 */
    struct crossed_interval i = crossed_interval_of(&c, &s);
    cr_expect(i.degrees == 1);
    cr_expect_float_eq(i.ci95, 12.706 * 0.5, 1e-3);
    crossed_finish(&c);
}

Test(variance_shares, mean_squares_by_sums_and_of_resamples) {
    enum { WORLDS = 13, REPS = 7 };
    double values[WORLDS * REPS], base[WORLDS * REPS] = {0}, again[WORLDS * REPS];
    unsigned times[WORLDS];
    gsl_rng *rng = rng_create(5, 0, "tables");
    for (int table = 0; table < 50; table++) {
        struct crossed c;
        size_t next = 0;
        for (size_t i = 0; i < WORLDS * REPS; i++)
            values[i] = 100 + gsl_ran_gaussian(rng, 3) + (double)(i % REPS);
        crossed_init(&c, values, base, WORLDS, REPS);
        struct crossed_squares found = crossed_squares_of(&c, NULL),
                               expected = squares_by_sums(values, WORLDS, REPS);
        expect_squares(&found, &expected);
        for (size_t w = 0; w < WORLDS; w++)
            times[w] = 0;
        for (; next < WORLDS; next++) { /* the resample written out */
            size_t w = gsl_rng_uniform_int(rng, WORLDS);
            times[w]++;
            memcpy(again + next * REPS, values + w * REPS, REPS * sizeof *again);
        }
        found = crossed_squares_of(&c, times);
        expected = squares_by_sums(again, WORLDS, REPS);
        expect_squares(&found, &expected);
        crossed_finish(&c);
    }
    gsl_rng_free(rng);
}

/* --- intervals --- */

/* Normal worlds, workloads and rest with the given standard deviations; mean 0. */
struct law {
    size_t worlds, replications;
    double world, workload, rest;
};

static void draw_table(const struct law *law, gsl_rng *rng, double *values) {
    double workloads[16];
    for (size_t r = 0; r < law->replications; r++)
        workloads[r] = gsl_ran_gaussian(rng, 1) * law->workload;
    for (size_t w = 0; w < law->worlds; w++) {
        double world = gsl_ran_gaussian(rng, 1) * law->world;
        for (size_t r = 0; r < law->replications; r++)
            values[w * law->replications + r] =
                world + workloads[r] + gsl_ran_gaussian(rng, 1) * law->rest;
    }
}

static bool worlds_alone_cover(const struct law *law, const double *values) {
    double *means = mem_zalloc(law->worlds, sizeof *means);
    for (size_t w = 0; w < law->worlds; w++)
        means[w] = t_interval_of(values + w * law->replications, law->replications).mean;
    struct estimate e = t_interval_of(means, law->worlds);
    free(means);
    return fabs(e.mean) <= e.ci95;
}

/* Shares of intervals that hold the true mean 0: of the crossed analysis, and of worlds alone. */
static void count_coverage(const struct law *law, double *ret_crossed, double *ret_worlds_alone) {
    enum { TRIALS = 4000 };
    double values[64 * 16], base[64 * 16] = {0};
    size_t crossed_hits = 0, alone_hits = 0;
    gsl_rng *rng = rng_create(17, 0, "coverage");
    for (int trial = 0; trial < TRIALS; trial++) {
        struct crossed c;
        draw_table(law, rng, values);
        crossed_init(&c, values, base, law->worlds, law->replications);
        struct crossed_squares s = crossed_squares_of(&c, NULL);
        crossed_hits += fabs(c.mean) <= crossed_interval_of(&c, &s).ci95;
        alone_hits += worlds_alone_cover(law, values);
        crossed_finish(&c);
    }
    gsl_rng_free(rng);
    *ret_crossed = (double)crossed_hits / TRIALS;
    *ret_worlds_alone = (double)alone_hits / TRIALS;
}

/* 4,000 trials: standard error 0.0034 at 0.95. With few workloads that vary much more than the rest
   Satterthwaite's degrees of freedom come out a little high. */
Test(variance_shares, coverage_of_the_interval) {
    static const struct law laws[] = {
        {64, 10, 1, 1, 0.5}, {64, 5, 1, 1, 0}, {16, 10, 1, 0.5, 1},
        {8, 8, 0, 1, 1},     {32, 5, 1, 0, 1}, {6, 16, 2, 1, 0.3},
    };
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        double crossed, alone;
        count_coverage(&laws[i], &crossed, &alone);
        cr_expect(crossed > 0.93 && crossed < 0.97, "law %zu: %g", i, crossed);
    }
}

/* 64 worlds and 5 workloads that vary as much: means of worlds scatter with variance 1, which gives
   a half width of 1.998 / 8, but their mean has the variance 1/64 + 1/5. */
Test(variance_shares, worlds_alone_cover_two_fifths) {
    static const struct law law = {64, 5, 1, 1, 0};
    double crossed, alone, reach = 1.998 / 8 / sqrt(1.0 / 64 + 1.0 / 5);
    count_coverage(&law, &crossed, &alone);
    cr_expect_float_eq(alone, 1 - 2 * gsl_cdf_ugaussian_Q(reach), 0.02, "%g", alone);
    cr_expect(alone > 0.35 && alone < 0.45, "%g", alone);
}

/* --- shares of groups --- */

#define PARAMETERS 3

/* What a policy's metric is in a world; the third parameter is of no influence. */
struct made_model {
    double (*output)(const double *parameters);
    double workload, rest; /* standard deviations, of all worlds alike and of each run */
    double shares[PARAMETERS];
};

/* Parameters uniform in 0..1, of variance 1/12: (9, 4, 0)/13. */
static double linear_output(const double *x) {
    return 3 * x[0] + 2 * x[1];
}

/* Both E[x^2] Var[x] = 1/36, of Var[x y] = 1/9 - 1/16 = 7/144: 4/7, together more than 1. */
static double product_output(const double *x) {
    return x[0] * x[1];
}

struct sample {
    struct variance_values values;
    double *policy, *baseline;
};

static void draw_sample(const struct made_model *model, size_t worlds, size_t reps, uint32_t number,
                        struct sample *ret_sample) {
    size_t cells = (PARAMETERS + 1) * worlds * reps;
    struct sample s = {.policy = mem_zalloc(cells, sizeof(double)),
                       .baseline = mem_zalloc(cells, sizeof(double))};
    gsl_rng *rng = rng_create(2385, number, "known answers");
    double workloads[16];
    for (size_t r = 0; r < reps; r++)
        workloads[r] = gsl_ran_gaussian(rng, 1) * model->workload;
    for (size_t w = 0; w < worlds; w++) {
        double first[PARAMETERS], second[PARAMETERS];
        for (size_t p = 0; p < PARAMETERS; p++) {
            first[p] = gsl_rng_uniform(rng);
            second[p] = gsl_rng_uniform(rng);
        }
        for (size_t set = 0; set <= PARAMETERS; set++) {
            double x[PARAMETERS];
            for (size_t p = 0; p < PARAMETERS; p++)
                x[p] = set == p + 1 ? second[p] : first[p];
            for (size_t r = 0; r < reps; r++) {
                size_t at = (set * worlds + w) * reps + r;
                s.baseline[at] = 7;
                s.policy[at] = 7 + model->output(x) + workloads[r] +
                               (model->rest > 0 ? gsl_ran_gaussian(rng, model->rest) : 0);
            }
        }
    }
    gsl_rng_free(rng);
    s.values =
        (struct variance_values){PARAMETERS + 1, worlds, reps, s.policy, s.baseline, METRIC_LESS};
    *ret_sample = s;
}

static void finish_sample(struct sample *sample) {
    free(sample->policy);
    free(sample->baseline);
}

static void shares_of_model(const struct made_model *model, size_t worlds, uint32_t number,
                            struct variance_shares *parts, struct share_range *groups) {
    struct sample sample;
    draw_sample(model, worlds, 10, number, &sample);
    variance_shares_of(&sample.values, number, parts, groups);
    finish_sample(&sample);
}

static const struct made_model models[] = {
    {linear_output, 0, 0, {9.0 / 13, 4.0 / 13, 0}},
    {linear_output, 5, 0, {9.0 / 13, 4.0 / 13, 0}},
    {linear_output, 1, 1, {9.0 / 13, 4.0 / 13, 0}},
    {product_output, 2, 0.1, {4.0 / 7, 4.0 / 7, 0}},
};

/* 64 worlds: within three standard errors, told from 30 samples: their mean, and each of them (one
   may be farther off: shares are skewed). Of no influence: an interval that holds 0. */
Test(variance_shares, known_shares_of_64_worlds) {
    enum { SAMPLES = 30 };
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        double shares[PARAMETERS][SAMPLES];
        size_t held = 0;
        for (uint32_t i = 0; i < SAMPLES; i++) {
            struct variance_shares parts;
            struct share_range groups[PARAMETERS];
            shares_of_model(&models[m], 64, i, &parts, groups);
            for (size_t p = 0; p < PARAMETERS; p++)
                shares[p][i] = groups[p].share;
            held += groups[2].low == 0;
            for (size_t p = 0; p < 2; p++)
                cr_expect(groups[p].low < groups[p].share && groups[p].share < groups[p].high);
        }
        cr_expect(held >= SAMPLES - 3, "model %zu: %zu", m, held);
        for (size_t p = 0; p < 2; p++) {
            struct estimate e = t_interval_of(shares[p], SAMPLES);
            cr_expect_float_eq(e.mean, models[m].shares[p], 3 * e.sd / sqrt(SAMPLES),
                               "model %zu, %zu: %g +- %g", m, p, e.mean, e.sd / sqrt(SAMPLES));
            size_t far = 0;
            for (size_t i = 0; i < SAMPLES; i++)
                far += fabs(shares[p][i] - models[m].shares[p]) > 3 * e.sd;
            cr_expect(far <= 1, "model %zu, %zu: %zu", m, p, far);
        }
    }
}

Test(variance_shares, known_shares_of_4096_worlds) {
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        struct variance_shares parts;
        struct share_range groups[PARAMETERS];
        shares_of_model(&models[m], 4096, 1, &parts, groups);
        for (size_t p = 0; p < PARAMETERS; p++)
            cr_expect_float_eq(groups[p].share, models[m].shares[p], 0.03, "model %zu, %zu: %g", m,
                               p, groups[p].share);
        cr_expect(groups[2].low == 0, "model %zu: %g", m, groups[2].low);
    }
}

/* --- edges --- */

/* Without two worlds, or without two replications, nothing can be told apart; P is still there. */
Test(variance_shares, one_world_or_one_replication) {
    static const double policy[] = {1, 2, 3, 1, 2, 5}, baseline[] = {2, 4, 4, 0, 2, 8};
    struct variance_shares b;
    struct share_range group;
    struct variance_values values = {1, 1, 6, policy, baseline, METRIC_LESS};
    variance_shares_of(&values, 1, &b, &group);
    cr_expect(b.worlds == 1 && b.replications == 6 && b.mean == -1);
    cr_expect(isnan(b.ci95) && isnan(b.squares.physics) && isnan(b.physics.share));
    /* differences -1 -2 -1 1 0 -3: sd sqrt 2, t = sqrt 3 < 2.571 */
    cr_expect(b.better.sign.share == 1 && b.better.clearly.share == 0);
    values = (struct variance_values){1, 6, 1, policy, baseline, METRIC_LESS};
    variance_shares_of(&values, 1, &b, &group);
    cr_expect(b.worlds == 6 && b.replications == 1 && b.mean == -1);
    cr_expect(isnan(b.ci95) && isnan(b.squares.physics) && isnan(b.physics.share));
    cr_expect(b.better.sign.share == 4.0 / 6, "a tie is not better");
    cr_expect(isnan(b.better.clearly.share) && isnan(b.better.clearly.low));
    values = (struct variance_values){2, 2, 1, policy, baseline, METRIC_LESS};
    variance_shares_of(&values, 1, &b, &group);
    cr_expect(isnan(group.share) && isnan(group.low) && isnan(group.high));
}

/* 0.1 + 0.2 is not 0.3 in the last bit: that is no variance, and no policy is better by it. */
Test(variance_shares, differences_without_variance) {
    static const double policy[] = {0.1 + 0.2, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3},
                        baseline[] = {0.3, 0.3, 0.3, 0.1 + 0.2, 0.3, 0.3, 0.3, 0.3},
                        less[] = {0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2};
    struct variance_shares b;
    struct share_range group;
    struct variance_values values = {2, 2, 2, policy, baseline, METRIC_LESS};
    variance_shares_of(&values, 1, &b, &group);
    cr_expect(b.squares.physics == 0 && b.squares.workload == 0 && b.squares.residual == 0);
    cr_expect(isnan(b.physics.share) && isnan(group.share));
    cr_expect(b.better.sign.share == 0 && b.better.clearly.share == 0);
    values.policy = less;
    variance_shares_of(&values, 1, &b, &group);
    cr_expect(b.better.worse.share == 0);
    cr_expect(b.better.clearly.share == 1, "the same in every run: it needs no test");
    cr_expect(b.ci95 < 1e-15 && fabs(b.mean + 0.1) < 1e-15);
    values.direction = METRIC_MORE;
    variance_shares_of(&values, 1, &b, &group);
    cr_expect(b.better.clearly.share == 0 && b.better.sign.share == 0 && b.better.worse.share == 1);
    values.direction = METRIC_NEITHER;
    variance_shares_of(&values, 1, &b, &group);
    cr_expect(isnan(b.better.clearly.share) && isnan(b.better.sign.share));
}

/* One run in which two policies differ, by d: MS_w = MS_r = MS_e = d^2 / (W R) exactly, so nothing
   is physics or workload, whatever rounding leaves of their differences. */
Test(variance_shares, a_difference_in_a_single_run) {
    static const double differences[] = {2.298193366656598e-05, 1.0 / 3, -17.1, 0.7};
    for (size_t i = 0; i < 4; i++)
        for (size_t worlds = 2; worlds <= 12; worlds++)
            for (size_t reps = 2; reps <= 11; reps++) {
                double *values = mem_zalloc(worlds * reps, sizeof *values), d = differences[i];
                double *base = mem_zalloc(worlds * reps, sizeof *base);
                struct crossed c;
                for (size_t at = 0; at < worlds * reps; at++)
                    values[at] = base[at] = 0.9 + (double)at / 1024;
                values[worlds + reps - 1] += d;
                crossed_init(&c, values, base, worlds, reps);
                struct crossed_squares s = crossed_squares_of(&c, NULL);
                double square = d * d / (double)(worlds * reps);
                cr_expect(s.physics == 0 && s.workload == 0,
                          "%zu x %zu, %g: physics %g, workload %g", worlds, reps, d, s.physics,
                          s.workload);
                cr_expect_float_eq(s.residual, square, 1e-9 * square);
                struct crossed_interval interval = crossed_interval_of(&c, &s);
                cr_expect(interval.degrees == (double)worlds - 1);
                crossed_finish(&c);
                free(values);
                free(base);
            }
}

/* Worlds of an interrupted run have no values, and in one replication the metric is never defined:
   they leave the rest as if they had not been asked for. */
Test(variance_shares, missing_runs) {
    enum { WORLDS = 20, REPS = 10, CELLS = WORLDS * REPS };
    struct sample sample;
    struct variance_shares whole, part;
    struct share_range groups[PARAMETERS], part_groups[PARAMETERS];
    draw_sample(&models[2], WORLDS, REPS, 4, &sample);
    double *policy = mem_zalloc((PARAMETERS + 1) * (WORLDS + 3) * (REPS + 1), sizeof *policy),
           *baseline = mem_zalloc((PARAMETERS + 1) * (WORLDS + 3) * (REPS + 1), sizeof *baseline);
    for (size_t set = 0; set <= PARAMETERS; set++)
        for (size_t w = 0; w < WORLDS + 3; w++)
            for (size_t r = 0; r < REPS + 1; r++) {
                size_t at = (set * (WORLDS + 3) + w) * (REPS + 1) + r,
                       from = set * CELLS + w * REPS + r;
                bool missing = w >= WORLDS || r >= REPS;
                policy[at] = missing ? NAN : sample.policy[from];
                baseline[at] = missing && r < REPS ? NAN : 7;
            }
    variance_shares_of(&sample.values, 3, &whole, groups);
    variance_shares_of(&(struct variance_values){PARAMETERS + 1, WORLDS + 3, REPS + 1, policy,
                                                 baseline, METRIC_LESS},
                       3, &part, part_groups);
    cr_expect(memcmp(&whole, &part, sizeof whole) == 0 && part.worlds == WORLDS);
    cr_expect(memcmp(groups, part_groups, sizeof groups) == 0);
    free(policy);
    free(baseline);
    finish_sample(&sample);
}

/* A world without the run of one group still counts for all else. */
Test(variance_shares, missing_run_of_a_group) {
    struct sample sample;
    struct variance_shares whole, part;
    struct share_range groups[PARAMETERS], part_groups[PARAMETERS];
    draw_sample(&models[2], 20, 10, 4, &sample);
    variance_shares_of(&sample.values, 3, &whole, groups);
    for (size_t w = 1; w < 20; w++)
        sample.policy[(2 * 20 + w) * 10 + 3] = NAN;
    variance_shares_of(&sample.values, 3, &part, part_groups);
    cr_expect(memcmp(&whole, &part, sizeof whole) == 0);
    cr_expect(memcmp(&groups[0], &part_groups[0], sizeof *groups) == 0);
    cr_expect(groups[1].share != part_groups[1].share && !isnan(part_groups[1].share));
    sample.policy[2 * 200] = NAN; /* the last one */
    variance_shares_of(&sample.values, 3, &part, part_groups);
    cr_expect(isnan(part_groups[1].share) && isnan(part_groups[1].high));
    finish_sample(&sample);
}

/* Another seed moves the intervals, not the shares. */
Test(variance_shares, the_seed_is_that_of_the_bootstrap) {
    struct sample sample;
    struct variance_shares one, other;
    struct share_range groups[PARAMETERS], other_groups[PARAMETERS];
    draw_sample(&models[3], 32, 10, 9, &sample);
    variance_shares_of(&sample.values, 1, &one, groups);
    variance_shares_of(&sample.values, 2, &other, other_groups);
    cr_expect(one.physics.share == other.physics.share && one.physics.low != other.physics.low);
    cr_expect(groups[0].share == other_groups[0].share && groups[0].high != other_groups[0].high);
    finish_sample(&sample);
}

/* 8 of 10, 0 of 10: intervals as printed in Newcombe (1998) and by R's prop.test without
   correction. */
Test(variance_shares, wilson) {
    struct share_range r = better_wilson(8, 10);
    cr_expect_float_eq(r.low, 0.4901625, 1e-7);
    cr_expect_float_eq(r.high, 0.9433178, 1e-7);
    r = better_wilson(0, 10);
    cr_expect(r.share == 0 && r.low == 0);
    cr_expect_float_eq(r.high, 0.2775328, 1e-7);
    r = better_wilson(81, 263); /* Newcombe's first example: 0.2553 to 0.3662 */
    cr_expect_float_eq(r.low, 0.2553, 5e-5);
    cr_expect_float_eq(r.high, 0.3662, 5e-5);
    r = better_wilson(0, 0);
    cr_expect(isnan(r.share) && isnan(r.low) && isnan(r.high));
}

/* Laws fitted to times. Expected: the closed forms of the exponential and the lognormal, Weibull's
   score equations, known parameters of drawn records, and the times of a small record by hand. */
#include "../support/temp_dir.h"
#include "base/rng.h"
#include "calibrate/time_fit.h"

#include <criterion/criterion.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>

static void add(struct seen_times *times, double time_s, bool ended, bool from_middle) {
    array_push(&times->at, ((struct seen_time){time_s, ended, from_middle}));
    times->ended += ended;
}

static void expect_near(double found, double expected, double tolerance, const char *what) {
    cr_expect(fabs(found / expected - 1) < tolerance, "%s is %.12g, not %.12g", what, found,
              expected);
}

static void add_draws(struct seen_times *times, const struct time_law *law, int count) {
    gsl_rng *rng = rng_create(7, 0, "times");
    for (int i = 0; i < count; i++)
        add(times, time_law_draw(law, rng), true, false);
    gsl_rng_free(rng);
}

/* Of times that all ended: the lognormal's mean and sigma are those of the logarithms, and the
   errors of mu and sigma are sigma / sqrt(n) and sigma / sqrt(2 n), so that of ln(mean) =
   mu + sigma^2 / 2 is sqrt(sigma^2 / n + sigma^4 / (2 n)). */
Test(time_fit, lognormal_closed_form) {
    struct seen_times times = {0};
    add_draws(&times, &(struct time_law){TIME_LAW_LOGNORMAL, 5000, 1.7}, 300);
    double n = 300, mean = 0, square = 0;
    for (int i = 0; i < 300; i++)
        mean += log(times.at.at[i].time_s) / n;
    for (int i = 0; i < 300; i++)
        square += pow(log(times.at.at[i].time_s) - mean, 2) / n;
    struct time_fit fit = time_fit_law(TIME_LAW_LOGNORMAL, &times);
    cr_assert(fit.ok);
    expect_near(fit.law.mean_s, exp(mean + square / 2), 1e-5, "mean");
    expect_near(fit.law.shape, sqrt(square), 1e-5, "sigma");
    expect_near(fit.median_s, exp(mean), 1e-5, "median");
    expect_near(log(fit.mean_high_s / fit.mean_low_s),
                2 * 1.959964 * sqrt(square / n + square * square / (2 * n)), 1e-3,
                "interval of the mean");
    expect_near(log(fit.shape_high / fit.shape_low), 2 * 1.959964 / sqrt(2 * n), 1e-3,
                "interval of sigma");
    free(times.at.at);
}

/* At the maximum 1/k = sum t^k ln t / sum t^k - mean of ln t and scale^k = sum t^k / n, with times
   that have not ended in the sums of t^k only and n the number of those that have. */
Test(time_fit, weibull_scores) {
    struct seen_times times = {0};
    add_draws(&times, &(struct time_law){TIME_LAW_WEIBULL, 100, 0.6}, 400);
    for (int i = 0; i < 400; i++)
        if (times.at.at[i].time_s > 150) {
            times.at.at[i] = (struct seen_time){150, false, false};
            times.ended--;
        }
    cr_assert_lt(times.ended, 380);
    struct time_fit fit = time_fit_law(TIME_LAW_WEIBULL, &times);
    cr_assert(fit.ok);
    double k = fit.law.shape, powers = 0, weighted = 0, logs = 0, n = (double)times.ended;
    for (size_t i = 0; i < 400; i++) {
        double t_s = times.at.at[i].time_s;
        powers += pow(t_s, k);
        weighted += pow(t_s, k) * log(t_s);
        logs += times.at.at[i].ended ? log(t_s) / n : 0;
    }
    expect_near(weighted / powers - logs, 1 / k, 1e-4, "1/k");
    expect_near(fit.law.mean_s, pow(powers / n, 1 / k) * tgamma(1 + 1 / k), 1e-5, "mean");
    free(times.at.at);
}

/* The rate of the exponential is failures over time, wherever the times begin and end. */
Test(time_fit, exponential_closed_form) {
    struct seen_times times = {0};
    add(&times, 10, true, true);
    add(&times, 20, false, false);
    add(&times, 5, true, false);
    add(&times, 40, false, true);
    add(&times, 15, true, false);
    struct time_fit fit = time_fit_law(TIME_LAW_EXPONENTIAL, &times);
    expect_near(fit.law.mean_s, 90 / 3.0, 1e-12, "mean");
    expect_near(fit.mean_high_s, 30 * exp(1.959964 / sqrt(3)), 1e-6, "upper end");
    expect_near(fit.log_likelihood, -3 * log(30) - 3, 1e-12, "log-likelihood");
    expect_near(fit.aic, 2 + 6 * log(30) + 6, 1e-12, "AIC");
    free(times.at.at);
}

/* Nodes 0 and 1 of three, 100 s: up for 10 s from the middle on, down 20 s, up 30 s; down since
   before 0 until 5 (no time to repair), up until 95, down from there on; node 2 is up all the time.
 */
Test(time_fit, record_by_hand, .init = temp_dir_enter, .fini = temp_dir_leave) {
    static const struct seen_time up[] = {{10, true, true},
                                          {30, true, false},
                                          {40, false, false},
                                          {90, true, false},
                                          {100, false, true}};
    static const struct seen_time repair[] = {{20, true, false}, {5, false, false}};
    struct arena arena = {0};
    struct problems problems = {0};
    const struct binding binding = {.arena = &arena, .problems = &problems};
    struct outages outages = {.file = "o.csv"};
    struct outage_times times;
    temp_file_write_text("o.csv",
                         "node,start_s,end_s\n1,95,130\n0,10,30\n1,-3,5\n0,60,60\n0,100,101\n");
    cr_assert_eq(outages_load(&outages, &binding), 0);
    outage_times_find(&times, &outages, 3, 100);
    cr_assert(times.up.at.count == 5 && times.repair.at.count == 2 && times.up.ended == 3);
    for (size_t i = 0; i < 5; i++) {
        const struct seen_time *seen = &times.up.at.at[i];
        cr_expect(seen->time_s == up[i].time_s && seen->ended == up[i].ended &&
                      seen->from_middle == up[i].from_middle,
                  "up time %zu: %g", i, seen->time_s);
    }
    for (size_t i = 0; i < 2; i++)
        cr_expect(times.repair.at.at[i].time_s == repair[i].time_s &&
                  times.repair.at.at[i].ended == repair[i].ended);
    cr_expect(times.nodes == 3 && times.failed_nodes == 2);
    cr_expect(times.running == 1 && times.outside == 1 && times.at_once == 1);
    outage_times_finish(&times);
    problems_finish(&problems);
    arena_finish(&arena);
}

/* Up times of nodes that run since long before the record, with repairs, until its end. */
static void draw_record(const struct time_law *up, const struct time_law *repair, uint32_t seed,
                        struct outage_times *times) {
    struct outage rows[4000];
    struct outages outages = {.at = rows};
    gsl_rng *rng = rng_create(seed, 0, "record");
    for (uint32_t node = 0; node < 150; node++)
        for (double at_s = time_law_draw_rest(up, rng); at_s < 3000 && outages.count < 4000;) {
            double end_s = at_s + time_law_draw(repair, rng);
            rows[outages.count++] = (struct outage){
                .node = node, .start_ns = llround(at_s * 1e9), .end_ns = llround(end_s * 1e9)};
            at_s = end_s + time_law_draw(up, rng);
        }
    gsl_rng_free(rng);
    outage_times_find(times, &outages, 150, 3000);
}

static bool is_in(double value, double low, double high) {
    return low <= value && value <= high;
}

/* Of 40 records the intervals hold the true mean and shape in 95 % each: fewer than 32 of 40 have a
   chance of 1e-4 if they are right (binomial), and intervals of half the width would hold 27. The
   laws are told apart by AIC in nearly all. */
Test(time_fit, known_parameters_come_back) {
    static const struct time_law ups[] = {{TIME_LAW_WEIBULL, 1000, 0.6},
                                          {TIME_LAW_LOGNORMAL, 1000, 1.2}};
    static const struct time_law repairs[] = {{TIME_LAW_LOGNORMAL, 60, 1.5},
                                              {TIME_LAW_WEIBULL, 60, 0.5}};
    gsl_set_error_handler_off();
    for (int c = 0; c < 2; c++) {
        int held[4] = {0}, told = 0;
        for (uint32_t seed = 1; seed <= 40; seed++) {
            struct outage_times times;
            draw_record(&ups[c], &repairs[c], seed, &times);
            struct time_fit up = time_fit_law(ups[c].kind, &times.up),
                            repair = time_fit_law(repairs[c].kind, &times.repair),
                            other = time_fit_law(repairs[c].kind, &times.up),
                            exponential = time_fit_law(TIME_LAW_EXPONENTIAL, &times.up);
            cr_assert(up.ok && repair.ok && other.ok);
            held[0] += is_in(1000, up.mean_low_s, up.mean_high_s);
            held[1] += is_in(ups[c].shape, up.shape_low, up.shape_high);
            held[2] += is_in(60, repair.mean_low_s, repair.mean_high_s);
            held[3] += is_in(repairs[c].shape, repair.shape_low, repair.shape_high);
            told += up.aic < other.aic && up.aic < exponential.aic;
            outage_times_finish(&times);
        }
        for (int i = 0; i < 4; i++)
            cr_expect(held[i] >= 32, "case %d: parameter %d in %d of 40 intervals", c, i, held[i]);
        cr_expect(told >= 36, "case %d: told apart in %d of 40", c, told);
    }
}

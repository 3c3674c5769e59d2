/* Power fitted to a meter. Expected: loads and powers worked by hand, parameters that readings were
   made from, the best of all subsets of parameters found by trying each. */
#include "base/rng.h"
#include "calibrate/metered/power_fit.h"
#include "calibrate/metered/power_text.h"

#include <criterion/criterion.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>

/* ---- What is made up ---- */

struct kind {
    uint32_t gpus;
    const char *type, *model;
};

static void add_row(struct trace *trace, double submit_s, double duration_s, struct kind kind,
                    double use) {
    struct trace_row row = trace_row_absent(2 + (uint32_t)trace->rows.count);
    row.id = "j";
    row.submit_ns = (int64_t)(submit_s * 1e9);
    row.duration_s = duration_s;
    row.gpus = kind.gpus;
    row.gpu_type = kind.type;
    row.model = kind.model;
    row.utilization = use;
    array_push(&trace->rows, row);
}

static struct metered_jobs jobs_of(const struct trace *trace, const char *by) {
    struct metered_jobs jobs;
    struct problems problems = {0};
    cr_assert(metered_jobs_make(&jobs, trace, "l.csv", by, &problems) == 0);
    return jobs;
}

/* Readings of step_s from 0 on; powers are filled in later. */
static struct meter_reading *readings_of(size_t count, double step_s) {
    struct meter_reading *at = mem_zalloc(count, sizeof *at);
    for (size_t i = 0; i < count; i++)
        at[i] = (struct meter_reading){step_s * (double)i, step_s * (double)(i + 1), 0};
    return at;
}

static double value_of(const struct power_fit *fit, enum load_kind kind, uint32_t type,
                       uint32_t group) {
    uint32_t c = load_find(fit->plan.load, kind, type, group);
    cr_assert(c != LOAD_NONE);
    return fit->plan.columns[c].value;
}

static void expect_near(double found, double expected, double tolerance, const char *what) {
    cr_expect(fabs(found - expected) <= tolerance, "%s is %.12g, not %.12g", what, found, expected);
}

/* Fits everything to all readings. */
static struct power_fit fit_all(const struct load *load, double floor_w) {
    struct power_fit fit;
    struct error error = {0};
    const struct power_span span = {-INFINITY, INFINITY, floor_w, NULL};
    cr_assert(power_fit_make(&fit, load, POWER_FULL, &span, &error) == 0, "%s", error.text);
    return fit;
}

/* ---- Load ---- */

/* A job of 2 GPUs over 5 to 25 s at a use of 0.5, one of 1 GPU over 18 to 20 s without a recorded
   one: in intervals of 10 s 1, 2.2 and 1 busy GPUs, 0, 0.2 and 0 of unrecorded use, uses of 0.5, 1
   and 0.5. Of the gap from 30 to 40 nothing is asked, and a job that begins in it is there after.
 */
Test(metered, load_by_hand) {
    struct trace trace = {0};
    struct meter_reading at[] = {{0, 10, 0}, {10, 20, 0}, {20, 30, 0}, {40, 45, 0}};
    static const double expected[][4] = {
        {1, 1, 0, 0.5}, {1, 2.2, 0.2, 1}, {1, 1, 0, 0.5}, {1, 3, 0, 0.75}};
    struct load load;
    add_row(&trace, 5, 20, (struct kind){.gpus = 2}, 0.5);
    add_row(&trace, 18, 2, (struct kind){.gpus = 1}, NAN);
    add_row(&trace, 33, 100, (struct kind){.gpus = 3}, 0.25);
    add_row(&trace, 7, 0, (struct kind){.gpus = 50}, 1);
    struct metered_jobs jobs = jobs_of(&trace, NULL);
    cr_expect(jobs.instant == 1 && jobs.first_s == 5 && jobs.last_s == 133);
    load_make(&load, &jobs, at, 4);
    cr_assert(load.columns.count == 4);
    for (size_t i = 0; i < 4; i++)
        for (size_t c = 0; c < 4; c++)
            cr_expect(fabs(load_row(&load, i)[c] - expected[i][c]) < 1e-12, "reading %zu, %zu", i,
                      c);
    expect_near(metered_jobs_peak(&jobs, 0), 3, 0, "peak");
    load_finish(&load);
    metered_jobs_finish(&jobs);
    trace_finish(&trace);
}

/* ---- Bounds ---- */

/* The least squares of the parameters in `set`, INFINITY if one of them is below 0. */
static double squares_of(double rows[][4], const double *y, int count, unsigned set, double *x) {
    double normal[16] = {0}, right[4] = {0}, inverse[16], squares = 0;
    bool marked[4];
    for (int i = 0; i < count; i++)
        for (int p = 0; p < 4; p++) {
            right[p] += rows[i][p] * y[i];
            for (int q = 0; q < 4; q++)
                normal[4 * p + q] += rows[i][p] * rows[i][q];
        }
    for (int p = 0; p < 4; p++)
        marked[p] = set & 1u << p;
    memset(x, 0, 4 * sizeof *x);
    if (set && !nonnegative_inverse(normal, 4, marked, inverse))
        return INFINITY;
    for (int p = 0; p < 16 && set; p++)
        x[p / 4] += inverse[p] * right[p % 4];
    for (int i = 0; i < count; i++) {
        double error = y[i];
        for (int p = 0; p < 4; p++)
            error -= rows[i][p] * x[p];
        squares += error * error;
    }
    for (int p = 0; p < 4; p++)
        squares = x[p] < 0 ? INFINITY : squares;
    return squares;
}

/* The best of all 16 sets of parameters that are not 0, in 200 drawn problems. */
Test(metered, bounds_against_all_subsets) {
    gsl_rng *rng = rng_create(11, 0, "nonnegative");
    for (int trial = 0; trial < 200; trial++) {
        double rows[8][4], y[8], normal[16] = {0}, right[4] = {0}, best_x[4], x[4];
        bool free_now[4];
        for (int i = 0; i < 8; i++) {
            y[i] = gsl_ran_gaussian(rng, 1);
            for (int p = 0; p < 4; p++)
                rows[i][p] = gsl_ran_gaussian(rng, 1) + (p == 3 ? 0.9 * rows[i][0] : 0);
            for (int p = 0; p < 4; p++) {
                right[p] += rows[i][p] * y[i];
                for (int q = 0; q < 4; q++)
                    normal[4 * p + q] += rows[i][p] * rows[i][q];
            }
        }
        double best = INFINITY;
        for (unsigned set = 0; set < 16; set++) {
            double here[4], squares = squares_of(rows, y, 8, set, here);
            if (squares < best)
                memcpy(best_x, here, sizeof here);
            best = fmin(best, squares);
        }
        cr_assert(nonnegative_solve(normal, right, 4, x, free_now));
        for (int p = 0; p < 4; p++)
            cr_expect(fabs(x[p] - best_x[p]) < 1e-9 && free_now[p] == (x[p] > 0),
                      "trial %d: x[%d] is %g, not %g", trial, p, x[p], best_x[p]);
    }
    gsl_rng_free(rng);
}

/* ---- Fits ---- */

static const double rest_w = 5000, busy_w[2][2] = {{90, 40}, {200, 120}}, by_use_w[2] = {130, 310},
                    unrecorded_use = 0.6;
static const char *const types[] = {"a100", "h100"}, *const models[] = {"bert", "vit"};

/* Jobs of two types and two models over two days; of some vit jobs no use is recorded. */
static void add_jobs(struct trace *trace, gsl_rng *rng, int count) {
    for (int i = 0; i < count; i++) {
        uint32_t model = (uint32_t)gsl_rng_uniform_int(rng, 2);
        bool recorded = model == 0 || gsl_rng_uniform(rng) < 0.7;
        double use = floor(1000 * gsl_rng_uniform(rng)) / 1000;
        add_row(trace, floor(172800 * gsl_rng_uniform(rng)),
                floor(600 + 20000 * gsl_rng_uniform(rng)),
                (struct kind){1u << gsl_rng_uniform_int(rng, 3), types[gsl_rng_uniform_int(rng, 2)],
                              models[model]},
                recorded ? use : NAN);
    }
}

/* The power of an interval by what runs in it, job by job. */
static double power_w(const struct metered_jobs *jobs, double begin_s, double end_s) {
    double w = rest_w;
    for (size_t i = 0; i < jobs->at.count; i++) {
        const struct metered_job *job = &jobs->at.at[i];
        double both_s = fmin(job->end_s, end_s) - fmax(job->start_s, begin_s);
        uint32_t type = strcmp(jobs->types.at[job->type], "h100") == 0,
                 model = strcmp(jobs->groups.at[job->group], "vit") == 0;
        double use = isnan(job->use) ? unrecorded_use : job->use;
        if (both_s > 0)
            w += both_s / (end_s - begin_s) * job->gpus *
                 (busy_w[type][model] + use * by_use_w[type]);
    }
    return w;
}

struct made {
    struct trace trace;
    struct metered_jobs jobs;
    struct meter_reading *at;
    struct load load;
};

/* sigma: of noise that remembers 0.98 of itself from a reading to the next. */
static void make(struct made *made, int trial, size_t readings, double step_s, double sigma) {
    gsl_rng *rng = rng_create(5, (uint64_t)trial, "metered");
    double noise = gsl_ran_gaussian(rng, sigma);
    *made = (struct made){0};
    add_jobs(&made->trace, rng, 300);
    trace_sort(&made->trace, false);
    made->jobs = jobs_of(&made->trace, NULL);
    made->at = readings_of(readings, step_s);
    for (size_t i = 0; i < readings; i++) {
        made->at[i].power_w = power_w(&made->jobs, made->at[i].begin_s, made->at[i].end_s) + noise;
        noise = 0.98 * noise + gsl_ran_gaussian(rng, sigma * sqrt(1 - 0.98 * 0.98));
    }
    load_make(&made->load, &made->jobs, made->at, readings);
    gsl_rng_free(rng);
}

static void unmake(struct made *made) {
    load_finish(&made->load);
    metered_jobs_finish(&made->jobs);
    trace_finish(&made->trace);
    free(made->at);
}

/* Without noise every power comes back, also a sum of which a part is known. */
Test(metered, exact_without_noise) {
    struct made m;
    make(&m, 0, 1700, 97, 0);
    for (double floor_w = 0; floor_w <= 2000; floor_w += 2000) {
        struct power_fit fit = fit_all(&m.load, floor_w);
        expect_near(value_of(&fit, LOAD_CONSTANT, 0, 0), rest_w, 1e-5, "rest");
        for (uint32_t t = 0; t < 2; t++) {
            uint32_t type = strcmp(m.jobs.types.at[t], "h100") == 0;
            for (uint32_t g = 0; g < 2; g++) {
                uint32_t model = strcmp(m.jobs.groups.at[g], "vit") == 0;
                expect_near(value_of(&fit, LOAD_BUSY, t, g), busy_w[type][model], 1e-6, "busy");
            }
            expect_near(value_of(&fit, LOAD_USE, t, 0), by_use_w[type], 1e-6, "use");
            expect_near(value_of(&fit, LOAD_UNRECORDED, t, 0), unrecorded_use * by_use_w[type],
                        1e-6, "unrecorded");
        }
        for (size_t i = 0; i < m.load.readings; i++)
            cr_assert(fabs(power_fit_predict(&fit, i) - m.at[i].power_w) < 1e-5);
        power_fit_finish(&fit);
    }
    unmake(&m);
}

/* A known part above the whole power at rest: the bound holds, and the rest of the power is what is
   left. */
Test(metered, floor_is_a_bound) {
    struct made m;
    make(&m, 0, 1700, 97, 0);
    struct power_fit fit = fit_all(&m.load, 6000);
    cr_expect(!fit.free[0] && value_of(&fit, LOAD_CONSTANT, 0, 0) == 6000);
    unmake(&m);
    power_fit_finish(&fit);
}

/* 95 % intervals hold the power that readings were made from, though the noise remembers itself for
   50 readings: of 150 x 3 independent intervals 427.5 +- 4.6 would, and those of one trial are not
   independent. */
Test(metered, intervals_hold_the_truth) {
    int held = 0, all = 0;
    for (int trial = 1; trial <= 150; trial++) {
        struct made m;
        make(&m, trial, 1700, 97, 150);
        struct power_fit fit = fit_all(&m.load, 0);
        double *factors = mem_zalloc(m.load.columns.count, sizeof *factors);
        cr_assert(fit.has_intervals);
        for (uint32_t c = 0; c < m.load.columns.count; c++) {
            const struct load_column *column = &m.load.columns.at[c];
            uint32_t h100 = strcmp(m.jobs.types.at[column->type], "h100") == 0,
                     vit = column->kind == LOAD_BUSY &&
                           strcmp(m.jobs.groups.at[column->group], "vit") == 0;
            double truth = column->kind == LOAD_CONSTANT ? rest_w : busy_w[h100][vit];
            if (column->kind == LOAD_USE || column->kind == LOAD_UNRECORDED || vit)
                continue;
            factors[c] = 1;
            struct power_value v = power_fit_value(&fit, factors);
            factors[c] = 0;
            if (isnan(v.low))
                continue; /* held at 0 */
            held += v.low <= truth && truth <= v.high;
            all++;
        }
        free(factors);
        power_fit_finish(&fit);
        unmake(&m);
    }
    cr_expect(all >= 430 && held >= 0.91 * all && held <= 0.98 * all, "%d of %d", held, all);
}

/* ---- What is not told ---- */

static void expect_untold(const struct metered_jobs *jobs, const struct power_fit *fit,
                          const char *expected) {
    struct metered_cluster cluster = {.base_w = 0, .idle_w = NAN, .nodes = 1, .gpus = 1};
    const struct power_text text = {fit, jobs, &cluster};
    struct str out = {0};
    power_text_untold(&text, &out);
    cr_expect_str_eq(out.text ? out.text : "", expected);
    str_finish(&out);
}

/* Every job of a100 runs beside one of h100 of the same time and size: one power for both, the mean
   of the two. All at a use of 0.7: what use adds follows from the GPUs that are busy. */
Test(metered, always_together) {
    struct trace trace = {0};
    struct meter_reading *at = readings_of(100, 60);
    struct load load;
    for (int i = 0; i < 12; i++)
        for (int t = 0; t < 2; t++)
            add_row(&trace, 400 * i, 700 + 90 * (i % 5), (struct kind){.gpus = 2, .type = types[t]},
                    0.7);
    struct metered_jobs jobs = jobs_of(&trace, NULL);
    load_make(&load, &jobs, at, 100);
    for (size_t i = 0; i < 100; i++)
        at[i].power_w = 300 + 50 * load_row(&load, i)[1] + 110 * load_row(&load, i)[2];
    struct power_fit fit = fit_all(&load, 0);
    expect_near(value_of(&fit, LOAD_CONSTANT, 0, 0), 300, 1e-7, "rest");
    expect_near(value_of(&fit, LOAD_BUSY, 0, 0), 80, 1e-8, "first");
    expect_near(value_of(&fit, LOAD_BUSY, 1, 0), 80, 1e-8, "second");
    expect_untold(&jobs, &fit,
                  "busy GPU, h100: always used together; taken as busy GPU, a100\n"
                  "use of a GPU, a100: follows from the others, which rise and fall with it; its "
                  "own power is taken as 0\n"
                  "use of a GPU, h100: follows from the others, which rise and fall with it; its "
                  "own power is taken as 0\n");
    power_fit_finish(&fit);
    load_finish(&load);
    metered_jobs_finish(&jobs);
    trace_finish(&trace);
    free(at);
}

/* As many GPUs are busy all the time: nothing tells their power from that at rest. */
Test(metered, always_busy) {
    struct trace trace = {0};
    struct meter_reading *at = readings_of(40, 60);
    struct load load;
    add_row(&trace, 0, 5000, (struct kind){.gpus = 3}, NAN);
    struct metered_jobs jobs = jobs_of(&trace, NULL);
    for (int i = 0; i < 40; i++)
        at[i].power_w = 700;
    load_make(&load, &jobs, at, 40);
    struct power_fit fit = fit_all(&load, 0);
    expect_near(value_of(&fit, LOAD_CONSTANT, 0, 0), 700, 1e-9, "rest");
    expect_untold(
        &jobs, &fit,
        "busy GPU: follows from the others, which rise and fall with it; its own power is "
        "taken as 0\n");
    power_fit_finish(&fit);
    load_finish(&load);
    metered_jobs_finish(&jobs);
    trace_finish(&trace);
    free(at);
}

/* ---- Windows ---- */

/* Without noise a window is predicted exactly, once enough has been seen: here from the first on.
   3 h of readings in windows of 50 min: the last one is short. */
Test(metered, windows) {
    struct made m;
    make(&m, 3, 1800, 60, 0);
    struct power_windows windows;
    power_windows_make(&windows, &m.load, 36000, 0);
    cr_assert(windows.at.count == 2);
    cr_expect(windows.at.at[1].from_s == 72000 && windows.at.at[1].full.hours == 10);
    for (size_t i = 0; i < m.load.readings; i++)
        cr_expect(i < 600 ? isnan(windows.predicted_w[i])
                          : fabs(windows.predicted_w[i] / m.at[i].power_w - 1) < 1e-6,
                  "reading %zu", i);
    cr_expect(windows.at.at[0].count.absolute > 0.005);
    power_windows_finish(&windows);
    unmake(&m);
}

/* Sums that go on from window to window give what a fit to all readings before each gives. */
Test(metered, windows_as_fits) {
    struct made m;
    gsl_set_error_handler_off(); /* as the program does: a window may be too poor for a fit */
    make(&m, 4, 1300, 60, 150);
    for (double floor_w = 0; floor_w <= 2000; floor_w += 2000) {
        struct power_windows windows;
        size_t compared = 0;
        power_windows_make(&windows, &m.load, 5000, floor_w);
        for (size_t w = 0; w < windows.at.count; w++) {
            const struct power_window *window = &windows.at.at[w];
            const struct power_span before = {-INFINITY, window->from_s, floor_w, NULL};
            struct power_fit fit;
            bool made = power_fit_make(&fit, &m.load, POWER_FULL, &before, NULL) == 0;
            cr_assert_eq(made, window->fitted, "window %zu", w);
            for (size_t i = 0; i < m.load.readings && made; i++)
                if (meter_reading_is_in(&m.at[i], window->from_s, window->to_s)) {
                    double expected_w = power_fit_predict(&fit, i);
                    expect_near(windows.predicted_w[i], expected_w, 1e-8 * expected_w, "power");
                    compared++;
                }
            power_fit_finish(&fit);
        }
        cr_assert_gt(compared, 1000);
        power_windows_finish(&windows);
    }
    unmake(&m);
}

/* Forecasts of cap, price and carbon intensity: by hand where they are exact, drawn again where
   they are not, and what they leave alone. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"
#include "base/rng.h"
#include "engine/observer.h"
#include "engine/sim.h"

#include <criterion/criterion.h>
#include <gsl/gsl_randist.h>
#include <math.h>

TestSuite(forecasts, .init = temp_dir_enter, .fini = temp_dir_leave);

#define HEAD "job_id,submit_s,gpus,duration_s\n"
#define CLUSTER(more) \
    "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: [{gpu: g, gpus: 2}]" more \
    "}\n"

/* What decisions have seen: all hours of each, one after the other. */
struct seen {
    uint32_t hours;
    ARRAY_OF(double) now_s;
    ARRAY_OF(struct easim_forecast_hour) at;
};

static void note_forecasts(void *context, const struct sim *sim) {
    struct seen *seen = context;
    const struct easim_view *v = sim->view.v;
    array_push(&seen->now_s, v->now_s);
    seen->hours = sim->view.forecast->hour_count;
    for (uint32_t i = 0; i < seen->hours; i++)
        array_push(&seen->at, *easim_forecast_at(sim->view.forecast, 0, i));
}

static void seen_finish(struct seen *seen) {
    free(seen->now_s.at);
    free(seen->at.at);
}

/* Runs the scenario with decisions noted. */
static void see(struct seen *seen, struct trial *t, const char *jobs, const char *yaml) {
    const struct observer watch = {.context = seen, .decision = note_forecasts};
    *seen = (struct seen){.hours = 0};
    trial_run(t, &(struct trial_options){.jobs = jobs, .watch = &watch}, "%s", yaml);
}

static bool is_same(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

/* carbon: 100 until 1800 s, 300 until 3600, 50 until 7200, then 80: means 200, 50, 80, and nothing
   is known from 10800 on. Price: 60, then -30 from 5400 on, and it comes again after 9000: hours of
   60; (60 - 30) / 2 = 15; half an hour of -30 and half of 60 = 15; 60; -30; 60; 15. The cap: none,
   600 from 900, none from 1800, 500 from 5400, which stays: the least of each hour. */
static const char exact[] =
    "name: n\nhorizon: 10800\n"
    "policy: {name: sees_forecasts, params: {hours: 4}}\n"
    "forecast: {hours: 4}\n"
    "carbon_g_per_kwh: {file: c.csv}\nprice_per_mwh: {file: p.csv, period: 2.5h}\n" CLUSTER(
        ", power_cap_w: {file: cap.csv}") TRIAL_JOBS;

static void write_exact_series(void) {
    temp_file_write_text("c.csv", "time_s,carbon_g_per_kwh\n0,100\n1800,300\n3600,50\n7200,80\n");
    temp_file_write_text("p.csv", "time_s,price_per_mwh\n0,60\n5400,-30\n7200,-30\n");
    temp_file_write_text("cap.csv", "time_s,power_w\n900,600\n1800,\n5400,500\n");
}

Test(forecasts, exact) {
    static const double hours[7][3] = {{600, 60, 200}, {500, 15, 50},   {500, 15, 80},
                                       {500, 60, NAN}, {500, -30, NAN}, {500, 60, NAN},
                                       {500, 15, NAN}};
    struct trial t;
    struct seen seen;
    write_exact_series();
    see(&seen, &t, HEAD "a,0,1,9000\nb,4000,1,2000\n", exact);
    trial_must_succeed(&t);
    cr_assert(seen.hours == 4 && seen.now_s.count >= 6, "%zu decisions", seen.now_s.count);
    for (size_t i = 0; i < seen.at.count; i++) {
        const struct easim_forecast_hour *f = &seen.at.at[i];
        size_t hour = (size_t)(seen.now_s.at[i / 4] / 3600) + i % 4;
        cr_expect(f->from_s == 3600.0 * (double)hour);
        cr_expect(is_same(f->power_cap_w, hours[hour][0]) &&
                      is_same(f->price_per_mwh, hours[hour][1]) &&
                      is_same(f->carbon_g_per_kwh, hours[hour][2]),
                  "decision %zu, hour %zu: %g %g %g", i / 4, hour, f->power_cap_w, f->price_per_mwh,
                  f->carbon_g_per_kwh);
    }
    seen_finish(&seen);
    trial_finish(&t);
}

/* An event of the cap is shown from its notice on, at 3000 s. With job a the cluster draws 450 W,
   and with b from 1500 s on 800 W, so the baseline is 625 W and the target 375 W. The ramp of 900 s
   has 15 s a step: just before 7200 s it is at the 39th. */
Test(forecasts, events) {
    static const double noticed[] = {INFINITY, 625 - 250 * 39 / 60.0, 375, INFINITY};
    struct trial t;
    struct seen seen;
    size_t shown = 0;
    temp_file_write_text(
        "e.csv", "start_s,duration_s,reduction_frac,notice_s,ramp_s\n6600,3600,0.4,3600,900\n");
    see(&seen, &t, HEAD "a,0,1,30000\nb,1500,1,30000\nc,3300,1,1\n",
        "name: n\nhorizon: 10800\npolicy: {name: sees_forecasts, params: {hours: 4}}\n"
        "forecast: {hours: 4}\n" CLUSTER(", power_cap: {enforce: throttle}, cap_events: e.csv")
            TRIAL_JOBS);
    trial_must_succeed(&t);
    for (size_t i = 0; i < seen.at.count; i++) {
        const struct easim_forecast_hour *f = &seen.at.at[i];
        double now_s = seen.now_s.at[i / 4], hour = floor(now_s / 3600) + (double)(i % 4);
        double expected = now_s < 3000 || hour > 3 ? INFINITY : noticed[(size_t)hour];
        cr_expect(f->power_cap_w == expected || fabs(f->power_cap_w - expected) < 1e-9,
                  "at %g s, hour %g: %.17g", now_s, hour, f->power_cap_w);
        shown += expected < INFINITY;
    }
    cr_expect(seen.now_s.count > 60 && shown > 60, "%zu decisions", seen.now_s.count);
    seen_finish(&seen);
    trial_finish(&t);
}

/* A constant is known: an error changes nothing of it. */
Test(forecasts, constants) {
    struct trial t;
    struct seen seen;
    temp_file_write_text("p.csv", "time_s,price_per_mwh\n0,60\n5400,-30\n7200,-30\n");
    see(&seen, &t, HEAD "a,0,1,9000\n",
        "name: n\nhorizon: 10800\npolicy: {name: sees_forecasts, params: {hours: 3}}\n"
        "forecast: {hours: 3, error: {sigma: 0.5}}\ncarbon_g_per_kwh: 321\n"
        "price_per_mwh: {file: p.csv, period: 2.5h}\n" CLUSTER("") TRIAL_JOBS);
    trial_must_succeed(&t);
    for (size_t i = 0; i < seen.at.count; i++)
        cr_expect(seen.at.at[i].carbon_g_per_kwh == 321 && seen.at.at[i].power_cap_w == INFINITY);
    cr_expect(seen.at.at[0].price_per_mwh == 60, "the present hour is exact");
    cr_expect(seen.at.at[1].price_per_mwh > 0 && seen.at.at[1].price_per_mwh != 15);
    seen_finish(&seen);
    trial_finish(&t);
}

/* ---- Errors ---- */

#define SIGMA 0.3
#define CARRY 0.8
#define HOURS 12
#define RUN_H 3000

static void write_even_series(void) {
    temp_file_write_text("c.csv", "time_s,carbon_g_per_kwh\n0,100\n3600,100\n");
    temp_file_write_text("p.csv", "time_s,price_per_mwh\n0,-40\n3600,-40\n");
}

static void see_errors(struct seen *seen, struct trial *t, const char *seed, const char *step,
                       const char *price) {
    char yaml[1000];
    snprintf(yaml, sizeof yaml,
             "name: n\nhorizon: drain\nseed: %s\n"
             "policy: {name: sees_forecasts, params: {hours: 12, step: %s}}\n"
             "forecast: {hours: 12, error: {sigma: 0.3, correlation: 0.8}}\n"
             "carbon_g_per_kwh: {file: c.csv, period: 2h}\n%s" CLUSTER("") TRIAL_JOBS,
             seed, step, price);
    see(seen, t, HEAD "a,0,1,10800000\n", yaml);
    trial_must_succeed(t);
}

/* Forecasts of the hour m for the hour n drawn again, each by its own sum: the factor is exp(e - v
   / 2), e = sum over i = m + 1 .. n of correlation^(n - i) sigma sqrt(1 - correlation^2) z_i, and
   z_i is the i-th number of the stream. */
Test(forecasts, drawn_again) {
    struct trial t;
    struct seen seen;
    static double z[RUN_H + HOURS + 1];
    write_even_series();
    see_errors(&seen, &t, "77", "3600", "");
    gsl_rng *rng = rng_create(77, 0, "forecast/carbon_g_per_kwh");
    for (size_t i = 0; i < sizeof z / sizeof *z; i++)
        z[i] = gsl_ran_ugaussian(rng);
    gsl_rng_free(rng);
    cr_assert_eq(seen.now_s.count, RUN_H + 1);
    for (size_t m = 0; m < RUN_H; m += 7)
        for (size_t lead = 0; lead < HOURS; lead++) {
            double e = 0, v = SIGMA * SIGMA * (1 - pow(CARRY, 2.0 * (double)lead));
            for (size_t i = m + 1; i <= m + lead; i++)
                e += pow(CARRY, (double)(m + lead - i)) * SIGMA * sqrt(1 - CARRY * CARRY) * z[i];
            double found = seen.at.at[m * HOURS + lead].carbon_g_per_kwh;
            cr_expect(fabs(found / (100 * exp(e - v / 2)) - 1) < 1e-12, "hour %zu + %zu: %.17g", m,
                      lead, found);
        }
    seen_finish(&seen);
    trial_finish(&t);
}

/* Over 3,000 hours: the mean of the factor is 1, the variance of its logarithm sigma^2 (1 -
   correlation^2h), and what the next hour changes of a forecast does not depend on what this one
   has. Errors of neighbouring issues overlap: a mean of n values varies as one of about n (1 -
   CARRY) / (1 + CARRY); four standard deviations. */
Test(forecasts, statistics) {
    struct trial t;
    struct seen seen;
    write_even_series();
    see_errors(&seen, &t, "5", "3600", "");
    double free_count = RUN_H * (1 - CARRY) / (1 + CARRY);
    for (size_t lead = 1; lead < HOURS; lead++) {
        double v = SIGMA * SIGMA * (1 - pow(CARRY, 2.0 * (double)lead)), mean = 0, square = 0;
        for (size_t m = 0; m < RUN_H; m++) {
            double factor = seen.at.at[m * HOURS + lead].carbon_g_per_kwh / 100;
            double e = log(factor) + v / 2;
            mean += factor / RUN_H;
            square += e * e / RUN_H;
        }
        cr_expect(fabs(mean - 1) < 4 * sqrt((exp(v) - 1) / free_count), "lead %zu: mean %g", lead,
                  mean);
        cr_expect(fabs(square - v) < 4 * v * sqrt(2 / free_count), "lead %zu: %g, not %g", lead,
                  square, v);
    }
    double product = 0, squares = 0; /* of changes of a forecast as lead 3 becomes lead 2 */
    for (size_t m = 0; m + 2 < RUN_H; m++) {
        double change[2];
        for (size_t i = 0; i < 2; i++)
            change[i] = log(seen.at.at[(m + i + 1) * HOURS + 2].carbon_g_per_kwh /
                            seen.at.at[(m + i) * HOURS + 3].carbon_g_per_kwh);
        double shift = SIGMA * SIGMA / 2 * (pow(CARRY, 6) - pow(CARRY, 4)) * -1;
        product += (change[0] - shift) * (change[1] - shift);
        squares += (change[0] - shift) * (change[0] - shift);
    }
    cr_expect(fabs(product / squares) < 4 / sqrt(RUN_H), "correlation %g", product / squares);
    seen_finish(&seen);
    trial_finish(&t);
}

/* Who asks, and when, or another series, changes no forecast. */
Test(forecasts, stream_of_its_own) {
    struct trial often, seldom, priced;
    struct seen all, few, both;
    write_even_series();
    see_errors(&all, &often, "9", "1200", "");
    see_errors(&few, &seldom, "9", "72000", "");
    see_errors(&both, &priced, "9", "3600", "price_per_mwh: {file: p.csv, period: 2h}\n");
    for (size_t i = 0; i < few.now_s.count; i++)
        for (size_t lead = 0; lead < HOURS; lead++) {
            size_t hour = (size_t)(few.now_s.at[i] / 3600);
            double here = few.at.at[i * HOURS + lead].carbon_g_per_kwh;
            cr_expect(here == all.at.at[3 * hour * HOURS + lead].carbon_g_per_kwh &&
                          here == both.at.at[hour * HOURS + lead].carbon_g_per_kwh,
                      "decision %zu, lead %zu", i, lead);
        }
    size_t alike = 0;
    for (size_t i = 0; i < both.at.count; i++) {
        cr_expect(both.at.at[i].price_per_mwh < 0, "a negative price stays one");
        alike +=
            fabs(both.at.at[i].price_per_mwh / -40 - both.at.at[i].carbon_g_per_kwh / 100) < 1e-6;
    }
    cr_expect(alike == both.now_s.count, "%zu: only the present hours are", alike);
    seen_finish(&all);
    seen_finish(&few);
    seen_finish(&both);
    trial_finish(&often);
    trial_finish(&seldom);
    trial_finish(&priced);
}

/* ---- What else is said and kept ---- */

/* A policy that does not list easim.forecast sees none, and no result is another one. */
Test(forecasts, not_declared) {
    static const char *const forecasts[] = {"",
                                            "forecast: {error: {sigma: 0.4, correlation: 0.9}}\n"};
    struct str rows[2], sums[2];
    for (int i = 0; i < 2; i++) {
        struct trial t;
        struct seen seen;
        char yaml[1000];
        temp_file_write_text("c.csv", "time_s,carbon_g_per_kwh\n0,100\n3600,70\n");
        snprintf(yaml, sizeof yaml,
                 "name: n\nhorizon: drain\npolicy: {name: zeus}\n%s"
                 "carbon_g_per_kwh: {file: c.csv, period: 2h}\n" CLUSTER("") TRIAL_JOBS,
                 forecasts[i]);
        see(&seen, &t, HEAD "a,0,1,9000\nb,4000,2,2000\n", yaml);
        trial_must_succeed(&t);
        cr_expect(seen.hours == 0);
        cr_assert_eq(t.study.warnings.count, (size_t)i);
        if (i == 1)
            cr_expect_str_eq(t.study.warnings.at[0],
                             "forecast: of no effect, policy zeus does not list easim.forecast");
        rows[i] = t.jobs_csv;
        sums[i] = t.summary_csv;
        t.jobs_csv = t.summary_csv = (struct str){0};
        seen_finish(&seen);
        trial_finish(&t);
    }
    cr_expect_str_eq(rows[0].text, rows[1].text);
    cr_expect_str_eq(sums[0].text, sums[1].text);
    for (int i = 0; i < 2; i++) {
        str_finish(&rows[i]);
        str_finish(&sums[i]);
    }
}

/* A policy may list forecasts as optional, beside extensions that this host lacks. */
Test(forecasts, optional) {
    struct trial t;
    struct seen seen;
    write_exact_series();
    see(&seen, &t, HEAD "a,0,1,9000\n",
        "name: n\nhorizon: drain\npolicy: {name: sees_extensions}\nforecast: {hours: 4}\n"
        "carbon_g_per_kwh: {file: c.csv}\n" CLUSTER("") TRIAL_JOBS);
    trial_must_succeed(&t);
    cr_expect_eq(seen.hours, 4);
    cr_expect_eq(t.study.warnings.count, 0);
    seen_finish(&seen);
    trial_finish(&t);
}

Test(forecasts, warnings) {
    static const struct {
        const char *keys;
        const char *warnings[2];
    } cases[] = {
        {"price_per_mwh: {file: p.csv, period: 2h}\n"
         "forecast: {hours: 2, error: {sigma: 0, correlation: 0.5}}\n",
         {"forecast.error.correlation: of no effect, sigma is 0"}},
        {"carbon_g_per_kwh: 400\nforecast: {hours: 2}\n",
         {"forecast: of no effect, none of carbon_g_per_kwh, price_per_mwh and cluster.power_cap_w "
          "is a series: all hours are as the present one"}},
        {"price_per_mwh: {file: p.csv, period: 2h}\n"
         "forecast: {hours: 2, error: {sigma: 2, correlation: 0.999}}\n",
         {NULL}},
    };
    write_even_series();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial t;
        trial_run(
            &t, &(struct trial_options){.jobs = HEAD "a,0,1,9000\n"},
            "name: n\nhorizon: 4h\npolicy: {name: sees_forecasts, params: {hours: 2}}\n%s" CLUSTER(
                "") TRIAL_JOBS,
            cases[i].keys);
        trial_must_succeed(&t);
        cr_assert_eq(t.study.warnings.count, cases[i].warnings[0] != NULL, "case %zu", i);
        if (cases[i].warnings[0])
            cr_expect_str_eq(t.study.warnings.at[0], cases[i].warnings[0]);
        trial_finish(&t);
    }
}

/* ---- What --check finds ---- */

/* Changes, once, at the second decision, what the engine knows of the hour `lead` after it. */
struct fault {
    uint32_t decisions, lead;
};

static void spoil(void *context, const struct sim *sim) {
    struct fault *fault = context;
    const struct forecasts *f = &sim->forecasts;
    if (fault->decisions++ != 1)
        return;
    f->series[SIGNAL_CARBON].values[(f->hour + fault->lead) % f->hours] += 1;
}

static void raise_carbon(void *context, const struct sim *sim) {
    uint32_t *decisions = context;
    if (++*decisions == 1)
        view_header((struct view *)(uintptr_t)&sim->view)->carbon_g_per_kwh += 36;
}

/* Nothing happens in the first hour, of which 100 is foreseen, but what the view shows is 136. */
Test(forecasts, check_finds_in_the_first_hour) {
    uint32_t decisions = 0;
    const struct observer watch = {.context = &decisions, .decision = raise_carbon};
    struct trial t;
    temp_file_write_text("c.csv", "time_s,carbon_g_per_kwh\n0,100\n3600,50\n7200,80\n");
    trial_run(
        &t, &(struct trial_options){.jobs = HEAD "a,0,1,9000\n", .watch = &watch},
        "name: n\nhorizon: 10800\npolicy: {name: sees_forecasts, params: {hours: 4, step: 10000}}\n"
        "forecast: {hours: 4}\ncarbon_g_per_kwh: {file: c.csv}\n" CLUSTER("") TRIAL_JOBS);
    cr_expect(strstr(t.failure, "check: carbon_g_per_kwh of hour 0 was 136, and 100 was shown at "
                                "its beginning"),
              "%s", t.failure);
    trial_finish(&t);
}

Test(forecasts, check_finds) {
    static const char *const failures[] = {
        "check: carbon_g_per_kwh of hour 1 was 50, and 51 was shown at its beginning",
        "check: carbon_g_per_kwh of hour 2 is shown as 81, and was as 80, without error"};
    for (uint32_t lead = 1; lead <= 2; lead++) {
        /* with an error nobody knows before the hour that it is a wrong one */
        const char *error = lead == 1 ? ", error: {sigma: 0.1}" : "";
        struct fault fault = {.lead = lead};
        const struct observer watch = {.context = &fault, .decision = spoil};
        struct trial t;
        temp_file_write_text("c.csv",
                             "time_s,carbon_g_per_kwh\n0,100\n1800,300\n3600,50\n7200,80\n");
        trial_run(&t, &(struct trial_options){.jobs = HEAD "a,0,1,9000\n", .watch = &watch},
                  "name: n\nhorizon: 10800\npolicy: {name: sees_forecasts, params: {hours: 4}}\n"
                  "forecast: {hours: 4%s}\ncarbon_g_per_kwh: {file: c.csv}\n" CLUSTER("")
                      TRIAL_JOBS,
                  error);
        cr_expect(strstr(t.failure, failures[lead - 1]), "%s", t.failure);
        trial_finish(&t);
    }
}

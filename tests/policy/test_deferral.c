/* deferral: when jobs begin, by hand; what waiting saves; where it is zeus. Rigid jobs of the
   trial cluster draw 400 W computing on each GPU; a free GPU draws 50 W. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(deferral, .init = temp_dir_enter, .fini = temp_dir_leave);

/* Intensities of the hours: 400, 300, 100, 350, 250, 90, ... and prices. */
static void write_series(void) {
    temp_file_write_text("s.csv", "time_s,carbon_g_per_kwh,price_per_mwh\n0,400,-10\n3600,300,-30\n"
                                  "7200,100,20\n10800,350,20\n14400,250,20\n18000,90,-40\n"
                                  "21600,400,20\n25200,400,20\n28800,400,20\n");
}

#define SERIES "carbon_g_per_kwh: {file: s.csv}\nprice_per_mwh: {file: s.csv}\n"

static void run_deferral(struct trial *t, const char *jobs, const char *params,
                         const char *forecast) {
    write_series();
    trial_run(t, &(struct trial_options){.jobs = jobs},
              "name: n\nhorizon: 8h\npolicy: {name: deferral, params: %s}\n%s" SERIES TRIAL_CLUSTER(
                  8) TRIAL_JOBS,
              params, forecast);
    trial_must_succeed(t);
}

/* Jobs come at 600 s. a runs within an hour, b and c within two, d in nine, more than are forecast;
   e has a deadline, so it is of class sla. */
#define JOBS \
    "job_id,submit_s,gpus,duration_s,deadline_s\na,600,1,1800,\nb,600,1,5400,\nd,600,1,32400,\n" \
    "e,600,1,1800,20000\n"

/* slack 2 h, up to 7800 s: hours 0, 1 and 2. a: 400, 300, 100. b: 700, 400, 450. Slack 1 h: hours 0
   and 1 alone. Slack 5 h, up to 18600: a may begin in hour 5 (90), b: 700, 400, 450, 600, 340, 490.
   gain 0.5: 300 is not below 200, 400 is not below 350. With 6 hours forecast d could begin in hour
   0 only. Prices: a: -10, -30, 20; b: -40, -10, 40. */
Test(deferral, begins) {
    static const struct {
        const char *params, *forecast;
        double a_s, b_s;
    } cases[] = {
        {"{slack: 2h}", "forecast: {hours: 6}\n", 7200, 3600},
        {"{slack: 1h}", "forecast: {hours: 6}\n", 3600, 3600},
        {"{slack: 5h}", "forecast: {hours: 7}\n", 18000, 14400},
        {"{slack: 5h}", "forecast: {hours: 2}\n", 7200, 600}, /* hour by hour; b sees one begin */
        {"{slack: 1h, gain: 0.5}", "forecast: {hours: 6}\n", 600, 600},
        {"{slack: 0}", "forecast: {hours: 6}\n", 600, 600},
        {"{slack: 2999}", "forecast: {hours: 6}\n", 600, 600},
        {"{slack: 3000}", "forecast: {hours: 6}\n", 3600, 3600},
        {"{slack: 2h, signal: price}", "forecast: {hours: 6}\n", 3600, 600},
        {"{slack: 2h}", "forecast: {hours: 1}\n", 600, 600},
        {"{slack: 2h}", "", 600, 600},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial t;
        run_deferral(&t, JOBS, cases[i].params, cases[i].forecast);
        cr_expect(trial_find(&t, "a")->start_ns == llround(cases[i].a_s * 1e9), "case %zu: a at %g",
                  i, 1e-9 * (double)trial_find(&t, "a")->start_ns);
        cr_expect(trial_find(&t, "b")->start_ns == llround(cases[i].b_s * 1e9), "case %zu: b at %g",
                  i, 1e-9 * (double)trial_find(&t, "b")->start_ns);
        cr_expect(trial_find(&t, "d")->start_ns == 600 * NS_PER_S &&
                  trial_find(&t, "e")->start_ns == 600 * NS_PER_S);
        cr_expect_eq(t.counted.entries.count, i >= 9, "case %zu: what is said", i);
        trial_finish(&t);
    }
}

/* One job of 30 minutes draws 350 W more than its free GPU: at 400 g/kWh 70 g, at 100 g/kWh 17.5 g.
 */
Test(deferral, saves) {
    double co2_kg[2];
    for (int waits = 0; waits < 2; waits++) {
        struct trial t;
        run_deferral(&t, "job_id,submit_s,gpus,duration_s\na,600,1,1800\n",
                     waits ? "{slack: 2h}" : "{slack: 0}", "forecast: {hours: 6}\n");
        co2_kg[waits] = t.summaries->co2_kg;
        trial_finish(&t);
    }
    cr_expect(fabs(co2_kg[0] - co2_kg[1] - 0.0525) < 1e-12, "%.17g", co2_kg[0] - co2_kg[1]);
}

/* ---- Random jobs ---- */

#define MODELS \
    "models:\n- {name: m, m0: 64, phi: 1000, batches: [8, 32], start_s: 10, restart_s: 20, gpus: {g: {a_s: 0.1, c_s: 0.01, gamma: 2, alpha_s: 0.01, p0_w: 100, pmax_w: 300, evidence: assumed, source: by hand}}}\n"

static void run_random(struct trial *t, const char *policy, const char *forecast,
                       uint32_t processes) {
    write_series();
    trial_run(t, &(struct trial_options){.models = MODELS, .processes = processes},
              "name: n\nhorizon: drain\nreplications: 3\nmodels: models.yaml\npolicy: %s\n%s"
              "carbon_g_per_kwh: {file: s.csv, repeat: true}\n" TRIAL_CLUSTER(
                  8) "workload: {kind: poisson, load: 0.6, sizes: {law: exponential, mean: 2h}, "
                     "deadlines: {share: 0.3, slack: [1.5, 4]}, until: {jobs: 60}}\n",
              policy, forecast);
    trial_must_succeed(t);
}

/* Whether the rows are equal behind the first column, which names the policy. */
static bool is_same(const char *left, const char *right) {
    while (*left && *right) {
        left += strcspn(left, ",");
        right += strcspn(right, ",");
        size_t length = strcspn(left, "\n");
        if (length != strcspn(right, "\n") || strncmp(left, right, length) != 0)
            return false;
        left += length + (left[length] == '\n');
        right += length + (right[length] == '\n');
    }
    return *left == *right;
}

static void expect_same(const char *policy, const char *forecast, const char *other,
                        const char *other_forecast, uint32_t processes, bool same) {
    struct trial a, b;
    run_random(&a, policy, forecast, 0);
    run_random(&b, other, other_forecast, processes);
    cr_expect(is_same(a.jobs_csv.text, b.jobs_csv.text) == same, "%s %s: jobs", policy, forecast);
    cr_expect(is_same(a.summary_csv.text, b.summary_csv.text) == same, "%s %s: summaries", policy,
              forecast);
    trial_finish(&a);
    trial_finish(&b);
}

#define WITH_ERROR "forecast: {hours: 12, error: {sigma: 0.4, correlation: 0.8}}\n"

/* Without slack, or without a forecast, it decides as zeus. */
Test(deferral, zeus) {
    expect_same("{name: deferral}", "", "{name: zeus}", "", 0, true);
    expect_same("{name: deferral, params: {slack: 0}}", WITH_ERROR, "{name: zeus}", "", 0, true);
    expect_same("{name: deferral}", WITH_ERROR, "{name: zeus}", "", 0, false);
}

/* The same whatever runs where; and errors do matter. */
Test(deferral, reproducible) {
    expect_same("{name: deferral}", WITH_ERROR, "{name: deferral}", WITH_ERROR, 2, true);
    expect_same("{name: deferral}", WITH_ERROR, "{name: deferral}", "forecast: {hours: 12}\n", 0,
                false);
}

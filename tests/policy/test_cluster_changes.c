/* Cap, price and carbon that change during a run. Expected figures are worked out in the comments.
   Rigid jobs of the trial cluster draw 400 W computing on each GPU; a free GPU draws 50 W. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(cluster_changes, .init = temp_dir_enter, .fini = temp_dir_leave);

#define HEAD "job_id,submit_s,gpus,duration_s\n"
#define CLUSTER(cap) \
    "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: [{gpu: g, gpus: 2}], pue: 1.5" cap \
    "}\n"

static void expect_near(double found, double expected, const char *what) {
    cr_expect(fabs(found - expected) <= 1e-12 + 1e-9 * fabs(expected), "%s: %.17g, not %.17g", what,
              found, expected);
}

/* Times in s of the rows of power.csv, and the caps that they show. */
static void expect_rows(const struct trial *t, const double (*rows)[2], size_t count) {
    cr_assert_eq(t->power.at.count, count, "%zu rows", t->power.at.count);
    for (size_t i = 0; i < count; i++)
        cr_expect(t->power.at.at[i].time_ns == llround(rows[i][0] * 1e9) &&
                      t->power.at.at[i].cap_w == rows[i][1],
                  "row %zu: cap %g at %lld ns", i, t->power.at.at[i].cap_w,
                  (long long)t->power.at.at[i].time_ns);
}

static uint64_t counted(const struct trial *t, const char *what) {
    for (size_t i = 0; i < t->counted.entries.count; i++)
        if (strcmp(t->counted.entries.at[i].reason, what) == 0)
            return t->counted.entries.at[i].count;
    return 0;
}

/* Each event by its kind, with the node of a failure or repair. The cap is gone at 10 and falls to
   460 W at 20: then b, which would lift 100 W to 450, fits, and c, 800 W with it, does not. */
Test(cluster_changes, kinds_of_events) {
    struct trial t;
    temp_file_write_text("cap.csv", "time_s,power_w\n0,120\n10,\n20,460\n50,460\n");
    temp_file_write_text("p.csv", "time_s,price_per_mwh\n0,60\n11,-90\n60,0\n");
    temp_file_write_text("c.csv", "time_s,carbon_g_per_kwh\n0,200\n12,500\n70,0\n");
    temp_file_write_text("o.csv", "node,start_s,end_s\n1,13,14\n");
    trial_run(&t,
              &(struct trial_options){.jobs = HEAD "a,5,1,6\nb,21,1,6\nc,21,1,6\n", .strict = true},
              "name: n\nhorizon: 40\npolicy: {name: sees_events}\nfailures: {file: o.csv}\n"
              "price_per_mwh: {file: p.csv}\ncarbon_g_per_kwh: {file: c.csv}\n"
              "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: "
              "[{gpu: g, gpus: 1}, {gpu: g, gpus: 1}], power_cap_w: {file: cap.csv}}\n" TRIAL_JOBS);
    trial_must_succeed(&t);
    static const struct {
        const char *what;
        uint64_t count;
    } events[] = {{"cap -1 at 10", 1},    {"cap -1 at 20", 1},     {"price -1 at 11", 1},
                  {"price -1 at 12", 1},  {"failure 1 at 13", 1},  {"repair 1 at 14", 1},
                  {"arrival -1 at 5", 1}, {"arrival -1 at 21", 2}, {"finish -1 at 16", 1},
                  {"finish -1 at 27", 1}, {"finish -1 at 33", 1}};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        cr_expect_eq(counted(&t, events[i].what), events[i].count, "%s", events[i].what);
    cr_expect_gt(counted(&t, "over the cap"), 1);
    cr_expect_eq(trial_find(&t, "a")->start_ns, 10000000000);
    cr_expect_eq(trial_find(&t, "b")->start_ns, 21000000000);
    cr_expect_eq(trial_find(&t, "c")->start_ns, 27000000000);
    trial_finish(&t);
}

/* One GPU of two is busy from 5 to 25: 100 W, 450 W, 100 W until 30. Price 60 until 10, -90 until
   20, 30 after: 60 * (100 * 5 + 450 * 5) - 90 * 450 * 10 + 30 * (450 * 5 + 100 * 5) = 165000 -
   405000 + 82500 = -157500 W s of currency/MWh, times 1.5; carbon 200 until 12, then 500: 200 *
   (100 * 5 + 450 * 7) + 500 * (450 * 13 + 100 * 5) = 730000 + 3175000 = 3905000. */
Test(cluster_changes, cost_and_carbon) {
    struct trial t;
    temp_file_write_text("p.csv", "time_s,price_per_mwh\n0,60\n10,-90\n20,30\n");
    temp_file_write_text("c.csv", "g,t\n200,-3\n,5\n500,12\n500,20\n");
    trial_run(&t, &(struct trial_options){.jobs = HEAD "a,5,1,20\n"},
              "name: n\n"
              "horizon: 28\n"
              "policy: {name: fcfs}\n"
              "price_per_mwh: {file: p.csv}\n"
              "carbon_g_per_kwh: {file: c.csv, column: g, time_column: t}\n" CLUSTER("")
                  TRIAL_JOBS);
    trial_must_succeed(&t);
    const struct summary *s = t.summaries;
    /* 2 s less at 100 W */
    expect_near(s->cost, (-157500 - 30 * 100 * 2) / 3.6e6 * 1.5 / 1000, "cost");
    expect_near(s->co2_kg, (3905000 - 500 * 100 * 2) / 3.6e6 * 1.5 / 1000, "co2_kg");
    cr_expect_eq(s->events, 5, "%g events", s->events); /* a comes and ends; -90, 30; 500 */
    cr_expect_eq(s->decisions, 5);
    cr_expect(isnan(s->cap_violation_s) && isnan(s->cap_violation_j));
    cr_expect_eq(t.study.scenario.signals[SIGNAL_CARBON].gaps, 1);
    const double rows[][2] = {{0, INFINITY},  {5, INFINITY},  {10, INFINITY},
                              {12, INFINITY}, {20, INFINITY}, {25, INFINITY}};
    expect_rows(&t, rows, 6);
    trial_finish(&t);
}

/* The same measured from 15 on: -90 * 450 * 5 + 30 * (450 * 5 + 100 * 3), 500 * (450 * 10 + 100 *
 * 3). */
Test(cluster_changes, warmup) {
    struct trial t;
    temp_file_write_text("p.csv", "time_s,price_per_mwh\n0,60\n10,-90\n20,30\n");
    temp_file_write_text("cap.csv", "time_s,power_w\n0,40\n14,\n");
    temp_file_write_text("c.csv", "g,t\n200,0\n500,12\n600,30\n");
    trial_run(
        &t, &(struct trial_options){.jobs = HEAD "a,5,1,20\n"},
        "name: n\n"
        "horizon: 28\n"
        "policy: {name: fcfs}\n"
        "price_per_mwh: {file: p.csv}\n"
        "carbon_g_per_kwh: {file: c.csv, column: g, time_column: t}\n" CLUSTER(
            ", power_cap_w: {file: cap.csv}") "workload: {kind: trace, file: jobs.csv, warmup: 15s}\n");
    trial_must_succeed(&t);
    expect_near(t.summaries->cost, (-90 * 450 * 5 + 30 * (450 * 5 + 100 * 3)) / 3.6e6 * 1.5 / 1000,
                "cost");
    expect_near(t.summaries->co2_kg, 500 * (450 * 10 + 100 * 3) / 3.6e6 * 1.5 / 1000, "co2_kg");
    cr_expect(isnan(t.summaries->cap_violation_s), "no cap holds in the measured time");
    trial_finish(&t);
}

/* What is said of the cap, once, or nothing (NULL); the clusters here have other warnings too, of
 * their pue. */
static void expect_cap_warning(const struct trial *t, const char *expected) {
    static const char key[] = "cluster.power_cap_w: ";
    const char *found = NULL;
    for (size_t i = 0; i < t->study.warnings.count; i++) {
        if (strncmp(t->study.warnings.at[i], key, strlen(key)) != 0)
            continue;
        cr_expect_null(found, "said twice");
        found = t->study.warnings.at[i] + strlen(key);
    }
    cr_assert_eq(!found, !expected, "\"%s\"", found ? found : "");
    if (expected)
        cr_expect_str_eq(found, expected, "\"%s\"", found);
}

/* Power 100, 450 from 5, 100 from 25. Caps: none until 2, 120 until 8, 400 until 15, none until 18,
   90 until 27, 1000 after. Over it: 330 W from 5 to 8, 50 W from 8 to 15, 360 W from 18 to 25, 10 W
   from 25 to 27: 3 + 7 + 7 + 2 = 19 s, 990 + 350 + 2520 + 20 = 3880 J. */
Test(cluster_changes, cap_violation) {
    struct trial t;
    temp_file_write_text("cap.csv", "time_s,power_w\n2,120\n8,400\n15,\n18,90\n27,1000\n");
    trial_run(&t, &(struct trial_options){.jobs = HEAD "a,5,1,20\n"},
              "name: n\nhorizon: 60\npolicy: {name: fcfs}\n" CLUSTER(
                  ", power_cap_w: {file: cap.csv}") TRIAL_JOBS);
    trial_must_succeed(&t);
    expect_near(t.summaries->cap_violation_s, 19, "cap_violation_s");
    expect_near(t.summaries->cap_violation_j, 3880, "cap_violation_j");
    const double rows[][2] = {{0, INFINITY},  {2, 120}, {5, 120}, {8, 400},
                              {15, INFINITY}, {18, 90}, {25, 90}, {27, 1000}};
    expect_rows(&t, rows, 8);
    cr_expect(isnan(t.summaries->cost) && isnan(t.summaries->co2_kg));
    /* idle GPUs draw 100 W: only the step of 90 W is infeasible */
    expect_cap_warning(
        &t,
        "infeasible, 90 W from t = 18 s on is less than the 100 W that idle GPUs and nodes draw");
    trial_finish(&t);
}

/* Power 100, 450 from 5 until the end at 25. What draws exactly the cap is not over it, a nanowatt
 * more is. */
Test(cluster_changes, exactly_the_cap) {
    static const struct {
        const char *cap_w;
        double violation_s, violation_j;
    } cases[] = {{"450", 0, 0},
                 {"449.999999999", 20, 2e-8},
                 {"100", 20, 7000},
                 {"99.999999999", 25, 7000 + 2.5e-8}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial t;
        trial_run(&t, &(struct trial_options){.jobs = HEAD "a,5,1,20\n"},
                  "name: n\nhorizon: drain\npolicy: {name: fcfs}\n" CLUSTER(", power_cap_w: %s")
                      TRIAL_JOBS,
                  cases[i].cap_w);
        trial_must_succeed(&t);
        cr_expect_eq(t.summaries->cap_violation_s, cases[i].violation_s, "%s W: %.17g s",
                     cases[i].cap_w, t.summaries->cap_violation_s);
        cr_expect_float_eq(t.summaries->cap_violation_j, cases[i].violation_j, 1e-12,
                           "%s W: %.17g J", cases[i].cap_w, t.summaries->cap_violation_j);
        trial_finish(&t);
    }
}

/* No cluster draws so much: caps beyond what the meter holds bound nothing. */
Test(cluster_changes, huge_caps) {
    struct trial t;
    temp_file_write_text("cap.csv", "time_s,power_w\n2,9.3e9\n8,1e12\n");
    trial_run(&t, &(struct trial_options){.jobs = HEAD "a,5,1,20\n"},
              "name: n\nhorizon: 60\npolicy: {name: fcfs}\n" CLUSTER(
                  ", power_cap_w: {file: cap.csv}") TRIAL_JOBS);
    trial_must_succeed(&t);
    cr_expect_eq(t.summaries->cap_violation_s, 0, "%g s", t.summaries->cap_violation_s);
    trial_finish(&t);
}

Test(cluster_changes, warnings) {
    static const struct {
        const char *cap, *horizon, *rows, *warning;
    } cases[] = {
        {"99.5", "drain", NULL,
         "infeasible, 99.5 W from t = 0 s on is less than the 100 W that idle GPUs and nodes draw"},
        {"100", "drain", NULL, NULL},
        {"{file: cap.csv}", "10", "-5,10\n0,100\n10.5,10\n",
         NULL}, /* too low before and after the run only */
        {"{file: cap.csv}", "10", "-5,10\n9,100\n10,20\n",
         "infeasible, 10 W from t = 0 s on is less than the 100 W that idle GPUs and nodes draw; "
         "1 more steps are too low"},
        {"{file: cap.csv, period: 8s}", "drain", "-5,10\n-3,100\n0,100\n",
         "infeasible, 10 W from t = 3 s on is less than the 100 W that idle GPUs and nodes draw"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial t;
        char rows[256];
        snprintf(rows, sizeof rows, "time_s,power_w\n%s", cases[i].rows ? cases[i].rows : "0,1\n");
        temp_file_write_text("cap.csv", rows);
        trial_run(&t, &(struct trial_options){.jobs = HEAD "a,5,1,20\n"},
                  "name: n\nhorizon: %s\npolicy: {name: fcfs}\n" CLUSTER(", power_cap_w: %s")
                      TRIAL_JOBS,
                  cases[i].horizon, cases[i].cap);
        trial_must_succeed(&t);
        expect_cap_warning(&t, cases[i].warning);
        trial_finish(&t);
    }
}

/* A constant cap, price and intensity as a file of one value gives the very bytes that the numbers
 * give. */
Test(cluster_changes, constant_as_series) {
    struct trial number, file;
    temp_file_write_text("p.csv", "time_s,price_per_mwh\n0,-23.85\n100,-23.85\n");
    temp_file_write_text("c.csv", "time_s,carbon_g_per_kwh\n0,238.5\n100,\n");
    temp_file_write_text("cap.csv", "time_s,power_w\n0,300.5\n7,300.5\n");
    struct trial_options options = {.jobs = HEAD "a,5,1,20\nb,6.5,2,7.3\n"};
    trial_run(
        &number, &options,
        "name: n\nhorizon: 90\npolicy: {name: fcfs}\nprice_per_mwh: -23.85\ncarbon_g_per_kwh: 238.5\n" CLUSTER(
            ", power_cap_w: 300.5") TRIAL_JOBS);
    trial_must_succeed(&number);
    trial_run(&file, &options,
              "name: n\n"
              "horizon: 90\n"
              "policy: {name: fcfs}\n"
              "price_per_mwh: {file: p.csv}\n"
              "carbon_g_per_kwh: {file: c.csv}\n" CLUSTER(", power_cap_w: {file: cap.csv}")
                  TRIAL_JOBS);
    trial_must_succeed(&file);
    cr_expect_str_eq(file.summary_csv.text, number.summary_csv.text);
    cr_expect_str_eq(file.jobs_csv.text, number.jobs_csv.text);
    cr_expect_eq(file.power.at.count, number.power.at.count);
    trial_finish(&number);
    trial_finish(&file);
}

/* Every row cut into two halves of its time: the same series. */
Test(cluster_changes, halves) {
    static const char *const names[] = {"p.csv", "c.csv", "cap.csv"};
    static const char *const columns[] = {"price_per_mwh", "carbon_g_per_kwh", "power_w"};
    struct trial t[2];
    for (int halves = 0; halves < 2; halves++) {
        for (int f = 0; f < 3; f++) {
            struct str text = {0};
            str_addf(&text, "time_s,%s\n", columns[f]);
            for (int row = 0; row < 40; row++) {
                int value = row * 7919 % 97 * 20 + 1;
                str_addf(&text, "%d,%d\n", row * (50 + 10 * f), value);
                if (halves)
                    str_addf(&text, "%d,%d\n", row * (50 + 10 * f) + 25 + 5 * f, value);
            }
            temp_file_write(names[f], text.text, text.length);
            str_finish(&text);
        }
        trial_run(
            &t[halves], &(struct trial_options){0},
            "name: n\n"
            "seed: 2385\n"
            "horizon: 3h\n"
            "policy: {name: fcfs}\n"
            "price_per_mwh: {file: p.csv, repeat: true}\n"
            "carbon_g_per_kwh: {file: c.csv, repeat: true}\n" CLUSTER(
                ", power_cap_w: {file: cap.csv, repeat: true}") "workload: {kind: poisson, rate_per_s: 0.02, rigid: {k: [1, 2]}, sizes: {law: exponential, mean: 50s}}\n");
        trial_must_succeed(&t[halves]);
    }
    cr_assert(t[0].job_count > 100 && t[0].summaries->cap_violation_s > 0);
    cr_expect_str_eq(t[0].summary_csv.text, t[1].summary_csv.text);
    cr_expect_str_eq(t[0].jobs_csv.text, t[1].jobs_csv.text);
    trial_finish(&t[0]);
    trial_finish(&t[1]);
}

/* Idle for 65 s at 100 W under a price of period 20 (10 s of 30, then 10 s of -10), three rounds
   and 5 s of 30: 100 * (3 * 10 * 30 - 3 * 10 * 10 + 5 * 30) = 75000; six changes and the job of no
   length that there must be. */
Test(cluster_changes, repeat) {
    struct trial t;
    temp_file_write_text("p.csv", "time_s,price_per_mwh\n0,30\n10,-10\n");
    trial_run(
        &t, &(struct trial_options){.jobs = HEAD "a,5,1,0\n"},
        "name: n\nhorizon: 65\npolicy: {name: fcfs}\nprice_per_mwh: {file: p.csv, period: 20}\n" CLUSTER(
            "") TRIAL_JOBS);
    trial_must_succeed(&t);
    expect_near(t.summaries->cost, 75000 / 3.6e6 * 1.5 / 1000, "cost");
    cr_expect_eq(t.summaries->events, 8);
    trial_finish(&t);
}

/* A drained run ends with its last job, whatever the series still hold; a series of date-times
 * begins at start_time. */
Test(cluster_changes, drain) {
    struct trial t;
    temp_file_write_text("p.csv", "timestamp,price_per_mwh\n"
                                  "2022-01-01 00:00:00+00:00,60\n"
                                  "2022-01-01 00:00:20+00:00,90\n"
                                  "2022-01-01 00:01:00+00:00,30\n");
    temp_file_write_text("cap.csv", "time_s,power_w\n0,120\n50,100\n");
    trial_run(&t, &(struct trial_options){.jobs = HEAD "a,5,1,20\n"},
              "name: n\n"
              "horizon: drain\n"
              "start_time: 2022-01-01T01:00:10+01:00\n"
              "policy: {name: fcfs}\n"
              "price_per_mwh: {file: p.csv}\n" CLUSTER(
                  ", power_cap_w: {file: cap.csv, period: 100s}") TRIAL_JOBS);
    trial_must_succeed(&t);
    expect_near(t.summaries->sim_s, 25, "sim_s");
    /* 60 until t = 10 */
    expect_near(t.summaries->cost, (60 * (100 * 5 + 450 * 5) + 90 * 450 * 15) / 3.6e6 * 1.5 / 1000,
                "cost");
    trial_finish(&t);
}

/* The price ends at 20 (10 and once more 10): a run may end there, but not go on. The last event
   before is the change of the carbon intensity at 20. */
Test(cluster_changes, end_of_a_drained_run) {
    static const struct {
        const char *jobs, *failure;
    } cases[] = {
        {HEAD "a,5,1,15\n", NULL},
        {HEAD "a,5,1,15.5\n", "price_per_mwh: p.csv ends at t = 20 s, before the run does; "
                              "period: DURATION would repeat it (at t = 20 s)"},
        {HEAD "a,5,1,1\nb,30,1,1\n", "price_per_mwh: p.csv ends at t = 20 s, before the run does; "
                                     "period: DURATION would repeat it (at t = 20 s)"},
    };
    temp_file_write_text("p.csv", "time_s,price_per_mwh\n0,60\n10,-90\n");
    temp_file_write_text("c.csv", "time_s,carbon_g_per_kwh\n0,60\n20,90\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial t;
        trial_run(&t, &(struct trial_options){.jobs = cases[i].jobs},
                  "name: n\n"
                  "horizon: drain\n"
                  "policy: {name: fcfs}\n"
                  "price_per_mwh: {file: p.csv}\n"
                  "carbon_g_per_kwh: {file: c.csv}\n" CLUSTER("") TRIAL_JOBS);
        cr_expect_eq(t.status, cases[i].failure ? ERROR_RUN : 0, "case %zu", i);
        cr_expect_str_eq(t.failure, cases[i].failure ? cases[i].failure : "", "%s", t.failure);
        trial_finish(&t);
    }
}

/* start_above starts what waits once the cap is at least its parameter. a waits since 1, the cap
   rises to 500 at 30 and falls at 40: a runs from 30 to 45. */
Test(cluster_changes, start_at_a_change) {
    static const char *const engines[] = {"{}", "{coalesce: false}"};
    temp_file_write_text("cap.csv", "time_s,power_w\n0,150\n10,200\n20,300\n30,500\n40,200\n");
    for (int i = 0; i < 2; i++) {
        struct trial t;
        trial_run(
            &t, &(struct trial_options){.jobs = HEAD "a,1,1,15\n", .strict = true},
            "name: n\nhorizon: drain\nengine: %s\npolicy: {name: start_above, params: {cap: 500}}\n" CLUSTER(
                ", power_cap_w: {file: cap.csv}") TRIAL_JOBS,
            engines[i]);
        trial_must_succeed(&t);
        cr_expect_eq(trial_find(&t, "a")->start_ns, 30000000000);
        cr_expect_eq(trial_find(&t, "a")->finish_ns, 45000000000);
        cr_expect_eq(t.summaries->decisions, 6); /* a comes, four changes, a ends */
        trial_finish(&t);
    }
}

/* The cap never gets so high. Without repeat the last change says so, at 40; with repeat a full
   round since the last event (the arrival at 1) has to pass: the period is 50, so at 60, the first
   change after 51. With a price of period 70 both come again together after 350: the change at 360
   is the first after 351. */
Test(cluster_changes, stuck) {
    static const struct {
        const char *repeat, *price, *horizon, *at;
    } cases[] = {
        {"", "", "drain",
         "nothing will happen, 2 of 2 GPUs are free; the first of them is job a (at t = 40 s)"},
        {"", "", "1000",
         "nothing will happen, 2 of 2 GPUs are free; the first of them is job a (at t = 40 s)"},
        {", repeat: true", "", "drain",
         "nothing but what the repeated series have shown will happen, 2 of 2 GPUs are free; "
         "the first of them is job a (at t = 60 s)"},
        {", repeat: true", "price_per_mwh: {file: p.csv, period: 70s}\n", "1000",
         "nothing but what the repeated series have shown will happen, 2 of 2 GPUs are free; "
         "the first of them is job a (at t = 360 s)"},
    };
    temp_file_write_text("cap.csv", "time_s,power_w\n0,150\n10,200\n20,300\n30,500\n40,200\n");
    temp_file_write_text("p.csv", "time_s,price_per_mwh\n0,1\n35,2\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial t;
        trial_run(
            &t, &(struct trial_options){.jobs = HEAD "a,1,1,15\n"},
            "name: n\nhorizon: %s\n%spolicy: {name: start_above, params: {cap: 501}}\n" CLUSTER(
                ", power_cap_w: {file: cap.csv%s}") TRIAL_JOBS,
            cases[i].horizon, cases[i].price, cases[i].repeat);
        cr_expect_eq(t.status, ERROR_RUN, "case %zu", i);
        cr_expect(strstr(t.failure, cases[i].at), "case %zu: %s", i, t.failure);
        trial_finish(&t);
    }
}

/* At a timer at 201 the policy refuses b, and never starts a. From there a round of 50 has to pass,
   too, and the first change after 251 is that at 260. */
Test(cluster_changes, stuck_after_a_timer) {
    struct trial t;
    temp_file_write_text("cap.csv", "time_s,power_w\n0,150\n10,200\n20,300\n30,500\n40,200\n");
    trial_run(
        &t, &(struct trial_options){.jobs = HEAD "a,1,1,15\nb,1,1,15\n"},
        "name: n\nhorizon: drain\npolicy: {name: script, params: {actions: \"201 reject 1\"}}\n" CLUSTER(
            ", power_cap_w: {file: cap.csv, repeat: true}") TRIAL_JOBS);
    cr_expect_eq(t.status, ERROR_RUN);
    cr_expect(strstr(t.failure, "nothing but what the repeated series have shown will happen") &&
                  strstr(t.failure, "(at t = 260 s)"),
              "%s", t.failure);
    trial_finish(&t);
}

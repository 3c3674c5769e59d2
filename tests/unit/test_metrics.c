/* Measures of docs/reference/outputs.md: the pure ones on small inputs, those of a run on scenarios
 * worked out by hand. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"
#include "base/units.h"
#include "engine/segments.h"
#include "metrics/job_record.h"
#include "metrics/job_stats.h"

#include <criterion/criterion.h>
#include <math.h>

static void expect_near(double found, double expected, const char *what) {
    cr_expect((isnan(found) && isnan(expected)) ||
                  fabs(found - expected) <= 1e-12 + 1e-9 * fabs(expected),
              "%s: %.17g, not %.17g", what, found, expected);
}

TestSuite(metrics, .init = temp_dir_enter, .fini = temp_dir_leave);

Test(metrics, jain) {
    static const struct {
        double values[4];
        size_t count;
        double index;
    } cases[] = {{{1, 2, 3}, 3, 36 / 42.0}, {{2.385, 2.385, 2.385, 2.385}, 4, 1},
                 {{0, 0, 5, 0}, 4, 0.25},   {{7, 1e9}, 1, 1},
                 {{0, 0}, 2, NAN},          {{0}, 0, NAN}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_near(fairness_jain(cases[i].values, cases[i].count), cases[i].index, "jain");
    expect_near(fairness_finish_time(9, 4), 2.25, "rho");
    expect_near(fairness_finish_time(0.25, 0.5), 0.5, "rho of less than a second");
    expect_near(fairness_finish_time(9, 0), NAN, "rho of nothing");
}

/* Type 7: place (n - 1) * share, linear between neighbours. */
Test(metrics, percentiles) {
    static const double values[] = {1, 2, 4, 8, 16};
    static const double expected[][2] = {
        {0, 1},  {0.5, 4},  {0.25, 2}, {0.95, 8 + 0.8 * 8}, {0.99, 8 + 0.96 * 8},
        {1, 16}, {0.1, 1.4}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        expect_near(job_stats_percentile(values, 5, expected[i][0]), expected[i][1], "percentile");
    expect_near(job_stats_percentile(values + 2, 1, 0.95), 4, "of one");
    expect_near(job_stats_percentile(values, 0, 0.5), NAN, "of none");
}

Test(metrics, bounded_slowdown) {
    static const double cases[][3] = {{100, 4, 10},       {5, 2, 1}, {30, 20, 1.5},
                                      {23.85, 10, 2.385}, {0, 0, 1}, {11, 0, 1.1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_near(job_stats_slowdown(cases[i][0], cases[i][1]), cases[i][2], "slowdown");
}

/* Of deadlines behind the horizon a run sees only those that were kept: they are judged, and are
   not due. */
Test(metrics, judged_deadlines) {
    enum { NO = -1 };
    static const struct {
        int64_t deadline_ns, finish_ns, horizon_ns;
        enum deadline judged;
        bool due;
    } cases[] = {
        {TIME_NONE_NS, 7, TIME_NONE_NS, DEADLINE_NONE, false},
        {TIME_NONE_NS, NO, 90, DEADLINE_NONE, false},
        {11, 11, TIME_NONE_NS, DEADLINE_KEPT, true},
        {11, 12, TIME_NONE_NS, DEADLINE_MISSED, true},
        {11, NO, TIME_NONE_NS, DEADLINE_MISSED, true}, /* rejected in a drained run */
        {90, NO, 90, DEADLINE_MISSED, true},
        {91, NO, 90, DEADLINE_OPEN, false},
        {91, 90, 90, DEADLINE_KEPT, false},
        {-3, 0, 90, DEADLINE_MISSED, true}, /* before the first submission of a log */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect_eq(deadline_judge(cases[i].deadline_ns, cases[i].finish_ns, cases[i].horizon_ns),
                     cases[i].judged, "case %zu", i);
        cr_expect_eq(deadline_is_due(cases[i].deadline_ns, cases[i].horizon_ns), cases[i].due,
                     "case %zu", i);
    }
}

struct figure {
    const char *column;
    double expected;
};

static void expect_figures(const struct trial *t, const char *name, const struct figure *figures) {
    for (; figures->column; figures++) {
        unsigned c = 0;
        while (c < SUMMARY_COUNT && strcmp(summary_names[c], figures->column) != 0)
            c++;
        cr_assert_lt(c, SUMMARY_COUNT, "no column %s", figures->column);
        char what[96];
        snprintf(what, sizeof what, "%s: %s", name, figures->column);
        expect_near(summary_value(t->summaries, c), figures->expected, what);
    }
}

/* What policies see of a user's GPU-seconds is what the jobs of that user held. */
static void check_usage(void *context, const struct replication *replication) {
    (void)context;
    const struct sim *sim = replication->sim;
    for (uint32_t u = 0; u < sim->view.v->user_count; u++) {
        double held_s = 0;
        for (uint32_t j = 0; j < sim->next_arrival; j++)
            held_s += sim->workload->jobs.at[j].user == u ? power_gpu_s(account_gpu_ps(sim, j)) : 0;
        cr_assert_gt(held_s, 0);
        expect_near(easim_user_usage_s(sim->view.v, u), held_s, "usage");
    }
}

/* 4 GPUs, fcfs. a (u1, 2 GPUs, asked for 12 s) runs 0..10; b (u2, 4 GPUs) comes at 5, runs 10..14.
     n of a: 5 s alone, 5 s two = 1.5: k <= 2.67 allows its 2 GPUs, T_ideal 10, rho 1
     n of b: (5*2 + 4*1)/9 = 1.56: k <= 2.57 allows none, so the smallest, 4: T_ideal 4, rho 9/4
   demands: u1 20, u2 16 GPU-s; the share of each is half of what there is: 40 at 20 s, 24 at 12 s.
   At 12 s b has 8 of its 16 GPU-s: ratios 1 and 0.5, Jain 2.25/2.5. */
Test(metrics, fairness_and_times) {
    static const struct {
        const char *name, *horizon;
        struct figure figures[24];
    } cases[] = {{"to the end",
                  "20",
                  {{"ftf_mean", 1.625},
                   {"ftf_max", 2.25},
                   {"jain_gpu_s", 1},
                   {"jain_slowdown", 1},
                   {"bsld_mean", 1},
                   {"jct_mean_s", 9.5},
                   {"jct_p50_s", 9.5},
                   {"jct_p95_s", 9.95},
                   {"wait_mean_s", 2.5},
                   {"makespan_s", 14},
                   {"throughput_jobs_per_h", 2 / (20 / 3600.0)},
                   {"prediction_error_mean_s", 1}, /* |10 - 12| and 0 */
                   {"work_submitted_gpu_h", 36 / 3600.0},
                   {"work_done_gpu_h", 36 / 3600.0},
                   {"work_unfinished_gpu_h", 0},
                   {"util_alloc", 36 / 80.0},
                   {"frag_gpu_h", 2 * 5 / 3600.0},
                   {"energy_job_kwh", 400 * 36 / 3.6e6},
                   {"edp_mean_js", (8000 * 10 + 6400 * 9) / 2.0},
                   {"edp_exec_mean_js", (8000 * 10 + 6400 * 4) / 2.0},
                   {"energy_per_job_kwh", (400 * 36 + 50 * 44) / 3.6e6 / 2},
                   {"energy_per_work_kwh", (400 * 36 + 50 * 44) / 3.6e6 / (36 / 3600.0)}}},
                 {"cut off",
                  "12",
                  {{"ftf_mean", 1},
                   {"jain_gpu_s", 0.9},
                   {"jain_slowdown", 1},
                   {"jct_mean_s", 10},
                   {"jct_restricted_mean_s", 8.5},
                   {"wait_mean_s", 2.5},
                   {"makespan_s", 10},
                   {"work_done_gpu_h", 28 / 3600.0},
                   {"work_unfinished_gpu_h", 8 / 3600.0},
                   {"jobs_unfinished", 1},
                   {"co2_kg", NAN},
                   {"cost", NAN},
                   {"cap_violation_s", NAN},
                   {"deadline_miss_rate", NAN}}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial t;
        trial_run(&t,
                  &(struct trial_options){.look = check_usage,
                                          .jobs =
                                              "job_id,user,submit_s,gpus,duration_s,requested_s\n"
                                              "a,u1,0,2,10,12\n"
                                              "b,u2,5,4,4,\n"},
                  "name: n\nhorizon: %s\npolicy: {name: fcfs}\n" TRIAL_CLUSTER(4) TRIAL_JOBS,
                  cases[i].horizon);
        trial_must_succeed(&t);
        expect_figures(&t, cases[i].name, cases[i].figures);
        trial_finish(&t);
    }
}

/* A user can claim no more than the share of its weight: of 20 GPU-s on 2 GPUs, 10 for each of
   equal users. u1 wants 100 and has 10, u2 wants and has 2: both have all they can claim. With
   weights 3 : 1 u1 can claim 15: ratios 2/3 and 1. */
Test(metrics, entitled_share) {
    static const struct {
        const char *weight;
        double index;
    } cases[] = {{"1", 1}, {"3", (5 / 3.0) * (5 / 3.0) / (2 * (4 / 9.0 + 1))}};
    for (int i = 0; i < 2; i++) {
        struct trial t;
        trial_run(&t,
                  &(struct trial_options){
                      .look = check_usage,
                      .jobs = "job_id,user,submit_s,gpus,duration_s\na,u1,0,1,100\nb,u2,0,1,2\n"},
                  "name: n\n"
                  "horizon: 10\n"
                  "policy: {name: fcfs}\n"
                  "users: [{name: u2}, {name: u1, weight: %s}]\n" TRIAL_CLUSTER(2) TRIAL_JOBS,
                  cases[i].weight);
        trial_must_succeed(&t);
        expect_near(t.summaries->jain_gpu_s, cases[i].index, cases[i].weight);
        trial_finish(&t);
    }
}

/* u3, who wants half a GPU-second and has it, counts as much as the others: of 20 GPU-s each could
   claim 20/3. u1 has 10 of them: ratios 3/2, 1 and 1. */
Test(metrics, small_users_count) {
    struct trial t;
    trial_run(&t,
              &(struct trial_options){.jobs = "job_id,user,submit_s,gpus,duration_s\n"
                                              "a,u1,0,1,100\nb,u2,0,1,2\nc,u3,0,1,0.5\n"},
              "name: n\nhorizon: 10\npolicy: {name: fcfs}\n" TRIAL_CLUSTER(2) TRIAL_JOBS);
    trial_must_succeed(&t);
    expect_near(t.summaries->jain_gpu_s, 3.5 * 3.5 / (3 * (1.5 * 1.5 + 1 + 1)), "jain_gpu_s");
    trial_finish(&t);
}

/* Alone on the cluster, and of less than a second: what it took is what it was due. */
Test(metrics, one_short_job) {
    struct trial t;
    trial_run(&t, &(struct trial_options){.jobs = "job_id,submit_s,gpus,duration_s\na,0,1,0.5\n"},
              "name: n\nhorizon: drain\npolicy: {name: fcfs}\n" TRIAL_CLUSTER(2) TRIAL_JOBS);
    trial_must_succeed(&t);
    expect_near(t.summaries->ftf_mean, 1, "ftf_mean");
    expect_near(t.summaries->ftf_max, 1, "ftf_max");
    trial_finish(&t);
}

/* k <= max(1, gpus / n) without rounding: n is jobs_ns / life_ns. A GPU less as soon as n is one
 * unit too large. */
Test(metrics, fair_gpus) {
    const int64_t long_ns = 4000000000000000000; /* 127 years */
    const struct {
        uint32_t gpus;
        int64_t life_ns;
        int128 jobs_ns;
        uint32_t most_k;
    } cases[] = {{8, 3, 3, 8},
                 {8, 3, 4, 6},
                 {8, 10, 20, 4},
                 {8, 10, 21, 3},
                 {8, 0, 0, 8},
                 {3, 10, 100, 1},
                 {1000000, long_ns, long_ns, 1000000},
                 {1000000, long_ns, (int128)long_ns + 1, 999999},
                 {1000000, long_ns, (int128)long_ns * 250000, 4},
                 {1000000, long_ns, (int128)long_ns * 250000 + 1, 3},
                 {UINT32_MAX, long_ns, (int128)long_ns * 2, UINT32_MAX / 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t found = job_stats_fair_gpus(cases[i].gpus, cases[i].life_ns, cases[i].jobs_ns);
        cr_expect_eq(found, cases[i].most_k, "case %zu: %u", i, found);
    }
}

/* 300 jobs one after the other on 8 GPUs, none meets another: n = 1, so that each may have all 8,
   its fastest configuration, and rho = 1. While each runs two more events of another class divide
   its life. */
Test(metrics, lone_jobs_are_fair) {
    struct str jobs = {0};
    str_add(&jobs, "job_id,submit_s,model,work_samples\n");
    for (int i = 0; i < 300; i++)
        str_addf(&jobs, "j%d,%.9f,m,%.9f\n", i, 97.3 * i + 0.123456789 / (i + 1), 80 + 7 * sin(i));
    struct trial t;
    trial_run(
        &t,
        &(struct trial_options){
            .jobs = jobs.text,
            .models =
                "models: [{name: m, m0: 1000, phi: 1, batches: [1], start_s: 0.1, gpus: {g: {a_s: 0.5, c_s: 0.5, gamma: 1, alpha_s: 0, p0_w: 100, pmax_w: 200, evidence: assumed, source: x}}}]\n"},
        "name: n\nhorizon: drain\nmodels: models.yaml\npolicy: {name: pollux}\n" TRIAL_CLUSTER(8)
            TRIAL_JOBS);
    trial_must_succeed(&t);
    cr_assert_eq(t.job_count, 300);
    cr_assert_eq(t.summaries->wait_mean_s, 0);
    cr_expect_float_eq(t.summaries->ftf_mean, 1, 1e-8, "%.17g", t.summaries->ftf_mean);
    cr_expect_float_eq(t.summaries->ftf_max, 1, 1e-8, "%.17g", t.summaries->ftf_max);
    trial_finish(&t);
    str_finish(&jobs);
}

/* Two types, jobs behind each other (fcfs). b waits for a's GPUs 2..10, c behind it 4..10 for the 3
   free ones of the other type: 18 GPU-s. Then only d waits, 13..15, for the GPU that a left and b
   does not need, while the other type is free again: 2 GPU-s. What b waits for at 2..4, and d
   at 13..15, is not on the other type. */
Test(metrics, free_for_those_who_wait) {
    struct trial t;
    trial_run(
        &t,
        &(struct trial_options){.jobs = "job_id,submit_s,gpus,duration_s,gpu_type\n"
                                        "a,0,2,10,g\n"
                                        "b,2,1,5,g\n"
                                        "c,4,3,3,h\n"
                                        "d,13,2,1,g\n"},
        "name: n\n"
        "horizon: drain\n"
        "policy: {name: fcfs}\n"
        "cluster: {gpu_types: [{name: g, idle_w: 50, tdp_w: 400}, {name: h, idle_w: 50, tdp_w: 400}], nodes: [{gpu: g, gpus: 2}, {gpu: h, gpus: 3}]}\n" TRIAL_JOBS);
    trial_must_succeed(&t);
    expect_near(t.summaries->frag_gpu_h * 3600, 18 + 2, "frag_gpu_h");
    trial_finish(&t);
}

/* T0 of a rigid job is its true duration, whatever was asked for (b: 4 s, not 100), at the speed of
   the fastest type it may use (c: 30 / 2); of a model's job T* on the empty cluster: m makes k
   samples/s, 1 s of set-up: d 80/4
   + 1. a runs 0..20: 20/20; b waits for it, 20..24: jct 22 / max(4, 10); c on the faster type
   0..15: 1; d gets the two GPUs that are left beside e: 1..42, 41/21; e: 1 */
Test(metrics, dedicated_slowdown) {
    static const struct {
        const char *job;
        double jct_s, t0_s;
    } rows[] = {{"a", 20, 20}, {"b", 22, 10}, {"c", 15, 15}, {"e", 50, 50}, {"d", 41, 21}};
    double sum = 0;
    struct trial t;
    trial_run(
        &t,
        &(struct trial_options){
            .jobs = "job_id,submit_s,gpus,duration_s,requested_s,gpu_type,model,work_samples\n"
                    "a,0,1,20,,g,,\n"
                    "b,2,1,4,100,g,,\n"
                    "c,0,1,30,,g|h,,\n"
                    "e,0,2,50,,i,,\n"
                    "d,1,,,,i,m,80\n",
            .models =
                "models: [{name: m, m0: 1000, phi: 1, batches: [1], start_s: 1, gpus: {i: {a_s: 0.5, c_s: 0.5, gamma: 1, alpha_s: 0, p0_w: 100, pmax_w: 200, evidence: assumed, source: x}}}]\n"
                "rigid_speed: {h: 2}\n"},
        "name: n\n"
        "horizon: drain\n"
        "models: models.yaml\n"
        "policy: {name: pollux}\n"
        "cluster: {gpu_types: [{name: g, idle_w: 50, tdp_w: 400}, {name: h, idle_w: 50, tdp_w: 400}, {name: i, idle_w: 50, tdp_w: 400}], nodes: [{gpu: g, gpus: 1}, {gpu: h, gpus: 1}, {gpu: i, gpus: 4}]}\n" TRIAL_JOBS);
    trial_must_succeed(&t);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct trial_job *job = trial_find(&t, rows[i].job);
        expect_near((double)(job->finish_ns - job->submit_ns) / 1e9, rows[i].jct_s, rows[i].job);
        sum += fmax(1, rows[i].jct_s / rows[i].t0_s);
    }
    expect_near(t.summaries->bsld_dedicated_mean, sum / 5, "bsld_dedicated_mean");
    trial_finish(&t);
}

/* A batch means nothing to a rigid job: jobs.csv has none, whether its row or its stream says one.
 */
Test(metrics, rigid_jobs_have_no_batch) {
    struct trial t;
    trial_run(&t,
              &(struct trial_options){
                  .decisions = true,
                  .jobs = "job_id,submit_s,gpus,batch,duration_s\na,0,1,32,10\nb,0,1,,10\n"},
              "name: n\nhorizon: drain\npolicy: {name: fcfs}\n" TRIAL_CLUSTER(2) TRIAL_JOBS);
    trial_must_succeed(&t);
    cr_expect(isnan(trial_cell(&t, "a", "b")) && isnan(trial_cell(&t, "b", "b")));
    cr_expect_eq(trial_cell(&t, "a", "k"), 1);
    cr_expect(strstr(t.decisions_csv.text, "start,a,g,1,,ok") != NULL, "%s", t.decisions_csv.text);
    trial_finish(&t);
}

/* Deadlines: due are those not after the horizon (100). On 1 GPU, in order: a ends at 10 (8: 2 s
   late), b at 12 (12: in time), c at 15.5 (11: 4.5 s late), d never (100, the horizon: due and
   missed), e never (100.5: not due), f has none, g is rejected (50: missed). Late ones: 2 and 4.5
   s. */
Test(metrics, deadlines) {
    static const struct figure figures[] = {{"deadline_jobs", 5},
                                            {"deadline_missed", 4},
                                            {"deadline_miss_rate", 0.8},
                                            {"lateness_p50_s", 3.25},
                                            {"lateness_p95_s", 2 + 0.95 * 2.5},
                                            {"jobs_rejected", 1},
                                            {"jobs_unfinished", 3},
                                            {NULL, 0}};
    struct trial t;
    trial_run(&t,
              &(struct trial_options){.jobs = "job_id,submit_s,gpus,duration_s,deadline_s\n"
                                              "a,0,1,10,8\n"
                                              "b,0,1,2,12\n"
                                              "c,0,1,3.5,11\n"
                                              "d,0,1,1000,100\n"
                                              "e,0,1,1,100.5\n"
                                              "f,0,1,1,\n"
                                              "g,0,2,1,50\n"},
              "name: n\nhorizon: 100\npolicy: {name: fcfs}\n" TRIAL_CLUSTER(1) TRIAL_JOBS);
    trial_must_succeed(&t);
    expect_figures(&t, "deadlines", figures);
    static const struct {
        const char *job;
        double missed;
    } cells[] = {{"a", 1}, {"b", 0}, {"c", 1}, {"d", 1}, {"e", NAN}, {"f", NAN}, {"g", 1}};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        expect_near(trial_cell(&t, cells[i].job, "missed"), cells[i].missed, cells[i].job);
    trial_finish(&t);
}

/* A second one that watches the same run. */
static void compare_metrics(void *context, const struct replication *replication) {
    struct metrics *second = context;
    const struct metrics *first = replication->metrics;
    metrics_sum_up(second, replication->sim);
    for (size_t i = 0; i < SUMMARY_COUNT; i++) {
        double one = summary_value(&first->summary, (unsigned)i),
               other = summary_value(&second->summary, (unsigned)i);
        cr_expect(one == other || (isnan(one) && isnan(other)), "%s: %.17g and %.17g",
                  summary_names[i], one, other);
    }
    cr_expect(second->decision_rows.count > 3);
    cr_expect(second->at_start.types && second->users && second->types);
    metrics_finish(second);
    cr_expect(!second->decision_rows.at && !second->at_start.types && !second->users &&
              !second->types);
    metrics_finish(second); /* nothing is freed twice */
}

/* Without a price or a carbon intensity no energy is kept for either. */
static void expect_no_price(void *context, const struct replication *replication) {
    struct metrics *second = context;
    cr_expect(second->cost.energy == 0 && second->co2.energy == 0, "priced without a price");
    metrics_sum_up(second, replication->sim);
    expect_near(second->summary.cost, NAN, "cost");
    expect_near(second->summary.co2_kg, NAN, "CO2");
    metrics_finish(second);
}

Test(metrics, no_price) {
    struct metrics second;
    struct trial t;
    metrics_init(&second, false);
    trial_run(
        &t,
        &(struct trial_options){.jobs = "job_id,submit_s,gpus,duration_s\na,0,1,10\nb,4,1,7\n",
                                .watch = &second.observer,
                                .look = expect_no_price,
                                .context = &second},
        "name: n\nhorizon: drain\npolicy: {name: fcfs}\n" TRIAL_CLUSTER(2) TRIAL_JOBS);
    trial_must_succeed(&t);
    trial_finish(&t);
}

/* Who measures a run neither changes it nor notices who else does. */
Test(metrics, two_of_one_run) {
    struct metrics second;
    struct trial t;
    metrics_init(&second, true);
    trial_run(&t,
              &(struct trial_options){.jobs = "job_id,submit_s,user,gpus,duration_s\n"
                                              "a,0,u,2,30\nb,5,v,1,20\nc,6,u,3,4\nd,7,v,4,1\n",
                                      .watch = &second.observer,
                                      .look = compare_metrics,
                                      .context = &second},
              "name: n\nhorizon: 60\npolicy: {name: fcfs}\n" TRIAL_CLUSTER(
                  3) "workload: {kind: trace, file: jobs.csv, warmup: 4s}\n");
    trial_must_succeed(&t);
    trial_finish(&t);
}

/* GPU sleep, interference and model noise by hand, and all of them together with failures. Rigid
   jobs of these clusters draw 400 W computing and 90 W in set-up; a free GPU draws 50 W awake. */
#include "../support/reference.h"
#include "../support/scenario.h"
#include "../support/temp_dir.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(dynamics, .init = temp_dir_enter, .fini = temp_dir_leave);

static void expect_near(double found, double expected, const char *what) {
    cr_expect(fabs(found - expected) <= 1e-12 + 1e-9 * fabs(expected), "%s is %.17g, not %.17g",
              what, found, expected);
}

static void expect_finish(const struct trial *t, const char *id, double finish_s) {
    expect_near((double)trial_find(t, id)->finish_ns / 1e9, finish_s, id);
}

#define HEAD "job_id,submit_s,gpus,duration_s\n"

/* --- sleep --- */

#define SLEEPY(gpus) \
    "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400, sleep_w: 8, sleep_after: 10, wake_s: 3}], nodes: [{gpu: g, gpus: " #gpus \
    "}]}\n"

/* 4 GPUs, asleep after 10 s, awake after 3 s. a holds two until 20; the others sleep from 10 on. b
   (15) takes one of them: set-up until 18, ends at 23. c (22, three GPUs): the two of a are awake,
   one sleeps: set-up until 25, ends at
   29. Watts:
     0..10 2*400 + 2*50 = 900; ..15 800 + 2*8 = 816; ..18 800 + 90 + 8 = 898; ..20 800 + 400 + 8 =
   1208;
     ..22 400 + 2*50 + 8 = 508; ..23 400 + 3*90 = 670; ..25 50 + 270 = 320; ..29 50 + 1200 = 1250 */
Test(dynamics, sleep) {
    static const double expected[][2] = {{0, 900},  {10, 816}, {15, 898}, {18, 1208},
                                         {20, 508}, {22, 670}, {23, 320}, {25, 1250}};
    struct trial t;
    trial_run(
        &t, &(struct trial_options){.jobs = HEAD "a,0,2,20\nb,15,1,5\nc,22,3,4\n", .strict = true},
        "name: n\nhorizon: drain\npolicy: {name: fcfs}\n" SLEEPY(4) TRIAL_JOBS);
    trial_must_succeed(&t);
    expect_finish(&t, "a", 20);
    expect_finish(&t, "b", 23);
    expect_finish(&t, "c", 29);
    const struct summary *s = t.summaries;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        cr_assert(i < t.power.at.count);
        expect_near((double)t.power.at.at[i].time_ns / 1e9, expected[i][0], "time");
        expect_near((double)t.power.at.at[i].power_nw / 1e9, expected[i][1], "power");
    }
    expect_near(s->energy_kwh * 3.6e6, 9000 + 4080 + 2694 + 2416 + 1016 + 670 + 640 + 5000,
                "energy");
    expect_near(s->energy_idle_kwh * 3.6e6, 1000 + 80 + 24 + 16 + 216 + 300, "idle energy");
    expect_near(s->energy_setup_kwh * 3.6e6, 90 * 3 + 3 * 90 * 3, "set-up energy");
    expect_near(s->sleep_gpu_h * 3600, 2 * 5 + 7, "sleep_gpu_h");
    expect_near(s->prediction_error_mean_s, (0 + 3 + 3) / 3.0,
                "error of predictions"); /* nobody foresees waking */
    cr_expect_eq(s->events,
                 3 + 3 + 2 +
                     1); /* arrivals, finishes, ends of set-up, and one time of falling asleep */
    cr_expect_eq(s->decisions, 6); /* falling asleep is none */
    trial_finish(&t);
}

/* Of a node's free GPUs the last freed are taken first. 3 GPUs: a frees one at 4, b one at 7, c
   takes b's at 8 (one would sleep at 14, the other, never used, sleeps at 10), d at 12 takes a's,
   awake; e at 13 takes the sleeping one. A GPU that has been free for just 10 s sleeps: f at 30.5
   finds only sleeping ones, freed by 20.5. */
Test(dynamics, who_sleeps) {
    struct trial t;
    trial_run(&t,
              &(struct trial_options){
                  .jobs = HEAD "a,0,1,4\nb,0,1,7\nc,8,1,12\nd,12,1,8.5\ne,13,1,2\nf,30.5,2,1\n"},
              "name: n\nhorizon: drain\npolicy: {name: fcfs}\n" SLEEPY(3) TRIAL_JOBS);
    trial_must_succeed(&t);
    expect_finish(&t, "c", 20);
    expect_finish(&t, "d", 20.5);
    expect_finish(&t, "e", 18);   /* 13 + 3 + 2 */
    expect_finish(&t, "f", 34.5); /* 30.5 + 3 + 1 */
    trial_finish(&t);
}

/* --- interference --- */

#define SHARED(slowdown, nodes) \
    "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: [" nodes \
    "], interference: {slowdown_per_neighbour: " #slowdown "}}\n"

/* Slowdown 0.5: together each runs at 2/3.
   free of cost: a (100 s) alone until 20, then both at 2/3; b (30 s) needs 45 s, until 65; a has
   done 20 + 30 and is alone again: 65 + 50 start_s 4: a computes from 4 on and is slowed as soon as
   b is there, at 20: 16 done; b computes 24..69; a has done 16 + 49 * 2/3 by then and needs 51 1/3
   more */
Test(dynamics, two_neighbours) {
    static const struct {
        const char *costs;
        double a_s, b_s;
    } cases[] = {{"{}", 115, 65}, {"{start_s: 4}", 69 + 51 + 1 / 3.0, 69}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial t;
        trial_run(
            &t, &(struct trial_options){.jobs = HEAD "a,0,1,100\nb,20,1,30\n", .strict = true},
            "name: n\nhorizon: drain\npolicy: {name: fcfs}\n" SHARED(
                0.5,
                "{gpu: g, gpus: 4}") "workload: {kind: trace, file: jobs.csv, rigid_costs: %s}\n",
            cases[i].costs);
        trial_must_succeed(&t);
        expect_finish(&t, "a", cases[i].a_s);
        expect_finish(&t, "b", cases[i].b_s);
        expect_near(t.summaries->work_done_gpu_h * 3600, 130, "work done");
        /* power is that of the configuration, slowed down or not */
        expect_near(trial_find(&t, "b")->energy_j, 400 * 45 + (i ? 90 * 4 : 0), "energy of b");
        trial_finish(&t);
    }
}

/* Two nodes of 4 GPUs, slowdown 0.25. x and y (1 GPU each) are on node 0, w (6 GPUs) takes node 1
   and two of node 0: two neighbours there, none on node 1: the most counts. All run at 1/1.5: x and
   y (10 s) end at 15; w (20 s) has done 10 and is alone. Work at the horizon 12: 8 of each. */
Test(dynamics, neighbours_across_nodes) {
    static const char *const horizons[] = {"drain", "12"};
    for (int i = 0; i < 2; i++) {
        struct trial t;
        trial_run(&t, &(struct trial_options){.jobs = HEAD "x,0,1,10\ny,0,1,10\nw,0,6,20\n"},
                  "name: n\nhorizon: %s\npolicy: {name: fcfs}\n" SHARED(
                      0.25, "{count: 2, gpu: g, gpus: 4}") TRIAL_JOBS,
                  horizons[i]);
        trial_must_succeed(&t);
        if (i == 0) {
            expect_finish(&t, "x", 15);
            expect_finish(&t, "y", 15);
            expect_finish(&t, "w", 25);
        }
        expect_near(t.summaries->work_done_gpu_h * 3600, i == 0 ? 10 + 10 + 120 : 8 + 8 + 48,
                    "work done");
        trial_finish(&t);
    }
}

/* Checkpoints every 10 s of computing time, slowdown 0.5; preempt_at stops all at 33.385 and starts
   a, b at 34.385. b at 15: a's checkpoint at 30 holds 15 + 15 * 2/3 = 25, 3.385 s are lost; b's at
   10 holds 6 2/3, 8.385 s are lost. Then both at 2/3: a's 75 take 112.5 s; b has 93 1/3 - 75 left
   alone b at 32: a's checkpoint at 30 is older than b and holds 30; b loses its 1.385 s. a's 70
   take 105 s, b has 30 left b at 30: a's checkpoint falls at that very time and holds 30; b has
   none after 3.385 s */
Test(dynamics, checkpoints_of_neighbours) {
    static const struct {
        const char *b;
        double a_s, b_s, a_lost_s, b_lost_s;
    } cases[] = {{"15", 146.885, 165.0 + 131 / 600.0, 3.385, 8.385},
                 {"32", 139.385, 169.385, 3.385, 1.385},
                 {"30", 139.385, 169.385, 3.385, 3.385}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial t;
        char jobs[128];
        snprintf(jobs, sizeof jobs, HEAD "a,0,1,100\nb,%s,1,100\n", cases[i].b);
        trial_run(
            &t, &(struct trial_options){.jobs = jobs, .strict = true},
            "name: n\nhorizon: drain\npolicy: {name: preempt_at, params: {at: 33.385, pause: 1}}\n" SHARED(
                0.5,
                "{gpu: g, gpus: 4}") "workload: {kind: trace, file: jobs.csv, rigid_costs: {checkpoint_interval_s: 10}}\n");
        trial_must_succeed(&t);
        expect_finish(&t, "a", cases[i].a_s);
        expect_finish(&t, "b", cases[i].b_s);
        expect_near(trial_find(&t, "a")->lost_s, cases[i].a_lost_s, "lost by a");
        expect_near(trial_find(&t, "b")->lost_s, cases[i].b_lost_s, "lost by b");
        expect_near(t.summaries->work_done_gpu_h * 3600, 200, "work done");
        trial_finish(&t);
    }
}

/* --- noise --- */

/* 1 sample/s on the only kind of GPU: T of 1000 samples is 1000 s. */
static const char unit_model[] =
    "models: [{name: m, m0: 9, phi: 1, batches: [1], gpus: {g: {evidence: assumed, source: by hand, lookup: [{k: 1, batch: 1, throughput_samples_s: 1, power_w_per_gpu: 100}]}}}]\n";

#define NOISE_JOBS 4000

/* Every second job is rigid. */
static char *noise_jobs(int count) {
    struct str jobs = {0};
    str_add(&jobs, "job_id,submit_s,gpus,model,work_samples,duration_s\n");
    for (int i = 0; i < count; i++)
        str_addf(&jobs, i % 2 ? "r%d,0,1,,,1000\n" : "m%d,0,,m,1000,\n", i);
    return jobs.text;
}

/* All jobs start at 0 on GPUs of their own. The true time over the predicted one is exp(sigma^2/2 -
   sigma z): a lognormal of mean exp(sigma^2) and variance (exp(sigma^2) - 1) exp(2 sigma^2); its
   logarithm has mean sigma^2/2 and deviation sigma. Means within four of their standard deviations;
   the deviation of the logarithm has one of sigma / sqrt(2 n). Rigid jobs take what they took. */
Test(dynamics, noise) {
    const double sigma = 0.3, n = NOISE_JOBS / 2.0;
    char *jobs = noise_jobs(NOISE_JOBS);
    struct trial t;
    trial_run(
        &t, &(struct trial_options){.jobs = jobs, .models = unit_model, .unchecked = true},
        "name: n\n"
        "horizon: drain\n"
        "models: models.yaml\n"
        "policy: {name: fcfs}\n"
        "noise: {speed_sigma: 0.3}\n"
        "cluster: {gpu_types: [{name: g, idle_w: 50, tdp_w: 400}], nodes: [{gpu: g, gpus: 4000}]}\n" TRIAL_JOBS);
    trial_must_succeed(&t);
    double mean = 0, log_mean = 0, log_square = 0, error_s = 0;
    for (size_t i = 0; i < t.job_count; i++) {
        double ratio = (double)t.jobs[i].finish_ns / 1e12;
        if (t.jobs[i].id[0] == 'r') {
            cr_assert_eq(ratio, 1);
            continue;
        }
        mean += ratio / n;
        log_mean += log(ratio) / n;
        log_square += log(ratio) * log(ratio) / n;
        error_s += fabs(ratio - 1) * 1000 / NOISE_JOBS;
    }
    double s2 = sigma * sigma, deviation = sqrt(log_square - log_mean * log_mean);
    cr_expect(fabs(mean - exp(s2)) < 4 * sqrt((exp(s2) - 1) * exp(2 * s2) / n), "mean %g", mean);
    cr_expect(fabs(log_mean - s2 / 2) < 4 * sigma / sqrt(n), "mean logarithm %g", log_mean);
    cr_expect(fabs(deviation - sigma) < 4 * sigma / sqrt(2 * n), "deviation %g", deviation);
    expect_near(t.summaries->prediction_error_mean_s, error_s,
                "error of predictions"); /* they know no noise */
    trial_finish(&t);
    free(jobs);
}

/* A job's factor does not depend on where and when it runs: 20 jobs on 20 GPUs, on 3 GPUs one after
   another, and stopped at 500 s without loss. Computing time is the same to the rounding of each
   piece to nanoseconds. */
Test(dynamics, noise_stays_with_the_job) {
    static const char *const gpus[] = {"20", "3", "20"};
    static const char *const policies[] = {"fcfs", "fcfs",
                                           "preempt_at, params: {at: 500, pause: 7}"};
    double computing_s[20] = {0};
    char *jobs = noise_jobs(20);
    for (int c = 0; c < 3; c++) {
        struct trial t;
        trial_run(
            &t, &(struct trial_options){.jobs = jobs, .models = unit_model},
            "name: n\n"
            "horizon: drain\n"
            "models: models.yaml\n"
            "policy: {name: %s}\n"
            "noise: {speed_sigma: 0.3}\n"
            "cluster: {gpu_types: [{name: g, idle_w: 50, tdp_w: 400}], nodes: [{gpu: g, gpus: %s}]}\n" TRIAL_JOBS,
            policies[c], gpus[c]);
        trial_must_succeed(&t);
        for (int i = 0; i < 20; i++) {
            cr_expect(c == 0 || fabs(t.jobs[i].exec_s - computing_s[i]) < 3e-9,
                      "%s: %.12g s, not %.12g", t.jobs[i].id, t.jobs[i].exec_s, computing_s[i]);
            computing_s[i] = c == 0 ? t.jobs[i].exec_s : computing_s[i];
            cr_expect_eq(t.jobs[i].preemptions, c == 2);
        }
        trial_finish(&t);
    }
    free(jobs);
}

struct remaining {
    double in_view, of_engine;
};

static void look_at_remaining(void *context, const struct replication *replication) {
    struct remaining *r = context;
    r->in_view = replication->sim->view.jobs[0].remaining;
    r->of_engine = replication->sim->runs[0].remaining;
}

/* Stopped at 500 s, a job that waits shows what is truly left of it: 1000 - 500 * factor, the
   factor from a run to the end. */
Test(dynamics, policies_see_true_remaining_work) {
    struct trial t;
    struct remaining remaining = {0};
    struct trial_options options = {.jobs = "job_id,submit_s,model,work_samples\na,0,m,1000\n",
                                    .models = unit_model};
    double factor = NAN;
    for (int c = 0; c < 2; c++) {
        trial_run(&t, &options,
                  "name: n\n"
                  "horizon: %s\n"
                  "models: models.yaml\n"
                  "policy: {name: preempt_at, params: {at: %d, pause: 9}}\n"
                  "noise: {speed_sigma: 0.3}\n" TRIAL_CLUSTER(1) TRIAL_JOBS,
                  c == 0 ? "drain" : "505", c == 0 ? 100000 : 500);
        trial_must_succeed(&t);
        factor = c == 0 ? 1000 / trial_find(&t, "a")->exec_s : factor;
        options.look = look_at_remaining;
        options.context = &remaining;
        trial_finish(&t);
    }
    cr_expect(fabs(factor - 1) > 0.01, "a factor of %g shows nothing", factor);
    expect_near(remaining.in_view, 1000 - 500 * factor, "remaining work in the view");
    expect_near(remaining.of_engine, 1000 - 500 * factor, "true remaining work");
}

/* --- all at once --- */

static const char *const policies[] = {"fcfs", "easy",  "pollux",      "themis", "chronos",
                                       "zeus", "hades", "aurachronos", "charon"};
#define POLICIES (sizeof policies / sizeof *policies)

/* Types a and b, so that names can be changed. */
#define EVERYTHING(a, b) \
    "name: n\n" \
    "models: models.yaml\n" \
    "noise: {speed_sigma: 0.2}\n" \
    "cluster:\n" \
    "  interference: {slowdown_per_neighbour: 0.05}\n" \
    "  gpu_types:\n" \
    "    - {name: " a \
    ", idle_w: 60, ctx_w: 98, tdp_w: 400, memory_gib: 80, sleep_w: 9, sleep_after: 90, wake_s: 7.5}\n" \
    "    - {name: " b \
    ", idle_w: 70, ctx_w: 110, tdp_w: 700, memory_gib: 80, sleep_w: 70, sleep_after: 0}\n" \
    "  nodes:\n" \
    "    - {count: 2, gpu: " a ", gpus: 3, base_w: 7.5, mtbf: 40min, mttr: 10min}\n" \
    "    - {gpu: " a ", gpus: 2, base_w: 1}\n" \
    "    - {gpu: " b ", gpus: 5, cpu_w_per_busy_gpu: 3, mtbf: 25min, mttr: 25min}\n"

#define MIXED_JOBS \
    "workload:\n" \
    "  streams:\n" \
    "    - {kind: poisson, rate_per_s: 0.008, sizes: {law: lognormal, mean: 10min, cv: 1.5}, k: [1, 2, 4], until: {jobs: 60}, users: 3, deadlines: {share: 0.3, slack: [1.5, 6]}}\n" \
    "    - {kind: poisson, rate_per_s: 0.004, rigid: {k: [1, 3]}, sizes: {law: exponential, mean: 5min}, until: {jobs: 30}}\n" \
    "  rigid_costs: {start_s: 2, restart_s: 5, checkpoint_s: 4}\n"

static void model_file(char *text, size_t bytes, const char *a, const char *b, int interval_s) {
    snprintf(
        text, bytes,
        "models: [{name: m, m0: 64, phi: 500, batches: [8, 16], start_s: 12, restart_s: 20, checkpoint_s: 6, checkpoint_interval_s: %d, gpus: {\n"
        "  %s: {a_s: 0.05, c_s: 0.01, gamma: 2, alpha_s: 0.01, p0_w: 90, pmax_w: 350, evidence: assumed, source: by hand},\n"
        "  %s: {a_s: 0.04, c_s: 0.005, gamma: 2, alpha_s: 0.01, alpha_inter_s: 0.03, p0_w: 100, pmax_w: 600, evidence: assumed, source: by hand}}}]\n",
        interval_s, a, b);
}

static void run_everything(struct trial *t, const char *policy, int seed, int interval_s,
                           uint32_t processes) {
    static struct trial_options options;
    static char models[2048];
    model_file(models, sizeof models, "a", "b", interval_s);
    options = (struct trial_options){.models = models, .strict = true, .processes = processes};
    trial_run(
        t, &options,
        EVERYTHING(
            "a", "b") "policy: {name: %s}\nhorizon: drain\nreplications: 3\nseed: %d\n" MIXED_JOBS,
        policy, seed);
    trial_must_succeed(t);
    cr_expect_eq(t->summaries->jobs_finished, 90, "%s: %g jobs finished", policy,
                 t->summaries->jobs_finished);
    cr_expect(t->summaries->job_failures > 0 && t->summaries->sleep_gpu_h > 0,
              "%s: %g failures, %g h asleep", policy, t->summaries->job_failures,
              t->summaries->sleep_gpu_h);
}

/* Every policy with failures, sleep, interference, noise and resizing at once, with all invariants
   checked; the same bytes again in four processes. */
Test(dynamics, everything, .timeout = 600) {
    for (size_t p = 0; p < POLICIES; p++) {
        char policy[64];
        snprintf(policy, sizeof policy,
                 strcmp(policies[p], "easy") == 0 ? "%s" : "%s, params: {resize: true}",
                 policies[p]);
        struct trial first, second;
        run_everything(&first, policy, 11 + (int)p, p % 2 ? 60 : 0, 0);
        run_everything(&second, policy, 11 + (int)p, p % 2 ? 60 : 0, 4);
        cr_expect_str_eq(first.jobs_csv.text, second.jobs_csv.text, "%s", policies[p]);
        cr_expect_str_eq(first.summary_csv.text, second.summary_csv.text, "%s", policies[p]);
        trial_finish(&first);
        trial_finish(&second);
    }
}

/* Preemption of everything at some time, in the midst of all that. */
Test(dynamics, everything_preempted) {
    for (int seed = 1; seed <= 10; seed++) {
        struct trial t;
        char policy[64];
        snprintf(policy, sizeof policy, "preempt_at, params: {at: %d, pause: 30}", 700 * seed);
        run_everything(&t, policy, seed, seed % 2 ? 60 : 0, 0);
        trial_finish(&t);
    }
}

/* Names of GPU types and models mean nothing. */
Test(dynamics, renamed) {
    struct trial t[2];
    for (int i = 0; i < 2; i++) {
        static char models[2048];
        model_file(models, sizeof models, i ? "north" : "a", i ? "south" : "b", 0);
        const struct trial_options options = {.models = models};
        const char *rest = "horizon: 3h\nseed: 5\npolicy: {name: fcfs}\n" MIXED_JOBS;
        if (i == 0)
            trial_run(&t[i], &options, EVERYTHING("a", "b") "%s", rest);
        else
            trial_run(&t[i], &options, EVERYTHING("north", "south") "%s", rest);
        trial_must_succeed(&t[i]);
        cr_assert(t[i].summaries->job_failures > 0);
    }
    cr_assert_str_eq(t[0].summary_csv.text, t[1].summary_csv.text);
    for (int i = 0; i < 2; i++)
        trial_finish(&t[i]);
}

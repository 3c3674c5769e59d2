/* Node failures by hand. The times come from the stream that docs/reference/semantics.md states,
   drawn here once more: node n fails and is repaired after -mean ln(1 - u), u from the stream
   failures/n. Rigid jobs of the trial cluster draw 400 W computing and 90 W in set-up and
   checkpoint; a free GPU draws 50 W. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"

#include "base/rng.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(failures, .init = temp_dir_enter, .fini = temp_dir_leave);

/* Lengths of the first up and down times of a node under a seed, whole nanoseconds. */
struct history {
    double up_s[64], down_s[64];
};

static double draw_s(gsl_rng *rng, double mean_s) {
    return round(-mean_s * log1p(-gsl_rng_uniform(rng)) * 1e9) / 1e9;
}

static struct history derive(uint64_t seed, uint32_t node, double mtbf_s, double mttr_s) {
    struct history h;
    char name[32];
    snprintf(name, sizeof name, "failures/%u", node);
    gsl_rng *rng = rng_create(seed, 0, name);
    for (int i = 0; i < 64; i++) {
        h.up_s[i] = draw_s(rng, mtbf_s);
        h.down_s[i] = draw_s(rng, mttr_s);
    }
    gsl_rng_free(rng);
    return h;
}

/* The first seed whose node 0 is up for least..most s, down for 2 s or more, and then up for
 * second_least s. */
static uint64_t find_seed(double mtbf_s, double least_s, double most_s, double second_least_s) {
    for (uint64_t seed = 1; seed < 100000; seed++) {
        struct history h = derive(seed, 0, mtbf_s, 20);
        if (h.up_s[0] >= least_s && h.up_s[0] <= most_s && h.down_s[0] >= 2 &&
            h.up_s[1] >= second_least_s)
            return seed;
    }
    cr_assert_fail("no such seed");
    return 0;
}

static void expect_near(double found, double expected, const char *what) {
    cr_expect(fabs(found - expected) <= 1e-8 + 1e-9 * fabs(expected), "%s is %.17g, not %.17g",
              what, found, expected);
}

#define FAILING(gpus) \
    "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: [{gpu: g, gpus: " #gpus \
    ", base_w: 30, mtbf: 100, mttr: 20}]}\n"

/* What becomes of a job that has the node for itself, up time by up time. */
struct course {
    double finish_s, setup_s, computing_s, lost_s;
    int failures;
};

static struct course follow(const struct history *h, double work_s, double start_s,
                            double restart_s, double interval_s) {
    struct course c = {0};
    double now_s = 0, setup_s = start_s;
    for (int i = 0; i < 64; i++, setup_s = restart_s) {
        double computes_s = fmax(0, h->up_s[i] - setup_s);
        if (computes_s > work_s) {
            c.finish_s = now_s + setup_s + work_s;
            c.setup_s += setup_s;
            c.computing_s += work_s;
            return c;
        }
        double kept_s = interval_s > 0 ? floor(computes_s / interval_s) * interval_s : 0;
        c.setup_s += fmin(setup_s, h->up_s[i]);
        c.computing_s += computes_s;
        c.lost_s += computes_s - kept_s;
        c.failures++;
        work_s -= kept_s;
        now_s += h->up_s[i] + h->down_s[i];
    }
    cr_assert_fail("the job does not end");
    return c;
}

/* One job of 150 s on both GPUs of a node that lives 100 s in the mean: with checkpoints every 8 s,
   and on demand, where a failure takes all. Whenever the node is up the job has it, so nothing is
   idle. */
Test(failures, one_job) {
    static const double intervals[] = {8, 0};
    int failures = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        double interval_s = intervals[seed % 2];
        struct history h = derive(seed, 0, 100, 20);
        struct course c = follow(&h, 150, 3, 5, interval_s);
        struct trial t;
        trial_run(
            &t,
            &(struct trial_options){.jobs = "job_id,submit_s,gpus,duration_s\na,0,2,150\n",
                                    .strict = true},
            "name: n\nhorizon: drain\nseed: %d\npolicy: {name: fcfs}\n" FAILING(
                2) "workload: {kind: trace, file: jobs.csv, rigid_costs: {start_s: 3, restart_s: 5, checkpoint_s: 2, checkpoint_interval_s: %g}}\n",
            (int)seed, interval_s);
        trial_must_succeed(&t);
        const struct trial_job *a = trial_find(&t, "a");
        const struct summary *s = t.summaries;
        double job_j = 2 * (90 * c.setup_s + 400 * c.computing_s);
        expect_near((double)a->finish_ns / 1e9, c.finish_s, "finish");
        expect_near(a->exec_s, c.setup_s + c.computing_s, "exec_s");
        expect_near(a->lost_s, c.lost_s, "lost_s");
        expect_near(a->energy_j, job_j, "energy_j");
        expect_near(s->energy_kwh * 3.6e6, job_j + 30 * a->exec_s,
                    "energy"); /* base_w only while it is up */
        expect_near(s->energy_idle_kwh, 0, "idle energy");
        expect_near(s->util_alloc, a->exec_s / c.finish_s,
                    "util_alloc"); /* of all GPUs, failed ones included */
        expect_near(s->work_done_gpu_h * 3600, 300, "work done");
        expect_near(s->node_failures, c.failures, "node_failures");
        expect_near(s->job_failures, c.failures, "job_failures");
        expect_near(s->interruptions_per_job, c.failures, "interruptions");
        cr_expect_eq(a->preemptions, 0);
        failures += c.failures;
        trial_finish(&t);
    }
    cr_expect(failures > 40, "only %d failures", failures);
}

/* A failure comes before a finish at the same instant: a, which would end just then, runs once more
   in full. Its second up time is long enough. */
Test(failures, before_a_finish) {
    uint64_t seed = find_seed(100, 20, 60, 80);
    struct history h = derive(seed, 0, 100, 20);
    char jobs[128];
    struct trial t;
    snprintf(jobs, sizeof jobs, "job_id,submit_s,gpus,duration_s\na,0,1,%.9f\n", h.up_s[0]);
    trial_run(&t, &(struct trial_options){.jobs = jobs},
              "name: n\nhorizon: drain\nseed: %d\npolicy: {name: fcfs}\n" FAILING(1) TRIAL_JOBS,
              (int)seed);
    trial_must_succeed(&t);
    expect_near((double)trial_find(&t, "a")->finish_ns / 1e9, h.up_s[0] + h.down_s[0] + h.up_s[0],
                "finish");
    expect_near(trial_find(&t, "a")->lost_s, h.up_s[0], "lost_s");
    trial_finish(&t);
}

/* preempt_at stops a 3 s before the failure (F): a checkpoint of 5 s is not complete then, and all
   of a's work is lost; one of 2 s is. a, of 50 s, goes on at the repair (R), after restart_s = 4.
 */
Test(failures, while_a_checkpoint_is_written) {
    uint64_t seed = find_seed(100, 20, 45, 80);
    struct history h = derive(seed, 0, 100, 20);
    double at_s = h.up_s[0] - 3, repair_s = h.up_s[0] + h.down_s[0];
    for (int complete = 0; complete < 2; complete++) {
        struct trial t;
        trial_run(
            &t,
            &(struct trial_options){.jobs = "job_id,submit_s,gpus,duration_s\na,0,2,50\n",
                                    .strict = true},
            "name: n\nhorizon: drain\nseed: %d\npolicy: {name: preempt_at, params: {at: %.9f, pause: 4}}\n" FAILING(
                2) "workload: {kind: trace, file: jobs.csv, rigid_costs: {restart_s: 4, checkpoint_s: %d}}\n",
            (int)seed, at_s, complete ? 2 : 5);
        trial_must_succeed(&t);
        const struct trial_job *a = trial_find(&t, "a");
        expect_near((double)a->finish_ns / 1e9, repair_s + 4 + 50 - (complete ? at_s : 0),
                    "finish");
        expect_near(a->lost_s, complete ? 0 : at_s, "lost_s");
        expect_near(a->lost_j, complete ? 0 : 2 * 400 * at_s, "lost energy");
        expect_near(a->exec_s, at_s + (complete ? 2 : 3) + 4 + 50 - (complete ? at_s : 0),
                    "exec_s");
        expect_near(t.summaries->job_failures, complete ? 0 : 1, "job_failures");
        expect_near(t.summaries->node_failures, 1, "node_failures");
        expect_near(t.summaries->preemptions, 1, "preemptions");
        expect_near(t.summaries->work_done_gpu_h * 3600, 100, "work done");
        trial_finish(&t);
    }
}

/* The same for the checkpoint of a resize, which is written on the new GPUs. b ends 3 s before F; a
   (200 samples, 1/s on its 2 GPUs) grows to 4 GPUs (3/s). At R it starts on all 4 with what was
   kept. */
Test(failures, while_a_resize_is_set_up) {
    static const char model[] =
        "models: [{name: m, m0: 9, phi: 1, batches: [1], restart_s: 4, checkpoint_s: %d, gpus: {g: {evidence: assumed, source: by hand, lookup: [{k: 2, batch: 1, throughput_samples_s: 1, power_w_per_gpu: 100}, {k: 4, batch: 1, throughput_samples_s: 3, power_w_per_gpu: 100}]}}}]\n";
    uint64_t seed = find_seed(100, 20, 45, 80);
    struct history h = derive(seed, 0, 100, 20);
    double at_s = h.up_s[0] - 3, repair_s = h.up_s[0] + h.down_s[0];
    for (int complete = 0; complete < 2; complete++) {
        struct trial t;
        char jobs[256], models[512];
        snprintf(jobs, sizeof jobs,
                 "job_id,submit_s,gpus,duration_s,model,work_samples\nb,0,2,%.9f,,\na,0,,,m,200\n",
                 at_s);
        snprintf(models, sizeof models, model, complete ? 2 : 5);
        trial_run(&t, &(struct trial_options){.jobs = jobs, .models = models, .strict = true},
                  "name: n\n"
                  "horizon: drain\n"
                  "models: models.yaml\n"
                  "seed: %d\n"
                  "policy: {name: fcfs, params: {resize: true}}\n" FAILING(4) TRIAL_JOBS,
                  (int)seed);
        trial_must_succeed(&t);
        const struct trial_job *a = trial_find(&t, "a");
        expect_near(t.summaries->resizes, 1, "resizes");
        expect_near((double)a->finish_ns / 1e9, repair_s + 4 + (200 - (complete ? at_s : 0)) / 3,
                    "finish");
        expect_near(a->lost_s, complete ? 0 : at_s, "lost_s");
        expect_near(a->lost_j, complete ? 0 : 2 * 100 * at_s, "lost energy"); /* on the old GPUs */
        expect_near(t.summaries->lost_gpu_h * 3600, complete ? 0 : 2 * at_s, "lost_gpu_h");
        trial_finish(&t);
    }
}

/* Node 0 (2 GPUs) fails at F and is back at R, node 1 (2 GPUs) never fails. a (3 GPUs, both nodes)
   loses all and waits until R, b (1 GPU, on node 1) runs on, c (2 GPUs, came at 1) waits for a's
   place behind it: with fcfs in order. Power between F and R: b's GPU and the other, free one. */
Test(failures, across_nodes) {
    uint64_t seed = find_seed(100, 20, 45, 100);
    struct history h = derive(seed, 0, 100, 20);
    double failure_s = h.up_s[0], repair_s = h.up_s[0] + h.down_s[0];
    struct trial t;
    trial_run(
        &t,
        &(struct trial_options){
            .jobs = "job_id,submit_s,gpus,duration_s\na,0,3,50\nb,0,1,500\nc,1,2,10\n"},
        "name: n\n"
        "horizon: drain\n"
        "seed: %d\n"
        "policy: {name: fcfs}\n"
        "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: [{gpu: g, gpus: 2, base_w: 7, mtbf: 100, mttr: 20}, {gpu: g, gpus: 2, base_w: 5}]}\n" TRIAL_JOBS,
        (int)seed);
    trial_must_succeed(&t);
    expect_near((double)trial_find(&t, "a")->finish_ns / 1e9, repair_s + 50, "finish of a");
    expect_near((double)trial_find(&t, "b")->finish_ns / 1e9, 500, "finish of b");
    expect_near((double)trial_find(&t, "c")->start_ns / 1e9, repair_s + 50, "start of c");
    expect_near(trial_find(&t, "a")->lost_s, failure_s, "lost by a");
    bool seen = false;
    for (size_t i = 0; i < t.power.at.count; i++) {
        const struct power_row *row = &t.power.at.at[i];
        cr_expect_eq(row->allocated + row->idle + row->failed, 4);
        if (row->time_ns != llround(failure_s * 1e9))
            continue;
        seen = true;
        cr_expect(row->failed == 2 && row->idle == 1 && row->allocated == 1 && row->waiting == 2);
        cr_expect_eq(row->power_nw, (400 + 50 + 5) * 1000000000LL, "%lld nW",
                     (long long)row->power_nw);
    }
    cr_expect(seen);
    trial_finish(&t);
}

/* Two jobs share a GPU of the node that fails: both lose what they did since their start, and start
   again together when it is repaired. A failed GPU draws nothing, so the idle energy is that of the
   free quarter while they run.
 */
Test(failures, shared_gpu) {
    uint64_t seed = find_seed(100, 10, 40, 60);
    struct history h = derive(seed, 0, 100, 20);
    struct trial t;
    trial_run(
        &t,
        &(struct trial_options){
            .jobs = "job_id,submit_s,gpus,duration_s,gpu_share\na,0,1,50,0.5\nb,0,1,50,0.25\n"},
        "name: n\nhorizon: drain\nseed: %llu\npolicy: {name: fcfs}\n" FAILING(1) TRIAL_JOBS,
        (unsigned long long)seed);
    trial_must_succeed(&t);
    double failure_s = h.up_s[0], repair_s = failure_s + h.down_s[0], ran_s = failure_s + 50;
    for (const char *id = "ab"; *id; id++) {
        const struct trial_job *job = trial_find(&t, (char[]){*id, '\0'});
        expect_near((double)job->finish_ns / 1e9, repair_s + 50, "finish");
        expect_near(job->lost_s, failure_s, "lost");
        expect_near(job->energy_j, (*id == 'a' ? 0.5 : 0.25) * 400 * ran_s, "energy");
    }
    expect_near(t.summaries->job_failures, 2, "jobs stopped");
    expect_near(t.summaries->lost_gpu_h, 0.75 * failure_s / 3600, "lost GPU time");
    expect_near(t.summaries->energy_idle_kwh, 0.25 * 50 * ran_s / 3.6e6, "idle energy");
    trial_finish(&t);
}

/* Share of time in which node 0 is up, and its failures, over 4e6 s with means 1000 and 250 s. Of
   an alternating renewal process with up and down times of means u, d and variances U, D the share
   has mean u / (u + d) = 0.8 and variance (d^2 U + u^2 D) / ((u + d)^3 T); failures have mean
   T / 1250 and variance T (U + D) / 1250^3 (Cox, Renewal Theory). Variances over squared means are
   1 of the exponential, Gamma(5) / Gamma(3)^2 - 1 = 5 of weibull with exponent 1/2, and e - 1 of
   the lognormal with sigma 1. Four standard deviations, so one seed in 10^4 would fail; the seed is
   fixed. */
static void expect_availability(const char *laws, double up, double down) {
    const double end_s = 4e6;
    struct trial t;
    trial_run(
        &t, &(struct trial_options){.jobs = "job_id,submit_s,gpus,duration_s\na,0,1,1\n"},
        "name: n\n"
        "horizon: 4e6\n"
        "seed: 2385\n"
        "policy: {name: fcfs}\n"
        "cluster: {gpu_types: [{name: g, idle_w: 50, tdp_w: 400}], nodes: [{gpu: g, gpus: 1, mtbf: 1000, mttr: 250%s}]}\n" TRIAL_JOBS,
        laws);
    trial_must_succeed(&t);
    double up_s = 0;
    for (size_t i = 0; i < t.power.at.count; i++) {
        double to_s = i + 1 < t.power.at.count ? (double)t.power.at.at[i + 1].time_ns / 1e9 : end_s;
        up_s += t.power.at.at[i].failed ? 0 : to_s - (double)t.power.at.at[i].time_ns / 1e9;
    }
    double share = up_s / end_s, sd = sqrt((up + down) * 32 / end_s);
    cr_expect(fabs(share - 0.8) < 4 * sd, "up for %g of the time, sd %g", share, sd);
    double count_sd = sqrt(end_s * (1e6 * up + 62500 * down) / pow(1250, 3));
    cr_expect(fabs(t.summaries->node_failures - end_s / 1250) < 4 * count_sd, "%g failures",
              t.summaries->node_failures);
    trial_finish(&t);
}

Test(failures, availability) {
    expect_availability("", 1, 1);
    expect_availability(", mtbf_law: weibull, mtbf_shape: 0.5", 5, 1);
    expect_availability(", mttr_law: lognormal, mttr_shape: 1", 1, exp(1) - 1);
    expect_availability(", mtbf_law: lognormal, mtbf_shape: 1, mttr_law: weibull, mttr_shape: 0.5",
                        exp(1) - 1, 5);
}

/* t = 0 is an ordinary moment: of 4000 nodes that are not repaired in time, the share
   1 - (1 + x) exp(-x), x = sqrt(2 t / mean), has failed by t (the rest of weibull's law with
   exponent 1/2 integrated; of nodes that are all just repaired it would be 1 - exp(-x), five times
   as many). */
Test(failures, first_failures) {
    struct trial t;
    trial_run(
        &t, &(struct trial_options){.jobs = "job_id,submit_s,gpus,duration_s\na,0,1,1\n"},
        "name: n\n"
        "horizon: 1000\n"
        "policy: {name: fcfs}\n"
        "cluster: {gpu_types: [{name: g, idle_w: 50, tdp_w: 400}], nodes: [{count: 4000, gpu: g, gpus: 1, mtbf: 10000, mtbf_law: weibull, mtbf_shape: 0.5, mttr: 1e9}]}\n" TRIAL_JOBS);
    trial_must_succeed(&t);
    double x = sqrt(0.2), share = 1 - (1 + x) * exp(-x);
    cr_expect(fabs(t.summaries->node_failures - 4000 * share) <
                  4 * sqrt(4000 * share * (1 - share)),
              "%g failures, not %g", t.summaries->node_failures, 4000 * share);
    trial_finish(&t);
}

/* The instants at which the number of failed GPUs changes. Nodes have 1, 2 and 4 GPUs, so it says
 * which have failed. */
struct outage_times {
    struct {
        int64_t time_ns;
        uint32_t failed;
    } at[4096];
    size_t count;
};

static void run_outages(struct outage_times *o, const char *policy, const char *mtbf_of_last,
                        uint32_t mask) {
    struct trial t;
    trial_run(
        &t, &(struct trial_options){.policy = policy},
        "name: n\n"
        "horizon: 10h\n"
        "seed: 7\n"
        "models: ${EASIM_SOURCE}/configs/models/eas-sim.yaml\n"
        "policy: {name: fcfs}\n"
        "cluster: {gpu_types: [{name: a100, idle_w: 50, tdp_w: 400, memory_gib: 80}], nodes: [{gpu: a100, gpus: 1, mtbf: 1h, mttr: 10min}, {gpu: a100, gpus: 2, mtbf: 2h, mttr: 20min}, {gpu: a100, gpus: 4, %s}]}\n"
        "workload: {kind: poisson, rate_per_s: 0.002, sizes: {law: lognormal, mean: 1h}, k: [1, 2]}\n",
        mtbf_of_last);
    trial_must_succeed(&t);
    *o = (struct outage_times){0};
    uint32_t last = 0;
    for (size_t i = 0; i < t.power.at.count; i++) {
        uint32_t failed = t.power.at.at[i].failed & mask;
        if (failed == last)
            continue;
        o->at[o->count].time_ns = t.power.at.at[i].time_ns;
        o->at[o->count++].failed = last = failed;
    }
    cr_assert(o->count > 10, "%zu outages", o->count);
    trial_finish(&t);
}

/* Node n of the outages fails and is repaired as its own stream says. */
static void expect_history(const struct outage_times *o, uint32_t node, double mtbf_s,
                           double mttr_s) {
    struct history h = derive(7, node, mtbf_s, mttr_s);
    double next_s = h.up_s[0];
    int changes = 0;
    uint32_t last = 0;
    for (size_t i = 0; i < o->count; i++) {
        uint32_t failed = o->at[i].failed & 1u << node;
        if (failed == last)
            continue;
        expect_near((double)o->at[i].time_ns / 1e9, next_s, failed ? "failure" : "repair");
        next_s += failed ? h.down_s[changes / 2] : h.up_s[changes / 2 + 1];
        last = failed;
        changes++;
    }
    cr_assert(changes > 2 && next_s > 36000, "node %u: %d changes, the next at %g s", node, changes,
              next_s);
}

/* Neither another policy nor another node changes when a node fails. */
Test(failures, independent) {
    static const char *const others[] = {"easy", "pollux", "zeus"};
    static struct outage_times fcfs, other;
    run_outages(&fcfs, "fcfs", "mtbf: 3h, mttr: 1h", 7);
    expect_history(&fcfs, 0, 3600, 600);
    expect_history(&fcfs, 1, 7200, 1200);
    expect_history(&fcfs, 2, 10800, 3600);
    for (size_t p = 0; p < sizeof others / sizeof *others; p++) {
        run_outages(&other, others[p], "mtbf: 3h, mttr: 1h", 7);
        cr_expect_arr_eq(&other, &fcfs, sizeof fcfs, "%s", others[p]);
    }
    run_outages(&fcfs, "fcfs", "base_w: 3", 3);
    run_outages(&other, "fcfs", "mtbf: 30min, mttr: 1h", 3);
    cr_expect_arr_eq(&other, &fcfs, sizeof fcfs, "another node");
}

/* A policy that starts nothing is found out although failures and repairs go on for ever; a job
   that waits for a repair is not stuck; one that never gets through between failures is given up.
 */
Test(failures, runs_end) {
    struct trial t;
    trial_run(&t, &(struct trial_options){.jobs = "job_id,submit_s,gpus,duration_s\na,1,1,2\n"},
              "name: n\nhorizon: drain\nseed: 1\npolicy: {name: start_none}\n" FAILING(1)
                  TRIAL_JOBS);
    cr_expect(t.status == ERROR_RUN &&
                  strstr(t.failure, "policy start_none leaves 1 jobs waiting for ever"),
              "%s", t.failure);
    trial_finish(&t);
    struct history h = derive(1, 0, 100, 20);
    char jobs[128];
    snprintf(jobs, sizeof jobs, "job_id,submit_s,gpus,duration_s\na,%.9f,1,2\n",
             h.up_s[0] + h.down_s[0] / 2);
    trial_run(&t, &(struct trial_options){.jobs = jobs},
              "name: n\nhorizon: drain\nseed: 1\npolicy: {name: start_none}\n" FAILING(1)
                  TRIAL_JOBS);
    cr_expect(t.status == ERROR_RUN && strstr(t.failure, "waiting for ever"), "%s", t.failure);
    char when[64];
    snprintf(when, sizeof when, "(at t = %.9f s)",
             h.up_s[0] + h.down_s[0]); /* at the repair, not before */
    cr_expect(strstr(t.failure, when), "%s, not %s", t.failure, when);
    trial_finish(&t);
    trial_run(&t, &(struct trial_options){.jobs = "job_id,submit_s,gpus,duration_s\na,1,1,5000\n"},
              "name: n\nhorizon: drain\nseed: 1\npolicy: {name: fcfs}\n" FAILING(1) TRIAL_JOBS);
    cr_expect(t.status == ERROR_RUN && strstr(t.failure, "job a was stopped 1000 times in a row"),
              "%s", t.failure);
    trial_finish(&t);
}

/* Nor is one that waits for a repair that would come after 4e9 s, the last time that there is. */
Test(failures, never_repaired) {
    int seed = 1;
    struct history h = derive(1, 0, 100, 4e9);
    while (h.down_s[0] < 4e9)
        h = derive((uint64_t)++seed, 0, 100, 4e9);
    char jobs[128];
    snprintf(jobs, sizeof jobs, "job_id,submit_s,gpus,duration_s\na,%.9f,1,2\n", h.up_s[0] + 2.385);
    struct trial t;
    trial_run(
        &t, &(struct trial_options){.jobs = jobs},
        "name: n\nhorizon: drain\nseed: %d\npolicy: {name: fcfs}\n"
        "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: [{gpu: g, gpus: 1, mtbf: 100, mttr: 4e9}]}\n" TRIAL_JOBS,
        seed);
    cr_expect(t.status == ERROR_RUN &&
                  strstr(t.failure, "policy fcfs leaves 1 jobs waiting for ever"),
              "%s", t.failure);
    trial_finish(&t);
}

/* Nor do failures hide that a policy waits for ever under a repeated series: of a cap that comes
   round every 20 s it has seen everything a hundred times by 2001 s or soon after (sooner would be
   once more a single round). */
Test(failures, stuck_in_a_series) {
    struct trial t;
    temp_file_write_text("cap.csv", "time_s,power_w\n0,5000\n10,6000\n");
    trial_run(
        &t, &(struct trial_options){.jobs = "job_id,submit_s,gpus,duration_s\na,1,1,2\n"},
        "name: n\n"
        "horizon: drain\n"
        "seed: 1\n"
        "policy: {name: start_none}\n"
        "cluster: {power_cap_w: {file: cap.csv, period: 20s}, gpu_types: [{name: g, idle_w: 50, tdp_w: 400}], nodes: [{gpu: g, gpus: 1, mtbf: 100, mttr: 20}]}\n" TRIAL_JOBS);
    cr_expect(t.status == ERROR_RUN && strstr(t.failure, "leaves 1 jobs waiting for ever"), "%s",
              t.failure);
    const char *when = strstr(t.failure, "(at t = ");
    double at_s = when ? strtod(when + 8, NULL) : 0;
    cr_expect(at_s > 2001 && at_s < 2500, "%s", t.failure);
    trial_finish(&t);
}

/* The node fails about once a second, and the job keeps nothing of it, but for one checkpoint on
   demand at 700 s: some 700 stops in vain before it and some 700 after it, of which never more than
   1000 are in a row. */
Test(failures, a_checkpoint_ends_the_row_of_vain_stops) {
    for (int i = 0; i < 2; i++) {
        struct trial t;
        trial_run(
            &t,
            &(struct trial_options){.jobs = "job_id,submit_s,gpus,duration_s\na,0,1,100000\n",
                                    .unchecked = true},
            "name: n\n"
            "horizon: 1400\n"
            "seed: 3\n"
            "policy: {name: preempt_at, params: {at: %d, pause: 0}}\n"
            "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: [{gpu: g, gpus: 1, mtbf: 1, mttr: 0.001}]}\n"
            "workload: {kind: trace, file: jobs.csv, rigid_costs: {checkpoint_s: 0.001}}\n",
            i == 0 ? 700 : 2000);
        if (i == 0) {
            trial_must_succeed(&t);
            cr_expect(t.summaries->job_failures > 1200 && t.summaries->preemptions == 1,
                      "%g failures, %g preemptions", t.summaries->job_failures,
                      t.summaries->preemptions);
        } else {
            cr_expect_eq(t.status, ERROR_RUN); /* without it they are too many */
        }
        trial_finish(&t);
    }
}

/* Both jobs of the node, which fails about once a second, are stopped for the 1001st time at the
   same failure. The error names the one submitted first, though the other, which is shorter, is the
   first to start each time. */
Test(failures, jobs_of_a_node_stop_in_order_of_submission) {
    struct trial t;
    trial_run(
        &t,
        &(struct trial_options){
            .jobs = "job_id,submit_s,gpus,duration_s\nlong,0,1,90000\nshort,0,1,80000\n",
            .unchecked = true},
        "name: n\n"
        "horizon: drain\n"
        "seed: 3\n"
        "policy: {name: pollux}\n"
        "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: [{gpu: g, gpus: 2, mtbf: 1, mttr: 0.001}]}\n" TRIAL_JOBS);
    const char *expected =
        "job long was stopped 1000 times in a row without having kept any of its work";
    cr_expect(t.status == ERROR_RUN && strstr(t.failure, expected), "%s", t.failure);
    trial_finish(&t);
}

/* Times that are drawn below a nanosecond last one: up and down in turn, failures at 1, 3, 5, 7 and
   9 ns. */
Test(failures, last_a_nanosecond) {
    struct trial t;
    trial_run(
        &t, &(struct trial_options){.jobs = "job_id,submit_s,gpus,duration_s\na,0,1,1\n"},
        "name: n\nhorizon: 0.00000001\npolicy: {name: fcfs}\ncluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: [{gpu: g, gpus: 1, mtbf: 1e-15, mttr: 1e-15}]}\n" TRIAL_JOBS);
    trial_must_succeed(&t);
    expect_near(t.summaries->node_failures, 5, "node_failures");
    trial_finish(&t);
}

/* So many nodes that their list fills a block of memory of its own, where a look behind it would be
   noticed; none of them fails. */
Test(failures, of_none_of_many_nodes) {
    struct trial t;
    trial_run(
        &t, &(struct trial_options){.jobs = "job_id,submit_s,gpus,duration_s\na,0,1,10\n"},
        "name: n\nhorizon: drain\npolicy: {name: fcfs}\ncluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: [{count: 9000, gpu: g, gpus: 1}]}\n" TRIAL_JOBS);
    trial_must_succeed(&t);
    cr_expect_eq(trial_find(&t, "a")->finish_ns, 10000000000);
    expect_near(t.summaries->node_failures, 0, "node_failures");
    trial_finish(&t);
}

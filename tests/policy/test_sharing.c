/* Shared GPUs by hand, and what must hold whatever the shares are. Rigid jobs of the trial cluster
   draw 400 W of a whole GPU when they compute and 90 W in set-up; a free GPU draws 50 W, and parts
   of a GPU draw in proportion. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"

#include "base/rng.h"
#include "base/units.h"
#include "engine/segments.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

TestSuite(sharing, .init = temp_dir_enter, .fini = temp_dir_leave);

#define JOBS "job_id,submit_s,gpus,duration_s,gpu_share\n"
#define FCFS "name: n\nhorizon: drain\npolicy: {name: fcfs}\n"
#define SHARED(rest) \
    "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: [{gpu: g, gpus: 1" rest \
    "}]}\n"

static void run(struct trial *t, const char *jobs, const char *head, const char *rest) {
    trial_run(t, &(struct trial_options){.jobs = jobs, .strict = true}, "%s%s", head, rest);
    trial_must_succeed(t);
}

static void expect_near(double found, double expected, const char *what) {
    cr_expect(fabs(found - expected) <= 1e-12 * fabs(expected), "%s is %.17g, not %.17g", what,
              found, expected);
}

static void expect_ran(const struct trial *t, const char *id, double start_s, double finish_s) {
    const struct trial_job *job = trial_find(t, id);
    cr_expect(job->start_ns == units_ns(start_s) && job->finish_ns == units_ns(finish_s),
              "%s ran %.9g to %.9g s", id, units_s(job->start_ns), units_s(job->finish_ns));
}

/* a for 10 s alone, both for 90 s, b for 10 s alone: half of the GPU is free for 20 s. */
Test(sharing, two_halves) {
    struct trial t;
    run(&t, JOBS "a,0,1,100,0.5\nb,10,1,100,0.5\n", FCFS TRIAL_CLUSTER(1), TRIAL_JOBS);
    expect_ran(&t, "a", 0, 100);
    expect_ran(&t, "b", 10, 110);
    expect_near(trial_find(&t, "a")->energy_j, 0.5 * 400 * 100, "energy of a");
    expect_near(trial_find(&t, "b")->gpu_s, 50, "GPU time of b");
    const struct summary *s = t.summaries;
    expect_near(s->energy_job_kwh, 2 * 20000 / J_PER_KWH, "energy of jobs");
    expect_near(s->energy_idle_kwh, 0.5 * 50 * 20 / J_PER_KWH, "idle energy");
    expect_near(s->util_alloc, 100.0 / 110, "util_alloc");
    expect_near(s->util_compute, 100.0 / 110, "util_compute");
    expect_near(s->work_done_gpu_h, 100 / S_PER_H, "work");
    expect_near(s->power_max_w, 400, "highest power");
    expect_near(trial_cell(&t, "a", "gpu_share"), 0.5, "gpu_share");
    expect_near(trial_cell(&t, "a", "k"), 1, "k");
    cr_expect_eq(t.power.at.at[0].shared_free_milli, 500);
    trial_finish(&t);
}

Test(sharing, larger_than_the_rest) {
    struct trial one, two;
    run(&one, JOBS "a,0,1,100,0.6\nb,0,1,100,0.6\n", FCFS TRIAL_CLUSTER(1), TRIAL_JOBS);
    run(&two, JOBS "a,0,1,100,0.6\nb,0,1,100,0.6\n", FCFS TRIAL_CLUSTER(2), TRIAL_JOBS);
    expect_ran(&one, "b", 100, 200);
    expect_ran(&two, "b", 0, 100);
    /* b waits beside 0.4 of a GPU for 100 s; nobody waits with two */
    expect_near(one.summaries->frag_gpu_h, 40 / S_PER_H, "free while b waits");
    cr_expect_eq(two.summaries->frag_gpu_h, 0);
    trial_finish(&one);
    trial_finish(&two);
}

/* 0.8 of a GPU is free, and none as a whole, until a and b end. */
Test(sharing, fragments_block_a_whole_gpu) {
    struct trial t;
    run(&t, JOBS "a,0,1,100,0.6\nb,0,1,50,0.6\nc,1,2,10,\nd,1,1,10,0.4\n", FCFS TRIAL_CLUSTER(2),
        TRIAL_JOBS);
    expect_ran(&t, "c", 100, 110); /* both GPUs */
    expect_ran(&t, "d", 110, 120); /* fcfs: not before c */
    expect_near(t.summaries->frag_gpu_h, (0.8 * 49 + 1.4 * 50) / S_PER_H, "free while c waits");
    trial_finish(&t);
    trial_run(&t,
              &(struct trial_options){.jobs = JOBS
                                      "a,0,1,100,0.6\nb,0,1,50,0.6\nc,1,2,10,\nd,1,1,10,0.4\n"},
              FCFS TRIAL_CLUSTER(2) TRIAL_JOBS "params_by_policy: {fcfs: {strict: false}}\n");
    trial_must_succeed(&t);
    expect_ran(&t, "d", 1, 11); /* 0.4 are just enough */
    expect_ran(&t, "c", 100, 110);
    trial_finish(&t);
}

/* c fills the GPU of b, which has less room than that of a, so that d still fits a's and e gets a
   whole one. The first GPU with room would have been a's. */
Test(sharing, best_fit) {
    struct trial t;
    run(&t,
        JOBS
        "a,0,1,100,0.5\nb,0,1,100,0.7\nc,0,1,100,0.3\nd,0,1,100,0.5\ne,0,1,100,\nf,0,1,1,0.001\n",
        FCFS TRIAL_CLUSTER(3), TRIAL_JOBS);
    expect_ran(&t, "e", 0, 100);
    expect_ran(&t, "f", 100, 101);
    trial_finish(&t);
}

/* 10 s of set-up at 90 W, then 20 s; a busy GPU costs the node 20 W, and base_w is 7 W. */
Test(sharing, energy_of_set_up_and_node) {
    struct trial t;
    run(&t, JOBS "a,0,1,20,0.25\n", FCFS SHARED(", base_w: 7, cpu_w_per_busy_gpu: 20"),
        "workload: {kind: trace, file: jobs.csv, rigid_costs: {start_s: 10}}\n");
    const struct summary *s = t.summaries;
    expect_near(s->energy_setup_kwh, 0.25 * 90 * 10 / J_PER_KWH, "set-up");
    expect_near(s->energy_job_kwh, (0.25 * 90 * 10 + 0.25 * 400 * 20) / J_PER_KWH, "job");
    expect_near(s->energy_idle_kwh, 0.75 * 50 * 30 / J_PER_KWH, "idle");
    expect_near(s->energy_base_kwh, (7 + 0.25 * 20) * 30 / J_PER_KWH, "node");
    expect_near(s->setup_gpu_h, 2.5 / S_PER_H, "set-up time");
    trial_finish(&t);
}

/* At 10 s both lose what they did: a 10 s on half a GPU, b 5 s on a quarter. */
Test(sharing, preempted) {
    struct trial t;
    run(&t, JOBS "a,0,1,100,0.5\nb,5,1,100,0.25\n",
        "name: n\nhorizon: drain\npolicy: {name: preempt_at, params: {at_once: true}}\n" TRIAL_CLUSTER(
            1),
        "workload: {kind: trace, file: jobs.csv, rigid_costs: {restart_s: 2}}\n");
    expect_ran(&t, "a", 0, 113);
    expect_ran(&t, "b", 5, 113);
    expect_near(t.summaries->lost_gpu_h, (0.5 * 10 + 0.25 * 5) / S_PER_H, "lost GPU time");
    expect_near(t.summaries->energy_lost_kwh, 400 * (0.5 * 10 + 0.25 * 5) / J_PER_KWH,
                "lost energy");
    trial_finish(&t);
    /* with 3 s for a checkpoint nothing is lost, and the parts stay held at 90 W; the rest of the
     * time is idle */
    run(&t, JOBS "a,0,1,100,0.5\nb,5,1,100,0.25\n",
        "name: n\nhorizon: drain\npolicy: {name: preempt_at, params: {pause: 4}}\n" TRIAL_CLUSTER(
            1),
        "workload: {kind: trace, file: jobs.csv, rigid_costs: {checkpoint_s: 3}}\n");
    expect_ran(&t, "a", 0, 104);
    expect_ran(&t, "b", 5, 109);
    expect_near(trial_find(&t, "a")->energy_j, 0.5 * (400 * 100 + 90 * 3), "energy of a");
    trial_finish(&t);
}

/* Two neighbours on a GPU: 1.5 times as slow. a has 40 of 50 s left when b comes; b ends after 30 s
   with 20 s done, a has then done 10 + 20 s. */
Test(sharing, neighbours) {
    struct trial t;
    run(&t, JOBS "a,0,1,50,0.5\nb,10,1,20,0.5\n",
        FCFS
        "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: [{gpu: g, gpus: 1}], interference: {slowdown_per_neighbour: 0.5}}\n",
        TRIAL_JOBS);
    expect_ran(&t, "b", 10, 40);
    expect_ran(&t, "a", 0, 60);
    trial_finish(&t);
}

/* The GPU falls asleep at 10 s. a wakes it: 4 s. b comes 1 s later and waits for the rest. What is
   free of a GPU that is held in part does not sleep. At 114 s both end. */
Test(sharing, sleep) {
    struct trial t;
    run(&t, JOBS "a,100,1,10,0.25\nb,101,1,10,0.25\n",
        FCFS
        "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400, sleep_w: 5, sleep_after: 10s, wake_s: 4s}], nodes: [{gpu: g, gpus: 1}]}\n",
        TRIAL_JOBS);
    expect_ran(&t, "a", 100, 114);
    expect_ran(&t, "b", 101, 114);
    expect_near(t.summaries->sleep_gpu_h, 90 / S_PER_H, "asleep");
    expect_near(t.summaries->energy_idle_kwh,
                (50 * 10 + 5 * 90 + 50 * (0.75 * 1 + 0.5 * 13)) / J_PER_KWH, "idle");
    trial_finish(&t);
}

/* Two GPUs idle at 100 W. Half of one adds 175 W; b would make it 450 W, c adds 3.5 W. */
Test(sharing, power_cap) {
    struct trial t;
    static const char cluster[] =
        "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: [{gpu: g, gpus: 2}], power_cap_w: 278.5}\n" TRIAL_JOBS;
    run(&t, JOBS "a,0,1,100,0.5\nb,1,1,10,0.5\nc,2,1,20,0.01\nd,3,1,10,\n",
        "name: n\nhorizon: drain\npolicy: {name: charon}\n", cluster);
    expect_ran(&t, "b", 100, 110);
    expect_ran(&t, "c", 2, 22);
    cr_expect_eq(trial_find(&t, "d")->state, EASIM_JOB_REJECTED); /* 450 W alone */
    expect_near(t.summaries->power_max_w, 278.5, "highest power");
    trial_finish(&t);
}

/* Falls to 290 W at 10 s: b, which came last of equal ones, is stopped at once. */
Test(sharing, falling_cap) {
    FILE *file = fopen("cap.csv", "w");
    cr_assert(file);
    fputs("time_s,power_w\n0,1000\n10,290\n", file);
    fclose(file);
    struct trial t;
    run(&t, JOBS "a,0,1,100,0.5\nb,5,1,100,0.5\n",
        "name: n\n"
        "horizon: drain\n"
        "policy: {name: charon}\n"
        "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: [{gpu: g, gpus: 2}], power_cap_w: {file: cap.csv}}\n",
        TRIAL_JOBS);
    expect_ran(&t, "a", 0, 100);
    expect_ran(&t, "b", 5, 200);
    expect_near(trial_find(&t, "b")->lost_s, 5, "lost by b");
    cr_expect_eq(t.summaries->cap_violation_s, 0);
    trial_finish(&t);
}

/* easy does not declare FRACTIONAL_GPU: one after the other on a whole GPU, and the run says so. */
Test(sharing, policy_without) {
    struct trial t;
    run(&t, JOBS "a,0,1,100,0.5\nb,0,1,100,0.5\n",
        "name: n\nhorizon: drain\npolicy: {name: easy}\n" TRIAL_CLUSTER(1), TRIAL_JOBS);
    expect_ran(&t, "b", 100, 200);
    expect_near(trial_find(&t, "a")->gpu_s, 100, "GPU time");
    expect_near(t.summaries->work_done_gpu_h, 100 / S_PER_H,
                "work: as the jobs ask, so that policies compare");
    const struct trace *trace = &((const struct stream *)t.study.source.streams.at)->trace;
    cr_assert_eq(trace->notes.count, 1);
    cr_expect_eq(trace->notes.at[0].rows, 2);
    cr_expect(strstr(trace->notes.at[0].reason, "but the policy does not share GPUs"));
    cr_expect(!strstr(t.jobs_csv.text, "gpu_share"));
    trial_finish(&t);
}

/* A job that gets a model has a speed on whole GPUs only. */
Test(sharing, assigned_model) {
    struct trial t;
    run(&t, JOBS "a,0,1,100,0.5\n",
        "name: n\n"
        "horizon: drain\n"
        "policy: {name: fcfs}\n"
        "models: ${EASIM_SOURCE}/configs/models/eas-sim.yaml\n"
        "cluster: {gpu_types: [{name: a100, idle_w: 60, ctx_w: 98, tdp_w: 400, memory_gib: 80}], nodes: [{gpu: a100, gpus: 1}]}\n",
        "workload: {kind: trace, file: jobs.csv, assign: {models: [{model: vit-base-fp32, weight: 1}]}}\n");
    const struct trace *trace = &((const struct stream *)t.study.source.streams.at)->trace;
    cr_assert_eq(trace->notes.count, 1);
    cr_expect(strstr(trace->notes.at[0].reason, "but a model is assigned"));
    expect_near(trial_find(&t, "a")->gpu_s, trial_find(&t, "a")->exec_s, "a whole GPU");
    trial_finish(&t);
}

/* --- relations --- */

static const char *const policies[] = {"fcfs", "pollux", "themis",      "chronos",
                                       "zeus", "hades",  "aurachronos", "charon"};
#define POLICIES (sizeof policies / sizeof *policies)
#define TWO_TYPES \
    "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}, {name: h, idle_w: 70.7, ctx_w: 110.1, tdp_w: 700}], nodes: ["

/* Random jobs; with share NULL each small one has its own. */
static void draw_jobs(gsl_rng *rng, const char *share, char *out, size_t size) {
    size_t used = (size_t)snprintf(
        out, size, "job_id,submit_s,user,gpus,duration_s,gpu_type,deadline_s,gpu_share\n");
    double submit_s = 0;
    for (int i = 0; i < 150; i++) {
        static const char *const types[] = {"", "g", "h", "g|h"};
        bool small = gsl_rng_uniform(rng) < 0.8;
        char own[16] = "", deadline[32] = "";
        submit_s += floor(gsl_rng_uniform(rng) * 20);
        if (small)
            snprintf(own, sizeof own, "%.3f", (double)(1 + gsl_rng_uniform_int(rng, 999)) / 1000);
        unsigned long gpus = small ? 1 : 1 + gsl_rng_uniform_int(rng, 6);
        double duration_s = 1 + gsl_rng_uniform(rng) * 300;
        if (gsl_rng_uniform(rng) < 0.3)
            snprintf(deadline, sizeof deadline, "%.1f", submit_s + 2 * duration_s);
        used += (size_t)snprintf(out + used, size - used, "j%d,%.0f,u%lu,%lu,%.3f,%s,%s,%s\n", i,
                                 submit_s, gsl_rng_uniform_int(rng, 3), gpus, duration_s,
                                 types[gsl_rng_uniform_int(rng, 4)], deadline, share ? share : own);
        cr_assert_lt(used, size);
    }
}

/* A share of 1 is no share: the same bytes as without the column's values. */
Test(sharing, share_of_one) {
    static char with[65536], without[65536];
    gsl_rng *rng = rng_create(1, 0, "one"), *again = rng_create(1, 0, "one");
    draw_jobs(rng, "1", with, sizeof with);
    draw_jobs(again, "", without, sizeof without);
    for (size_t p = 0; p < POLICIES; p++) {
        struct trial a, b;
        const char *text =
            "name: n\nhorizon: drain\npolicy: {name: fcfs}\n" TWO_TYPES
            "{count: 3, gpu: g, gpus: 4}, {count: 2, gpu: h, gpus: 8}]}\n" TRIAL_JOBS;
        trial_run(&a, &(struct trial_options){.jobs = with, .policy = policies[p]}, "%s", text);
        trial_run(&b, &(struct trial_options){.jobs = without, .policy = policies[p]}, "%s", text);
        trial_must_succeed(&a);
        cr_assert_str_eq(a.jobs_csv.text, b.jobs_csv.text, "%s", policies[p]);
        cr_assert_str_eq(a.summary_csv.text, b.summary_csv.text, "%s", policies[p]);
        trial_finish(&a);
        trial_finish(&b);
    }
    gsl_rng_free(rng);
    gsl_rng_free(again);
}

/* n jobs of 1/n of a GPU draw, and take of it, what one job of a whole GPU does. */
Test(sharing, as_many_parts_as_make_a_whole) {
    static const int parts[] = {2, 4, 5, 8, 10, 125, 1000};
    struct trial whole;
    run(&whole, JOBS "a,0,1,123.456,\n", FCFS SHARED(", base_w: 11, cpu_w_per_busy_gpu: 3.5"),
        TRIAL_JOBS);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        static char jobs[65536];
        size_t used = (size_t)snprintf(jobs, sizeof jobs, JOBS);
        for (int j = 0; j < parts[i]; j++)
            used += (size_t)snprintf(jobs + used, sizeof jobs - used, "a%d,0,1,123.456,%.3f\n", j,
                                     1.0 / parts[i]);
        struct trial t;
        run(&t, jobs, FCFS SHARED(", base_w: 11, cpu_w_per_busy_gpu: 3.5"), TRIAL_JOBS);
        double gpu_s = 0;
        for (size_t j = 0; j < t.job_count; j++)
            gpu_s += t.jobs[j].gpu_s;
        expect_near(gpu_s, 123.456, "GPU time");
        cr_expect_eq(t.summaries->energy_kwh, whole.summaries->energy_kwh, "%d parts", parts[i]);
        cr_expect_eq(t.summaries->energy_job_kwh, whole.summaries->energy_job_kwh, "%d parts",
                     parts[i]);
        cr_expect_eq(t.summaries->util_alloc, 1);
        cr_expect_eq(t.summaries->makespan_s, 123.456);
        trial_finish(&t);
    }
    trial_finish(&whole);
}

/* Nodes written one by one, or as groups; and users with other names. */
Test(sharing, names) {
    static char jobs[65536], renamed[65536];
    gsl_rng *rng = rng_create(2, 0, "names");
    draw_jobs(rng, NULL, jobs, sizeof jobs);
    strcpy(renamed, jobs);
    for (char *at = renamed; (at = strstr(at, ",u")) != NULL; at += 2)
        if (at[2] != 's')
            at[1] = 'v';
    for (size_t p = 0; p < POLICIES; p++) {
        struct trial a, b;
        trial_run(&a, &(struct trial_options){.jobs = jobs, .policy = policies[p]}, "%s",
                  FCFS TWO_TYPES
                  "{count: 3, gpu: g, gpus: 4}, {count: 2, gpu: h, gpus: 2}]}\n" TRIAL_JOBS);
        trial_run(
            &b, &(struct trial_options){.jobs = renamed, .policy = policies[p]}, "%s",
            FCFS TWO_TYPES
            "{gpu: g, gpus: 4}, {gpu: g, gpus: 4}, {gpu: h, gpus: 2}, {gpu: g, gpus: 4}, {gpu: h, gpus: 2}]}\n" TRIAL_JOBS);
        trial_must_succeed(&a);
        cr_assert_str_eq(a.summary_csv.text, b.summary_csv.text, "%s", policies[p]);
        trial_finish(&a);
        trial_finish(&b);
    }
    gsl_rng_free(rng);
}

/* What policies see of usage is what jobs held. */
static void check_usage(void *context, const struct replication *replication) {
    const struct sim *sim = replication->sim;
    (void)context;
    for (uint32_t u = 0; u < sim->view.v->user_count; u++) {
        double held_s = 0;
        for (uint32_t j = 0; j < sim->next_arrival; j++)
            held_s += sim->workload->jobs.at[j].user == u ? power_gpu_s(account_gpu_ps(sim, j)) : 0;
        cr_assert_float_eq(easim_user_usage_s(sim->view.v, u), held_s, 1e-9 * held_s);
    }
}

/* Every policy on random shares with failing nodes, sleep, neighbours, resizing and a cap: the
   invariants hold after every event, and the parts of energy and of GPU time add up. */
Test(sharing, conserved) {
    static char jobs[65536];
    for (size_t i = 0; i < 4 * POLICIES; i++) {
        const char *policy = policies[i % POLICIES];
        gsl_rng *rng = rng_create(i, 0, "conserved");
        struct trial t;
        draw_jobs(rng, NULL, jobs, sizeof jobs);
        trial_run(
            &t, &(struct trial_options){.jobs = jobs, .look = check_usage},
            "name: n\n"
            "horizon: 3h\n"
            "seed: %zu\n"
            "policy: {name: %s, params: {resize: true}}\n"
            "cluster: {power_cap_w: 9000, interference: {slowdown_per_neighbour: 0.1}, gpu_types: [{name: g, idle_w: 50.1234567, ctx_w: 90, tdp_w: 400, sleep_w: 9, sleep_after: 30s, wake_s: 3s}, {name: h, idle_w: 70, ctx_w: 110.7654321, tdp_w: 700}], nodes: [{count: 3, gpu: g, gpus: 4, base_w: 50, cpu_w_per_busy_gpu: 3.3, mtbf: 20min, mttr: 2min}, {count: 2, gpu: h, gpus: 2}]}\n"
            "workload: {kind: trace, file: jobs.csv, rigid_costs: {start_s: 2, restart_s: 5.5, checkpoint_s: %d}}\n",
            i, policy, i % 3 == 0 ? 0 : 4);
        trial_must_succeed(&t);
        double energy_kwh = 0, gpu_s = 0;
        for (size_t j = 0; j < t.job_count; j++) {
            energy_kwh += t.jobs[j].energy_j / J_PER_KWH;
            gpu_s += t.jobs[j].gpu_s;
        }
        const struct summary *s = t.summaries;
        cr_assert_float_eq(s->energy_kwh,
                           s->energy_job_kwh + s->energy_idle_kwh + s->energy_base_kwh, 1e-12);
        cr_assert_float_eq(energy_kwh, s->energy_job_kwh, 1e-12);
        cr_assert_float_eq(gpu_s, s->util_alloc * s->sim_s * 16, 1e-6);
        cr_assert(s->jobs_finished > 100 && s->job_failures > 0 && s->sleep_gpu_h > 0, "%s",
                  policy);
        trial_finish(&t);
        gsl_rng_free(rng);
    }
}

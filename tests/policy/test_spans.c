/* Configurations that a lookup table knows in one span only: placed only so, under every policy. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(spans, .init = temp_dir_enter, .fini = temp_dir_leave);

/* 1 and 4 samples/s on 1 and 4 GPUs of a node, 8 on 16 across nodes: 16 samples take 16, 4 and 2 s.
 */
static const char models[] =
    "models: [{name: m, m0: 1000, phi: 1, batches: [1], gpus: {g: {evidence: assumed, source: by hand, lookup: [\n"
    "  {k: 1, batch: 1, throughput_samples_s: 1, power_w_per_gpu: 100},\n"
    "  {k: 4, batch: 1, throughput_samples_s: 4, power_w_per_gpu: 110},\n"
    "  {k: 16, batch: 1, throughput_samples_s: 8, power_w_per_gpu: 120, across_nodes: true}]}}}]\n";

#define NODES(count, gpus) #count ", gpu: g, gpus: " #gpus
#define HEAD               "job_id,submit_s,model,work_samples,gpus,duration_s\n"

struct row {
    const char *id;
    double start_s, finish_s;
    uint32_t k, nodes;
};

struct spans_case {
    const char *name, *nodes, *policy, *jobs;
    struct row rows[5];
};

static void run_case(const struct spans_case *c) {
    struct trial t;
    trial_run(&t, &(struct trial_options){.jobs = c->jobs, .models = models},
              "name: n\n"
              "horizon: drain\n"
              "models: models.yaml\n"
              "policy: %s\n"
              "cluster: {gpu_types: [{name: g, idle_w: 50, tdp_w: 400}], nodes: [{count: %s}]}\n"
              "workload: {kind: trace, file: jobs.csv, k: [1, 4, 16]}\n",
              c->policy, c->nodes);
    cr_assert_eq(t.status, 0, "%s, %s: %s", c->name, c->policy, t.failure);
    for (const struct row *r = c->rows; r->id; r++) {
        const struct trial_job *job = trial_find(&t, r->id);
        cr_expect(job->start_ns == llround(r->start_s * 1e9) &&
                      job->finish_ns == llround(r->finish_s * 1e9) && job->k == r->k &&
                      job->nodes == r->nodes,
                  "%s, %s: %s runs %.9f..%.9f on %u GPUs of %u nodes, not %.9f..%.9f on %u of %u",
                  c->name, c->policy, r->id, (double)job->start_ns / 1e9,
                  (double)job->finish_ns / 1e9, job->k, job->nodes, r->start_s, r->finish_s, r->k,
                  r->nodes);
    }
    trial_finish(&t);
}

static void run_cases(const struct spans_case *cases, size_t count) {
    for (size_t i = 0; i < count; i++)
        run_case(&cases[i]);
}

#define RUN(cases) run_cases(cases, sizeof(cases) / sizeof *(cases))

/* Four rigid jobs of 3 GPUs until 5 leave one GPU free on each of 4 nodes; what they hold, and then
 * a. */
#define SPREAD "x0,0,,,3,5\nx1,0,,,3,5\nx2,0,,,3,5\nx3,0,,,3,5\n"

Test(spans, placed_where_measured) {
    static const struct spans_case cases[] = {
        {"16 across 4 nodes of 4",
         NODES(4, 4),
         "{name: pollux}",
         HEAD "a,0,m,16,,\n",
         {{"a", 0, 2, 16, 4}}},
        {"one node of 16 is never across",
         NODES(1, 16),
         "{name: pollux}",
         HEAD "a,0,m,16,,\n",
         {{"a", 0, 4, 4, 1}}},
        {"nor one of 4", NODES(1, 4), "{name: pollux}", HEAD "a,0,m,16,,\n", {{"a", 0, 4, 4, 1}}},
        /* 4 GPUs are free, on 4 nodes */
        {"4 not across",
         NODES(4, 4),
         "{name: pollux}",
         HEAD SPREAD "a,1,m,16,,\n",
         {{"a", 1, 17, 1, 1}}},
        {"4 by request waits",
         NODES(4, 4),
         "{name: fcfs}",
         HEAD SPREAD "a,1,m,16,4,\n",
         {{"a", 5, 9, 4, 1}}},
        /* a has done 4 of 16 by 5: 12 left / 8 */
        {"resized across",
         NODES(4, 4),
         "{name: pollux, params: {resize: true}}",
         HEAD SPREAD "a,1,m,16,,\n",
         {{"a", 1, 6.5, 16, 4}}},
        /* 1, 14 and 1 GPUs are free of three nodes of 16: no node holds 16, all together do */
        {"16 across where a node could hold it",
         NODES(3, 16),
         "{name: pollux}",
         HEAD "x0,0,,,15,9\nx1,0,,,2,9\nx2,0,,,15,9\na,1,m,16,,\n",
         {{"a", 1, 3, 16, 3}}},
        {"while one does, it is not",
         NODES(3, 16),
         "{name: pollux}",
         HEAD "a,0,m,16,,\n",
         {{"a", 0, 4, 4, 1}}},
        {"urgent, across",
         NODES(4, 4),
         "{name: chronos}",
         HEAD "a,0,m,16,,\n",
         {{"a", 0, 2, 16, 4}}}};
    RUN(cases);
}

/* T* and EDP* are those of configurations that the empty cluster places: else a would wait for ever
   for what a node always holds. EDP of 1, 4 and 16 GPUs: 100 * 16^2, 440 * 4^2 and 1920 * 2^2 =
   7680 > 7040. */
Test(spans, nobody_waits_for_what_never_comes) {
    static const char *const policies[] = {
        "{name: easy}",
        "{name: fcfs}",
        "{name: themis}",
        "{name: pollux, params: {time_slack: 1}}",
        "{name: chronos, params: {time_slack: 1}}",
        "{name: zeus, params: {edp_slack: 1}}",
        "{name: zeus, params: {edp_slack: 1, power_basis: marginal}}",
        "{name: hades, params: {edp_slack: 1}}",
        "{name: charon, params: {edp_slack: 1}}",
        "{name: aurachronos, params: {edp_slack: 1}}"};
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        run_case(&(struct spans_case){
            "3 nodes of 16", NODES(3, 16), policies[i], HEAD "a,0,m,16,,\n", {{"a", 0, 4, 4, 1}}});
        run_case(&(struct spans_case){
            "1 node of 16", NODES(1, 16), policies[i], HEAD "a,0,m,16,,\n", {{"a", 0, 4, 4, 1}}});
    }
}

/* Jobs of 16 GPUs, which a node of the empty cluster holds, where they were not measured. */
Test(spans, rejected_if_never_placed) {
    static const char *const nodes[] = {NODES(1, 16), NODES(2, 16), NODES(1, 20)};
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        struct trial t;
        trial_run(
            &t,
            &(struct trial_options){.jobs = HEAD "a,0,m,16,16,\nb,0,m,16,4,\nc,0,m,,16,3\n",
                                    .models = models},
            "name: n\n"
            "horizon: drain\n"
            "models: models.yaml\n"
            "policy: {name: fcfs}\n"
            "cluster: {gpu_types: [{name: g, idle_w: 50, tdp_w: 400}], nodes: [{count: %s}]}\n" TRIAL_JOBS,
            nodes[i]);
        trial_must_succeed(&t);
        for (const char *const *id = (const char *const[]){"a", "c", NULL}; *id; id++) {
            cr_expect_eq(trial_find(&t, *id)->state, EASIM_JOB_REJECTED);
            cr_expect(strstr(trial_find(&t, *id)->reason, "lookup table") != NULL, "%s",
                      trial_find(&t, *id)->reason);
        }
        cr_expect_eq(trial_find(&t, "b")->state, EASIM_JOB_FINISHED);
        trial_finish(&t);
    }
}

/* EASY: p0 on node 0 until 30, p1 on node 1 until 100 (x0 and x1 see to that), 3 GPUs free on each.
   h wants 4 of one node: by number they are there, but only when 7 of 8 are free, at 30, is that
   certain. So q, which would take one of them for ever, and r, which would until 56, wait until h
   has started; s ends in time and passes. */
Test(spans, easy_reserves_one_node) {
    static const struct spans_case cases[] = {
        {"reservation",
         NODES(2, 4),
         "{name: easy}",
         HEAD
         "x0,0,,,4,1\np1,0,,,1,100\nx1,0,,,3,2\np0,1,,,1,29\nh,3,m,16,4,\nq,4,,,1,1000\ns,5,,,1,25\nr,6,,,1,50\n",
         {{"h", 30, 34, 4, 1}, {"s", 5, 30, 1, 1}, {"q", 30, 1030, 1, 1}, {"r", 30, 80, 1, 1}}}};
    RUN(cases);
}

/* a and b are best-effort jobs on 2 GPUs of a node each, beside x0 and x1 of 2. To displace them
   would free 4 GPUs of two nodes, of no use to u, which was measured in one: they are left alone.
 */
Test(spans, nobody_is_displaced_in_vain) {
    struct trial t;
    trial_run(
        &t,
        &(struct trial_options){
            .jobs = "job_id,submit_s,model,work_samples,gpus,duration_s,deadline_s\n"
                    "a,0,,,2,50,\n"
                    "x0,0.1,,,2,9,1000\n"
                    "b,0.2,,,2,50,\n"
                    "x1,0.3,,,2,8,1000\n"
                    "u,1,m,16,4,,6\n",
            .models = models},
        "name: n\n"
        "horizon: drain\n"
        "models: models.yaml\n"
        "policy: {name: aurachronos}\n"
        "cluster: {gpu_types: [{name: g, idle_w: 50, tdp_w: 400}], nodes: [{count: 2, gpu: g, gpus: 4}]}\n" TRIAL_JOBS);
    trial_must_succeed(&t);
    cr_expect_eq(t.summaries->preemptions, 0);
    cr_expect_eq(trial_find(&t, "u")->start_ns, 50000000000, "%lld",
                 (long long)trial_find(&t, "u")->start_ns);
    trial_finish(&t);
}

/* 40 jobs of 1, 4 or 16 GPUs and rigid ones between them: every answer to every question, on three
 * clusters. */
Test(spans, every_answer_agrees) {
    static const char *const nodes[] = {NODES(4, 4), NODES(3, 16), NODES(1, 16), NODES(1, 5)};
    struct str jobs = {0};
    str_add(&jobs, HEAD);
    for (int i = 0; i < 40; i++)
        str_addf(&jobs, i % 3 ? "j%d,%d,,,%d,%d\n" : "j%d,%d,m,%d,,\n", i, i,
                 i % 3 ? i % 4 + 1 : 30 + i, 7 + i % 5);
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
        run_case(
            &(struct spans_case){"every answer", nodes[i], "{name: every_span}", jobs.text, {{0}}});
    str_finish(&jobs);
}

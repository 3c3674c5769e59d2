/* The policy replay: schedules from files, worked out by hand above each case, with all that is
   counted. Rigid jobs pay 3 s at their first start, 5 s at a later one; computing starts behind
   that. */
#include "../support/policy_case.h"
#include "../support/temp_dir.h"

#include "base/units.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(replay, .init = temp_dir_enter, .fini = temp_dir_leave);

#define HEAD  "job_id,submit_s,gpus,duration_s\n"
#define ROWS  "time_s,job_id,gpus\n"
#define COSTS "rigid_costs: {start_s: 3, restart_s: 5}"
#define COUNT 6

struct replay_case {
    const char *name, *gpus, *limits, *jobs, *rows;
    struct expected expected[POLICY_CASE_MOST];
    const char *counted[COUNT]; /* "3 rows ...: names" */
};

/* The same 1, 1.6 and 2 samples/s on 1, 2 and 4 GPUs; a checkpoint of 1 s, a restart of 2 s. */
static const char models[] =
    "models:\n"
    "  - name: costly\n"
    "    m0: 1000000\n"
    "    phi: 1\n"
    "    batches: [1]\n"
    "    restart_s: 2\n"
    "    checkpoint_s: 1\n"
    "    gpus: {g: {evidence: assumed, source: by hand, lookup: [\n"
    "      {k: 1, batch: 1, throughput_samples_s: 1, power_w_per_gpu: 100},\n"
    "      {k: 2, batch: 1, throughput_samples_s: 1.6, power_w_per_gpu: 100},\n"
    "      {k: 4, batch: 1, throughput_samples_s: 2, power_w_per_gpu: 100}]}}\n";

static void expect_counts(const char *name, const struct tally *counted,
                          const char *const expected[COUNT]) {
    size_t count = 0;
    while (count < COUNT && expected[count])
        count++;
    cr_expect_eq(counted->entries.count, count, "%s: %zu counts", name, counted->entries.count);
    for (size_t i = 0; i < counted->entries.count; i++) {
        struct str text = {0};
        str_addf(&text, "%llu %s: ", (unsigned long long)counted->entries.at[i].count,
                 counted->entries.at[i].reason);
        tally_write_names(&counted->entries.at[i], &text);
        size_t e = 0;
        while (e < count && strcmp(expected[e], text.text) != 0)
            e++;
        cr_expect_lt(e, count, "%s: not expected: %s", name, text.text);
        str_finish(&text);
    }
}

static void run_case(const struct replay_case *c) {
    struct trial t;
    temp_file_write_text("r.csv", c->rows);
    trial_run(
        &t, &(struct trial_options){.jobs = c->jobs, .models = models, .strict = true},
        "name: replay\nhorizon: drain\nmodels: models.yaml\n"
        "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: [{gpu: g, gpus: %s}]}\n"
        "workload: {kind: trace, file: jobs.csv, %s}\n"
        "policy: {name: replay, params: {file: r.csv}}\n",
        c->gpus, c->limits ? c->limits : COSTS);
    cr_assert_eq(t.status, 0, "%s: %s", c->name, t.failure);
    for (const struct expected *e = c->expected; e->id; e++) {
        const struct trial_job *job = trial_find(&t, e->id);
        cr_expect_eq(job->start_ns, llround(e->start_s * 1e9), "%s: %s starts at %.9f s", c->name,
                     e->id, units_s(job->start_ns));
        cr_expect_eq(job->finish_ns, llround(e->finish_s * 1e9), "%s: %s ends at %.9f s", c->name,
                     e->id, units_s(job->finish_ns));
        cr_expect_eq(job->k, e->k, "%s: %s ran on %u GPUs", c->name, e->id, job->k);
    }
    expect_counts(c->name, &t.counted, c->expected[0].id ? c->counted : NULL);
    trial_finish(&t);
}

static void run_cases(const struct replay_case *cases, size_t count) {
    for (size_t i = 0; i < count; i++)
        run_case(&cases[i]);
}

#define RUN(cases) run_cases(cases, sizeof cases / sizeof *cases)

/* --- as recorded --- */

Test(replay, carried_out) {
    static const struct replay_case cases[] = {
        /* 57 of 200 s are done at 60; b is over at 60 + 3 + 40; a again at 120: 120 + 5 + 143. */
        {"preempted and started again",
         "2",
         NULL,
         HEAD "a,0,2,200\nb,30,2,40\n",
         ROWS "0,a,2\n60,b,2\n120,a,2\n",
         {{"a", 0, 268, 2, 0}, {"b", 60, 103, 2, 0}},
         {0}},
        /* The same, with rows in any order and a column that nobody asks for. */
        {"rows in any order",
         "2",
         NULL,
         HEAD "a,0,2,200\nb,30,2,40\n",
         "gpus,node,job_id,time_s\n2,1,a,120.0\n2,0,b,6e1\n2,1,a,0\n",
         {{"a", 0, 268, 2, 0}, {"b", 60, 103, 2, 0}},
         {0}},
        /* Who is named again and again goes on as if there were no instants. */
        {"who keeps pays nothing",
         "3",
         NULL,
         HEAD "a,0,2,200\nb,30,1,400\n",
         ROWS "0,a,2\n60,a,2\n60,b,1\n120,a,2\n120,b,1\n180,b,1\n180,a,2\n240,b,1\n",
         {{"a", 0, 203, 2, 0}, {"b", 60, 463, 1, 0}},
         {0}},
        /* 1000 samples: 2 GPUs from 10 on, 80 samples at 60; 4 GPUs then: 1 + 2 s of costs and 460
           s of work. Back to 2 GPUs at 200 with 1000 - 80 - 2 x 137 = 646 samples: 3 s and 403.75
           s. */
        {"another number of GPUs",
         "4",
         NULL,
         "job_id,submit_s,model,work_samples\nm,0,costly,1000\n",
         ROWS "10,m,2\n60,m,4\n200,m,2\n",
         {{"m", 10, 606.75, 2, 0}},
         {0}},
        /* a gives two of its GPUs to b in the same instant: 4 GPUs until 100, 200 samples; then 3 s
           and 800 / 1.6 s. b: 2 GPUs from 100. */
        {"one gives, another takes",
         "4",
         NULL,
         "job_id,submit_s,model,work_samples\na,0,costly,1000\nb,0,costly,160\n",
         ROWS "0,a,4\n100,b,2\n100,a,2\n",
         {{"a", 0, 603, 2, 0}, {"b", 100, 200, 2, 0}},
         {0}},
        /* b grows by what a gives, whichever stands first. a: 200 samples on 4 GPUs, then 3 s and
           800 / 1.6 s on 2; b: 160 samples on 2 GPUs, then 3 s and 840 / 2 s on 4. */
        {"one gives, another grows",
         "6",
         NULL,
         "job_id,submit_s,model,work_samples\na,0,costly,1000\nb,0,costly,1000\n",
         ROWS "0,a,4\n0,b,2\n100,b,4\n100,a,2\n",
         {{"a", 0, 603, 2, 0}, {"b", 0, 523, 4, 0}},
         {0}},
        /* Half of a GPU, or the GPU of which it holds half. */
        {"parts of a GPU",
         "1",
         NULL,
         "job_id,submit_s,gpus,duration_s,gpu_share\na,0,1,100,0.5\nb,0,1,100,0.5\n",
         ROWS "0,a,0.5\n20,a,1\n20,b,0.5\n",
         {{"a", 0, 103, 1, 0}, {"b", 20, 123, 1, 0}},
         {0}},
    };
    RUN(cases);
}

/* --- not as recorded --- */

#define DROPPED   "rows of finished jobs are dropped"
#define RUN_ON    "jobs that run on after their last row, until they are done"
#define LATE(why) "rows carried out late, because " why
#define NOT(why)  "rows not carried out, because " why
#define NO_GPUS   "too few GPUs were free"
#define NOT_YET   "the job was submitted later"

Test(replay, counted) {
    static const struct replay_case cases[] = {
        /* a ends at 53; its rows at 60 and 120 are dropped, and the one at 400 after the end. */
        {"finished jobs",
         "2",
         NULL,
         HEAD "a,0,1,50\nb,0,1,100\n",
         ROWS "0,a,1\n60,a,1\n60,b,1\n120,a,1\n120,b,1\n400,a,1\n",
         {{"a", 0, 53, 1, 0}, {"b", 60, 163, 1, 0}},
         {"3 " DROPPED ": a"}},
        /* a has no row after the one at 0: it stays. b, at 60 and 90, has no room until 203. */
        {"run on after their last row",
         "2",
         NULL,
         HEAD "a,0,2,200\nb,30,1,40\n",
         ROWS "0,a,2\n60,b,1\n90,b,1\n",
         {{"a", 0, 203, 2, 0}, {"b", 203, 246, 1, 0}},
         {"1 " RUN_ON ": a", "1 " NOT(NO_GPUS) ": b", "1 " LATE(NO_GPUS) ": b"}},
        /* b's only row is at 60, and there is room from 203 on; the row of c at 210 takes nothing
           away from it. c: 1 GPU beside it. */
        {"a last row holds until it can",
         "2",
         NULL,
         HEAD "a,0,2,200\nb,30,1,40\nc,30,1,40\n",
         ROWS "0,a,2\n60,b,1\n210,c,1\n",
         {{"a", 0, 203, 2, 0}, {"b", 203, 246, 1, 0}, {"c", 210, 253, 1, 0}},
         {"2 " RUN_ON ": a, b", "1 " LATE(NO_GPUS) ": b"}},
        /* The first of the file goes first; the other waits for its last row, through those of c.
           It runs on only after it has begun: 103 to 206, of which 150 is an instant. */
        {"order of the file",
         "1",
         NULL,
         HEAD "a,0,1,100\nb,0,1,100\nc,0,1,50\n",
         ROWS "0,b,1\n0,a,1\n50,c,1\n80,c,1\n150,c,1\n",
         {{"b", 0, 103, 1, 0}, {"c", 103, 156, 1, 0}, {"a", 156, 259, 1, 0}},
         {"1 " RUN_ON ": b", "1 " NOT(NO_GPUS) ": c", "2 " LATE(NO_GPUS) ": c, a"}},
        /* m cannot grow to 4 GPUs while r holds one, and ends first: 1.6 samples/s from 0 to 100.
         */
        {"done before it could grow",
         "4",
         NULL,
         "job_id,submit_s,model,work_samples,gpus,duration_s\nm,0,costly,160,,\nr,0,,,1,500\n",
         ROWS "0,m,2\n0,r,1\n50,r,1\n50,m,4\n150,r,1\n",
         {{"m", 0, 100, 2, 0}, {"r", 0, 503, 1, 0}},
         {"1 " NOT(NO_GPUS) ": m"}},
        /* a comes at 30: its row at 0 is carried out then. b comes at 70, when its row at 50 has
           given way to that at 60, its last. The row of c at 0 is over before it comes. */
        {"not submitted yet",
         "3",
         NULL,
         HEAD "a,30,1,100\nb,70,1,100\nc,55,1,10\n",
         ROWS "0,a,1\n0,c,1\n50,b,1\n50,a,1\n60,b,1\n60,c,1\n60,a,1\n",
         {{"a", 30, 133, 1, 0}, {"b", 70, 173, 1, 0}, {"c", 60, 73, 1, 0}},
         {"2 " LATE(NOT_YET) ": a, b", "2 " NOT(NOT_YET) ": b, c"}},
        /* Nobody is asked before 50, when two instants have passed. b waits for a, for which it is
           too late first of all: it was not there. a: 50 + 3 + 100. */
        {"submitted after its last row, before the first decision",
         "1",
         NULL,
         HEAD "a,50,1,100\nb,100,1,10\n",
         ROWS "10,b,1\n20,a,1\n",
         {{"a", 50, 153, 1, 0}, {"b", 153, 166, 1, 0}},
         {"2 " LATE(NOT_YET) ": a, b"}},
        /* b's last row has passed when it is submitted. */
        {"submitted after its last row",
         "2",
         NULL,
         HEAD "a,0,1,100\nb,70,1,100\n",
         ROWS "0,a,1\n10,b,1\n10,a,1\n20,a,1\n",
         {{"a", 0, 103, 1, 0}, {"b", 70, 173, 1, 0}},
         {"1 " LATE(NOT_YET) ": b"}},
    };
    RUN(cases);
}

Test(replay, impossible) {
    static const struct replay_case cases[] = {
        {"unknown jobs",
         "2",
         NULL,
         HEAD "a,0,1,100\n",
         ROWS "0,x,1\n0,a,1\n50,x,1\n50,y,2\n50,a,1\n500,z,1\n",
         {{"a", 0, 103, 1, 0}},
         {"4 rows of jobs that the workload does not have, or that were not admitted: x, y, z"}},
        /* m has no configuration with 3 GPUs: it goes on with 2 at 60, and is preempted at 100
           since it has a row at 200: 1.6 x 100 samples of 1000 are done. 200 + 2 + 840 / 1.6. */
        {"no such configuration",
         "4",
         NULL,
         "job_id,submit_s,model,work_samples,gpus,duration_s\nm,0,costly,1000,,\nr,0,,,1,50\n",
         ROWS "0,m,2\n60,m,3\n100,r,1\n200,m,2\n",
         {{"m", 0, 727, 2, 0}, {"r", 100, 153, 1, 0}},
         {"1 rows not carried out, because the job has no configuration with so many GPUs: m"}},
        /* It goes on with the 2 GPUs that it has, and after its last row, too. */
        {"no such configuration, last row",
         "4",
         NULL,
         "job_id,submit_s,model,work_samples,gpus,duration_s\nm,0,costly,320,,\nr,0,,,1,50\n",
         ROWS "0,m,2\n60,m,3\n60,r,1\n90,r,1\n120,r,1\n",
         {{"m", 0, 200, 2, 0}, {"r", 60, 113, 1, 0}},
         {"1 rows not carried out, because the job has no configuration with so many GPUs: m",
          "1 " RUN_ON ": m", "1 " DROPPED ": r"}},
        /* The checkpoint of a takes until 70: b starts then. At 75 b goes away and writes until 85,
           so that a has no room until then, and b's row at 80 finds it still writing: it starts
           beside a, as soon as it has written. a: 57 of 100 s done, 85 + 5 + 43. b: 2 s done. */
        {"checkpoints",
         "1",
         "rigid_costs: {start_s: 3, restart_s: 5, checkpoint_s: 10}",
         HEAD "a,0,1,100\nb,30,1,40\n",
         ROWS "0,a,1\n60,b,1\n75,a,1\n",
         {{"a", 0, 161, 1, 0}, {"b", 70, 113, 1, 0}},
         {"2 " LATE(NO_GPUS) ": b, a", "1 " RUN_ON ": b"}},
        /* a must not be preempted at 60 and 90: it goes on, and its row at 120 costs nothing. */
        {"must not be preempted",
         "2",
         "preemptible: false, " COSTS,
         HEAD "a,0,1,200\nb,30,1,40\n",
         ROWS "0,a,1\n60,b,1\n90,b,1\n120,a,1\n",
         {{"a", 0, 203, 1, 0}, {"b", 60, 103, 1, 0}},
         {"2 preemptions not carried out, because the job must not be preempted: a"}},
    };
    RUN(cases);
}

/* A preempted job is still writing at its next row: 0 to 60, checkpoint to 70, row at 65: it starts
   at 70 with 43 s left. 70 + 5 + 43. */
Test(replay, still_writing) {
    static const struct replay_case cases[] = {
        {"still writing",
         "2",
         "rigid_costs: {start_s: 3, restart_s: 5, checkpoint_s: 10}",
         HEAD "a,0,1,100\nb,30,1,40\n",
         ROWS "0,a,1\n60,b,1\n65,a,1\n65,b,1\n",
         {{"a", 0, 118, 1, 0}, {"b", 60, 103, 1, 0}},
         {"1 rows carried out late, because the job was still writing a checkpoint: a"}},
    };
    RUN(cases);
}

/* The only node is down from 70 to 80: a, which loses the 67 s that it has done, starts again then,
   by the row of the time: 80 + 5 + 100. */
Test(replay, node_fails) {
    static const char *const expected[COUNT] = {
        "1 starts after a failure, by the row of the time: a"};
    struct trial t;
    temp_file_write_text("r.csv", ROWS "0,a,1\n60,a,1\n");
    temp_file_write_text("o.csv", "node,start_s,end_s\n0,70,80\n");
    trial_run(&t, &(struct trial_options){.jobs = HEAD "a,0,1,100\n", .strict = true},
              "name: n\nhorizon: drain\nfailures: {file: o.csv}\n"
              "policy: {name: replay, params: {file: r.csv}}\n" TRIAL_CLUSTER(
                  1) "workload: {kind: trace, file: jobs.csv, " COSTS "}\n");
    trial_must_succeed(&t);
    cr_expect_eq(trial_find(&t, "a")->finish_ns, 185 * NS_PER_S);
    expect_counts("a node fails", &t.counted, expected);
    trial_finish(&t);
}

/* A job without rows waits for ever, which is an error that says so; with an end it is a count. */
Test(replay, job_without_rows) {
    static const char yaml[] =
        "name: n\nhorizon: %s\npolicy: {name: replay, params: {file: r.csv}}\n" TRIAL_CLUSTER(1)
            TRIAL_JOBS;
    static const char *const expected[COUNT] = {
        "1 jobs that the file does not have, which wait for ever: b",
        "1 rows later than the end of the run: a"};
    struct trial t;
    temp_file_write_text("r.csv", ROWS "0,a,1\n300,a,1\n");
    const struct trial_options options = {.jobs = HEAD "a,0,1,100\nb,10,1,100\n"};
    trial_run(&t, &options, yaml, "drain");
    cr_expect(t.status < 0 && strstr(t.failure, "leaves 1 jobs waiting for ever") &&
                  strstr(t.failure, "1 jobs that the file does not have, which wait for ever: b"),
              "%s", t.failure);
    trial_finish(&t);
    trial_run(&t, &options, yaml, "50s");
    trial_must_succeed(&t);
    expect_counts("with an end", &t.counted, expected);
    trial_finish(&t);
}

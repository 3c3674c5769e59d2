/* Jobs that are resized, preempted and started again at the worst of times, by hand: the plug-in
   script does as each case says. Model m makes 1, 1.6 and 2 samples/s on 1, 2 and 4 GPUs of 100 W
   (its configurations 0, 1, 2); a GPU in set-up, checkpoint or waking up draws 90 W. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(interruptions, .init = temp_dir_enter, .fini = temp_dir_leave);

/* What a job comes to: held in set-up, checkpoints and waking, and computing, GPU s; what it lost,
 * s on one GPU. */
struct course {
    const char *id;
    double finish_s, setup_gpu_s, computing_gpu_s, exec_s, lost_s;
};

struct interruption {
    const char *name, *script, *jobs;
    struct course courses[4];
};

static void expect_near(double found, double expected, const char *name, const char *job,
                        const char *what) {
    cr_expect(fabs(found - expected) <= 1e-9 * (1 + fabs(expected)),
              "%s: %s: %s is %.17g, not %.17g", name, job, what, found, expected);
}

static void run_case(const struct interruption *c, const char *sleep, const char *costs) {
    static char models[1024];
    struct trial t;
    snprintf(
        models, sizeof models,
        "models: [{name: m, m0: 9, phi: 1, batches: [1], %s, gpus: {g: {evidence: assumed, source: by hand, lookup: [{k: 1, batch: 1, throughput_samples_s: 1, power_w_per_gpu: 100}, {k: 2, batch: 1, throughput_samples_s: 1.6, power_w_per_gpu: 100}, {k: 4, batch: 1, throughput_samples_s: 2, power_w_per_gpu: 100}]}}}]\n",
        costs);
    trial_run(
        &t, &(struct trial_options){.jobs = c->jobs, .models = models, .strict = true},
        "name: n\n"
        "horizon: drain\n"
        "models: models.yaml\n"
        "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 100%s}], nodes: [{gpu: g, gpus: 4}]}\n"
        "policy: {name: script, params: {actions: \"%s\"}}\n"
        "workload: {kind: trace, file: jobs.csv, rigid_costs: {%s}}\n",
        sleep, c->script, costs);
    cr_assert_eq(t.status, 0, "%s: %s", c->name, t.failure);
    for (const struct course *e = c->courses; e->id; e++) {
        const struct trial_job *job = trial_find(&t, e->id);
        cr_expect_eq(job->finish_ns, llround(e->finish_s * 1e9), "%s: %s ends at %.9f s, not %.9f",
                     c->name, e->id, (double)job->finish_ns / 1e9, e->finish_s);
        expect_near(job->energy_j, 90 * e->setup_gpu_s + 100 * e->computing_gpu_s, c->name, e->id,
                    "energy_j");
        expect_near(job->gpu_s, e->setup_gpu_s + e->computing_gpu_s, c->name, e->id, "gpu_s");
        expect_near(job->exec_s, e->exec_s, c->name, e->id, "exec_s");
        expect_near(job->lost_s, e->lost_s, c->name, e->id, "lost_s");
        expect_near(job->lost_j, 100 * e->lost_s, c->name, e->id, "lost energy");
    }
    trial_finish(&t);
}

#define MODEL "job_id,submit_s,model,work_samples\n"
#define A     MODEL "a,0,m,100\n"

/* Of a, 100 samples: set-up 0..3, 20.385 samples done on one GPU at 23.385, when it moves to two:
   it writes its checkpoint until 25.385 and is set up until 30.385. */
Test(interruptions, while_a_resize_writes_its_checkpoint) {
    static const char costs[] = "start_s: 3, restart_s: 5, checkpoint_s: 2";
#define RESIZED "0 start 0 0, 23.385 resize 0 1, "
    static const struct interruption cases[] = {
        /* both GPUs held to the end of the checkpoint, then 5 + 79.615 s on one */
        {"preempted",
         RESIZED "23.885 stop 0, 25.385 start 0 0",
         A,
         {{"a", 110, 3 + 2 * 2 + 5, 100, 110, 0}}},
        /* they are nobody else's until then: b, 20 samples on all 4, starts at 25.385 and ends
           at 38.385 */
        {"preempted for another job",
         RESIZED "23.885 stop 0, 25.385 start 1 2, 38.385 start 0 0",
         A "b,1,m,20\n",
         {{"a", 123, 12, 100, 110, 0}, {"b", 38.385, 12, 40, 13, 0}}},
        /* the 20.385 s that it was to keep are lost, and the GPUs free at once: 5 + 100 s
           from 24.885 on */
        {"at once",
         RESIZED "23.885 kill 0, 24.885 start 0 0",
         A,
         {{"a", 129.885, 3 + 2 * 0.5 + 5, 120.385, 128.885, 20.385}}},
        /* complete at that very time: nothing left to write, nothing lost */
        {"just written",
         RESIZED "25.385 stop 0, 26.385 start 0 0",
         A,
         {{"a", 111, 12, 100, 110, 0}}},
        {"just written, at once",
         RESIZED "25.385 kill 0, 26.385 start 0 0",
         A,
         {{"a", 111, 12, 100, 110, 0}}},
        {"just not written, at once",
         RESIZED "25.384 kill 0, 26.384 start 0 0",
         A,
         {{"a", 131.384, 3 + 2 * 1.999 + 5, 120.385, 130.384, 20.385}}},
        {"written, in set-up",
         RESIZED "27 stop 0, 28 start 0 0",
         A,
         {{"a", 112.615, 3 + 2 * 3.615 + 5, 100, 111.615, 0}}},
        /* the other 1.5 s of the checkpoint are written on the 4 GPUs: 1.5 + 5 + 79.615 / 2 */
        {"resized again",
         RESIZED "23.885 resize 0 2",
         A,
         {{"a", 70.1925, 3 + 2 * 0.5 + 4 * 6.5, 20.385 + 2 * 79.615, 70.1925, 0}}},
        {"resized again and preempted",
         RESIZED "23.885 resize 0 2, 24.885 stop 0, 25.385 start 0 0",
         A,
         {{"a", 110, 3 + 2 * 0.5 + 4 * 1.5 + 5, 100, 110, 0}}},
        {"resized again and preempted at once",
         RESIZED "23.885 resize 0 2, 24.885 kill 0, 25.385 start 0 0",
         A,
         {{"a", 130.385, 3 + 2 * 0.5 + 4 * 1 + 5, 120.385, 129.885, 20.385}}},
        /* its checkpoint keeps 1 ns of work, and is lost */
        {"at once, having run for 1 ns",
         "0 start 0 0, 3.000000001 resize 0 1, 4 kill 0, 5 start 0 0",
         A,
         {{"a", 110, 3 + 2 * 0.999999999 + 5, 100 + 1e-9, 109, 1e-9}}},
        {"resized again when written",
         RESIZED "25.385 resize 0 2",
         A,
         {{"a", 70.1925, 3 + 2 * 2 + 4 * 5, 20.385 + 2 * 79.615, 70.1925, 0}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        run_case(&cases[i], "", costs);
    /* periodic ones are there already: 16 of the 20.385 s, nothing to wait for */
    static const struct interruption periodic = {
        "periodic",
        RESIZED "23.885 stop 0, 24.885 start 0 0",
        A,
        {{"a", 113.885, 3 + 2 * 0.5 + 5, 104.385, 112.885, 4.385}}};
    run_case(&periodic, "", "start_s: 3, restart_s: 5, checkpoint_s: 2, checkpoint_interval_s: 8");
}

/* GPUs sleep after 10 s and wake up in 6. */
#define SLEEP ", sleep_w: 8, sleep_after: 10, wake_s: 6"
#define COSTS "start_s: 3, restart_s: 5, checkpoint_s: 2"

/* a starts at 20 on a sleeping GPU: it would be awake at 26 and a computing from 29 on. */
Test(interruptions, while_gpus_wake_up) {
    static const struct interruption cases[] = {
        /* b has a's GPU from 23 on: 3 s until it is awake, 3 of set-up; a, at 24, one that sleeps:
           6 + 5 */
        {"the next job waits for the rest",
         "20 start 0 0, 22 stop 0, 23 start 1 0, 24 start 0 0",
         A "b,1,m,50\n",
         {{"a", 135, 2 + 11, 100, 113, 0}, {"b", 79, 6, 50, 56, 0}}},
        /* at 23 the one that x left at 21 is awake: b takes it, and c a's */
        {"those awake go first",
         "0 start 1 0, 20 start 0 0, 22 stop 0, 23 start 2 0, 23.5 start 3 0, 24 start 0 0",
         A "b,1,m,50\nc,2,m,50\nx,0,m,18\n",
         {{"a", 135, 13, 100, 113, 0}, {"b", 76, 3, 50, 53, 0}, {"c", 79, 5.5, 50, 55.5, 0}}},
        /* a's is awake before d's (27): b takes it, c d's; 3 s of set-up each */
        {"the first to be awake goes first",
         "20 start 0 0, 21 start 3 0, 21.5 stop 3, 22 stop 0, 23 start 1 0, 23.5 start 2 0, 24 start 0 0, 24.5 start 3 0",
         A "b,1,m,50\nc,2,m,50\nd,3,m,10\n",
         {{"b", 79, 6, 50, 56, 0}, {"c", 80, 6.5, 50, 56.5, 0}, {"a", 135, 13, 100, 113, 0}}},
        /* free from 22 on, it sleeps again at 32 */
        {"asleep again",
         "20 start 0 0, 22 stop 0, 32 start 0 0",
         A,
         {{"a", 143, 2 + 11, 100, 113, 0}}},
        {"awake, not asleep yet",
         "20 start 0 0, 22 stop 0, 31.999 start 0 0",
         A,
         {{"a", 136.999, 2 + 5, 100, 107, 0}}},
        /* to its own GPU, awake in 4 s, and x's, awake: 4 + 5 s, then 100 / 1.6 */
        {"resized",
         "0 start 1 0, 20 start 0 0, 22 resize 0 1",
         A "x,0,m,18\n",
         {{"a", 93.5, 2 + 2 * 9, 125, 73.5, 0}}},
        /* and to one that sleeps: 6 + 5 s */
        {"resized to one that sleeps",
         "20 start 0 0, 22 resize 0 1",
         A,
         {{"a", 95.5, 2 + 2 * 11, 125, 75.5, 0}}},
        /* half of a GPU (s), stopped at 22: the whole of it is awake at 26 for a; another half at
           25 as well */
        {"shared by one that is gone",
         "20 start 1 0, 22 stop 1, 23 start 0 0, 24 start 1 0",
         "job_id,submit_s,gpus,duration_s,gpu_share,model,work_samples\na,0,,,,m,100\ns,1,1,50,0.5,,\n",
         {{"a", 129, 6, 100, 106, 0}, {"s", 85, 0.5 * (2 + 11), 25, 63, 0}}},
        {"to be shared",
         "20 start 0 0, 22 stop 0, 23 start 1 0, 24 start 0 0",
         "job_id,submit_s,gpus,duration_s,gpu_share,model,work_samples\na,0,,,,m,100\ns,1,1,50,0.5,,\n",
         {{"a", 135, 13, 100, 113, 0}, {"s", 79, 0.5 * 6, 25, 56, 0}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        run_case(&cases[i], SLEEP, COSTS);
}

/* a moves at 23.385 to its GPU and one that sleeps, awake at 29.385: its checkpoint is written from
   then until 31.385. Moved on at 24.385 to all four, the last awake at 30.385, it is written
   until 32.385. */
Test(interruptions, while_gpus_wake_up_for_a_checkpoint) {
    static const struct interruption cases[] = {
        {"preempted",
         RESIZED "24.385 stop 0, 31.385 start 0 0",
         A,
         {{"a", 116, 3 + 2 * 8 + 5, 100, 116, 0}}},
        {"at once",
         RESIZED "31.384 kill 0, 32.384 start 0 0",
         A,
         {{"a", 137.384, 3 + 2 * 7.999 + 5, 120.385, 136.384, 20.385}}},
        {"resized again",
         RESIZED "24.385 resize 0 2",
         A,
         {{"a", 77.1925, 3 + 2 * 1 + 4 * 13, 20.385 + 2 * 79.615, 77.1925, 0}}},
        {"resized again and preempted",
         RESIZED "24.385 resize 0 2, 25 stop 0, 32.385 start 0 0",
         A,
         {{"a", 117, 3 + 2 * 1 + 4 * 8 + 5, 100, 117, 0}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        run_case(&cases[i], SLEEP, COSTS);
}

/* a computes from 1 to 10, which its checkpoint keeps; then it is stopped in set-up each second.
   The row of stops in vain begins behind the one that kept something: 1000 of them are allowed, and
   a goes on from 1012 on with the 91 s that are left. */
Test(interruptions, a_row_of_vain_stops) {
    for (int vain = 1000; vain <= 1001; vain++) {
        struct trial t;
        struct str script = {0};
        str_add(&script, "0 start 0 0, 10 stop 0, ");
        for (int i = 0; i < vain; i++)
            str_addf(&script, "%d start 0 0, %d.5 kill 0, ", 11 + i, 11 + i);
        str_addf(&script, "%d start 0 0", 11 + vain);
        trial_run(
            &t, &(struct trial_options){.jobs = "job_id,submit_s,gpus,duration_s\na,0,1,100\n"},
            "name: n\n"
            "horizon: drain\n" TRIAL_CLUSTER(
                1) "policy: {name: script, params: {actions: \"%s\"}}\n"
                   "workload: {kind: trace, file: jobs.csv, rigid_costs: {start_s: 1, restart_s: 1, checkpoint_s: 1}}\n",
            script.text);
        if (vain == 1000) {
            trial_must_succeed(&t);
            cr_expect_eq(trial_find(&t, "a")->finish_ns, 1103000000000);
        } else {
            cr_expect_str_eq(
                t.failure,
                "job a was stopped 1000 times in a row without having kept any of its work (at t = 1011.5 s)",
                "%s", t.failure);
        }
        trial_finish(&t);
        str_finish(&script);
    }
}

/* Where time went, from a record made by hand: two nodes of two GPUs. Every expected figure is
   worked out beside it. */
#include "insight/blame/critical_path.h"
#include "insight/blame/misses.h"
#include "insight/run_events.h"

#include "base/units.h"

#include <criterion/criterion.h>
#include <math.h>

#define S       NS_PER_S
#define JOBS    6
#define NOBODY  EASIM_NONE
#define ONE     0 /* configurations: one GPU, two GPUs */
#define TWO     1
#define POWER_W 100

enum { ANNE, BOB, CARL, DORA, EVE, FRED };

static struct recorded_folder folder;
static struct recorded_part part;
static struct recorded_run run;
static struct gpu_type type = {.name = "g", .idle_w = 50, .ctx_w = 60, .tdp_w = 400, .gpus = 4};
static struct node nodes[2] = {{.gpus = 2}, {.gpus = 2}};
static struct recorded_policy policy = {.name = "p"};

static void begin(double slowdown) {
    static struct easim_config configs[] = {
        {.k = 1, .span_count = 1, .goodput = {1}, .power_w = {POWER_W}, .power_limit_w = INFINITY},
        {.k = 2, .span_count = 1, .goodput = {2}, .power_w = {POWER_W}, .power_limit_w = INFINITY}};
    folder = (struct recorded_folder){.cluster = {.gpu_types = &type,
                                                  .gpu_type_count = 1,
                                                  .nodes = nodes,
                                                  .node_count = 2,
                                                  .gpus = 4,
                                                  .slowdown_per_neighbour = slowdown},
                                      .scenario = {.horizon_ns = TIME_NONE_NS}};
    folder.policies.at = &policy;
    folder.policies.count = 1;
    run = (struct recorded_run){.folder = &folder, .part = &part, .first_replica = JOBS};
    for (int i = 0; i < 2; i++)
        array_push(&run.workload.table.configs, configs[i]);
    array_push(
        &run.workload.table.sets,
        ((struct config_set){.first = 0, .count = 2, .until = 1, .speeds = {.best_goodput = 2}}));
    for (int i = 0; i < JOBS; i++)
        array_push(&run.workload.jobs,
                   ((struct job_spec){.deadline_ns = TIME_NONE_NS, .model = EASIM_NONE}));
    run.jobs = mem_zalloc(JOBS, sizeof *run.jobs);
    for (int i = 0; i < JOBS; i++)
        run.jobs[i].finish_ns = run.jobs[i].start_ns = -1;
}

/* A segment of the job; config NOBODY: queued. GPUs from `first` of the node on, as many as the
   configuration has. */
static void add(uint32_t job, enum segment_kind kind, int64_t start_s, int64_t end_s,
                enum segment_cause began, enum segment_cause ended) {
    struct recorded_job *j = &run.jobs[job];
    if (j->segment_count++ == 0) {
        j->segments = (uint32_t)run.segments.count;
        run.workload.jobs.at[job].submit_ns = start_s * S;
    }
    array_push(&run.segments, ((struct recorded_segment){.start_ns = start_s * S,
                                                         .end_ns = end_s * S,
                                                         .job = job,
                                                         .config = EASIM_NONE,
                                                         .kind = (uint8_t)kind,
                                                         .began = (uint8_t)began,
                                                         .ended = (uint8_t)ended}));
    if (ended == CAUSE_FINISHED)
        j->finish_ns = end_s * S;
}

/* On which GPUs the last segment was. */
static void on(uint32_t config, uint32_t node, uint32_t first, uint32_t count) {
    struct recorded_segment *s = &run.segments.at[run.segments.count - 1];
    s->gpus = s->gpus_count == 0 ? (uint32_t)run.gpus.count : s->gpus;
    s->gpus_count++;
    s->config = config;
    array_push(&run.gpus, ((struct recorded_gpus){node, first, count, 0}));
    s->energy = (int128)(s->end_ns - s->start_ns) * (config + 1) * POWER_W * NS_PER_S;
}

static void find(struct blame *blame) {
    segment_events_find(&run);
    blame_find(blame, &run);
}

static void end(struct blame *blame) {
    blame_finish(blame);
    free(run.workload.table.configs.at);
    free(run.workload.table.sets.at);
    free(run.workload.jobs.at);
    free(run.jobs);
    free(run.segments.at);
    free(run.events.at);
    free(run.gpus.at);
    free(run.rests.at);
}

static void expect_parts(const struct blame *blame, uint32_t job,
                         const double expected_s[BLAME_PARTS]) {
    for (int p = 0; p < BLAME_PARTS; p++)
        cr_expect_eq(blame->jobs[job].part_ns[p], llround(expected_s[p] * S), "job %u: %s is %g s",
                     job, blame_part_names[p], units_s(blame->jobs[job].part_ns[p]));
}

/* Anne runs on node 0 at once, is preempted at 30 with a checkpoint until 35, waits until 50, is
   set up until 53, fails at 60 (7 s lost), waits until 70 and is set up until 74. At 80 she is
   resized, set up until 82, and finishes at 100. */
Test(blame, parts_add_up) {
    struct blame blame;
    begin(0);
    add(ANNE, SEGMENT_QUEUED, 3, 3, CAUSE_SUBMITTED, CAUSE_STARTED);
    add(ANNE, SEGMENT_SETUP, 3, 5, CAUSE_STARTED, CAUSE_SET_UP), on(TWO, 0, 0, 2);
    add(ANNE, SEGMENT_RUN, 5, 30, CAUSE_SET_UP, CAUSE_PREEMPTED), on(TWO, 0, 0, 2);
    add(ANNE, SEGMENT_CHECKPOINT, 30, 35, CAUSE_PREEMPTED, CAUSE_SAVED), on(TWO, 0, 0, 2);
    add(ANNE, SEGMENT_QUEUED, 35, 50, CAUSE_SAVED, CAUSE_STARTED);
    add(ANNE, SEGMENT_SETUP, 50, 53, CAUSE_STARTED, CAUSE_SET_UP), on(TWO, 0, 0, 2);
    add(ANNE, SEGMENT_LOST, 53, 55, CAUSE_SET_UP, CAUSE_PHASE), on(TWO, 0, 0, 2);
    add(ANNE, SEGMENT_LOST, 55, 60, CAUSE_PHASE, CAUSE_NODE_FAILED), on(TWO, 0, 0, 2);
    add(ANNE, SEGMENT_QUEUED, 60, 70, CAUSE_NODE_FAILED, CAUSE_STARTED);
    add(ANNE, SEGMENT_SETUP, 70, 74, CAUSE_STARTED, CAUSE_SET_UP), on(ONE, 1, 0, 1);
    add(ANNE, SEGMENT_RUN, 74, 80, CAUSE_SET_UP, CAUSE_RESIZED), on(ONE, 1, 0, 1);
    add(ANNE, SEGMENT_SETUP, 80, 82, CAUSE_RESIZED, CAUSE_SET_UP), on(TWO, 1, 0, 2);
    add(ANNE, SEGMENT_RUN, 82, 100, CAUSE_SET_UP, CAUSE_FINISHED), on(TWO, 1, 0, 2);
    array_push(&run.rests, ((struct recorded_rest){60 * S, 90 * S, 0, 0, 2, RECORDED_FAILED}));
    find(&blame);
    expect_parts(&blame, ANNE,
                 (double[BLAME_PARTS]){[BLAME_SETUP] = 2,
                                       [BLAME_RUN] = 25 + 6 + 18,
                                       [BLAME_LOST] = 7,
                                       [BLAME_RESIZED] = 2,
                                       [BLAME_PREEMPTED] = 5 + 15 + 3,
                                       [BLAME_FAILED] = 10 + 4});
    cr_expect_eq(blame.jobs[ANNE].lost_failed_ns, 7 * S);
    cr_expect_eq(blame.jobs[ANNE].lost_preempted_ns, 0);
    struct node_blame *by_node = node_blame_find(&run, &blame);
    cr_expect_eq(by_node[0].failures, 1);
    cr_expect_eq(by_node[0].stopped_jobs, 1);
    cr_expect_eq(power_gpu_s(by_node[0].down_gpu_ps), 30 * 2);
    cr_expect_eq(power_gpu_s(by_node[0].lost_gpu_ps), 7 * 2);
    cr_expect_eq(power_j(by_node[0].lost_energy), 7 * 2 * POWER_W);
    cr_expect_eq(by_node[1].failures, 0);
    free(by_node);
    end(&blame);
}

/* slowdown 0.5 a neighbour. Anne is on node 0 from 0 to 40, Bob there from 10 to 30 (set-up until
   14), Carl across both nodes from 20 to 40. Anne has one neighbour from 10 to 20, two until 30 and
   one until 40; Bob from 14 on one, from 20 on two; Carl two on node 0, then one, and none on
   node 1. */
Test(blame, neighbours) {
    static struct node three[2] = {{.gpus = 3}, {.gpus = 2}};
    const double one = 0.5 / 1.5, two = 1.0 / 2;
    struct blame blame;
    begin(0.5);
    folder.cluster.nodes = three;
    add(ANNE, SEGMENT_QUEUED, 0, 0, CAUSE_SUBMITTED, CAUSE_STARTED);
    add(ANNE, SEGMENT_RUN, 0, 40, CAUSE_STARTED, CAUSE_FINISHED), on(ONE, 0, 0, 1);
    add(BOB, SEGMENT_QUEUED, 10, 10, CAUSE_SUBMITTED, CAUSE_STARTED);
    add(BOB, SEGMENT_SETUP, 10, 14, CAUSE_STARTED, CAUSE_SET_UP), on(ONE, 0, 1, 1);
    add(BOB, SEGMENT_RUN, 14, 30, CAUSE_SET_UP, CAUSE_FINISHED), on(ONE, 0, 1, 1);
    add(CARL, SEGMENT_QUEUED, 20, 20, CAUSE_SUBMITTED, CAUSE_STARTED);
    add(CARL, SEGMENT_RUN, 20, 40, CAUSE_STARTED, CAUSE_FINISHED), on(TWO, 0, 2, 1),
        on(TWO, 1, 0, 1);
    find(&blame);
    const double slowed_s[] = {10 * one + 10 * two + 10 * one, 6 * one + 10 * two,
                               10 * two + 10 * one};
    const double run_s[] = {40, 16, 20}, power_w[] = {POWER_W, POWER_W, 2 * POWER_W};
    double all_j = 0;
    for (uint32_t j = ANNE; j <= CARL; j++) {
        cr_expect_eq(blame.jobs[j].part_ns[BLAME_SLOWED], llround(slowed_s[j] * S), "job %u", j);
        cr_expect_eq(blame.jobs[j].part_ns[BLAME_SLOWED] + blame.jobs[j].part_ns[BLAME_RUN],
                     llround(run_s[j] * S));
        cr_expect_float_eq(blame.jobs[j].slowed_j, power_w[j] * slowed_s[j], 1e-6);
        all_j += power_w[j] * slowed_s[j];
    }
    cr_expect_float_eq(blame.node_slowed_j[0], all_j, 1e-6);
    cr_expect_eq(blame.node_slowed_j[1], 0);
    end(&blame);
}

/* Four GPUs in two nodes. Anne holds node 0 until 10, Bob node 1 until 20. Carl waits from 1 and
   gets node 0 at 10; Dora waits from 2 for two GPUs and gets those of node 1 at 20, until 35; Eve
   needs none of them: she comes at 25 and takes a GPU that Carl gave back at 22, without a wait.
   Fred waits from 21 for two GPUs: one was released by Carl at 22, the other by Dora at 35. */
static void add_chain(void) {
    begin(0);
    add(ANNE, SEGMENT_QUEUED, 0, 0, CAUSE_SUBMITTED, CAUSE_STARTED);
    add(ANNE, SEGMENT_RUN, 0, 10, CAUSE_STARTED, CAUSE_FINISHED), on(TWO, 0, 0, 2);
    add(BOB, SEGMENT_QUEUED, 0, 0, CAUSE_SUBMITTED, CAUSE_STARTED);
    add(BOB, SEGMENT_RUN, 0, 20, CAUSE_STARTED, CAUSE_FINISHED), on(TWO, 1, 0, 2);
    add(CARL, SEGMENT_QUEUED, 1, 10, CAUSE_SUBMITTED, CAUSE_STARTED);
    add(CARL, SEGMENT_RUN, 10, 22, CAUSE_STARTED, CAUSE_FINISHED), on(TWO, 0, 0, 2);
    add(DORA, SEGMENT_QUEUED, 2, 20, CAUSE_SUBMITTED, CAUSE_STARTED);
    add(DORA, SEGMENT_RUN, 20, 35, CAUSE_STARTED, CAUSE_FINISHED), on(TWO, 1, 0, 2);
    add(EVE, SEGMENT_QUEUED, 25, 25, CAUSE_SUBMITTED, CAUSE_STARTED);
    add(EVE, SEGMENT_RUN, 25, 50, CAUSE_STARTED, CAUSE_FINISHED), on(ONE, 0, 1, 1);
    add(FRED, SEGMENT_QUEUED, 21, 36, CAUSE_SUBMITTED, CAUSE_STARTED);
    add(FRED, SEGMENT_RUN, 36, 60, CAUSE_STARTED, CAUSE_FINISHED), on(TWO, 0, 0, 1),
        on(TWO, 1, 0, 1);
}

Test(blame, who_made_room) {
    static const struct {
        uint32_t behind;
        int64_t released_s, waited_s;
    } expected[JOBS] = {{NOBODY, 0, 0}, {NOBODY, 0, 0}, {ANNE, 10, 9},
                        {BOB, 20, 18},  {NOBODY, 0, 0}, {DORA, 35, 15}};
    struct blame blame;
    add_chain();
    find(&blame);
    for (uint32_t j = 0; j < JOBS; j++) {
        const struct holding *h = blame_first_holding(&blame, j);
        cr_assert_not_null(h);
        cr_expect_eq(h->behind, expected[j].behind, "job %u is behind %u", j, h->behind);
        cr_expect_eq(h->released_ns, expected[j].released_s * S);
        cr_expect_eq(h->waited_ns, expected[j].waited_s * S);
    }
    end(&blame);
}

/* Back from Fred, who ends last: Dora released at 35, Bob at 20. 20 + 15 + 24 s are held, 1 s is a
   gap; the makespan is that of the whole run, as Bob came first. */
Test(blame, chain_back_from_the_last_finish) {
    static const struct critical_link expected[] = {
        {BOB, 0, 20 * S, 0}, {DORA, 20 * S, 35 * S, 0}, {FRED, 36 * S, 60 * S, 1 * S}};
    struct blame blame;
    struct critical_path path = {0};
    add_chain();
    find(&blame);
    critical_path_find(&path, &run, &blame.holdings);
    cr_assert_eq(path.links.count, 3);
    for (int i = 0; i < 3; i++) {
        const struct critical_link *l = &path.links.at[i];
        cr_expect(l->job == expected[i].job && l->start_ns == expected[i].start_ns &&
                      l->end_ns == expected[i].end_ns && l->gap_ns == expected[i].gap_ns,
                  "link %d", i);
    }
    cr_expect_eq(path.held_ns, 59 * S);
    cr_expect_eq(path.length_ns, 60 * S);
    cr_expect_eq(path.makespan_ns, 60 * S);
    critical_path_finish(&path);
    end(&blame);
}

/* Bob is preempted at 10 by Anne, who comes then, and gets his GPUs back at 30; the chain is Bob
   until 10, Anne, Bob. Nobody finishes: there is no chain. */
Test(blame, chain_through_a_preemption) {
    struct blame blame;
    struct critical_path path = {0};
    begin(0);
    add(ANNE, SEGMENT_QUEUED, 5, 10, CAUSE_SUBMITTED, CAUSE_STARTED);
    add(ANNE, SEGMENT_RUN, 10, 30, CAUSE_STARTED, CAUSE_FINISHED), on(TWO, 0, 0, 2);
    add(BOB, SEGMENT_QUEUED, 0, 0, CAUSE_SUBMITTED, CAUSE_STARTED);
    add(BOB, SEGMENT_RUN, 0, 10, CAUSE_STARTED, CAUSE_PREEMPTED), on(TWO, 0, 0, 2);
    add(BOB, SEGMENT_QUEUED, 10, 30, CAUSE_PREEMPTED, CAUSE_STARTED);
    add(BOB, SEGMENT_SETUP, 30, 31, CAUSE_STARTED, CAUSE_SET_UP), on(TWO, 0, 0, 2);
    add(BOB, SEGMENT_RUN, 31, 40, CAUSE_SET_UP, CAUSE_FINISHED), on(TWO, 0, 0, 2);
    find(&blame);
    critical_path_find(&path, &run, &blame.holdings);
    cr_assert_eq(path.links.count, 3);
    cr_expect_eq(path.links.at[0].job, BOB);
    cr_expect_eq(path.links.at[0].end_ns, 10 * S);
    cr_expect_eq(path.links.at[1].job, ANNE);
    cr_expect_eq(path.links.at[2].job, BOB);
    cr_expect_eq(path.held_ns, 40 * S);
    critical_path_finish(&path);
    run.jobs[ANNE].finish_ns = run.jobs[BOB].finish_ns = -1;
    critical_path_find(&path, &run, &blame.holdings);
    cr_expect_eq(path.links.count, 0);
    end(&blame);
}

/* A GPU of node 0 that Anne and Bob share: Anne goes on there over the end of a segment (her use
   changes), which gives nothing back, so Carl, who needs the whole of it, is behind Bob. */
Test(blame, parts_of_a_gpu) {
    struct blame blame;
    begin(0);
    run.workload.table.configs.at[ONE].milli = 500;
    add(ANNE, SEGMENT_QUEUED, 0, 0, CAUSE_SUBMITTED, CAUSE_STARTED);
    add(ANNE, SEGMENT_RUN, 0, 5, CAUSE_STARTED, CAUSE_UTILIZATION), on(ONE, 0, 0, 1);
    add(ANNE, SEGMENT_RUN, 5, 9, CAUSE_UTILIZATION, CAUSE_FINISHED), on(ONE, 0, 0, 1);
    add(BOB, SEGMENT_QUEUED, 0, 0, CAUSE_SUBMITTED, CAUSE_STARTED);
    add(BOB, SEGMENT_RUN, 0, 9, CAUSE_STARTED, CAUSE_FINISHED), on(ONE, 0, 0, 1);
    add(CARL, SEGMENT_QUEUED, 1, 6, CAUSE_SUBMITTED, CAUSE_STARTED);
    add(CARL, SEGMENT_RUN, 6, 8, CAUSE_STARTED, CAUSE_FINISHED), on(ONE, 0, 1, 1);
    add(DORA, SEGMENT_QUEUED, 1, 9, CAUSE_SUBMITTED, CAUSE_STARTED);
    add(DORA, SEGMENT_RUN, 9, 12, CAUSE_STARTED, CAUSE_FINISHED), on(ONE, 0, 0, 1);
    find(&blame);
    cr_expect_eq(blame_first_holding(&blame, CARL)->behind, NOBODY);
    cr_expect_eq(blame_first_holding(&blame, DORA)->behind, ANNE); /* both at 9: the first */
    end(&blame);
}

/* One job of 20 s of work on two GPUs (goodput 2: T* = 10 s, set-up 1 s of it the first time) that
   runs on one GPU: set-up 1 s, 20 s. What else there is decides. */
static enum miss_cause cause_of(int64_t deadline_s, double *late_s) {
    struct blame blame;
    run.workload.rigid_costs = (struct start_costs){.start_s = 1, .restart_s = 1};
    run.workload.table.cluster = &folder.cluster;
    run.workload.jobs.at[ANNE].work = 20;
    run.workload.jobs.at[ANNE].deadline_ns = deadline_s * S;
    find(&blame);
    enum miss_cause cause = miss_cause_find(&run, &blame, ANNE, late_s);
    end(&blame);
    return cause;
}

/* Waits w s in the queue, then runs until w + 21. */
static void add_waiting(int64_t wait_s) {
    begin(0);
    add(ANNE, SEGMENT_QUEUED, 0, wait_s, CAUSE_SUBMITTED, CAUSE_STARTED);
    add(ANNE, SEGMENT_SETUP, wait_s, wait_s + 1, CAUSE_STARTED, CAUSE_SET_UP), on(ONE, 0, 0, 1);
    add(ANNE, SEGMENT_RUN, wait_s + 1, wait_s + 21, CAUSE_SET_UP, CAUSE_FINISHED), on(ONE, 0, 0, 1);
    run.jobs[ANNE].state = EASIM_JOB_FINISHED;
    run.jobs[ANNE].start_ns = wait_s * S;
}

Test(blame, causes_of_missed_deadlines) {
    double late_s;
    add_waiting(5); /* ends at 26, 4 late: without the wait it would be at 21 */
    cr_expect_eq(cause_of(22, &late_s), MISS_QUEUED);
    cr_expect_eq(late_s, 4);
    add_waiting(5); /* in time */
    cr_expect_eq(cause_of(26, &late_s), MISS_NOT);
    cr_expect(isnan(late_s));
    add_waiting(5); /* 12 late, of which 5 waiting: on two GPUs it would have been at 16 > 14 only
                       by the wait, so no one thing but its configuration explains it */
    cr_expect_eq(cause_of(14, &late_s), MISS_CONFIGURATION);
    cr_expect_eq(late_s, 12);
    add_waiting(5); /* T* = 11 s do not fit into 10 */
    cr_expect_eq(cause_of(10, &late_s), MISS_INFEASIBLE);
    add_waiting(15); /* they do not, but it would have to be queued behind others to be 26 late */
    cr_expect_eq(cause_of(10, &late_s), MISS_INFEASIBLE);
    add_waiting(30); /* 41 late, 30 by waiting: not all of it */
    cr_expect_eq(cause_of(11, &late_s), MISS_CONFIGURATION);
}

/* Still waiting at 40: T* later it could be done at 51, which is 31 after the deadline of 20; all
   of it in the queue. Rejected: could never run. Preempted: 12 s of checkpoint and wait make it
   late. */
Test(blame, causes_of_unfinished_jobs) {
    double late_s;
    part.end_ns = 40 * S;
    begin(0);
    add(ANNE, SEGMENT_QUEUED, 0, 40, CAUSE_SUBMITTED, CAUSE_END_OF_RUN);
    run.jobs[ANNE].state = EASIM_JOB_WAITING;
    cr_expect_eq(cause_of(20, &late_s), MISS_QUEUED);
    cr_expect_eq(late_s, 31);
    begin(0);
    run.jobs[ANNE].state = EASIM_JOB_REJECTED;
    cr_expect_eq(cause_of(20, &late_s), MISS_INFEASIBLE);
    cr_expect(isnan(late_s));
    begin(0);
    add(ANNE, SEGMENT_QUEUED, 0, 2, CAUSE_SUBMITTED, CAUSE_STARTED);
    add(ANNE, SEGMENT_RUN, 2, 9, CAUSE_STARTED, CAUSE_PREEMPTED), on(TWO, 0, 0, 2);
    add(ANNE, SEGMENT_LOST, 9, 10, CAUSE_PREEMPTED, CAUSE_PREEMPTED), on(TWO, 0, 0, 2);
    add(ANNE, SEGMENT_QUEUED, 10, 20, CAUSE_PREEMPTED, CAUSE_STARTED);
    add(ANNE, SEGMENT_SETUP, 20, 21, CAUSE_STARTED, CAUSE_SET_UP), on(TWO, 0, 0, 2);
    add(ANNE, SEGMENT_RUN, 21, 24, CAUSE_SET_UP, CAUSE_FINISHED), on(TWO, 0, 0, 2);
    run.jobs[ANNE].state = EASIM_JOB_FINISHED;
    run.jobs[ANNE].start_ns = 2 * S;
    cr_expect_eq(cause_of(12, &late_s), MISS_PREEMPTED); /* 12 late: 10 + 1 + 1, and 2 queued */
    cr_expect_eq(late_s, 12);
}

/* Idle GPUs draw 4 x 50 W, Anne's two 100 W each: 300 W. Bob, who waits from 10 on, adds 50 W with
   one GPU and 100 W with two. Up to 20 the cap of 340 W forbids both; from 20 to 26 that of 360 W
   lets one start, so it is not the cap; from 26 to 30 it is 340 W again, but Carl has the other two
   GPUs and nothing fits. A policy that keeps no cap is not kept from anything. */
Test(blame, waits_for_the_cap) {
    static const struct {
        bool keeps_cap;
        double capped_s;
    } cases[] = {{true, 10}, {false, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static struct recorded_step steps[] = {
            {0, 340, NAN, NAN}, {20 * S, 360, NAN, NAN}, {26 * S, 340, NAN, NAN}};
        struct blame blame;
        begin(0);
        policy.keeps_cap = cases[i].keeps_cap;
        folder.steps.at = steps;
        folder.steps.count = 3;
        add(ANNE, SEGMENT_QUEUED, 0, 0, CAUSE_SUBMITTED, CAUSE_STARTED);
        add(ANNE, SEGMENT_RUN, 0, 30, CAUSE_STARTED, CAUSE_FINISHED), on(TWO, 0, 0, 2);
        add(BOB, SEGMENT_QUEUED, 10, 30, CAUSE_SUBMITTED, CAUSE_STARTED);
        add(BOB, SEGMENT_RUN, 30, 40, CAUSE_STARTED, CAUSE_FINISHED), on(TWO, 0, 0, 2);
        add(CARL, SEGMENT_QUEUED, 26, 26, CAUSE_SUBMITTED, CAUSE_STARTED);
        add(CARL, SEGMENT_RUN, 26, 40, CAUSE_STARTED, CAUSE_FINISHED), on(TWO, 1, 0, 2);
        find(&blame);
        expect_parts(&blame, BOB,
                     (double[BLAME_PARTS]){[BLAME_QUEUED] = 20 - cases[i].capped_s,
                                           [BLAME_CAPPED] = cases[i].capped_s,
                                           [BLAME_RUN] = 10});
        end(&blame);
    }
}

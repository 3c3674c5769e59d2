/* Parts of src/insight/waste on small tables and runs made by hand; the classes of real runs are in
   system/test_waste.py. */
#include "insight/waste/classes.h"
#include "insight/waste/waste.h"

#include "base/units.h"
#include "insight/waste/instants.h"
#include "output/recorded/recorded.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#define NEAR(actual, expected) cr_expect_float_eq((actual), (expected), 1e-12 * fabs(expected))

/* --- a cluster: 4 + 2 GPUs of type 0, 8 of type 1 --- */

static struct gpu_type types[] = {
    {.name = "a", .idle_w = 50, .ctx_w = 80, .sleep_w = 7, .gpus = 6, .node_gpus_max = 4},
    {.name = "b", .idle_w = 60, .ctx_w = 90, .sleep_w = 9, .gpus = 8, .node_gpus_max = 8}};
static struct node nodes[] = {
    {.gpu_type = 0, .gpus = 4, .fixed_w = 100, .cpu_w_per_busy_gpu = 3},
    {.gpu_type = 0, .gpus = 2, .fixed_w = 100, .cpu_w_per_busy_gpu = 3},
    {.gpu_type = 1, .gpus = 8, .fixed_w = 200, .cpu_w_per_busy_gpu = 5},
};
static const struct cluster cluster = {
    .gpu_types = types, .gpu_type_count = 2, .nodes = nodes, .node_count = 3, .gpus = 14};

static struct easim_config config_of(uint32_t gpu_type, uint32_t k, double batch, double goodput,
                                     double power_w) {
    return (struct easim_config){.gpu_type = gpu_type,
                                 .k = k,
                                 .batch = batch,
                                 .span_count = 2,
                                 .power_limit_w = INFINITY,
                                 .goodput = {goodput, goodput},
                                 .power_w = {power_w, power_w}};
}

/* A table of one set for each list of configurations. */
static void add_set(struct config_table *table, const struct easim_config *configs,
                    uint32_t count) {
    struct config_set set = {.first = (uint32_t)table->configs.count, .count = count, .until = 1};
    for (uint32_t i = 0; i < count; i++) {
        array_push(&table->configs, configs[i]);
        set.type_mask |= 1ull << configs[i].gpu_type;
    }
    array_push(&table->sets, set);
}

static void finish_table(struct config_table *table) {
    free(table->configs.at);
    free(table->sets.at);
}

/* --- room --- */

Test(waste, room_is_what_placement_sees) {
    struct room room;
    room_init(&room, &cluster);
    struct room_free free = room_free_of(&room, 0);
    cr_expect(free.gpus == 6 && free.of_node == 4 && free.of_share == 0);
    cr_expect(room_take(&room, 0, 3));
    free = room_free_of(&room, 0);
    cr_expect(free.gpus == 3 && free.of_node == 2);
    cr_expect(!room_take(&room, 0, 2), "one GPU is free");
    cr_expect(room_take(&room, 1, 2));
    room_give_back(&room, 0, 3);
    free = room_free_of(&room, 0);
    cr_expect(free.gpus == 4 && free.of_node == 4);
    cr_expect(room_free_of(&room, 1).gpus == 8);
    room_finish(&room);
}

Test(waste, room_has_parts_of_gpus) {
    struct room room;
    room_init(&room, &cluster);
    cr_expect(room_take_share(&room, 1, 0, 300));
    cr_expect(room_take_share(&room, 1, 1, 450));
    struct room_free free = room_free_of(&room, 0);
    cr_expect(free.gpus == 4 && free.of_share == 700);
    cr_expect_eq(room_free_milli(&room, 0), 4000 + 700 + 550);
    cr_expect(!room_take_share(&room, 1, 1, 551));
    cr_expect(room_take_share(&room, 1, 1, 550));
    cr_expect(!room_take(&room, 1, 1), "both GPUs of the node are held in part");
    room_give_back_share(&room, 1, 0, 300);
    free = room_free_of(&room, 0);
    cr_expect(free.gpus == 5 && free.of_share == 0);
    cr_expect_eq(room_free_milli(&room, 0), 5000);
    room_finish(&room);
}

Test(waste, a_configuration_fits_in_a_span_in_which_it_is_known) {
    struct easim_config three = config_of(0, 3, 1, 1, 1);
    const struct room_free spread = {.gpus = 3, .of_node = 2}, node = {.gpus = 3, .of_node = 3},
                           few = {.gpus = 2, .of_node = 2};
    cr_expect(room_fits(&spread, &three) && room_fits(&node, &three) && !room_fits(&few, &three));
    three.goodput[EASIM_ACROSS_NODES] = 0;
    cr_expect(!room_fits(&spread, &three) && room_fits(&node, &three));
    three.goodput[EASIM_ACROSS_NODES] = 1;
    three.goodput[EASIM_ONE_NODE] = 0;
    cr_expect(room_fits(&spread, &three) && !room_fits(&node, &three));
}

/* --- what waiting jobs need --- */

Test(waste, wanted_by_the_span_in_which_a_configuration_is_known) {
    struct config_table table = {.cluster = &cluster};
    struct easim_config any[] = {config_of(0, 5, 1, 1, 1), config_of(0, 3, 1, 1, 1)};
    struct easim_config one_node = config_of(0, 2, 1, 1, 1), across = one_node,
                        across_more = config_of(0, 4, 1, 1, 1), share = config_of(1, 1, 0, 1, 1);
    one_node.goodput[EASIM_ACROSS_NODES] = 0;
    across.goodput[EASIM_ONE_NODE] = across_more.goodput[EASIM_ONE_NODE] = 0;
    share.milli = 400;
    struct easim_config both_across[] = {across, across_more};
    add_set(&table, any, 2);
    add_set(&table, &one_node, 1);
    add_set(&table, both_across, 2);
    add_set(&table, &share, 1);
    struct wanted wanted;
    wanted_init(&wanted, &table);
    struct room_free few = {.gpus = 2, .of_node = 1}, enough = {.gpus = 3, .of_node = 1};

    wanted_add(&wanted, 0);
    cr_expect(wanted_any(&wanted, 0) && !wanted_any(&wanted, 1));
    cr_expect(!wanted_fits(&wanted, 0, &few) && wanted_fits(&wanted, 0, &enough));
    wanted_remove(&wanted, 0);
    cr_expect(!wanted_any(&wanted, 0) && !wanted_fits(&wanted, 0, &enough));

    wanted_add(&wanted, 1);
    cr_expect(!wanted_fits(&wanted, 0, &enough), "2 GPUs of one node are wanted");
    cr_expect(wanted_fits(&wanted, 0, &(struct room_free){.gpus = 2, .of_node = 2}));
    wanted_remove(&wanted, 1);

    wanted_add(&wanted, 2);
    wanted_add(&wanted, 2);
    cr_expect(wanted_fits(&wanted, 0, &few), "2 GPUs of two nodes");
    cr_expect(!wanted_fits(&wanted, 0, &(struct room_free){.gpus = 2, .of_node = 2}));
    cr_expect(!wanted_fits(&wanted, 0, &(struct room_free){.gpus = 3, .of_node = 3}));
    cr_expect(wanted_fits(&wanted, 0, &(struct room_free){.gpus = 5, .of_node = 3}));
    wanted_remove(&wanted, 2);
    cr_expect(wanted_fits(&wanted, 0, &few), "the other one");
    wanted_remove(&wanted, 2);

    wanted_add(&wanted, 3);
    cr_expect(!wanted_fits(&wanted, 1, &(struct room_free){.of_share = 399}));
    cr_expect(wanted_fits(&wanted, 1, &(struct room_free){.of_share = 400}));
    cr_expect(wanted_fits(&wanted, 1, &(struct room_free){.gpus = 1, .of_node = 1}));
    wanted_finish(&wanted);
    finish_table(&table);
}

/* --- steps of cost --- */

/* e = k P / G of six configurations:
     0: a k 1: 100 / 2 = 50       1: a k 2 b 8: 2 x 110 / 3.2 = 68.75  2: a k 2 b 16: 2 x 120 / 4 =
   60 3: a k 4: 4 x 100 / 5 = 80   4: b k 1: 90 / 2.5 = 36              5: b k 8: 8 x 100 / 25 = 32
 */
static void add_costs(struct config_table *table) {
    const struct easim_config configs[] = {
        config_of(0, 1, 8, 2, 100), config_of(0, 2, 8, 3.2, 110), config_of(0, 2, 16, 4, 120),
        config_of(0, 4, 8, 5, 100), config_of(1, 1, 8, 2.5, 90),  config_of(1, 8, 8, 25, 100),
    };
    add_set(table, configs, 6);
}

static const uint32_t cheapest[COST_STEPS][3] = {
    /* with all of a free; with one of b free too; with all of b */
    [COST_AS_PLACED] = {1, 1, 1}, [COST_WHEN_EMPTY] = {1, 1, 1}, [COST_BEST_BATCH] = {2, 2, 2},
    [COST_BEST_SIZE] = {0, 0, 0}, [COST_BEST_THERE] = {0, 4, 5}, [COST_LEAST] = {5, 5, 5},
};

Test(waste, steps_of_cost_go_from_what_it_was_to_the_least) {
    struct config_table table = {.cluster = &cluster};
    struct cost_order order;
    add_costs(&table);
    table.configs.at[1].goodput[EASIM_ACROSS_NODES] = 2.75; /* 2 x 110 / 2.75 = 80 */
    cost_order_init(&order, &table);
    const uint32_t free_b[] = {0, 1, 8};
    for (int i = 0; i < 3; i++) {
        struct room_free free[] = {{.gpus = 6, .of_node = 4},
                                   {.gpus = free_b[i], .of_node = free_b[i]}};
        struct cost steps[COST_STEPS];
        cost_steps_find(&order, 0, 1, EASIM_ACROSS_NODES, free, steps);
        for (int step = 0; step < COST_STEPS; step++)
            cr_expect_eq(steps[step].config, cheapest[step][i], "step %d, %u of b", step,
                         free_b[i]);
        cr_expect_eq(steps[COST_AS_PLACED].energy_j, 80);
        cr_expect_eq(steps[COST_WHEN_EMPTY].energy_j, 68.75);
        cr_expect_eq(steps[COST_BEST_BATCH].energy_j, 60);
        cr_expect_eq(steps[COST_BEST_BATCH].gpu_s, 0.5);
        cr_expect_eq(steps[COST_LEAST].energy_j, 32);
        NEAR(steps[COST_LEAST].gpu_s, 0.32);
    }
    cost_order_finish(&order);
    finish_table(&table);
}

/* Known across nodes only: no row of the empty cluster, so it keeps what it costs there. */
Test(waste, steps_of_a_configuration_that_the_empty_cluster_does_not_know) {
    struct config_table table = {.cluster = &cluster};
    struct cost_order order;
    struct cost steps[COST_STEPS];
    add_costs(&table);
    table.configs.at[2].goodput[EASIM_ONE_NODE] = 0;
    table.configs.at[2].goodput[EASIM_ACROSS_NODES] = 3; /* 2 x 120 / 3 = 80 */
    cost_order_init(&order, &table);
    const struct room_free free[] = {{.gpus = 2, .of_node = 1}, {0}};
    cost_steps_find(&order, 0, 2, EASIM_ACROSS_NODES, free, steps);
    cr_expect_eq(steps[COST_WHEN_EMPTY].energy_j, 80);
    cr_expect_eq(steps[COST_BEST_BATCH].config, 1);
    cr_expect_eq(steps[COST_BEST_THERE].config, 0);
    cost_order_finish(&order);
    finish_table(&table);
}

/* Equal energies: fewer GPUs, lower power, earlier type, smaller batch (semantics 5.1). */
Test(waste, ties_of_cost_go_by_the_order_of_configurations) {
    struct config_table table = {.cluster = &cluster};
    struct cost_order order;
    struct cost steps[COST_STEPS];
    const struct easim_config configs[] = {config_of(1, 2, 4, 4, 100), config_of(1, 1, 8, 2, 100),
                                           config_of(1, 1, 4, 2, 100), config_of(0, 1, 4, 2, 100),
                                           config_of(0, 1, 2, 1, 50)};
    const struct room_free free[] = {{.gpus = 6, .of_node = 4}, {.gpus = 8, .of_node = 8}};
    add_set(&table, configs, 5);
    cost_order_init(&order, &table);
    cost_steps_find(&order, 0, 0, EASIM_ONE_NODE, free, steps);
    cr_expect_eq(steps[COST_BEST_BATCH].config, 0);
    cr_expect_eq(steps[COST_BEST_SIZE].config, 2);
    cr_expect_eq(steps[COST_LEAST].config, 4);
    cost_order_finish(&order);
    finish_table(&table);
}

/* --- causes --- */

static struct recorded_segment segment_of(enum segment_kind kind, enum segment_cause began,
                                          enum segment_cause ended) {
    return (struct recorded_segment){
        .kind = (uint8_t)kind, .began = (uint8_t)began, .ended = (uint8_t)ended};
}

/* The classes of segments in turn. */
static void expect_causes(const struct recorded_segment *segments, uint32_t count, bool on_demand,
                          const enum waste_class *expected, int line) {
    enum waste_class so_far = WASTE_SET_UP;
    for (uint32_t i = 0; i < count; i++) {
        enum waste_class found = causes_class(so_far, &segments[i], count - i, on_demand);
        cr_expect_eq(found, expected[i], "line %d, segment %u: %s", line, i,
                     waste_class_names[found]);
        so_far = causes_after(so_far, &segments[i]);
    }
}

Test(waste, causes_of_set_ups_and_checkpoints) {
    const struct recorded_segment segments[] = {
        segment_of(SEGMENT_QUEUED, CAUSE_SUBMITTED, CAUSE_STARTED),
        segment_of(SEGMENT_SETUP, CAUSE_STARTED, CAUSE_NODE_FAILED), /* first, lost with its GPUs */
        segment_of(SEGMENT_QUEUED, CAUSE_NODE_FAILED, CAUSE_STARTED),
        segment_of(SEGMENT_SETUP, CAUSE_STARTED, CAUSE_SET_UP),
        segment_of(SEGMENT_RUN, CAUSE_SET_UP, CAUSE_PREEMPTED),
        segment_of(SEGMENT_CHECKPOINT, CAUSE_PREEMPTED, CAUSE_SAVED),
        segment_of(SEGMENT_QUEUED, CAUSE_SAVED, CAUSE_STARTED),
        segment_of(SEGMENT_SETUP, CAUSE_STARTED, CAUSE_SET_UP),
        segment_of(SEGMENT_RUN, CAUSE_SET_UP, CAUSE_FINISHED),
    };
    const enum waste_class expected[] = {WASTE_USEFUL, WASTE_SET_UP,       WASTE_USEFUL,
                                         WASTE_FAILED, WASTE_USEFUL,       WASTE_RECONFIGURED,
                                         WASTE_USEFUL, WASTE_RECONFIGURED, WASTE_USEFUL};
    expect_causes(segments, 9, true, expected, __LINE__);
}

Test(waste, causes_of_lost_work) {
    /* Of a run in two phases, the checkpoint of whose preemption failed with its node. */
    const struct recorded_segment vain[] = {
        segment_of(SEGMENT_LOST, CAUSE_STARTED, CAUSE_PHASE),
        segment_of(SEGMENT_LOST, CAUSE_PHASE, CAUSE_PREEMPTED),
        segment_of(SEGMENT_CHECKPOINT, CAUSE_PREEMPTED, CAUSE_NODE_FAILED),
        segment_of(SEGMENT_QUEUED, CAUSE_NODE_FAILED, CAUSE_END_OF_RUN),
    };
    const enum waste_class by_failure[] = {WASTE_FAILED, WASTE_FAILED, WASTE_RECONFIGURED,
                                           WASTE_USEFUL};
    expect_causes(vain, 4, true, by_failure, __LINE__);
    /* With periodic checkpoints a preemption takes what it takes at once. */
    const enum waste_class by_preemption[] = {WASTE_RECONFIGURED, WASTE_RECONFIGURED,
                                              WASTE_RECONFIGURED, WASTE_USEFUL};
    expect_causes(vain, 4, false, by_preemption, __LINE__);
    /* Resized twice, and failed before the first checkpoint was written. */
    const struct recorded_segment moved[] = {
        segment_of(SEGMENT_LOST, CAUSE_STARTED, CAUSE_RESIZED),
        segment_of(SEGMENT_SETUP, CAUSE_RESIZED, CAUSE_RESIZED),
        segment_of(SEGMENT_SETUP, CAUSE_RESIZED, CAUSE_NODE_FAILED),
    };
    const enum waste_class expected[] = {WASTE_FAILED, WASTE_RECONFIGURED, WASTE_RECONFIGURED};
    expect_causes(moved, 3, true, expected, __LINE__);
    /* A cap that falls leaves no time for a checkpoint; the failure comes in a later run. */
    const struct recorded_segment capped[] = {
        segment_of(SEGMENT_LOST, CAUSE_STARTED, CAUSE_PREEMPTED),
        segment_of(SEGMENT_QUEUED, CAUSE_PREEMPTED, CAUSE_STARTED),
        segment_of(SEGMENT_SETUP, CAUSE_STARTED, CAUSE_NODE_FAILED),
    };
    const enum waste_class at_once[] = {WASTE_RECONFIGURED, WASTE_USEFUL, WASTE_RECONFIGURED};
    expect_causes(capped, 3, true, at_once, __LINE__);
}

/* --- a run --- */

/* From 0 to 100 s, warm-up to 10 s, on the cluster above. Rigid job 0 holds 3 GPUs of node 0 from 0
   to 60 s and does 48 s of work at 150 W a GPU; rigid job 1 wants 8 GPUs of a or b from 20 s on and
   gets those of b at 50 s (by the second set, as of a second phase), where it is set up for 5 s and
   runs for 45 s, all undisturbed. Both GPUs of node 1 fail at 40 s; those of b sleep from 30 s on.
 */
struct run_by_hand {
    struct recorded_folder folder;
    struct recorded_run run;
    struct recorded_part part;
    struct recorded_job jobs[2];
    struct job_spec specs[2];
    struct recorded_segment segments[5];
    struct recorded_gpus gpus[2];
    struct recorded_rest rests[2];
};

/* Of the classes as classes_of_a_run_by_hand has them. */
#define RUN_J (32450 + 1440 + 4800 + 3500 + 14800 + 3600 + 4500 + 90000)

static int64_t s_ns(double seconds) {
    return (int64_t)(seconds * 1e9);
}

static int128 energy_of(double watts, double seconds) {
    return (int128)power_nw(watts) * s_ns(seconds);
}

static void fill_segments(struct run_by_hand *r) {
    static const struct {
        double from_s, to_s, watts, work;
        uint32_t job, config, gpus;
        enum segment_kind kind;
        enum segment_cause began, ended;
    } rows[] = {
        {0, 60, 450, 48, 0, 0, 0, SEGMENT_RUN, CAUSE_STARTED, CAUSE_FINISHED},
        {20, 50, 0, 0, 1, EASIM_NONE, 0, SEGMENT_QUEUED, CAUSE_SUBMITTED, CAUSE_STARTED},
        {50, 55, 720, 0, 1, 2, 1, SEGMENT_SETUP, CAUSE_STARTED, CAUSE_SET_UP},
        {55, 100, 1600, 45, 1, 2, 1, SEGMENT_RUN, CAUSE_SET_UP, CAUSE_FINISHED},
    };
    for (int i = 0; i < 4; i++)
        r->segments[i] = (struct recorded_segment){
            .start_ns = s_ns(rows[i].from_s),
            .end_ns = s_ns(rows[i].to_s),
            .energy = energy_of(rows[i].watts, rows[i].to_s - rows[i].from_s),
            .work = rows[i].work,
            .job = rows[i].job,
            .config = rows[i].config,
            .gpus = rows[i].gpus,
            .gpus_count = rows[i].kind != SEGMENT_QUEUED,
            .phase = (uint8_t)rows[i].job,
            .kind = (uint8_t)rows[i].kind,
            .began = (uint8_t)rows[i].began,
            .ended = (uint8_t)rows[i].ended};
}

static void fill_run(struct run_by_hand *r) {
    *r = (struct run_by_hand){
        .folder = {.path = "by hand", .cluster = cluster},
        .part = {.end_ns = s_ns(100), .jobs_submitted = 2},
        .jobs = {{.segments = 0, .segment_count = 1}, {.segments = 1, .segment_count = 3}},
        .specs = {{.kind = JOB_KIND_RIGID, .model = EASIM_NONE, .set = 0},
                  {.kind = JOB_KIND_RIGID, .model = EASIM_NONE, .set = 0}},
        .gpus = {{0, 0, 3, 0}, {2, 0, 8, 0}},
        .rests = {{s_ns(30), s_ns(50), 2, 0, 8, RECORDED_ASLEEP},
                  {s_ns(40), s_ns(100), 1, 0, 2, RECORDED_FAILED}}};
    struct config_table *table = &r->run.workload.table;
    table->cluster = &r->folder.cluster;
    const struct easim_config of_0 = config_of(0, 3, 0, 1, 150);
    const struct easim_config of_1[] = {config_of(0, 6, 0, 1, 150), config_of(1, 8, 0, 1, 200)};
    add_set(table, &of_0, 1);
    add_set(table, of_1, 2);
    fill_segments(r);
    r->run.folder = &r->folder;
    r->run.part = &r->part;
    r->run.jobs = r->jobs;
    r->run.workload.warmup_ns = s_ns(10);
    r->run.workload.jobs.at = r->specs;
    r->run.workload.jobs.count = 2;
    r->run.segments.at = r->segments;
    r->run.segments.count = 4;
    r->run.gpus.at = r->gpus;
    r->run.gpus.count = 2;
    r->run.rests.at = r->rests;
    r->run.rests.count = 2;
    r->run.summary.sim_s = 90;
    r->run.summary.energy_kwh = RUN_J / J_PER_KWH;
}

static void expect_amount(const struct waste *waste, enum waste_class class, double energy_j,
                          double gpu_s) {
    cr_expect_float_eq(waste->of[class].energy_j, energy_j, 1e-6, "%s: %.12g J, not %.12g",
                       waste_class_names[class], waste->of[class].energy_j, energy_j);
    cr_expect_float_eq(waste->of[class].gpu_s, gpu_s, 1e-6, "%s: %.12g GPU s, not %.12g",
                       waste_class_names[class], waste->of[class].gpu_s, gpu_s);
}

Test(waste, classes_of_a_run_by_hand) {
    struct run_by_hand r;
    struct waste waste;
    struct error error = {0};
    fill_run(&r);
    cr_assert_eq(waste_of_run(&waste, &r.run, &error), 0, "%s", error.text);
    /* 90 s of 400 W, less node 1's 100 W for 60 s; 3 GPUs for 50 s at 3 W, 8 for 50 s at 5 W. */
    expect_amount(&waste, WASTE_BASE, 90 * 400 - 60 * 100 + 3 * 50 * 3 + 8 * 50 * 5, 0);
    expect_amount(&waste, WASTE_ASLEEP, 8 * 20 * 9, 8 * 20);
    expect_amount(&waste, WASTE_FAILED_NODE, 0, 2 * 60);
    /* b, 20 to 30 s: job 1 would have fitted. */
    expect_amount(&waste, WASTE_HELD_BACK, 8 * 10 * 60, 8 * 10);
    /* a, 20 to 50 s: 3 GPUs free where 6 are wanted, 1 from 40 s on. */
    expect_amount(&waste, WASTE_FRAGMENTED, (3 * 20 + 1 * 10) * 50, 3 * 20 + 1 * 10);
    /* a: 3 from 10 to 20 s, 1 from 50 to 60, 4 to 100; b: 8 from 10 to 20 s. */
    expect_amount(&waste, WASTE_IDLE, (3 * 10 + 10 + 4 * 40) * 50 + 8 * 10 * 60,
                  3 * 10 + 10 + 4 * 40 + 8 * 10);
    expect_amount(&waste, WASTE_SET_UP, 8 * 5 * 90, 8 * 5);
    /* Job 0 does 0.8 of what it would undisturbed. */
    expect_amount(&waste, WASTE_SLOWED, 450 * 50 * 0.2, 3 * 50 * 0.2);
    expect_amount(&waste, WASTE_USEFUL, 450 * 50 * 0.8 + 1600 * 45, 3 * 50 * 0.8 + 8 * 45);
    NEAR(waste.total.gpu_s, 14 * 90.0);
    cr_expect_float_eq(waste.types[0][WASTE_SLOWED].energy_j, 4500, 1e-6);
    cr_expect_float_eq(waste.jobs[0].useful_j, 450 * 50 * 0.8, 1e-6);
    cr_expect_float_eq(waste.types[1][WASTE_USEFUL].energy_j, 72000, 1e-6);
    cr_expect_float_eq(waste_of_group(&waste, WASTE_GROUP_OVERHEAD).energy_j, 4500 + 3600, 1e-6);
    waste_finish(&waste);
    finish_table(&r.run.workload.table);
}

/* GPUs 0 and 2 of a node are two pieces, but of one node. */
Test(waste, own_gpus_of_a_node_in_pieces) {
    struct run_by_hand r;
    struct instants instants;
    struct instant_events events = {0};
    struct room_free found[2];
    struct recorded_gpus gpus[] = {{0, 0, 1, 0}, {0, 2, 1, 0}, {1, 0, 1, 0}};
    fill_run(&r);
    r.run.gpus.at = gpus;
    r.segments[0].gpus_count = 3;
    r.run.jobs[1].segment_count = 0;
    r.run.rests.count = 0;
    instant_events_find(&events, &r.run);
    instants_init(&instants, &r.run, &events);
    cr_assert_eq(instants_step(&instants, NULL), 0);
    cr_expect_eq(instants.taken_end - instants.first_taken, 1);
    cr_expect_eq(room_free_of(&instants.room, 0).of_node, 2);
    instants_room_for(&instants, &r.segments[0], found);
    cr_expect(found[0].gpus == 6 && found[0].of_node == 4, "%u, %u", found[0].gpus,
              found[0].of_node);
    cr_expect(found[1].gpus == 8);
    instants_finish(&instants);
    instant_events_finish(&events);
    finish_table(&r.run.workload.table);
}

Test(waste, windows_of_free_gpus) {
    struct run_by_hand r;
    struct waste waste;
    fill_run(&r);
    cr_assert_eq(waste_of_run(&waste, &r.run, NULL), 0);
    static const struct {
        double from_s, to_s, gpu_s;
        uint32_t gpu_type;
        enum waste_class class;
    } expected[] = {{10, 20, 30, 0, WASTE_IDLE},
                    {10, 20, 80, 1, WASTE_IDLE},
                    {20, 30, 80, 1, WASTE_HELD_BACK},
                    {20, 50, 70, 0, WASTE_FRAGMENTED},
                    {50, 100, 170, 0, WASTE_IDLE}};
    cr_assert_eq(waste.windows.count, 5);
    for (int i = 0; i < 5; i++) {
        const struct waste_window *w = &waste.windows.at[i];
        cr_expect(w->start_ns == s_ns(expected[i].from_s) && w->end_ns == s_ns(expected[i].to_s) &&
                      w->gpu_type == expected[i].gpu_type && w->class == expected[i].class,
                  "window %d", i);
        NEAR(w->gpu_s, expected[i].gpu_s);
    }
    waste_finish(&waste);
    finish_table(&r.run.workload.table);
}

Test(waste, files_that_are_of_no_run) {
    struct run_by_hand r;
    struct waste waste;
    struct error error = {0};
    fill_run(&r);
    r.gpus[0].count = 5;
    cr_expect_eq(waste_of_run(&waste, &r.run, &error), ERROR_INPUT);
    cr_expect_str_eq(error.text, "by hand: at 0 s more GPUs of a node are held than it has");
    r.gpus[0].count = 3;
    r.rests[0].start_ns = s_ns(25);
    r.rests[0].end_ns = s_ns(55);
    cr_expect_eq(waste_of_run(&waste, &r.run, &error), ERROR_INPUT);
    cr_expect_str_eq(error.text, "by hand: at 50 s GPUs are held and asleep at once");
    r.rests[0].end_ns = s_ns(50);
    cr_expect_eq(waste_of_run(&waste, &r.run, &error), ERROR_INPUT, "5 s more of sleep");
    cr_expect_str_eq(error.text,
                     "by hand: jobs and GPUs of replication 0 take 153050 J and 1260 GPU s in all, "
                     "summary.csv says 155090 and 1260");
    finish_table(&r.run.workload.table);
}

/* --- the line of a run --- */

/* A share that is 0 except for rounding has no sign; one that is truly below 0 has. */
Test(waste, line_prints_no_negative_zero) {
    struct str line = {0};
    waste_line_add((const double[WASTE_GROUPS]){1.25e9, 2.5e8, -1e-3, -3e6, 0, 5e8}, &line);
    cr_expect_str_eq(line.text, "  energy went into: useful 62.6 %, idle 12.5 %, overhead 0.0 %, "
                                "lost by choice -0.2 %, crowded out 0.0 %, base 25.0 %\n");
    str_finish(&line);
}

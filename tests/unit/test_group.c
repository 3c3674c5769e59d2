/* Groups of waiting jobs: which are one, and that a group is open exactly if a look at each
 * configuration says so.
 */
#include "policy/list/groups.h"

#include "base/rng.h"

#include <criterion/criterion.h>

#define CONFIGS 12

struct bed {
    struct easim_gpu_type types[2];
    struct easim_config configs[CONFIGS];
    struct easim_view view;
    struct easim_pass pass;
};

/* Two types; k = 1, 2, 4 with two batches each, in the order of the table. */
static void make_bed(struct bed *bed) {
    *bed = (struct bed){0};
    for (uint32_t i = 0; i < CONFIGS; i++)
        bed->configs[i] = (struct easim_config){
            .gpu_type = i / 6, .k = 1u << i % 6 / 2, .batch = 8u << i % 2, .goodput = {1, 1}};
    bed->view = (struct easim_view){.gpu_types = bed->types,
                                    .gpu_type_stride = sizeof *bed->types,
                                    .configs = bed->configs,
                                    .config_stride = sizeof *bed->configs};
    bed->pass = (struct easim_pass){.view = &bed->view};
}

static uint32_t make_group(struct groups *groups, const struct bed *bed, const uint32_t *spans,
                           bool by_config) {
    groups_begin(groups);
    for (uint32_t c = 0; c < CONFIGS; c++)
        groups_add(groups, &bed->view, c, spans[c], by_config);
    return groups_end(groups);
}

static bool allow_odd(const struct easim_pass *pass, const struct easim_job *job, uint32_t config) {
    (void)pass;
    (void)job;
    return config % 2 == 1;
}

/* Each configuration as the plain pass asks. */
static bool any_fits(const struct bed *bed, const uint32_t *spans, const struct easim_list *ops) {
    for (uint32_t c = 0; c < CONFIGS; c++) {
        int span = easim_fit(&bed->view, &bed->configs[c]);
        if (span >= 0 && (spans[c] >> span & 1) &&
            (!ops->allow_start || ops->allow_start(&bed->pass, NULL, c)))
            return true;
    }
    return false;
}

/* All states of two types with up to 5 free GPUs, against random spans of every configuration, a
   third of the time of those in which it is known. */
Test(group, open_as_by_looking_at_all) {
    static const struct easim_list all = {.struct_size = sizeof all},
                                   odd = {.allow_start = allow_odd};
    struct groups groups = {0};
    struct bed bed;
    uint64_t stamp = 0;
    gsl_rng *rng = rng_create(1, 0, "group");
    make_bed(&bed);
    for (int i = 0; i < 3000; i++) {
        const struct easim_list *ops = i % 2 ? &odd : &all;
        uint32_t spans[CONFIGS];
        for (int c = 0; c < CONFIGS; c++) {
            uint32_t known = i % 3 ? 3 : (uint32_t)gsl_rng_uniform_int(rng, 4);
            bed.configs[c].goodput[0] = known & 1;
            bed.configs[c].goodput[1] = known >> 1;
            spans[c] =
                (uint32_t)(gsl_rng_uniform_int(rng, 4) & gsl_rng_uniform_int(rng, 4)) & known;
        }
        uint32_t group = make_group(&groups, &bed, spans, ops->allow_start);
        for (uint32_t state = 0; state < 6 * 6 * 6; state++) {
            bed.types[0] = (struct easim_gpu_type){
                .free = state % 6, .node_free_max = state / 6 % 6 % (state % 6 + 1)};
            bed.types[1] =
                (struct easim_gpu_type){.free = state / 36, .node_free_max = state / 36 / 2};
            cr_assert_eq(groups_open(&groups, group, &bed.pass, ops, NULL, ++stamp),
                         any_fits(&bed, spans, ops), "try %d, state %u", i, state);
        }
    }
    gsl_rng_free(rng);
    groups_finish(&groups);
}

/* A quarter of a GPU fits where one is free, or a shared one has the room. Other parts are other
 * groups. */
Test(group, parts_of_gpus) {
    static const struct easim_list all = {.struct_size = sizeof all};
    static const uint32_t any[CONFIGS] = {3};
    struct groups groups = {0};
    struct bed bed;
    uint64_t stamp = 0;
    make_bed(&bed);
    uint32_t whole = make_group(&groups, &bed, any, false);
    bed.configs[0].milli = 250;
    uint32_t part = make_group(&groups, &bed, any, false);
    bed.configs[0].milli = 251;
    cr_expect(part != whole && make_group(&groups, &bed, any, false) != part);
    for (uint32_t room = 0; room < 1000; room++) {
        bed.types[0] = (struct easim_gpu_type){.shared_free_max_milli = room};
        cr_assert_eq(groups_open(&groups, part, &bed.pass, &all, NULL, ++stamp), room >= 250);
        cr_assert(!groups_open(&groups, whole, &bed.pass, &all, NULL, stamp));
    }
    bed.types[0] = (struct easim_gpu_type){.free = 1, .node_free_max = 1};
    cr_expect(groups_open(&groups, part, &bed.pass, &all, NULL, ++stamp));
    groups_finish(&groups);
}

/* By GPUs alone only the least k matters where it is admitted in both spans; by configuration all
 * do. */
Test(group, which_are_one) {
    static const uint32_t any[CONFIGS] = {3, 3, 3, 3, 3, 3}, small[CONFIGS] = {0, 3},
                          two[CONFIGS] = {0, 0, 3}, node[CONFIGS] = {1, 0, 1, 1},
                          node_small[CONFIGS] = {1}, none[CONFIGS] = {0};
    struct groups groups = {0};
    struct bed bed;
    make_bed(&bed);
    uint32_t first = make_group(&groups, &bed, any, false);
    cr_expect_eq(make_group(&groups, &bed, small, false), first);
    cr_expect_neq(make_group(&groups, &bed, two, false), first);
    cr_expect_neq(make_group(&groups, &bed, none, false), first);
    cr_expect_eq(make_group(&groups, &bed, node, false),
                 make_group(&groups, &bed, node_small, false));
    cr_expect_neq(make_group(&groups, &bed, any, true), make_group(&groups, &bed, small, true));
    cr_expect_eq(make_group(&groups, &bed, any, true), make_group(&groups, &bed, any, true));
    groups_finish(&groups);
}

/* What a group admits at one level says nothing about the others, and two jobs that differ at one
   are two groups. Of level 0 all k of type 0 fit, of level 1 only k = 4 of type 1. */
Test(group, levels) {
    static const struct easim_list all = {.struct_size = sizeof all};
    struct groups groups = {0};
    struct bed bed;
    uint32_t numbers[2];
    make_bed(&bed);
    bed.types[0] = (struct easim_gpu_type){.free = 1, .node_free_max = 1};
    bed.types[1] = (struct easim_gpu_type){.free = 3, .node_free_max = 3};
    for (uint32_t job = 0; job < 2; job++) {
        groups_begin(&groups);
        for (uint32_t c = 0; c < 6; c++)
            groups_add(&groups, &bed.view, c, 3, false);
        groups_at_level(&groups, 1);
        for (uint32_t c = 6 + 2 * job; c < CONFIGS; c++)
            groups_add(&groups, &bed.view, c, c < 10 && job == 0 ? 0 : 3, false);
        numbers[job] = groups_end(&groups);
    }
    cr_expect_neq(numbers[0], numbers[1]);
    for (uint32_t level = 0; level < 2; level++) {
        bed.pass.level = level;
        cr_expect_eq(groups_open(&groups, numbers[0], &bed.pass, &all, NULL, 1 + level),
                     level == 0);
        cr_expect(groups_open(&groups, numbers[1], &bed.pass, &all, NULL, 1 + level));
    }
    groups_finish(&groups);
}

/* The engine counts power in nW: 0.4 nW above a cap of 0.1 mW are none. A quarter more is too much.
 */
Test(group, under_a_small_cap) {
    static const struct {
        double power_w;
        bool open;
    } cases[] = {{1e-4 + 4e-10, true}, {1.25e-4, false}};
    static const uint32_t first[CONFIGS] = {1};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct groups groups = {.by_power = true};
        struct bed bed;
        make_bed(&bed);
        bed.types[0] = (struct easim_gpu_type){.free = 1, .node_free_max = 1};
        bed.configs[0].span_count = 1;
        bed.configs[0].power_w[0] = cases[i].power_w;
        bed.view.power_cap_w = 1e-4;
        uint32_t group = make_group(&groups, &bed, first, true);
        cr_expect_eq(groups_open_now(&groups, group, &bed.pass, NULL, NULL), cases[i].open, "%zu",
                     i);
        groups_finish(&groups);
    }
}

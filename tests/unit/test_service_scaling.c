/* The host's scaling of a service, tick by tick by hand: replicas of 100/s and of 40/s. */
#include "base/units.h"
#include "workload/service_load.h"

#include <criterion/criterion.h>

#define S(seconds) ((seconds)*NS_PER_S)

enum { LARGE, SMALL };

static struct serving_point large[] = {
    {.n = 10, .per_s = 100, .power_w = 200, .latency_ms = {5, 5, 5, 5}}};
static struct serving_point small[] = {
    {.n = 10, .per_s = 40, .power_w = 90, .latency_ms = {5, 5, 5, 5}}};
static const struct serving_table tables[] = {{large, 1}, {small, 1}};

/* In full use 2 J a token of the large, 2.25 J of the small; loaded_w makes the power constant. */
static struct service made_service(struct replica_config configs[2]) {
    configs[LARGE] = (struct replica_config){
        .table = &tables[0], .k = 2, .limit = 10, .loaded_w = 200, .most_n = 10, .most_per_s = 100};
    configs[SMALL] = (struct replica_config){
        .table = &tables[1], .k = 1, .limit = 10, .loaded_w = 90, .most_n = 10, .most_per_s = 40};
    return (struct service){.configs = configs,
                            .config_count = 2,
                            .replicas = {.min = 1, .max = 4},
                            .scaling = {.target = 0.8, .interval_s = 60, .down_after_s = 300}};
}

Test(service_scaling, wanted) {
    struct replica_config configs[2];
    const struct service s = made_service(configs);
    cr_expect_float_eq(service_scaling_wanted(&s, &(struct scaling_need){0, 0}), 0, 0);
    cr_expect_float_eq(service_scaling_wanted(&s, &(struct scaling_need){100, 0}), 125, 1e-12);
    cr_expect_float_eq(service_scaling_wanted(&s, &(struct scaling_need){100, 4500}), 140, 1e-12);
}

/* 176/s are to have 220/s. First replica: load min(1, 176/100), large is best; 100 are there, the
   second at load 176/200 large, 200 W/88 = 2.27 J, small at 1, 90 W/40 = 2.25 J: small; 140 are
   there, the third: large at 176/240, 200/73.3 = 2.73 J, small at 176/180, 90/39.1 = 2.30 J: small;
   180 are there, the fourth: small at 0.8, 90/32; then 220 are there: none is missing. */
Test(service_scaling, adds_until_none_is_missing) {
    struct replica_config configs[2];
    const struct service s = made_service(configs);
    const struct scaling_need need = {176, 0};
    static const uint32_t expected[] = {LARGE, SMALL, SMALL, SMALL};
    struct scaling_supply supply = {0, 0};
    for (int i = 0; i < 4; i++) {
        struct scaling_addition a =
            service_scaling_add(&s, &need, &supply, (const bool[]){true, true});
        cr_assert_eq(a.config, expected[i], "replica %d", i);
        cr_expect(!a.reserves);
        supply.per_s += configs[a.config].most_per_s;
        supply.count++;
    }
    cr_expect_eq(supply.per_s, 220);
    supply.count = 3; /* below max */
    cr_expect_eq(service_scaling_add(&s, &need, &supply, (const bool[]){true, true}).config,
                 SERVICE_NO_CONFIG);
}

Test(service_scaling, least_and_most_replicas) {
    struct replica_config configs[2];
    struct service s = made_service(configs);
    const struct scaling_need none = {0, 0}, much = {1e6, 0};
    const bool all[] = {true, true}, no[] = {false, false}, only_small[] = {false, true};
    /* nothing is asked for, and there is to be one: of least J at load target */
    cr_expect_eq(service_scaling_add(&s, &none, &(struct scaling_supply){0, 0}, all).config, LARGE);
    cr_expect_eq(service_scaling_add(&s, &none, &(struct scaling_supply){40, 1}, all).config,
                 SERVICE_NO_CONFIG);
    cr_expect_eq(service_scaling_add(&s, &much, &(struct scaling_supply){400, 4}, all).config,
                 SERVICE_NO_CONFIG);
    /* what fits goes first; if nothing does, the best of all waits */
    struct scaling_addition a =
        service_scaling_add(&s, &much, &(struct scaling_supply){100, 1}, only_small);
    cr_expect(a.config == SMALL && !a.reserves);
    a = service_scaling_add(&s, &much, &(struct scaling_supply){100, 1}, no);
    cr_expect(a.config == LARGE && a.reserves);
    s.replicas.min = 0;
    cr_expect_eq(service_scaling_add(&s, &none, &(struct scaling_supply){0, 0}, all).config,
                 SERVICE_NO_CONFIG);
    /* a backlog alone: 30,000 / 300 s are 100/s more than there is */
    cr_expect_eq(service_scaling_add(&s, &(struct scaling_need){0, 30000},
                                     &(struct scaling_supply){0, 0}, all)
                     .config,
                 LARGE);
}

/* Large, small, small: 180/s. Wanted 100: without the large 80 are left, without a small 140. */
Test(service_scaling, releases_what_was_spare) {
    struct replica_config configs[2];
    struct service s = made_service(configs);
    struct scaling_replica r[] = {
        {LARGE, TIME_NONE_NS}, {SMALL, TIME_NONE_NS}, {SMALL, TIME_NONE_NS}};
    service_scaling_note(&s, 100, S(60), r, 3);
    cr_expect_eq(r[0].spare_since_ns, TIME_NONE_NS);
    cr_expect_eq(r[1].spare_since_ns, S(60));
    cr_expect_eq(service_scaling_due_ns(&s, r, 3), S(360));
    service_scaling_note(&s, 100, S(300), r, 3);
    cr_expect_eq(r[2].spare_since_ns, S(60));
    cr_expect_eq(service_scaling_release(&s, 0, S(300), r, 3), 3);
    service_scaling_note(&s, 100, S(360), r, 3);
    cr_expect_eq(service_scaling_release(&s, 0.1, S(360), r, 3), 3, "a backlog is left");
    cr_expect_eq(service_scaling_release(&s, 0, S(360), r, 3), 2, "equal ones: the newest");
    s.replicas.min = 3;
    cr_expect_eq(service_scaling_release(&s, 0, S(360), r, 3), 3);
    cr_expect_eq(service_scaling_due_ns(&s, r, 3), TIME_NONE_NS);
    s.replicas.min = 1;
    /* a tick in between at which more was wanted begins it anew */
    service_scaling_note(&s, 150, S(420), r, 3);
    service_scaling_note(&s, 70, S(480), r, 3);
    cr_expect_eq(service_scaling_release(&s, 0, S(720), r, 3), 3);
    service_scaling_note(&s, 70, S(780), r, 3);
    /* all are spare now: at a load of 0.8 the small take 90/32 J, the large 200/80 J */
    cr_expect_eq(service_scaling_release(&s, 0, S(780), r, 3), 2);
    configs[LARGE].loaded_w = 400;
    large[0].power_w = 400;
    cr_expect_eq(service_scaling_release(&s, 0, S(780), r, 3), 0);
    large[0].power_w = 200;
}

/* What `max` replicas give, on two nodes of 3 GPUs and one of 4 of another type: 3 GPUs hold one of
   two. */
Test(service_scaling, most_that_all_give) {
    struct replica_config configs[2];
    struct service s = made_service(configs);
    struct gpu_type types[] = {{.gpus = 6}, {.gpus = 4}};
    struct node nodes[] = {
        {.gpu_type = 0, .gpus = 3}, {.gpu_type = 1, .gpus = 4}, {.gpu_type = 0, .gpus = 3}};
    const struct cluster cluster = {
        .gpu_types = types, .gpu_type_count = 2, .nodes = nodes, .node_count = 3};
    configs[SMALL].gpu_type = 1;
    cr_expect_eq(service_configs_most_per_s(&s, &cluster), 2 * 100 + 2 * 40);
    s.replicas.max = 1;
    cr_expect_eq(service_configs_most_per_s(&s, &cluster), 100);
    s.replicas.max = 1000;
    cr_expect_eq(service_configs_most_per_s(&s, &cluster), 2 * 100 + 4 * 40);
    configs[SMALL].most_per_s = 100; /* two types that are as quick */
    cr_expect_eq(service_configs_most_per_s(&s, &cluster), 6 * 100);
    s.replicas.max = 5;
    cr_expect_eq(service_configs_most_per_s(&s, &cluster), 5 * 100);
    /* Both on the first type: a GPU gives 50 at most, and 6 of them never more than 300. */
    configs[SMALL].most_per_s = 40;
    configs[SMALL].gpu_type = 0;
    cr_expect_eq(service_configs_most_per_s(&s, &cluster), 300);
    s.replicas.max = 2;
    cr_expect_eq(service_configs_most_per_s(&s, &cluster), 200);
}

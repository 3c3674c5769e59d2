/* Which GPUs of a node sleep, by hand: those awake go first, the last freed of them before the others. */
#include "cluster/sleep.h"

#include <criterion/criterion.h>
#include <math.h>

/* Node 0: 4 GPUs that sleep after 10 ns; node 1: never. */
static struct node nodes[] = {{.gpu_type = 0, .gpus = 4}, {.gpu_type = 1, .gpus = 2}};
static struct gpu_type types[] = {{.sleep_after_s = 1e-8}, {.sleep_after_s = INFINITY}};
static const struct cluster cluster = {.gpu_types = types, .gpu_type_count = 2, .nodes = nodes, .node_count = 2};

Test(sleep, of_one_node) {
    struct sleep s;
    sleep_init(&s, &cluster);
    cr_expect_eq(sleep_next_ns(&s, 0), 10);
    cr_expect_eq(sleep_take(&s, 0, 3), 0);
    sleep_give_back(&s, 0, 1, 4);
    sleep_give_back(&s, 0, 1, 4); /* free since 0: 1; since 4: 2 */
    cr_expect_eq(sleep_take(&s, 0, 1), 0);
    cr_expect_eq(sleep_next_ns(&s, 0), 10); /* the one of 0 is still free: one of those freed at 4 was taken */
    cr_expect_eq(sleep_fall(&s, 0, 9), 0);
    cr_expect_eq(sleep_fall(&s, 0, 10), 1);
    cr_expect_eq(sleep_next_ns(&s, 0), 14);
    cr_expect_eq(sleep_awake(&s, 0), 1);
    cr_expect_eq(sleep_take(&s, 0, 2), 1); /* one awake, one asleep */
    cr_expect_eq(sleep_next_ns(&s, 0), INT64_MAX);
    sleep_give_back(&s, 0, 4, 20);
    cr_expect_eq(sleep_fall(&s, 0, 100), 4); /* late: all at once */
    cr_expect_eq(sleep_take(&s, 0, 4), 4);
    sleep_finish(&s);
}

Test(sleep, of_other_types) {
    struct sleep s;
    sleep_init(&s, &cluster);
    cr_expect_eq(sleep_next_ns(&s, 1), INT64_MAX);
    cr_expect_eq(sleep_fall(&s, 1, INT64_MAX - 1), 0);
    cr_expect_eq(sleep_take(&s, 1, 2), 0);
    sleep_finish(&s);
}

Test(sleep, off) {
    static struct gpu_type awake[] = {{.sleep_after_s = INFINITY}, {.sleep_after_s = INFINITY}};
    const struct cluster never = {.gpu_types = awake, .gpu_type_count = 2, .nodes = nodes, .node_count = 2};
    struct sleep s;
    sleep_init(&s, &never);
    cr_expect_null(s.nodes);
    sleep_finish(&s);
}

/* Which GPUs of a node sleep, by hand: those awake go first, the last freed of them before the
 * others. */
#include "cluster/sleep.h"

#include <criterion/criterion.h>
#include <math.h>

/* Node 0: 4 GPUs that sleep after 10 ns and take 5 ns to wake up; node 1: never. */
static struct node nodes[] = {{.gpu_type = 0, .gpus = 4}, {.gpu_type = 1, .gpus = 2}};
static struct gpu_type types[] = {{.sleep_after_s = 1e-8, .wake_s = 5e-9},
                                  {.sleep_after_s = INFINITY}};
static const struct cluster cluster = {
    .gpu_types = types, .gpu_type_count = 2, .nodes = nodes, .node_count = 2};

enum { ANNE, BOB };

static void expect_taken(struct sleep *s, uint32_t gpus, uint32_t job, int64_t now_ns,
                         uint32_t slept, int64_t ready_ns) {
    struct sleep_taken taken = sleep_take(s, 0, gpus, job, now_ns);
    cr_expect(taken.slept == slept && taken.ready_ns == ready_ns,
              "at %lld: %u slept, awake at %lld", (long long)now_ns, taken.slept,
              (long long)taken.ready_ns);
}

Test(sleep, of_one_node) {
    struct sleep s;
    sleep_init(&s, &cluster);
    cr_expect_eq(sleep_next_ns(&s, 0), 10);
    expect_taken(&s, 3, ANNE, 3, 0, 3);
    sleep_free(&s, 0, 1, 4, 4);
    sleep_free(&s, 0, 1, 4, 4); /* free since 0: 1; since 4: 2 */
    expect_taken(&s, 1, BOB, 5, 0, 5);
    cr_expect_eq(sleep_next_ns(&s, 0),
                 10); /* the one of 0 is still free: one of those freed at 4 was taken */
    cr_expect_eq(sleep_fall(&s, 0, 9), 0);
    cr_expect_eq(sleep_fall(&s, 0, 10), 1);
    cr_expect_eq(sleep_next_ns(&s, 0), 14);
    cr_expect_eq(sleep_awake(&s, 0), 1);
    expect_taken(&s, 2, BOB, 11, 1, 16); /* one awake, one asleep */
    cr_expect_eq(sleep_next_ns(&s, 0), INT64_MAX);
    sleep_give_back(&s, 0, 4, SLEEP_NOBODY, 20);
    cr_expect_eq(sleep_fall(&s, 0, 100), 4); /* late: all at once */
    expect_taken(&s, 4, ANNE, 100, 4, 105);
    sleep_finish(&s);
}

/* All four sleep at 10. Anne wakes two at 20 (awake at 25), Bob one at 22 (27). What they leave
 * goes on waking. */
Test(sleep, waking) {
    struct sleep s;
    sleep_init(&s, &cluster);
    cr_expect_eq(sleep_fall(&s, 0, 10), 4);
    expect_taken(&s, 2, ANNE, 20, 2, 25);
    expect_taken(&s, 1, BOB, 22, 1, 27);
    cr_expect_eq(sleep_waking(&s, 0, ANNE, 24), 2);
    cr_expect_eq(sleep_waking(&s, 0, BOB, 24), 1);
    sleep_give_back(&s, 0, 1, BOB, 23);
    sleep_give_back(&s, 0, 2, ANNE, 24);
    cr_expect_eq(sleep_waking(&s, 0, ANNE, 24), 0);
    cr_expect_eq(sleep_awake(&s, 0), 3); /* they are counted: they do not sleep */
    cr_expect_eq(sleep_next_ns(&s, 0), 33);
    expect_taken(&s, 1, BOB, 24, 0, 25);  /* Anne's, though she freed it last: it is awake first */
    expect_taken(&s, 1, ANNE, 26, 0, 26); /* the other one of hers, awake by now */
    cr_expect_eq(sleep_waking(&s, 0, BOB, 25), 0);
    expect_taken(&s, 2, ANNE, 26, 1, 31); /* Bob's at 27, and the one that still sleeps */
    cr_expect_eq(sleep_waking(&s, 0, ANNE, 26), 2);
    sleep_give_back(&s, 0, 3, ANNE, 28); /* two are awake: 26 and 27 */
    expect_taken(&s, 2, BOB, 28, 0, 28);
    expect_taken(&s, 1, ANNE, 28, 0, 31);
    sleep_finish(&s);
}

Test(sleep, of_other_types) {
    struct sleep s;
    sleep_init(&s, &cluster);
    cr_expect_eq(sleep_next_ns(&s, 1), INT64_MAX);
    cr_expect_eq(sleep_fall(&s, 1, INT64_MAX - 1), 0);
    cr_expect_eq(sleep_take(&s, 1, 2, ANNE, 7).slept, 0);
    sleep_finish(&s);
}

Test(sleep, off) {
    static struct gpu_type awake[] = {{.sleep_after_s = INFINITY}, {.sleep_after_s = INFINITY}};
    const struct cluster never = {
        .gpu_types = awake, .gpu_type_count = 2, .nodes = nodes, .node_count = 2};
    struct sleep s;
    sleep_init(&s, &never);
    cr_expect_null(s.nodes);
    sleep_finish(&s);
}

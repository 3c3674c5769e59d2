/* The order of events at one instant, as semantics 1.2 lists it. */
#include "engine/sim.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* Kinds by class, those of one class in one row; a row may name one twice. */
static const enum event_kind classes[][3] = {
    {EVENT_CLUSTER, EVENT_DEMAND, EVENT_DEMAND},
    {EVENT_FAILURE, EVENT_REPAIR, EVENT_REPAIR},
    {EVENT_MEASURE, EVENT_MEASURE, EVENT_MEASURE},
    {EVENT_SLEEP, EVENT_SLEEP, EVENT_SLEEP},
    {EVENT_COMPUTING, EVENT_COMPUTING, EVENT_COMPUTING},
    {EVENT_FINISH, EVENT_RELEASE, EVENT_REQUESTED_FINISH},
    {EVENT_PHASE, EVENT_UTILIZATION, EVENT_UTILIZATION},
    {EVENT_BACKLOG, EVENT_BACKLOG, EVENT_BACKLOG},
    {EVENT_REPLICA, EVENT_REPLICA, EVENT_REPLICA},
    {EVENT_ARRIVAL, EVENT_ARRIVAL, EVENT_ARRIVAL},
    {EVENT_TOLD_FINISH, EVENT_TOLD_FINISH, EVENT_TOLD_FINISH}, /* of arrivals_first alone */
    {EVENT_SCALING, EVENT_SCALING, EVENT_SCALING},
    {EVENT_TIMER, EVENT_TIMER, EVENT_TIMER}};

enum { CLASSES = sizeof classes / sizeof *classes };

Test(event_order, of_semantics) {
    for (size_t i = 0; i < CLASSES; i++) {
        uint32_t rank = event_order_rank(classes[i][0], false);
        cr_expect_eq(rank, event_order_rank(classes[i][1], false), "class %zu", i);
        cr_expect_eq(rank, event_order_rank(classes[i][2], false), "class %zu", i);
        cr_expect_lt(rank, 1u << EVENTQ_RANK_BITS);
        if (i > 0)
            cr_expect_gt(rank, event_order_rank(classes[i - 1][0], false), "class %zu", i);
    }
}

/* Only finishes move, except those just as requested: behind arrivals, before scaling ticks and
   timers. */
Test(event_order, arrivals_first) {
    for (size_t i = 0; i < CLASSES; i++)
        for (size_t j = 0; j < 3; j++)
            if (classes[i][j] != EVENT_FINISH && classes[i][j] != EVENT_RELEASE)
                cr_expect_eq(event_order_rank(classes[i][j], true),
                             event_order_rank(classes[i][j], false));
    uint32_t rank = event_order_rank(EVENT_FINISH, true);
    cr_expect_eq(rank, event_order_rank(EVENT_RELEASE, true));
    cr_expect_eq(rank, event_order_rank(EVENT_TOLD_FINISH, true));
    cr_expect_eq(rank, event_order_rank(EVENT_ARRIVAL, true) + 1);
    cr_expect_lt(rank, event_order_rank(EVENT_SCALING, true));
}

/* --- numbers --- */

/* A simulation with nothing but what numbers come from: two jobs on GPUs, by the starts 2385 and
   7, and replicas of three services. */
struct numbered {
    struct sim sim;
    struct job_run runs[2];
    struct replica replicas[3];
};

static void begin(struct numbered *n) {
    static const struct observer *const nobody[] = {NULL};
    *n = (struct numbered){.runs = {{.start = 2385}, {.start = 7}},
                           .replicas = {{.service = 2, .number = 1},
                                        {.service = 0, .number = 5},
                                        {.service = 0, .number = 4}}};
    n->sim.runs = n->runs;
    n->sim.observers = nobody;
    n->sim.options.engine.coalesce = true;
    n->sim.services.count = 3;
    n->sim.services.replicas.at = n->replicas;
}

static void expect_next(struct numbered *n, enum event_kind kind, uint32_t payload) {
    struct event event;
    cr_assert(eventq_pop(&n->sim.events, &event));
    cr_expect(event.kind == kind && event.payload == payload, "%u of %u, not %u of %u", event.kind,
              event.payload, kind, payload);
}

/* In whatever order they are added: jobs on GPUs by their start, nodes and signals by index,
   replicas by service and number; of equal numbers the kind that stands first in the table. */
Test(event_order, numbers) {
    static const struct {
        enum event_kind kind;
        uint32_t payload;
    } ordered[] = {
        {EVENT_CLUSTER, SIGNAL_CAP}, {EVENT_DEMAND, EASIM_NONE}, {EVENT_CLUSTER, SIGNAL_CARBON},
        {EVENT_FAILURE, 3},          {EVENT_REPAIR, 3},          {EVENT_FAILURE, 12},
        {EVENT_RELEASE, 1}, /* start 7 */
        {EVENT_FINISH, 0},  /* start 2385 */
        {EVENT_UTILIZATION, 1},      {EVENT_PHASE, 0},           {EVENT_REPLICA, 2},
        {EVENT_REPLICA, 1},          {EVENT_REPLICA, 0}};
    enum { COUNT = sizeof ordered / sizeof *ordered };
    for (uint32_t step = 1; step < COUNT; step++) { /* a prime: each comes once */
        struct numbered n;
        begin(&n);
        for (uint32_t i = 0, at = 0; i < COUNT; i++, at = (at + step) % COUNT)
            sim_push(&n.sim, 5, ordered[at].kind, ordered[at].payload);
        for (uint32_t i = 0; i < COUNT; i++)
            expect_next(&n, ordered[i].kind, ordered[i].payload);
        cr_expect_eq(n.sim.error.code, 0);
        eventq_finish(&n.sim.events);
    }
}

/* The last number goes; one more ends the run. */
Test(event_order, numbers_end) {
    static const struct {
        enum event_kind kind;
        const char *what;
    } cases[] = {{EVENT_COMPUTING, "starts, restarts and resizes"},
                 {EVENT_REPLICA, "replicas of a service"},
                 {EVENT_SLEEP, "nodes"},
                 {EVENT_ARRIVAL, "jobs"}};
    for (uint32_t i = 0; i < 8; i++) {
        struct numbered n;
        bool is_over = i % 2 == 1, in_table = i < 4;
        uint32_t number = EVENT_NUMBERS - 1 + is_over;
        char expected[128] = "";
        begin(&n);
        n.runs[0].start = number;
        n.replicas[0].number = EVENT_NUMBERS / 3 - 1 + is_over;
        sim_push(&n.sim, 5, cases[i / 2].kind, in_table ? 0 : number);
        if (is_over)
            snprintf(expected, sizeof expected,
                     "there are more %s than easim can put in order (at t = 0 s)",
                     cases[i / 2].what);
        cr_expect_str_eq(n.sim.error.text, expected);
        cr_expect_eq(n.sim.error.code, is_over ? ERROR_RUN : 0);
        eventq_finish(&n.sim.events);
    }
}

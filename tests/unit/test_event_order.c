/* The order of events at one instant, as semantics 1.2 lists it. */
#include "engine/sim.h"

#include <criterion/criterion.h>

/* Kinds by class, those of one class in one row. */
static const enum event_kind classes[][2] = {
    {EVENT_CLUSTER, EVENT_DEMAND},      {EVENT_FAILURE, EVENT_REPAIR},
    {EVENT_MEASURE, EVENT_MEASURE},     {EVENT_SLEEP, EVENT_SLEEP},
    {EVENT_COMPUTING, EVENT_COMPUTING}, {EVENT_FINISH, EVENT_RELEASE},
    {EVENT_PHASE, EVENT_UTILIZATION},   {EVENT_BACKLOG, EVENT_BACKLOG},
    {EVENT_REPLICA, EVENT_REPLICA},     {EVENT_ARRIVAL, EVENT_ARRIVAL},
    {EVENT_SCALING, EVENT_SCALING},     {EVENT_TIMER, EVENT_TIMER}};

Test(event_order, of_semantics) {
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        uint32_t rank = event_order_rank(classes[i][0], false);
        cr_expect_eq(rank, event_order_rank(classes[i][1], false), "class %zu", i);
        cr_expect_leq(rank, 255); /* eventq */
        if (i > 0)
            cr_expect_gt(rank, event_order_rank(classes[i - 1][0], false), "class %zu", i);
    }
}

/* Only finishes move: behind arrivals, before scaling ticks and timers. */
Test(event_order, arrivals_first) {
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (classes[i][0] != EVENT_FINISH)
            cr_expect_eq(event_order_rank(classes[i][0], true),
                         event_order_rank(classes[i][0], false));
    uint32_t rank = event_order_rank(EVENT_FINISH, true);
    cr_expect_eq(rank, event_order_rank(EVENT_RELEASE, true));
    cr_expect_eq(rank, event_order_rank(EVENT_ARRIVAL, true) + 1);
    cr_expect_lt(rank, event_order_rank(EVENT_SCALING, true));
}

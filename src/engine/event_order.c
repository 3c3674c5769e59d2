/* The order of events at one instant: see event_order.h. */
#include "engine/event_order.h"

/* Classes of one instant, the first first. */
enum rank {
    RANK_CHANGE,  /* of cap, price, carbon, demand */
    RANK_FAILURE, /* and repair */
    RANK_MEASURE,
    RANK_SLEEP,
    RANK_COMPUTING,
    RANK_FINISH,
    RANK_PHASE,
    RANK_BACKLOG,
    RANK_REPLICA,
    RANK_ARRIVAL,
    RANK_LATE_FINISH, /* finishes, where arrivals come first */
    RANK_SCALING,
    RANK_TIMER
};

uint32_t event_order_rank(enum event_kind kind, bool arrivals_first) {
    static const uint8_t ranks[] = {
        [EVENT_CLUSTER] = RANK_CHANGE,  [EVENT_FAILURE] = RANK_FAILURE,
        [EVENT_REPAIR] = RANK_FAILURE,  [EVENT_MEASURE] = RANK_MEASURE,
        [EVENT_SLEEP] = RANK_SLEEP,     [EVENT_COMPUTING] = RANK_COMPUTING,
        [EVENT_FINISH] = RANK_FINISH,   [EVENT_RELEASE] = RANK_FINISH,
        [EVENT_PHASE] = RANK_PHASE,     [EVENT_UTILIZATION] = RANK_PHASE,
        [EVENT_ARRIVAL] = RANK_ARRIVAL, [EVENT_TIMER] = RANK_TIMER,
        [EVENT_DEMAND] = RANK_CHANGE,   [EVENT_BACKLOG] = RANK_BACKLOG,
        [EVENT_REPLICA] = RANK_REPLICA, [EVENT_SCALING] = RANK_SCALING};
    return arrivals_first && ranks[kind] == RANK_FINISH ? RANK_LATE_FINISH : ranks[kind];
}

/* The order of events at one instant: see event_order.h. */
#include "engine/event_order.h"

uint32_t event_order_rank(enum event_kind kind, bool arrivals_first) {
    static const uint8_t ranks[] = {
        [EVENT_CLUSTER] = 0, [EVENT_FAILURE] = 1,   [EVENT_REPAIR] = 1, [EVENT_MEASURE] = 2,
        [EVENT_SLEEP] = 3,   [EVENT_COMPUTING] = 4, [EVENT_FINISH] = 5, [EVENT_RELEASE] = 5,
        [EVENT_ARRIVAL] = 6, [EVENT_TIMER] = 8};
    bool at_end = kind == EVENT_FINISH || kind == EVENT_RELEASE;
    return ranks[kind] + (arrivals_first && at_end ? 2 : 0);
}

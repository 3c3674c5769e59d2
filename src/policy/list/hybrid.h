/* A list policy made of two: each component of its decisions is taken from one side or the other,
   whose callbacks are called with that side's own parameters and state. Where each piece of the
   interface belongs: docs/howto/ablate.md.
 */
#ifndef EASIM_POLICY_LIST_HYBRID_H
#define EASIM_POLICY_LIST_HYBRID_H

#include "policy/params.h"

enum component {
    COMPONENT_KEY,          /* tier, value and user_factor; half_life_s */
    COMPONENT_OBJECTIVE,    /* minimise, minimise_urgent, resize_least */
    COMPONENT_ADMISSION,    /* objective_max, finish_by_s, allow_start, allow_resize, strict;
                               POWER_CAP */
    COMPONENT_AGEING,       /* ageing_s */
    COMPONENT_RESIZE,       /* resize, shrink, resize_gain, resize_interval_s */
    COMPONENT_PREEMPTION,   /* begin, make_room, room_most, displace, may_displace, room_from_s;
                               round_s */
    COMPONENT_POWER_LIMITS, /* power_limits: which configurations there are; end */
    COMPONENT_COUNT
};

extern const char *const component_names[COMPONENT_COUNT];

/* Constant once it is made; shared by all replications. It must stay where it is. */
struct hybrid {
    struct easim_policy policy;
    struct easim_list list;
    struct policy_params params; /* for the engine: `own` is this hybrid */
    const struct policy_params *sides[2];
    uint8_t from[COMPONENT_COUNT]; /* 0 or 1: which side */
    size_t state_at[2];            /* of each side's state in the hybrid's */
    size_t memory_at[2];           /* likewise of its memory of a job */
    struct easim_extension
        extensions[2 * EASIM_MOST_EXTENSIONS]; /* of the first, then the second */
};

/* Bit c of `second_mask`: component c is of the second side. Both are list policies, and stay. */
void hybrid_init(struct hybrid *hybrid, const struct policy_params *first,
                 const struct policy_params *second, unsigned second_mask);

/* Whether both sides are alike in a component, so that it cannot matter where it is taken from:
   both have the same functions, with equal parameters where there are any, and equal options. */
bool hybrid_same(const struct policy_params *first, const struct policy_params *second,
                 enum component component);

#endif

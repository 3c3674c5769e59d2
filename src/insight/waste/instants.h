/* The instants of a recorded run, in the order of time: jobs begin or cease to wait or to hold
   GPUs, or GPUs fall asleep, fail or are reserved for a replica. Also the free and the wanted GPUs
   after each. */
#ifndef EASIM_INSIGHT_WASTE_INSTANTS_H
#define EASIM_INSIGHT_WASTE_INSTANTS_H

#include "insight/recorded_run.h"
#include "insight/waste/internal.h"

/* Changes in the order of one instant: GPUs come free before any are taken. */
enum instant_change {
    INSTANT_GIVE_BACK, /* a job gives all its GPUs back */
    INSTANT_REST_ENDS,
    INSTANT_REST_BEGINS,
    INSTANT_WAITS_NO_MORE,
    INSTANT_WAITS,
    INSTANT_TAKE, /* a job gets GPUs */
};

struct instant_event {
    int64_t time_ns;
    uint32_t change; /* enum instant_change */
    uint32_t index;  /* of a segment, the first one on these GPUs; of a rest */
};

/* By time. Zero-initialise; release with instant_events_finish. */
struct instant_events {
    ARRAY_OF(struct instant_event) list;
};

struct instants {
    const struct recorded_run *run;
    const struct instant_event *events;
    size_t count, next; /* events */
    struct room room;
    struct wanted wanted;
    uint64_t *asleep_milli;        /* by GPU type, of those free */
    size_t first_taken, taken_end; /* events of the last instant that are INSTANT_TAKE */
};

void instant_events_find(struct instant_events *events, const struct recorded_run *run);
void instant_events_finish(struct instant_events *events);

/* events: of the run, borrowed. */
void instants_init(struct instants *instants, const struct recorded_run *run,
                   const struct instant_events *events);
void instants_finish(struct instants *instants); /* accepts a zeroed one */

/* When the next instant is; INT64_MAX: there is none. */
int64_t instants_next_ns(const struct instants *instants);
/* Applies all that happens at it. ERROR_INPUT: a node has not what is taken of it, or more sleeps
   than is free. */
int instants_step(struct instants *instants, struct error *reterr) MUST_CHECK;

/* Whether a segment is the first of its job on its GPUs. */
bool instants_is_first_of_hold(const struct recorded_segment *segment,
                               const struct recorded_segment *before);
/* The room for a job that has taken GPUs at the last instant: all GPUs that are free then, and its
   own. ret_free: by GPU type. */
void instants_room_for(const struct instants *instants, const struct recorded_segment *segment,
                       struct room_free *ret_free);
/* Thousandths of free GPUs of a type that are awake. */
uint64_t instants_awake_milli(const struct instants *instants, uint32_t gpu_type);

#endif

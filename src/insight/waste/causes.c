/* Causes of overhead: see causes.h. */
#include "insight/waste/causes.h"

static bool is_computing(const struct recorded_segment *segment) {
    return segment->kind == SEGMENT_RUN || segment->kind == SEGMENT_LOST;
}

/* Whether a checkpoint on demand may be written in a segment: that of a preemption, or of a resize,
   in the set-up behind it. */
static bool may_write(const struct recorded_segment *segment) {
    return segment->kind == SEGMENT_CHECKPOINT ||
           (segment->kind == SEGMENT_SETUP && segment->began == CAUSE_RESIZED);
}

/* What took the work of a lost run: the end of the run, or, with checkpoints on demand, a failure
   while the one was written that was to keep it. */
static enum waste_class taken_by(const struct recorded_segment *lost, uint32_t count,
                                 bool on_demand) {
    uint32_t i = 0;
    while (i + 1 < count && is_computing(&lost[i + 1]) && lost[i].ended != CAUSE_RESIZED)
        i++;
    bool failed = lost[i].ended == CAUSE_NODE_FAILED;
    while (on_demand && ++i < count && may_write(&lost[i]))
        failed = failed || lost[i].ended == CAUSE_NODE_FAILED;
    return failed ? WASTE_FAILED : WASTE_RECONFIGURED;
}

enum waste_class causes_class(enum waste_class so_far, const struct recorded_segment *rest,
                              uint32_t count, bool on_demand) {
    if (rest->kind == SEGMENT_SETUP || rest->kind == SEGMENT_CHECKPOINT ||
        rest->kind == SEGMENT_LOADING)
        return so_far;
    return rest->kind == SEGMENT_LOST ? taken_by(rest, count, on_demand) : WASTE_USEFUL;
}

enum waste_class causes_after(enum waste_class so_far, const struct recorded_segment *segment) {
    if (segment->ended == CAUSE_PREEMPTED || segment->ended == CAUSE_RESIZED)
        return WASTE_RECONFIGURED;
    return segment->ended == CAUSE_NODE_FAILED ? WASTE_FAILED : so_far;
}

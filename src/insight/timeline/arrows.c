/* Arrows between slices. Invariant: both ends of an arrow are written, or none. */
#include "insight/timeline/arrows.h"

static const struct recorded_segment *segment_at(const struct timeline_part *part, uint32_t index) {
    return &part->run->segments.at[index];
}

/* Whether a slice is drawn for it, empty ones have none. */
static bool has_slice(const struct timeline_part *part, uint32_t index) {
    const struct recorded_segment *segment = segment_at(part, index);
    return !recorded_segment_waits(segment) && segment->end_ns > segment->start_ns;
}

static bool is_short(const struct timeline_part *part, uint32_t index) {
    const struct recorded_segment *segment = segment_at(part, index);
    return timeline_is_short(part, segment->end_ns - segment->start_ns);
}

/* The slice of the job before this one; ARROW_NONE: it is the first. */
static uint32_t slice_before(const struct timeline_part *part, uint32_t index) {
    uint32_t first = part->run->jobs[segment_at(part, index)->job].segments;
    for (uint32_t i = index; i > first; i--)
        if (has_slice(part, i - 1))
            return i - 1;
    return ARROW_NONE;
}

/* The first slice of a job from this segment on; ARROW_NONE: there is none. */
static uint32_t slice_from(const struct timeline_part *part, uint32_t job, uint32_t index) {
    const struct recorded_job *of = &part->run->jobs[job];
    while (index < of->segments + of->segment_count && !has_slice(part, index))
        index++;
    return index < of->segments + of->segment_count ? index : ARROW_NONE;
}

/* Why the job got its GPUs between two slices, or before its first one; CAUSE_SUBMITTED: it did
   not. */
static enum segment_cause cause_between(const struct timeline_part *part, uint32_t before,
                                        uint32_t index) {
    uint32_t i =
        before == ARROW_NONE ? part->run->jobs[segment_at(part, index)->job].segments : before + 1;
    enum segment_cause cause = CAUSE_SUBMITTED;
    for (; i <= index; i++)
        if (segment_at(part, i)->began == CAUSE_STARTED ||
            (segment_at(part, i)->began == CAUSE_RESIZED && cause == CAUSE_SUBMITTED))
            cause = segment_at(part, i)->began;
    return cause;
}

/* Replicas are not submitted, and never resume. */
bool arrow_is_due(const struct timeline_part *part, uint32_t index) {
    return has_slice(part, index) &&
           !recorded_run_is_replica(part->run, segment_at(part, index)->job) &&
           cause_between(part, slice_before(part, index), index) != CAUSE_SUBMITTED;
}

uint32_t arrow_into(const struct timeline_part *part, uint32_t index) {
    uint32_t before = slice_before(part, index);
    bool is_drawn = arrow_is_due(part, index) && !is_short(part, index) &&
                    (before == ARROW_NONE || !is_short(part, before));
    return is_drawn ? index : ARROW_NONE;
}

uint32_t arrow_of_submission(const struct timeline_part *part, uint32_t job) {
    uint32_t first = slice_from(part, job, part->run->jobs[job].segments);
    return first == ARROW_NONE ? ARROW_NONE : arrow_into(part, first);
}

uint32_t arrow_out_of(const struct timeline_part *part, uint32_t index) {
    uint32_t next = slice_from(part, segment_at(part, index)->job, index + 1);
    return next == ARROW_NONE ? ARROW_NONE : arrow_into(part, next);
}

static void add_arrow(struct timeline_part *part, enum trace_kind kind, struct trace_place place,
                      uint32_t arrow) {
    uint32_t before = slice_before(part, arrow);
    const char *name = before == ARROW_NONE                                  ? "start"
                       : cause_between(part, before, arrow) == CAUSE_RESIZED ? "resize"
                                                                             : "resume";
    if (!trace_event_begin(part->events, kind, place, name))
        return;
    trace_event_category(part->events, "arrow");
    trace_event_id(part->events, arrow);
    if (kind == TRACE_FLOW_IN)
        trace_event_member(part->events, "\"bp\":\"e\"");
    trace_event_end(part->events);
}

void arrow_begin(struct timeline_part *part, struct trace_place place, uint32_t arrow) {
    add_arrow(part, TRACE_FLOW_OUT, place, arrow);
}

void arrow_end(struct timeline_part *part, struct trace_place place, uint32_t arrow) {
    add_arrow(part, TRACE_FLOW_IN, place, arrow);
}

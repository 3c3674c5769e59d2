/* Submissions, waits and decisions. */
#include "insight/timeline/internal.h"

#include <inttypes.h>

/* --- arrows --- */
/* Invariant: both ends of an arrow are written, or none. */

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

/* Why the job got its GPUs between two slices or before the first; CAUSE_SUBMITTED: it did not. */
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

/* The arrow that begins with the submission of a job. */
static uint32_t arrow_of_submission(const struct timeline_part *part, uint32_t job) {
    uint32_t first = slice_from(part, job, part->run->jobs[job].segments);
    return first == ARROW_NONE ? ARROW_NONE : arrow_into(part, first);
}

uint32_t arrow_out_of(const struct timeline_part *part, uint32_t index) {
    uint32_t next = slice_from(part, segment_at(part, index)->job, index + 1);
    return next == ARROW_NONE ? ARROW_NONE : arrow_into(part, next);
}

void arrow_write(struct timeline_part *part, enum trace_kind kind, struct trace_place place,
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

/* --- job_events --- */

/* ---- Submissions ---- */

/* Jobs first to next - 1 were submitted in one interval; the slice lasts until the next one. */
static void write_submitted(struct timeline_part *part, uint32_t first, uint32_t next) {
    const struct recorded_run *run = part->run;
    const struct job_spec *jobs = run->workload.jobs.at;
    int64_t end_ns = next < run->part->jobs_submitted ? jobs[next].submit_ns : run->part->end_ns;
    struct trace_place place = timeline_place(part, TIMELINE_SUBMITTED, jobs[first].submit_ns);
    struct str name = {0};
    if (end_ns <= place.time_ns)
        return; /* at the very end of the run: nothing came of them */
    if (part->events->file && next - first > 1)
        str_addf(&name, "%" PRIu32 " jobs", next - first);
    else if (part->events->file)
        str_add(&name, jobs[first].id);
    if (trace_event_begin(part->events, TRACE_SLICE, place, name.text)) {
        trace_event_duration(part->events, end_ns - place.time_ns);
        trace_event_category(part->events, "submitted");
        trace_event_int(part->events, "jobs", next - first);
        trace_event_text(part->events, "first_job", jobs[first].id);
        trace_event_end(part->events);
    }
    for (uint32_t j = first; j < next; j++) {
        uint32_t arrow = arrow_of_submission(part, j);
        place.time_ns = jobs[j].submit_ns;
        if (arrow != ARROW_NONE)
            arrow_write(part, TRACE_FLOW_OUT, place, arrow);
    }
    part->thinned.arrivals += part->resolution_ns > 0 && next - first > 1 ? next - first : 0;
    str_finish(&name);
}

void job_events_write_submissions(struct timeline_part *part) {
    const struct recorded_run *run = part->run;
    const struct job_spec *jobs = run->workload.jobs.at;
    uint32_t count = run->part->jobs_submitted;
    for (uint32_t first = 0, next; first < count; first = next) {
        int64_t interval = timeline_interval(part, jobs[first].submit_ns);
        for (next = first + 1;
             next < count && timeline_interval(part, jobs[next].submit_ns) == interval; next++)
            continue;
        write_submitted(part, first, next);
    }
}

/* ---- Waits ---- */

static void write_wait(struct timeline_part *part, const struct recorded_segment *segment) {
    static const char *const because[] = {
        [CAUSE_SUBMITTED] = "submitted",   [CAUSE_PREEMPTED] = "preempted",
        [CAUSE_SAVED] = "preempted",       [CAUSE_NODE_FAILED] = "node failed",
        [CAUSE_RESERVED] = "no GPUs free", [CAUSE_END_OF_RUN] = NULL};
    const struct workload *workload = &part->run->workload;
    const struct job_spec *job = &workload->jobs.at[segment->job];
    const char *name = segment->kind == SEGMENT_RESERVED ? "reserved" : "queued";
    struct trace_place place = timeline_place(part, TIMELINE_SUBMITTED, segment->start_ns);
    if (trace_event_begin(part->events, TRACE_BEGIN, place, name)) {
        trace_event_category(part->events, "queue");
        trace_event_id(part->events, segment->job);
        trace_event_text(part->events, "job", job->id);
        trace_event_text(part->events, "user", workload->users.at[job->user].name);
        trace_event_text(part->events, "model", workload_model_name(workload, job));
        trace_event_text(part->events, "because", because[segment->began]);
        trace_event_end(part->events);
    }
    place.time_ns = segment->end_ns;
    if (trace_event_begin(part->events, TRACE_END, place, name)) {
        trace_event_category(part->events, "queue");
        trace_event_id(part->events, segment->job);
        trace_event_end(part->events);
    }
}

void job_events_write_waits(struct timeline_part *part) {
    for (size_t i = 0; i < part->run->segments.count; i++) {
        const struct recorded_segment *segment = &part->run->segments.at[part->order[i]];
        if (!recorded_segment_waits(segment) || segment->end_ns == segment->start_ns)
            continue;
        if (timeline_is_short(part, segment->end_ns - segment->start_ns))
            part->thinned.waits++;
        else
            write_wait(part, segment);
    }
}

/* ---- Decisions ---- */

#define DECISION_ROWS(X) \
    X(DECISION_START, "start"), X(DECISION_PREEMPT, "preempt"), X(DECISION_RESIZE, "resize"), \
        X(DECISION_REJECT, "reject"), X(DECISION_FAIL, "stopped by a failed node"), \
        X(DECISION_RESERVE, "reserve"), X(DECISION_RELEASE, "release")
enum decision { DECISION_ROWS(ENUM_OF), DECISIONS };

static const char *const decision_names[] = {DECISION_ROWS(NAME_OF)};

/* Those of one sort in one interval, not written yet. */
struct open_decisions {
    int64_t first_ns;
    uint32_t count, job;
    uint32_t segment; /* that began with it, or EASIM_NONE */
};

static void close_decisions(struct timeline_part *part, enum decision kind,
                            struct open_decisions *open) {
    const struct recorded_run *run = part->run;
    struct trace_place place = timeline_place(part, TIMELINE_DECISIONS, open->first_ns);
    if (open->count == 0)
        return;
    part->thinned.decisions += open->count > 1 ? open->count : 0;
    if (trace_event_begin(part->events, TRACE_INSTANT, place, decision_names[kind])) {
        trace_event_category(part->events, "decision");
        trace_event_member(part->events, "\"s\":\"t\"");
        if (open->count > 1)
            trace_event_int(part->events, "jobs", open->count);
        else
            trace_event_text(part->events, "job", run->workload.jobs.at[open->job].id);
        const struct easim_config *config =
            open->count == 1 && open->segment != EASIM_NONE
                ? recorded_run_config(run, &run->segments.at[open->segment])
                : NULL;
        if (config) {
            trace_event_text(part->events, "gpu_type",
                             run->folder->cluster.gpu_types[config->gpu_type].name);
            trace_event_int(part->events, "k", config->k);
        }
        trace_event_end(part->events);
    }
    open->count = 0;
}

static void add_decision(struct timeline_part *part, struct open_decisions *all, enum decision kind,
                         struct open_decisions one) {
    struct open_decisions *open = &all[kind];
    if (open->count > 0 &&
        (part->resolution_ns == 0 ||
         timeline_interval(part, one.first_ns) != timeline_interval(part, open->first_ns)))
        close_decisions(part, kind, open);
    if (open->count == 0)
        *open = one;
    open->count++;
}

/* The event that begins a segment, if it was decided or suffered; -1: neither. */
static int decision_of(const struct recorded_segment *segment) {
    switch (segment->began) {
    case CAUSE_STARTED:
        return DECISION_START;
    case CAUSE_PREEMPTED:
        return DECISION_PREEMPT;
    case CAUSE_RESIZED:
        return DECISION_RESIZE;
    case CAUSE_NODE_FAILED:
        return DECISION_FAIL;
    case CAUSE_RESERVED:
        return DECISION_RESERVE;
    default:
        return -1;
    }
}

/* Nothing of a replica begins with its end. */
static void add_ends_of_replicas(struct timeline_part *part, struct open_decisions *open) {
    const struct recorded_run *run = part->run;
    for (size_t i = 0; i < run->replicas.count; i++) {
        uint32_t job = run->first_replica + (uint32_t)i;
        const struct recorded_job *j = &run->jobs[job];
        const struct recorded_segment *last = recorded_run_segments(run, j) + j->segment_count - 1;
        if (last->ended == CAUSE_RELEASED || last->ended == CAUSE_NODE_FAILED)
            add_decision(part, open,
                         last->ended == CAUSE_RELEASED ? DECISION_RELEASE : DECISION_FAIL,
                         (struct open_decisions){last->end_ns, 0, job, EASIM_NONE});
    }
}

void job_events_write_decisions(struct timeline_part *part) {
    const struct recorded_run *run = part->run;
    struct open_decisions open[DECISIONS] = {0};
    for (size_t i = 0; i < run->segments.count; i++) {
        const struct recorded_segment *segment = &run->segments.at[part->order[i]];
        int kind = decision_of(segment);
        if (kind >= 0)
            add_decision(
                part, open, (enum decision)kind,
                (struct open_decisions){segment->start_ns, 0, segment->job, part->order[i]});
    }
    for (uint32_t j = 0; j < run->part->jobs_submitted; j++)
        if (run->jobs[j].state == EASIM_JOB_REJECTED)
            add_decision(
                part, open, DECISION_REJECT,
                (struct open_decisions){recorded_run_rejected_ns(run, j), 0, j, EASIM_NONE});
    add_ends_of_replicas(part, open);
    for (int kind = 0; kind < DECISIONS; kind++)
        close_decisions(part, (enum decision)kind, &open[kind]);
}

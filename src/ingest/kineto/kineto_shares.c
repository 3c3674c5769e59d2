/* Time shares by sweeps over events in order of start: one pass for each union, no extra memory. */
#include "ingest/kineto/kineto_shares.h"

#include <gsl/gsl_heapsort.h>
#include <stdlib.h>

/* --- kineto_idle: gaps between the events of each stream, by reason --- */

/* One for each track; add events by start, then complete. Release with free(streams->all.at). */
static void kineto_streams_init(struct kineto_streams *streams, const struct kineto_kinds *kinds) {
    *streams = (struct kineto_streams){0};
    for (size_t i = 0; i < kinds->tracks.count; i++)
        array_push(&streams->all, ((struct kineto_stream){.track = kinds->tracks.at[i]}));
}

/* launch_ns: when the host launched the event, if that is known. The gap before it, by HTA's rule:
   host_wait if the launch began after the stream had become free; else kernel_wait if it is shorter
   than delay_ns. */
static void kineto_streams_add(struct kineto_streams *streams, const struct kineto_trace *trace,
                               const struct kineto_event *event, const int64_t *launch_ns,
                               int64_t delay_ns) {
    uint32_t track = trace->kinds->all.at[event->kind].track;
    if (track == KINETO_NONE)
        return;
    struct kineto_stream *stream = &streams->all.at[track];
    int64_t gap_ns = event->start_ns - stream->busy_until_ns;
    if (stream->events++ == 0) {
        stream->busy_until_ns = event->end_ns;
        return;
    }
    if (gap_ns > 0) {
        stream->idle += gap_ns;
        if (launch_ns && *launch_ns > stream->busy_until_ns)
            stream->host_wait += gap_ns;
        else if (gap_ns < delay_ns)
            stream->kernel_wait += gap_ns;
    }
    if (event->end_ns > stream->busy_until_ns)
        stream->busy_until_ns = event->end_ns;
}

ORDER_BY(by_track, struct kineto_stream, ASC(track.device) ASC(track.stream))

static void kineto_streams_complete(struct kineto_streams *streams) {
    struct kineto_stream *all = streams->all.at;
    size_t kept = 0;
    for (size_t i = 0; i < streams->all.count; i++)
        if (all[i].events > 0)
            all[kept++] = all[i];
    sort_array(all, kept, by_track);
    streams->all.count = streams->all.capacity = kept;
    streams->all.at = mem_realloc(all, kept + 1, sizeof *all);
}

/* --- kineto_shares --- */

/* ---- Order ---- */

ORDER_BY(by_start, struct kineto_event, ASC(start_ns) ASC(end_ns))

ORDER_BY(by_step, struct kineto_event, ASC(correlation) ASC(start_ns) ASC(end_ns))

ORDER_BY(by_correlation, struct kineto_launch, ASC(correlation))

ORDER_BY(by_number, struct kineto_step, ASC(number) ASC(order))

ORDER_BY(by_step_start, struct kineto_step, ASC(start_ns) ASC(order))

static bool is_sorted(const void *items, size_t count, size_t bytes_each,
                      gsl_comparison_fn_t compare) {
    const char *at = items;
    for (size_t i = 1; i < count; i++)
        if (compare(at + (i - 1) * bytes_each, at + i * bytes_each) > 0)
            return false;
    return true;
}

/* In place (qsort may copy everything), and at once where nothing is out of order. */
static void sort_items(void *items, size_t count, size_t bytes_each, gsl_comparison_fn_t compare) {
    if (!is_sorted(items, count, bytes_each, compare))
        gsl_heapsort(items, count, bytes_each, compare);
}

static void insertion_sort_events(struct kineto_event *events, size_t count,
                                  gsl_comparison_fn_t compare) {
    for (size_t i = 1; i < count; i++) {
        struct kineto_event event = events[i];
        size_t at = i;
        for (; at > 0 && compare(&events[at - 1], &event) > 0; at--)
            events[at] = events[at - 1];
        events[at] = event;
    }
}

/* Puts events before and after the pivot, the middle one of three; returns how many are before. */
static size_t partition_events(struct kineto_event *events, size_t count,
                               gsl_comparison_fn_t compare) {
    struct kineto_event three[] = {events[0], events[count / 2], events[count - 1]};
    insertion_sort_events(three, 3, compare);
    size_t low = 0, high = count - 1;
    for (;; low++, high--) { /* Hoare: both sides stop at equal events */
        while (compare(&events[low], &three[1]) < 0)
            low++;
        while (compare(&events[high], &three[1]) > 0)
            high--;
        if (low >= high)
            return high + 1 < count ? high + 1 : high;
        struct kineto_event event = events[low];
        events[low] = events[high];
        events[high] = event;
    }
}

/* Quicksort; heapsort where it goes on too long. Several times faster than heapsort alone, and in
 * place as well. */
static void sort_events(struct kineto_event *events, size_t count, gsl_comparison_fn_t compare) {
    if (is_sorted(events, count, sizeof *events, compare))
        return;
    for (int rounds = 0; count > 16; rounds++) {
        if (rounds == 64) {
            gsl_heapsort(events, count, sizeof *events, compare);
            return;
        }
        size_t before = partition_events(events, count, compare);
        if (before < count - before) {
            sort_events(events, before, compare);
            events += before;
            count -= before;
        } else {
            sort_events(events + before, count - before, compare);
            count = before;
        }
    }
    insertion_sort_events(events, count, compare);
}

/* ---- Steps ---- */

/* Each annotation opens a step that lasts until the next one. */
static void join_steps(struct kineto_trace *trace) {
    struct kineto_step *steps = trace->steps.at;
    size_t count = trace->steps.count;
    sort_items(steps, count, sizeof *steps, by_step_start);
    for (size_t i = 0; i < count; i++) {
        steps[i].number = (int64_t)i;
        if (i + 1 < count)
            steps[i].end_ns = steps[i + 1].start_ns;
    }
    trace->steps.count -= count > 0;
}

static void drop_equal_steps(struct kineto_trace *trace) {
    struct kineto_step *steps = trace->steps.at;
    size_t kept = 0;
    sort_items(steps, trace->steps.count, sizeof *steps, by_number);
    for (size_t i = 0; i < trace->steps.count; i++)
        if (i == 0 || steps[i].number != steps[kept - 1].number)
            steps[kept++] = steps[i];
    trace->steps.count = kept;
}

/* Index of the step around that instant; steps are ordered by start here. */
static uint32_t step_at(const struct kineto_trace *trace, int64_t time_ns) {
    size_t low = 0;
    SEARCH(low, trace->steps.count, trace->steps.at[at].start_ns <= time_ns)
    return low > 0 && time_ns < trace->steps.at[low - 1].end_ns ? (uint32_t)low - 1
                                                                : KINETO_NO_STEP;
}

/* Whether the launch of the event is known. */
static bool find_launch(const struct kineto_trace *trace, const struct kineto_event *event,
                        int64_t *launch_ns) {
    struct kineto_launch wanted = {.correlation = event->correlation};
    const struct kineto_launch *found = NULL;
    if (event->correlation != 0 && trace->launches.count > 0)
        found = bsearch(&wanted, trace->launches.at, trace->launches.count, sizeof wanted,
                        by_correlation);
    if (found)
        *launch_ns = trace->origin_ns + (int64_t)found->at * (INT64_C(1) << trace->launch_shift);
    return found != NULL;
}

static void order_steps(struct kineto_trace *trace, const struct kineto_reading *reading) {
    if (reading->iteration)
        join_steps(trace);
    else
        drop_equal_steps(trace);
    sort_items(trace->steps.at, trace->steps.count, sizeof *trace->steps.at, by_step_start);
}

/* Keeps the steps that are wanted; *ret_index has the new index of each, or KINETO_NO_STEP. */
static void choose_steps(struct kineto_trace *trace, const struct kineto_reading *reading,
                         uint32_t **ret_index) {
    uint32_t *index = mem_alloc((trace->steps.count + 1) * sizeof *index), kept = 0;
    for (size_t i = 0; i < trace->steps.count; i++) {
        int64_t number = trace->steps.at[i].number;
        bool keep =
            !reading->has_steps || (number >= reading->first_step && number <= reading->last_step);
        index[i] = keep ? kept++ : KINETO_NO_STEP;
    }
    *ret_index = index;
}

static void keep_steps(struct kineto_trace *trace, const uint32_t *index) {
    size_t kept = 0;
    for (size_t i = 0; i < trace->steps.count; i++)
        if (index[i] != KINETO_NO_STEP)
            trace->steps.at[kept++] = trace->steps.at[i];
    trace->steps.count = kept;
}

void kineto_prepare(struct kineto_trace *trace, const struct kineto_reading *reading,
                    struct kineto_streams *ret_streams) {
    const bool only_steps = reading->has_steps && trace->steps.count > 0;
    uint32_t *index;
    size_t kept = 0;
    order_steps(trace, reading);
    choose_steps(trace, reading, &index);
    sort_items(trace->launches.at, trace->launches.count, sizeof *trace->launches.at,
               by_correlation);
    sort_events(trace->events.at, trace->events.count, by_start);
    kineto_streams_init(ret_streams, trace->kinds);
    for (size_t i = 0; i < trace->events.count; i++) {
        struct kineto_event event = trace->events.at[i];
        int64_t launch_ns;
        bool launched = find_launch(trace, &event, &launch_ns);
        uint32_t step = step_at(trace, launched ? launch_ns : event.start_ns);
        event.correlation = step == KINETO_NO_STEP ? step : index[step];
        if (only_steps && event.correlation == KINETO_NO_STEP)
            continue;
        kineto_streams_add(ret_streams, trace, &event, launched ? &launch_ns : NULL,
                           reading->kernel_delay_ns);
        trace->events.at[kept++] = event;
    }
    kineto_streams_complete(ret_streams);
    trace->events.count = kept;
    keep_steps(trace, index);
    free(index);
    free(trace->launches.at);
    trace->launches.at = NULL;
    trace->launches.count = trace->launches.capacity = 0;
}

/* ---- Unions ---- */

struct events {
    const struct kineto_event *at, *end;
    const struct kineto_kind *kinds;
};

/* The merged intervals of some classes, one after the other. */
struct merge {
    struct events rest;
    unsigned classes;
    int64_t start_ns, end_ns; /* of the interval at hand */
};

static bool merge_next(struct merge *merge) {
    bool open = false;
    for (; merge->rest.at < merge->rest.end; merge->rest.at++) {
        const struct kineto_event *event = merge->rest.at;
        if (!(merge->rest.kinds[event->kind].class & merge->classes))
            continue;
        if (!open) {
            merge->start_ns = event->start_ns;
            merge->end_ns = event->end_ns;
            open = true;
        } else if (event->start_ns > merge->end_ns) {
            return true;
        } else if (event->end_ns > merge->end_ns) {
            merge->end_ns = event->end_ns;
        }
    }
    return open;
}

static int64_t length_of(struct events events, unsigned classes) {
    struct merge m = {.rest = events, .classes = classes};
    int64_t length = 0;
    while (merge_next(&m))
        length += m.end_ns - m.start_ns;
    return length;
}

static int64_t length_of_both(struct events events, unsigned classes, unsigned others) {
    struct merge a = {.rest = events, .classes = classes}, b = {.rest = events, .classes = others};
    int64_t length = 0;
    for (bool more = merge_next(&a) && merge_next(&b); more;) {
        int64_t start = a.start_ns > b.start_ns ? a.start_ns : b.start_ns;
        int64_t end = a.end_ns < b.end_ns ? a.end_ns : b.end_ns;
        length += end > start ? end - start : 0;
        more = merge_next(a.end_ns < b.end_ns ? &a : &b);
    }
    return length;
}

static struct kineto_shares shares_of(struct events events) {
    const unsigned all = KINETO_COMPUTE | KINETO_COMMUNICATION | KINETO_MEMORY;
    struct kineto_shares s = {.events = (uint64_t)(events.end - events.at)};
    if (events.at == events.end)
        return s;
    int64_t end_ns = INT64_MIN;
    for (const struct kineto_event *event = events.at; event < events.end; event++) {
        end_ns = event->end_ns > end_ns ? event->end_ns : end_ns;
        s.communication_events += events.kinds[event->kind].class == KINETO_COMMUNICATION;
    }
    s.span = end_ns - events.at->start_ns;
    s.busy = length_of(events, all);
    s.idle = s.span - s.busy;
    s.compute = length_of(events, KINETO_COMPUTE);
    s.communication = length_of(events, KINETO_COMMUNICATION);
    s.memory = length_of(events, KINETO_MEMORY);
    s.overlap = length_of_both(events, KINETO_COMMUNICATION, KINETO_COMPUTE);
    s.exposed = s.communication -
                length_of_both(events, KINETO_COMMUNICATION, KINETO_COMPUTE | KINETO_MEMORY);
    return s;
}

struct kineto_shares kineto_shares_of(const struct kineto_trace *trace) {
    const struct kineto_event *at = trace->events.at;
    if (trace->events.count == 0)
        return (struct kineto_shares){0};
    return shares_of((struct events){at, at + trace->events.count, trace->kinds->all.at});
}

void kineto_shares_by_step(struct kineto_trace *trace, size_t steps,
                           struct kineto_shares **ret_shares) {
    struct kineto_event *events = trace->events.at;
    size_t count = trace->events.count;
    struct kineto_shares *shares = mem_zalloc(steps + 1, sizeof *shares);
    sort_events(events, count, by_step);
    for (size_t i = 0, next; i < count && events[i].correlation < steps; i = next) {
        for (next = i + 1; next < count && events[next].correlation == events[i].correlation;
             next++)
            continue;
        shares[events[i].correlation] =
            shares_of((struct events){events + i, events + next, trace->kinds->all.at});
    }
    sort_events(events, count, by_start);
    *ret_shares = shares;
}

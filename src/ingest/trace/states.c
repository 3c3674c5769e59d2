/* Time of the window by state of the GPU: what runs, or why nothing does. Invariant: every instant
   of the window counts in one state. */
#include "ingest/trace/internal.h"

const char *const trace_state_names[STATE_COUNT] = {TRACE_STATES(NAME_OF)};

/* Until when each class runs, of the events so far; they come by start. */
struct running {
    int64_t until[3]; /* in the order of the first states */
    int64_t at_ns;    /* all before it is counted */
    int64_t *sums;
};

/* Counts the time up to an instant by what runs; the rest is idle, from *ret_idle_ns on. */
static void run_to(struct running *r, int64_t time_ns) {
    for (size_t state = 0; state < 3; state++) {
        /* A state of a higher rank counts first; it always begins at at_ns. */
        int64_t until = r->until[state] < time_ns ? r->until[state] : time_ns;
        if (until > r->at_ns) {
            r->sums[state] += until - r->at_ns;
            r->at_ns = until;
        }
    }
}

static size_t state_of(enum kineto_class class) {
    return class == KINETO_COMPUTE         ? STATE_COMPUTE
           : class == KINETO_COMMUNICATION ? STATE_COMMUNICATION
                                           : STATE_COPY;
}

/* Whether a synchronize call of that thread lasts through part of the span: its length. */
static int64_t sync_ns(const struct trace_rank *rank, uint16_t thread, struct trace_span span) {
    const struct trace_call *calls = rank->calls.at;
    size_t low = 0;
    int64_t sum = 0;
    SEARCH(low, rank->calls.count, calls[at].start_ns < span.end_ns)
    for (size_t back = 0; low > 0 && back < 4096; back++) {
        const struct trace_call *call = &calls[--low];
        if (call->thread != thread || call->nested)
            continue;
        int64_t from = call->start_ns > span.start_ns ? call->start_ns : span.start_ns;
        int64_t to = call->end_ns < span.end_ns ? call->end_ns : span.end_ns;
        if (call->type == CALL_SYNC && to > from)
            sum += to - from;
        if (call->start_ns <= span.start_ns)
            break;
    }
    return sum;
}

/* Idle time before that GPU event. */
static void add_idle(const struct trace_rank *rank, const struct trace_gpu *next,
                     struct trace_span idle, int64_t *sums) {
    if (next->call == TRACE_NONE) {
        sums[STATE_UNKNOWN] += idle.end_ns - idle.start_ns;
        return;
    }
    const struct trace_call *call = &rank->calls.at[next->call];
    int64_t launched = call->end_ns < next->start_ns ? call->end_ns : next->start_ns;
    launched = launched < idle.start_ns ? idle.start_ns : launched;
    launched = launched > idle.end_ns ? idle.end_ns : launched;
    const struct trace_span waiting = {idle.start_ns, launched};
    int64_t input = trace_loading_ns(rank, call->thread, waiting);
    int64_t sync = sync_ns(rank, call->thread, waiting);
    int64_t length = launched - idle.start_ns;
    sync = sync < length - input ? sync : length - input; /* inside a loader it is input */
    int64_t rest = idle.end_ns - launched;
    int64_t dispatch = rest < TRACE_DISPATCH_NS ? rest : TRACE_DISPATCH_NS;
    sums[STATE_INPUT] += input;
    sums[STATE_SYNC] += sync;
    sums[STATE_HOST] += length - input - sync;
    sums[STATE_DISPATCH] += dispatch;
    sums[STATE_BLOCKED] += rest - dispatch;
}

void trace_states(const struct trace_rank *rank, int64_t ret_ns[STATE_COUNT]) {
    const struct trace_span w = rank->window;
    struct running r = {{INT64_MIN, INT64_MIN, INT64_MIN}, w.start_ns, ret_ns};
    memset(ret_ns, 0, STATE_COUNT * sizeof *ret_ns);
    for (size_t i = 0; i < rank->gpu.count; i++) {
        const struct trace_gpu *gpu = &rank->gpu.at[i];
        if (gpu->end_ns <= w.start_ns || gpu->end_ns == gpu->start_ns)
            continue;
        if (gpu->start_ns >= w.end_ns)
            break;
        run_to(&r, gpu->start_ns);
        if (gpu->start_ns > r.at_ns) {
            add_idle(rank, gpu, (struct trace_span){r.at_ns, gpu->start_ns}, ret_ns);
            r.at_ns = gpu->start_ns;
        }
        int64_t *until = &r.until[state_of(trace_class(rank, gpu))];
        *until = gpu->end_ns > *until ? gpu->end_ns : *until;
    }
    run_to(&r, w.end_ns);
    ret_ns[STATE_HOST] += w.end_ns - r.at_ns; /* no GPU event comes any more */
}

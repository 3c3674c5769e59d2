/* The predecessors of each event, which it waited for. Invariant: a predecessor let the event begin
   no later than it began, so that paths tile time and a replay of unchanged lengths gives the trace
   back. */
#include "ingest/trace/internal.h"

#include "base/mem.h"

#define LONG_LAUNCH_NS 20000
#define QUEUE_PENDING  1000 /* the queue of launches holds 1,024 */
#define MOST_BACK      256  /* events of a stream, if they overlap */

/* ---- By end ---- */

struct ended {
    int64_t end_ns;
    uint32_t index;
};

ORDER_BY(by_end, struct ended, ASC(end_ns) ASC(index))

static uint32_t *indices_of(struct ended *ended, size_t count) {
    uint32_t *indices = mem_alloc((count + 1) * sizeof *indices);
    sort_array(ended, count, by_end);
    for (size_t i = 0; i < count; i++)
        indices[i] = ended[i].index;
    return indices;
}

static void order_by_end(struct trace_rank *rank) {
    size_t most = rank->gpu.count > rank->calls.count ? rank->gpu.count : rank->calls.count;
    struct ended *ended = mem_alloc((most + 1) * sizeof *ended);
    for (size_t i = 0; i < rank->gpu.count; i++)
        ended[i] = (struct ended){rank->gpu.at[i].end_ns, (uint32_t)i};
    rank->gpu_by_end = indices_of(ended, rank->gpu.count);
    size_t outer = 0;
    for (size_t i = 0; i < rank->calls.count; i++)
        if (!rank->calls.at[i].nested)
            ended[outer++] = (struct ended){rank->calls.at[i].end_ns, (uint32_t)i};
    rank->calls_by_end = indices_of(ended, outer);
    rank->outer_calls = outer;
    free(ended);
}

/* The number of GPU events that have ended by that instant. */
static size_t ended_by(const struct trace_rank *rank, int64_t time_ns) {
    size_t low = 0;
    SEARCH(low, rank->gpu.count, rank->gpu.at[rank->gpu_by_end[at]].end_ns <= time_ns)
    return low;
}

/* ---- GPU events ---- */

/* The last event of the stream that had ended when this one began. */
static uint32_t before_in_stream(struct trace_rank *rank, const uint32_t *before, uint32_t last,
                                 int64_t start_ns) {
    rank->overlapping += last != TRACE_NONE && rank->gpu.at[last].end_ns > start_ns;
    for (int i = 0; i < MOST_BACK && last != TRACE_NONE; i++, last = before[last])
        if (rank->gpu.at[last].end_ns <= start_ns)
            return last;
    return TRACE_NONE;
}

static uint32_t ended_elsewhere(const struct trace_rank *rank, uint32_t index) {
    const struct trace_gpu *gpu = &rank->gpu.at[index];
    uint32_t track = trace_track(rank, gpu);
    for (size_t i = ended_by(rank, gpu->start_ns); i > 0; i--) {
        uint32_t other = rank->gpu_by_end[i - 1];
        if (other < index && trace_track(rank, &rank->gpu.at[other]) != track)
            return other;
    }
    return TRACE_NONE;
}

static void link_gpu(struct trace_rank *rank) {
    uint32_t last[KINETO_MOST_TRACKS + 1], *chain;
    ARRAY_OF(int64_t) waits = {0};
    for (size_t i = 0; i < rank->calls.count; i++)
        if (rank->calls.at[i].type == CALL_WAIT_EVENT)
            array_push(&waits, rank->calls.at[i].start_ns);
    for (size_t t = 0; t <= KINETO_MOST_TRACKS; t++)
        last[t] = TRACE_NONE;
    chain = mem_alloc((rank->gpu.count + 1) * sizeof *chain);
    for (uint32_t i = 0; i < rank->gpu.count; i++) {
        const struct trace_gpu *gpu = &rank->gpu.at[i];
        uint32_t *previous = &last[trace_track(rank, gpu)];
        chain[i] = *previous;
        rank->gpu_before[i] = before_in_stream(rank, chain, *previous, gpu->start_ns);
        rank->gpu_other[i] = TRACE_NONE;
        uint32_t launched = *previous; /* without one, since the trace began */
        while (launched != TRACE_NONE && rank->gpu.at[launched].call == TRACE_NONE)
            launched = chain[launched];
        if (gpu->call != TRACE_NONE) {
            int64_t from = launched == TRACE_NONE
                               ? INT64_MIN
                               : rank->calls.at[rank->gpu.at[launched].call].start_ns;
            int64_t to = rank->calls.at[gpu->call].start_ns;
            size_t low = 0;
            SEARCH(low, waits.count, waits.at[at] < from)
            if (low < waits.count && waits.at[low] < to)
                rank->gpu_other[i] = ended_elsewhere(rank, i);
        }
        *previous = i;
    }
    free(chain);
    free(waits.at);
}

/* ---- Calls ---- */

/* The GPU event that ended last inside the call. */
static uint32_t ended_inside(const struct trace_rank *rank, const struct trace_call *call) {
    for (size_t i = ended_by(rank, call->end_ns); i > 0; i--) {
        const struct trace_gpu *gpu = &rank->gpu.at[rank->gpu_by_end[i - 1]];
        if (gpu->end_ns <= call->start_ns)
            break;
        if (gpu->start_ns < call->end_ns)
            return rank->gpu_by_end[i - 1];
    }
    return TRACE_NONE;
}

/* By call, 1 + the first GPU event that it launched; 0: none. */
static uint32_t *launched_by_call(const struct trace_rank *rank) {
    uint32_t *launched = mem_zalloc(rank->calls.count + 1, sizeof *launched);
    for (uint32_t i = 0; i < rank->gpu.count; i++)
        if (rank->gpu.at[i].call != TRACE_NONE && launched[rank->gpu.at[i].call] == 0)
            launched[rank->gpu.at[i].call] = i + 1;
    return launched;
}

static void link_calls(struct trace_rank *rank) {
    uint32_t *launched = launched_by_call(rank);
    size_t done = 0, ended = 0;
    int64_t pending = 0;
    uint32_t before = TRACE_NONE;
    for (uint32_t i = 0; i < rank->calls.count; i++) {
        const struct trace_call *call = &rank->calls.at[i];
        while (ended < rank->outer_calls &&
               rank->calls.at[rank->calls_by_end[ended]].end_ns <= call->start_ns &&
               rank->calls_by_end[ended] < i)
            before = rank->calls_by_end[ended++];
        rank->call_before[i] = before;
        rank->call_wait[i] = TRACE_NONE;
        for (; done < rank->gpu.count && rank->gpu.at[done].start_ns <= call->start_ns; done++)
            pending -= rank->gpu.at[done].call != TRACE_NONE &&
                       launched[rank->gpu.at[done].call] == done + 1;
        uint32_t own = launched[i];
        bool waits =
            call->type == CALL_SYNC || call->type == CALL_BLOCKING || call->type == CALL_FREE;
        if (call->type == CALL_COPY && own > 0)
            waits = rank->gpu.at[own - 1].end_ns <= call->end_ns;
        if (call->type == CALL_COPY || call->type == CALL_LAUNCH)
            waits = waits ||
                    (call->end_ns - call->start_ns > LONG_LAUNCH_NS && pending >= QUEUE_PENDING);
        if (waits && !call->nested)
            rank->call_wait[i] = ended_inside(rank, call);
        pending += own > 0;
    }
    free(launched);
}

void trace_links_init(struct trace_rank *rank) {
    rank->gpu_before = mem_alloc((rank->gpu.count + 1) * sizeof *rank->gpu_before);
    rank->gpu_other = mem_alloc((rank->gpu.count + 1) * sizeof *rank->gpu_other);
    rank->call_before = mem_alloc((rank->calls.count + 1) * sizeof *rank->call_before);
    rank->call_wait = mem_alloc((rank->calls.count + 1) * sizeof *rank->call_wait);
    order_by_end(rank);
    link_gpu(rank);
    link_calls(rank);
}

/* The window once more with other lengths: every event begins when the last of its predecessors has
   ended, plus the delay that the trace shows. Invariant: with lengths unchanged every time is that
   of the trace, to the nanosecond. */
#include "ingest/trace/internal.h"

#include "base/mem.h"

#include <math.h>

/* ---- Lengths ---- */

/* One rank, on its clock. */
struct replay {
    const struct trace_rank *rank;
    const double *by;                         /* of the changes, by part */
    const double *names;                      /* of the changes, for this rank; or NULL */
    int64_t *gpu_end, *call_start, *call_end; /* in the replay */
    uint32_t next, started;                   /* GPU event and call that come next */
    size_t ended;                             /* calls */
};

static int64_t divided(int64_t length_ns, double by) {
    return by == 1 ? length_ns : by == 0 ? 0 : llround((double)length_ns / by);
}

static double factor_of(const struct replay *r, const struct trace_gpu *gpu) {
    enum kineto_class class = trace_class(r->rank, gpu);
    if (class == KINETO_COMMUNICATION)
        return r->by[PART_COMMUNICATION];
    if (class == KINETO_MEMORY)
        return r->by[PART_COPIES];
    return r->names ? r->names[gpu->name] : r->by[PART_KERNELS];
}

/* Part of the host's time after the window's begin. */
static int64_t host_length(const struct replay *r, uint16_t thread, int64_t from_ns,
                           int64_t to_ns) {
    if (r->by[PART_HOST] == 1 && r->by[PART_INPUT] == 1)
        return to_ns - from_ns;
    int64_t fixed = 0, start_ns = r->rank->window.start_ns;
    if (from_ns < start_ns) {
        fixed = (to_ns < start_ns ? to_ns : start_ns) - from_ns;
        from_ns += fixed;
    }
    int64_t input = trace_loading_ns(r->rank, thread, (struct trace_span){from_ns, to_ns});
    return fixed + divided(input, r->by[PART_INPUT]) +
           divided(to_ns - from_ns - input, r->by[PART_HOST]);
}

/* A delay before GPU work: at most 50 us of dispatch, the rest blocked. */
static int64_t delay_length(const struct replay *r, const struct trace_gpu *gpu, int64_t delay_ns) {
    if (gpu->call == TRACE_NONE)
        return divided(delay_ns, r->by[PART_BLOCKED]);
    int64_t dispatch = delay_ns < TRACE_DISPATCH_NS ? delay_ns : TRACE_DISPATCH_NS;
    return divided(dispatch, r->by[PART_DISPATCH]) +
           divided(delay_ns - dispatch, r->by[PART_BLOCKED]);
}

/* ---- Events ---- */

/* When the GPU event begins in the replay; its end is set as if it waited for no other rank. */
static int64_t replay_gpu(struct replay *r, uint32_t index) {
    const struct trace_rank *rank = r->rank;
    const struct trace_gpu *gpu = &rank->gpu.at[index];
    int64_t w0 = rank->window.start_ns, w1 = rank->window.end_ns;
    int64_t end_ns = gpu->end_ns < w1 ? gpu->end_ns : w1;
    if (gpu->start_ns < w0) { /* it began before: only what is left of it changes */
        r->gpu_end[index] = end_ns <= w0 ? end_ns : w0 + divided(end_ns - w0, factor_of(r, gpu));
        return gpu->start_ns;
    }
    struct trace_link links[3];
    size_t count = trace_links_of(rank, index, links);
    int64_t was = w0, is = w0;
    for (size_t i = 0; i < count; i++) {
        int64_t then = links[i].time_ns, now;
        if (links[i].is_call) {
            const struct trace_call *call = &rank->calls.at[links[i].index];
            now = then == call->end_ns ? r->call_end[links[i].index]
                                       : r->call_start[links[i].index] +
                                             host_length(r, call->thread, call->start_ns, then);
        } else {
            now = r->gpu_end[links[i].index];
        }
        was = then > was ? then : was;
        is = now > is ? now : is;
    }
    int64_t start_ns = is + delay_length(r, gpu, gpu->start_ns - was);
    r->gpu_end[index] = start_ns + divided(end_ns - gpu->start_ns, factor_of(r, gpu));
    return start_ns;
}

static void replay_call_start(struct replay *r, uint32_t index) {
    const struct trace_rank *rank = r->rank;
    const struct trace_call *call = &rank->calls.at[index];
    int64_t w0 = rank->window.start_ns;
    uint32_t before = rank->call_before[index];
    if (call->start_ns <= w0) {
        r->call_start[index] = call->start_ns;
        return;
    }
    int64_t was = before == TRACE_NONE ? w0 : rank->calls.at[before].end_ns;
    int64_t is = before == TRACE_NONE ? w0 : r->call_end[before];
    if (was < w0)
        was = is = w0;
    r->call_start[index] = is + host_length(r, call->thread, was, call->start_ns);
}

static void replay_call_end(struct replay *r, uint32_t index) {
    const struct trace_rank *rank = r->rank;
    const struct trace_call *call = &rank->calls.at[index];
    int64_t w1 = rank->window.end_ns, end_ns = call->end_ns < w1 ? call->end_ns : w1;
    uint32_t waited = rank->call_wait[index];
    int64_t was = call->start_ns, is = r->call_start[index];
    if (waited != TRACE_NONE && rank->gpu.at[waited].end_ns <= end_ns) {
        was = rank->gpu.at[waited].end_ns;
        is = r->gpu_end[waited] > is ? r->gpu_end[waited] : is;
    }
    r->call_end[index] = is + host_length(r, call->thread, was, end_ns);
}

/* Before any GPU event that begins at that instant come all calls that end or begin then. */
static void replay_calls_to(struct replay *r, int64_t time_ns) {
    const struct trace_rank *rank = r->rank;
    const struct trace_call *calls = rank->calls.at;
    for (;;) {
        const struct trace_call *next = r->started < rank->calls.count ? &calls[r->started] : NULL;
        uint32_t ending = r->ended < rank->outer_calls ? rank->calls_by_end[r->ended] : TRACE_NONE;
        bool ends = ending != TRACE_NONE && calls[ending].end_ns <= time_ns && ending < r->started;
        if (next && next->start_ns <= time_ns &&
            !(ends && calls[ending].end_ns <= next->start_ns)) {
            replay_call_start(r, r->started);
            if (next->nested) /* waits for nothing, and is none's predecessor but of its launch */
                replay_call_end(r, r->started);
            ++r->started;
        } else if (ends) {
            replay_call_end(r, ending);
            ++r->ended;
        } else {
            return;
        }
    }
}

static int64_t replay_end(const struct replay *r) {
    const struct trace_rank *rank = r->rank;
    const int64_t w0 = rank->window.start_ns, w1 = rank->window.end_ns;
    const struct trace_link last = trace_links_end(rank);
    int64_t is = w0;
    for (size_t i = 0; i < rank->gpu.count && rank->gpu.at[i].start_ns < w1; i++)
        if (trace_in_window(rank, &rank->gpu.at[i]) && r->gpu_end[i] > is)
            is = r->gpu_end[i];
    for (size_t i = 0; i < rank->calls.count && rank->calls.at[i].start_ns < rank->steps_end_ns;
         i++)
        if (!rank->calls.at[i].nested && r->call_end[i] > is)
            is = r->call_end[i];
    return is + host_length(r, trace_last_thread(rank), last.time_ns, w1);
}

/* ---- Ranks ---- */

/* The ranks of a collective that have begun it, and when the last one did. */
struct begun {
    uint32_t count;
    int64_t time_ns; /* on the clock of the job */
};

struct joint {
    const struct trace_job *job;
    const struct replay_changes *changes;
    struct replay *ranks;
    struct begun *begun; /* by collective */
};

/* All of its ranks have begun it: now it runs. The rest of its length is divided. */
static void run_collective(struct joint *j, const struct trace_collective *c, int64_t begin_ns) {
    for (size_t p = c->first; p < c->first + c->count; p++) {
        const struct trace_part_of *part = &j->job->parts.at[p];
        struct replay *r = &j->ranks[part->rank];
        const struct trace_gpu *gpu = &r->rank->gpu.at[part->gpu];
        int64_t shift_ns = j->job->shift_ns[part->rank], w1 = r->rank->window.end_ns;
        int64_t end_ns = gpu->end_ns < w1 ? gpu->end_ns : w1;
        r->gpu_end[part->gpu] =
            begin_ns - shift_ns +
            divided(end_ns - (c->begin_ns - shift_ns), j->changes->by[PART_COMMUNICATION]);
    }
}

/* All parts lie in the windows of their ranks, so that each is replayed. */
static bool is_joint(const struct joint *j, const struct trace_collective *c) {
    for (size_t p = c->first; p < c->first + c->count; p++) {
        const struct trace_part_of *part = &j->job->parts.at[p];
        const struct trace_rank *rank = j->job->ranks[part->rank];
        if (rank->gpu.at[part->gpu].start_ns < rank->window.start_ns ||
            rank->gpu.at[part->gpu].start_ns >= rank->window.end_ns ||
            c->begin_ns - j->job->shift_ns[part->rank] >= rank->window.end_ns)
            return false;
    }
    return true;
}

static void replay_next(struct joint *j, size_t number) {
    struct replay *r = &j->ranks[number];
    uint32_t index = r->next++;
    const struct trace_gpu *gpu = &r->rank->gpu.at[index];
    replay_calls_to(r, gpu->start_ns);
    int64_t start_ns = replay_gpu(r, index);
    const struct trace_collective *c = trace_job_collective(j->job, number, index);
    if (!c || !is_joint(j, c))
        return;
    struct begun *begun = &j->begun[c - j->job->collectives.at];
    int64_t at_ns = start_ns + j->job->shift_ns[number];
    begun->time_ns = begun->count == 0 || at_ns > begun->time_ns ? at_ns : begun->time_ns;
    if (j->changes->by[PART_IMBALANCE] == 0) { /* each rank begins alone */
        int64_t wait_ns = trace_job_wait_ns(j->job, number, index);
        r->gpu_end[index] = start_ns + divided(gpu->end_ns - gpu->start_ns - wait_ns,
                                               j->changes->by[PART_COMMUNICATION]);
    } else if (++begun->count == c->count) {
        run_collective(j, c, begun->time_ns);
    }
}

/* The rank whose next GPU event comes first on the clock of the job; count if none has one. */
static size_t rank_of_next(const struct joint *j) {
    size_t found = j->job->count;
    int64_t first_ns = 0;
    for (size_t i = 0; i < j->job->count; i++) {
        const struct replay *r = &j->ranks[i];
        if (r->next >= r->rank->gpu.count ||
            r->rank->gpu.at[r->next].start_ns >= r->rank->window.end_ns)
            continue;
        int64_t start_ns = r->rank->gpu.at[r->next].start_ns + j->job->shift_ns[i];
        if (found == j->job->count || start_ns < first_ns) {
            found = i;
            first_ns = start_ns;
        }
    }
    return found;
}

int64_t trace_replay(const struct trace_job *job, const struct replay_changes *changes) {
    struct joint j = {job, changes, mem_zalloc(job->count, sizeof *j.ranks),
                      mem_zalloc(job->collectives.count + 1, sizeof *j.begun)};
    int64_t end_ns = INT64_MIN;
    for (size_t i = 0; i < job->count; i++) {
        const struct trace_rank *rank = job->ranks[i];
        j.ranks[i] =
            (struct replay){.rank = rank,
                            .by = changes->by,
                            .names = changes->names ? changes->names[i] : NULL,
                            .gpu_end = mem_alloc((rank->gpu.count + 1) * sizeof(int64_t)),
                            .call_start = mem_alloc((rank->calls.count + 1) * sizeof(int64_t)),
                            .call_end = mem_alloc((rank->calls.count + 1) * sizeof(int64_t))};
    }
    for (size_t next; (next = rank_of_next(&j)) < job->count;)
        replay_next(&j, next);
    for (size_t i = 0; i < job->count; i++) {
        struct replay *r = &j.ranks[i];
        replay_calls_to(r, INT64_MAX);
        int64_t ends_ns = replay_end(r) + job->shift_ns[i];
        end_ns = ends_ns > end_ns ? ends_ns : end_ns;
        free(r->gpu_end);
        free(r->call_start);
        free(r->call_end);
    }
    free(j.ranks);
    free(j.begun);
    return end_ns - job->start_ns;
}

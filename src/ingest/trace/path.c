/* The critical path: backwards from the end of the window, always to the predecessor that ended
   last. Invariant: its pieces tile the window. */
#include "ingest/trace/internal.h"

#include "base/mem.h"

const char *const trace_part_names[PART_COUNT] = {TRACE_PARTS(NAME_OF)};

size_t trace_links_of(const struct trace_rank *rank, uint32_t gpu, struct trace_link links[3]) {
    const struct trace_gpu *g = &rank->gpu.at[gpu];
    size_t count = 0;
    const uint32_t events[] = {rank->gpu_before[gpu], rank->gpu_other[gpu]};
    if (g->call != TRACE_NONE) {
        int64_t end_ns = rank->calls.at[g->call].end_ns;
        links[count++] =
            (struct trace_link){true, g->call, end_ns < g->start_ns ? end_ns : g->start_ns};
    }
    for (size_t i = 0; i < 2; i++)
        if (events[i] != TRACE_NONE)
            links[count++] = (struct trace_link){false, events[i], rank->gpu.at[events[i]].end_ns};
    return count;
}

uint16_t trace_last_thread(const struct trace_rank *rank) {
    size_t low = 0;
    SEARCH(low, rank->calls.count, rank->calls.at[at].start_ns < rank->steps_end_ns)
    return low > 0 ? rank->calls.at[low - 1].thread : 0;
}

/* Events that last longer than the window end with it. */
struct trace_link trace_links_end(const struct trace_rank *rank) {
    const struct trace_span w = rank->window;
    struct trace_link end = {false, TRACE_NONE, w.start_ns};
    size_t low = 0;
    SEARCH(low, rank->calls.count, rank->calls.at[at].start_ns < rank->steps_end_ns)
    for (size_t i = 0; i < low; i++) {
        const struct trace_call *call = &rank->calls.at[i];
        int64_t to = call->end_ns < w.end_ns ? call->end_ns : w.end_ns;
        if (!call->nested && to > end.time_ns)
            end = (struct trace_link){true, (uint32_t)i, to};
    }
    for (size_t i = 0; i < rank->gpu.count && rank->gpu.at[i].start_ns < w.end_ns; i++) {
        if (!trace_in_window(rank, &rank->gpu.at[i]))
            continue;
        int64_t to = rank->gpu.at[i].end_ns < w.end_ns ? rank->gpu.at[i].end_ns : w.end_ns;
        if (to > end.time_ns)
            end = (struct trace_link){false, (uint32_t)i, to};
    }
    return end;
}

/* ---- Walking ---- */

struct walk {
    const struct trace_job *job;
    struct trace_path *path;
    const struct trace_rank *rank; /* at hand */
    size_t number;                 /* its place in the job */
    int64_t start_ns;              /* where the path begins, on its clock */
    bool hops;                     /* from rank to rank */
};

static void add_part(struct walk *walk, enum trace_part part, int64_t from_ns, int64_t to_ns) {
    from_ns = from_ns > walk->start_ns ? from_ns : walk->start_ns;
    if (to_ns <= from_ns)
        return;
    walk->path->parts[part] += to_ns - from_ns;
    walk->path->ranks[walk->number] += to_ns - from_ns;
    walk->path->segments++;
}

static void add_host(struct walk *walk, uint16_t thread, int64_t from_ns, int64_t to_ns) {
    from_ns = from_ns > walk->start_ns ? from_ns : walk->start_ns;
    if (to_ns <= from_ns)
        return;
    int64_t input = trace_loading_ns(walk->rank, thread, (struct trace_span){from_ns, to_ns});
    add_part(walk, PART_HOST, from_ns, to_ns);
    walk->path->parts[PART_HOST] -= input;
    walk->path->parts[PART_INPUT] += input;
}

static void add_kernel(struct walk *walk, const struct trace_gpu *gpu, int64_t to_ns) {
    int64_t from_ns = gpu->start_ns > walk->start_ns ? gpu->start_ns : walk->start_ns;
    int64_t **kernels = &walk->path->kernels[walk->number];
    add_part(walk, PART_KERNELS, from_ns, to_ns);
    if (!*kernels)
        *kernels = mem_zalloc(walk->rank->names.entries.count + 1, sizeof **kernels);
    if (to_ns > from_ns)
        (*kernels)[gpu->name] += to_ns - from_ns;
}

static void visit_rank(struct walk *walk, size_t number) {
    walk->number = number;
    walk->rank = walk->job->ranks[number];
    walk->start_ns = walk->hops ? walk->job->start_ns - walk->job->shift_ns[number]
                                : walk->rank->window.start_ns;
}

/* Through a collective; true: the path goes on at *ret_at, on the rank that began it last. */
static bool cross_collective(struct walk *walk, struct trace_link at, struct trace_link *ret_at) {
    const struct trace_collective *c = trace_job_collective(walk->job, walk->number, at.index);
    const struct trace_gpu *gpu = &walk->rank->gpu.at[at.index];
    int64_t begin_ns = c ? c->begin_ns - walk->job->shift_ns[walk->number] : gpu->start_ns;
    add_part(walk, PART_COMMUNICATION, begin_ns, at.time_ns);
    if (!c || !walk->hops) {
        add_part(walk, PART_IMBALANCE, gpu->start_ns,
                 begin_ns < at.time_ns ? begin_ns : at.time_ns);
        return false;
    }
    if (c->last_rank == walk->number)
        return false;
    visit_rank(walk, c->last_rank);
    *ret_at = (struct trace_link){false, c->last_gpu, walk->rank->gpu.at[c->last_gpu].start_ns};
    return true;
}

/* From the GPU event, which was reached at an instant, to what let it begin. */
static struct trace_link leave_gpu(struct walk *walk, struct trace_link at) {
    const struct trace_gpu *gpu = &walk->rank->gpu.at[at.index];
    enum kineto_class class = trace_class(walk->rank, gpu);
    struct trace_link links[3], last = {false, TRACE_NONE, walk->start_ns};
    if (class == KINETO_COMMUNICATION && at.time_ns > gpu->start_ns &&
        cross_collective(walk, at, &last))
        return last;
    if (class == KINETO_COMPUTE)
        add_kernel(walk, gpu, at.time_ns);
    else if (class == KINETO_MEMORY)
        add_part(walk, PART_COPIES, gpu->start_ns, at.time_ns);
    size_t count = trace_links_of(walk->rank, at.index, links);
    for (size_t i = 0; i < count; i++)
        if (last.index == TRACE_NONE ||
            links[i].time_ns >= last.time_ns) /* GPU events come later */
            last = links[i];
    int64_t from_ns = last.time_ns > walk->start_ns ? last.time_ns : walk->start_ns;
    if (gpu->call == TRACE_NONE) {
        add_part(walk, PART_UNKNOWN, from_ns, gpu->start_ns);
    } else {
        int64_t rest_ns = from_ns + TRACE_DISPATCH_NS;
        rest_ns = rest_ns < gpu->start_ns ? rest_ns : gpu->start_ns;
        add_part(walk, PART_DISPATCH, from_ns, rest_ns);
        add_part(walk, PART_BLOCKED, rest_ns, gpu->start_ns);
    }
    return last;
}

static struct trace_link leave_call(struct walk *walk, struct trace_link at) {
    const struct trace_rank *rank = walk->rank;
    const struct trace_call *call = &rank->calls.at[at.index];
    uint32_t waited = rank->call_wait[at.index];
    if (waited != TRACE_NONE && rank->gpu.at[waited].end_ns <= at.time_ns) {
        int64_t end_ns = rank->gpu.at[waited].end_ns;
        add_host(walk, call->thread, end_ns, at.time_ns);
        return (struct trace_link){false, waited, end_ns};
    }
    uint32_t before = rank->call_before[at.index];
    int64_t from_ns = before == TRACE_NONE ? walk->start_ns : rank->calls.at[before].end_ns;
    add_host(walk, call->thread, from_ns, at.time_ns);
    return (struct trace_link){true, before, from_ns};
}

static void walk_from(struct walk *walk, size_t number) {
    size_t count = walk->job->count;
    *walk->path = (struct trace_path){.kernels = mem_zalloc(count, sizeof *walk->path->kernels),
                                      .ranks = mem_zalloc(count, sizeof *walk->path->ranks),
                                      .count = count};
    visit_rank(walk, number);
    struct trace_link at = trace_links_end(walk->rank);
    int64_t end_ns = walk->rank->window.end_ns;
    walk->path->length_ns = end_ns - walk->start_ns;
    add_host(walk, trace_last_thread(walk->rank), at.time_ns, end_ns);
    while (at.index != TRACE_NONE && at.time_ns > walk->start_ns)
        at = at.is_call ? leave_call(walk, at) : leave_gpu(walk, at);
}

void trace_path_of_rank(const struct trace_job *job, size_t rank, struct trace_path *ret_path) {
    walk_from(&(struct walk){.job = job, .path = ret_path}, rank);
}

void trace_path_of_job(const struct trace_job *job, struct trace_path *ret_path) {
    walk_from(&(struct walk){.job = job, .path = ret_path, .hops = true}, job->end_rank);
}

void trace_path_finish(struct trace_path *path) {
    for (size_t r = 0; r < path->count; r++)
        free(path->kernels[r]);
    free(path->kernels);
    free(path->ranks);
    *path = (struct trace_path){0};
}

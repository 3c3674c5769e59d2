/* The ranks of one job side by side: their clocks, and which GPU events are one collective.
   Invariant: a collective begins when its last rank begins it, and before any rank ends it. */
#include "ingest/trace/internal.h"

#include "base/mem.h"

/* The communication of a rank among all of its GPU events. */
static uint32_t find_gpu(const struct trace_rank *rank, const struct kineto_event *event) {
    const struct trace_gpu *gpu = rank->gpu.at;
    size_t low = 0;
    SEARCH(low, rank->gpu.count, gpu[at].start_ns < event->start_ns)
    for (; low < rank->gpu.count && gpu[low].start_ns == event->start_ns; low++)
        if (gpu[low].end_ns == event->end_ns && gpu[low].kind == event->kind)
            return (uint32_t)low;
    return TRACE_NONE;
}

static void add_collective(struct trace_job *job, const struct kineto_collective *collective) {
    struct trace_collective c = {.first = (uint32_t)job->parts.count, .begin_ns = INT64_MIN};
    int64_t first_end = INT64_MAX;
    for (size_t p = collective->first; p < collective->first + collective->count; p++) {
        const struct kineto_part *part = &job->matched.parts.at[p];
        const struct trace_rank *rank = job->ranks[part->rank];
        uint32_t found = find_gpu(rank, &rank->trace->events.at[part->event]);
        if (found == TRACE_NONE)
            break;
        int64_t shift_ns = job->shift_ns[part->rank];
        int64_t start_ns = rank->gpu.at[found].start_ns + shift_ns;
        int64_t end_ns = rank->gpu.at[found].end_ns + shift_ns;
        if (start_ns > c.begin_ns) {
            c.begin_ns = start_ns;
            c.last_rank = part->rank;
            c.last_gpu = found;
        }
        first_end = end_ns < first_end ? end_ns : first_end;
        array_push(&job->parts, ((struct trace_part_of){part->rank, found}));
        c.count++;
    }
    if (c.count < collective->count || c.begin_ns >= first_end) { /* clocks differ by too much */
        job->parts.count = c.first;
        job->unclear++;
        return;
    }
    for (size_t p = c.first; p < job->parts.count; p++)
        job->collective_of[job->parts.at[p].rank][job->parts.at[p].gpu] =
            (uint32_t)job->collectives.count;
    array_push(&job->collectives, c);
}

void trace_job_init(struct trace_job *job, const struct kineto_job *read,
                    struct trace_rank *const *ranks) {
    *job = (struct trace_job){.ranks = ranks,
                              .count = read->count,
                              .shift_ns = mem_zalloc(read->count, sizeof *job->shift_ns),
                              .collective_of = mem_zalloc(read->count, sizeof *job->collective_of),
                              .start_ns = INT64_MAX,
                              .end_ns = INT64_MIN};
    kineto_ranks_init(&job->matched, &read->kinds, read->traces, read->count);
    for (size_t r = 0; r < job->count; r++) {
        const struct trace_rank *rank = ranks[r];
        int64_t offset_ns = job->matched.corrected ? job->matched.ranks[r].clock_offset_ns : 0;
        job->shift_ns[r] = kineto_base_ns(rank->trace, rank->window.end_ns) - offset_ns;
        int64_t start_ns = rank->window.start_ns + job->shift_ns[r];
        int64_t end_ns = rank->window.end_ns + job->shift_ns[r];
        job->start_ns = start_ns < job->start_ns ? start_ns : job->start_ns;
        if (end_ns > job->end_ns) {
            job->end_ns = end_ns;
            job->end_rank = r;
        }
        if (job->matched.collectives.count == 0)
            continue;
        job->collective_of[r] = mem_alloc((rank->gpu.count + 1) * sizeof(uint32_t));
        for (size_t i = 0; i < rank->gpu.count; i++)
            job->collective_of[r][i] = TRACE_NONE;
    }
    for (size_t i = 0; i < job->matched.collectives.count; i++)
        add_collective(job, &job->matched.collectives.at[i]);
}

const struct trace_collective *trace_job_collective(const struct trace_job *job, size_t rank,
                                                    uint32_t gpu) {
    if (!job->collective_of[rank] || job->collective_of[rank][gpu] == TRACE_NONE)
        return NULL;
    return &job->collectives.at[job->collective_of[rank][gpu]];
}

int64_t trace_job_wait_ns(const struct trace_job *job, size_t rank, uint32_t gpu) {
    const struct trace_collective *c = trace_job_collective(job, rank, gpu);
    return c ? c->begin_ns - job->shift_ns[rank] - job->ranks[rank]->gpu.at[gpu].start_ns : 0;
}

void trace_job_finish(struct trace_job *job) {
    for (size_t r = 0; r < job->count; r++)
        free(job->collective_of[r]);
    free(job->collective_of);
    free(job->shift_ns);
    free(job->collectives.at);
    free(job->parts.at);
    kineto_ranks_finish(&job->matched);
    *job = (struct trace_job){0};
}

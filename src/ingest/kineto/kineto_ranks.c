/* Matching by order: the n-th collective of a process group and kernel name is that on all
   ranks. */
#include "ingest/kineto/kineto_ranks.h"

#include <gsl/gsl_heapsort.h>
#include <stdlib.h>

/* A clock counts as off only where its ends lie outside what is left once all clocks agree. */
#define OFFSET_TO_RESIDUAL 10

static int64_t median_of(int64_t *values, size_t count) {
    if (count == 0)
        return 0;
    sort_array(values, count, by_int64);
    int64_t low = values[(count - 1) / 2], high = values[count / 2];
    return low + (high - low) / 2;
}

/* ---- Parts ---- */

ORDER_BY(by_collective, struct kineto_part, ASC(group) ASC(order) ASC(rank))

int64_t kineto_base_ns(const struct kineto_trace *trace, int64_t time_ns) {
    const int64_t most = INT64_C(4000000000000000000);
    int64_t wall;
    if (!trace->has_base || trace->base_ns < 0 || trace->base_ns > most)
        return 0;
    return __builtin_add_overflow(time_ns, trace->base_ns, &wall) || wall > most || wall < 0
               ? 0
               : trace->base_ns;
}

struct kineto_event kineto_part_event(const struct kineto_ranks *ranks, size_t part) {
    const struct kineto_part *p = &ranks->parts.at[part];
    struct kineto_event event = ranks->traces[p->rank].events.at[p->event];
    int64_t base_ns = kineto_base_ns(&ranks->traces[p->rank], event.end_ns);
    event.start_ns += base_ns;
    event.end_ns += base_ns;
    return event;
}

const struct kineto_kind *kineto_part_kind(const struct kineto_ranks *ranks, size_t part) {
    return &ranks->kinds->all.at[kineto_part_event(ranks, part).kind];
}

static int64_t duration_ns(const struct kineto_ranks *ranks, size_t part) {
    struct kineto_event event = kineto_part_event(ranks, part);
    return event.end_ns - event.start_ns;
}

static void add_parts(struct kineto_ranks *ranks, uint32_t rank) {
    const struct kineto_trace *trace = &ranks->traces[rank];
    uint32_t *orders = mem_zalloc(ranks->kinds->groups.entries.count + 1, sizeof *orders);
    for (size_t i = 0; i < trace->events.count; i++) {
        const struct kineto_kind *kind = &ranks->kinds->all.at[trace->events.at[i].kind];
        if (kind->class == KINETO_COMMUNICATION && kind->group == KINETO_NONE)
            ranks->unmatched++;
        else if (kind->class == KINETO_COMMUNICATION)
            array_push(&ranks->parts, ((struct kineto_part){kind->group, orders[kind->group]++,
                                                            rank, (uint32_t)i}));
    }
    free(orders);
}

/* ---- Collectives ---- */

static struct kineto_collective collective_of(const struct kineto_ranks *ranks, size_t first,
                                              size_t count) {
    struct kineto_collective c = {.first = (uint32_t)first, .count = (uint32_t)count};
    int64_t shortest = INT64_MAX, first_end = INT64_MAX, last_end = INT64_MIN, sum = 0;
    for (size_t i = first; i < first + count; i++) {
        struct kineto_event event = kineto_part_event(ranks, i);
        int64_t duration = event.end_ns - event.start_ns;
        if (duration < shortest) {
            shortest = duration;
            c.last_rank = ranks->parts.at[i].rank;
        }
        first_end = event.end_ns < first_end ? event.end_ns : first_end;
        last_end = event.end_ns > last_end ? event.end_ns : last_end;
        sum += duration;
    }
    c.waiting_ns = sum - (int64_t)count * shortest;
    c.end_spread_ns = last_end - first_end;
    return c;
}

/* Parts first..end-1 are one group. If its ranks show different numbers of collectives, or some
   kernels are not told apart, it is not known which are missing, so none is matched. */
static void match_group(struct kineto_ranks *ranks, size_t first, size_t end) {
    const struct kineto_part *parts = ranks->parts.at;
    size_t members = 0;
    while (first + members < end && parts[first + members].order == 0)
        members++;
    bool complete = !ranks->kinds->has_others.at[parts[first].group] &&
                    (end - first) % members == 0 &&
                    parts[end - 1].order + 1 == (end - first) / members;
    for (size_t i = first; complete && i < end; i++)
        complete = parts[i].rank == parts[first + (i - first) % members].rank;
    if (!complete || members < 2) {
        ranks->unmatched += complete ? 0 : end - first;
        return;
    }
    for (size_t i = first; i < end; i += members)
        array_push(&ranks->collectives, collective_of(ranks, i, members));
}

ORDER_BY(by_first_start, struct kineto_collective, ASC(start_ns) ASC(first))

static void order_by_start(struct kineto_ranks *ranks) {
    for (size_t i = 0; i < ranks->collectives.count; i++) {
        struct kineto_collective *c = &ranks->collectives.at[i];
        c->start_ns = INT64_MAX;
        for (size_t p = c->first; p < c->first + c->count; p++) {
            int64_t offset_ns = ranks->ranks[ranks->parts.at[p].rank].clock_offset_ns;
            int64_t start_ns = kineto_part_event(ranks, p).start_ns - offset_ns;
            c->start_ns = start_ns < c->start_ns ? start_ns : c->start_ns;
        }
    }
    gsl_heapsort(ranks->collectives.at, ranks->collectives.count, sizeof *ranks->collectives.at,
                 by_first_start);
}

/* ---- Clocks ---- */

/* Middle of the ends of a collective, as recorded. */
static int64_t middle_end(const struct kineto_ranks *ranks,
                          const struct kineto_collective *collective, int64_t *scratch) {
    for (size_t i = 0; i < collective->count; i++)
        scratch[i] = kineto_part_event(ranks, collective->first + i).end_ns;
    return median_of(scratch, collective->count);
}

struct residual {
    uint32_t rank;
    int64_t offset_ns;
};

ORDER_BY(part_by_rank, struct residual, ASC(rank) ASC(offset_ns))

/* A blocking collective ends everywhere at once, so a rank whose collectives all end late has a
 * clock that is ahead. */
static void find_offsets(struct kineto_ranks *ranks) {
    ARRAY_OF(struct residual) residuals = {0};
    int64_t *scratch = mem_alloc((ranks->count + 1) * sizeof *scratch);
    for (size_t i = 0; i < ranks->collectives.count; i++) {
        const struct kineto_collective *c = &ranks->collectives.at[i];
        int64_t middle = middle_end(ranks, c, scratch);
        for (size_t p = c->first; p < c->first + c->count; p++)
            array_push(&residuals,
                       ((struct residual){ranks->parts.at[p].rank,
                                          kineto_part_event(ranks, p).end_ns - middle}));
    }
    gsl_heapsort(residuals.at, residuals.count, sizeof *residuals.at, part_by_rank);
    for (size_t first = 0, end; first < residuals.count; first = end) {
        for (end = first;
             end < residuals.count && residuals.at[end].rank == residuals.at[first].rank;)
            end++;
        int64_t low = residuals.at[first + (end - first - 1) / 2].offset_ns;
        int64_t high = residuals.at[first + (end - first) / 2].offset_ns;
        ranks->ranks[residuals.at[first].rank].clock_offset_ns = low + (high - low) / 2;
    }
    free(residuals.at);
    free(scratch);
}

static int64_t spread_without_offsets(const struct kineto_ranks *ranks,
                                      const struct kineto_collective *collective) {
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (size_t p = collective->first; p < collective->first + collective->count; p++) {
        int64_t offset_ns = ranks->ranks[ranks->parts.at[p].rank].clock_offset_ns;
        int64_t end_ns = kineto_part_event(ranks, p).end_ns - offset_ns;
        first = end_ns < first ? end_ns : first;
        last = end_ns > last ? end_ns : last;
    }
    return last - first;
}

static void judge_clocks(struct kineto_ranks *ranks) {
    size_t collectives = ranks->collectives.count;
    int64_t *spreads = mem_alloc((collectives + 1) * sizeof *spreads);
    for (size_t i = 0; i < collectives; i++)
        spreads[i] = spread_without_offsets(ranks, &ranks->collectives.at[i]);
    ranks->residual_ns = median_of(spreads, collectives);
    for (size_t i = 0; i < ranks->count; i++)
        if (llabs(ranks->ranks[i].clock_offset_ns) >
            OFFSET_TO_RESIDUAL * (ranks->residual_ns + 1000))
            ranks->corrected = true;
    free(spreads);
}

int64_t kineto_lateness_ns(const struct kineto_ranks *ranks,
                           const struct kineto_collective *collective, size_t part) {
    int64_t first = INT64_MAX, own = 0;
    for (size_t p = collective->first; p < collective->first + collective->count; p++) {
        int64_t offset_ns =
            ranks->corrected ? ranks->ranks[ranks->parts.at[p].rank].clock_offset_ns : 0;
        int64_t start_ns = kineto_part_event(ranks, p).start_ns - offset_ns;
        first = start_ns < first ? start_ns : first;
        if (p == part)
            own = start_ns;
    }
    return own - first;
}

/* ---- All of it ---- */

static void add_waiting(struct kineto_ranks *ranks) {
    for (size_t i = 0; i < ranks->collectives.count; i++) {
        const struct kineto_collective *c = &ranks->collectives.at[i];
        int64_t shortest = INT64_MAX;
        for (size_t p = c->first; p < c->first + c->count; p++)
            shortest = duration_ns(ranks, p) < shortest ? duration_ns(ranks, p) : shortest;
        for (size_t p = c->first; p < c->first + c->count; p++)
            ranks->ranks[ranks->parts.at[p].rank].waiting_ns += duration_ns(ranks, p) - shortest;
        ranks->ranks[c->last_rank].caused_ns += c->waiting_ns;
        ranks->ranks[c->last_rank].last++;
    }
}

static void match_collectives(struct kineto_ranks *ranks) {
    for (size_t i = 0; i < ranks->count; i++)
        add_parts(ranks, (uint32_t)i);
    gsl_heapsort(ranks->parts.at, ranks->parts.count, sizeof *ranks->parts.at, by_collective);
    for (size_t first = 0, end; first < ranks->parts.count; first = end) {
        for (end = first; end < ranks->parts.count &&
                          ranks->parts.at[end].group == ranks->parts.at[first].group;)
            end++;
        match_group(ranks, first, end);
    }
    find_offsets(ranks);
    order_by_start(ranks);
    judge_clocks(ranks);
    add_waiting(ranks);
}

int kineto_ranks_check(const struct kineto_trace *traces, size_t count, struct problems *problems) {
    size_t before = problems->count;
    for (size_t i = 0; count > 1 && i < count; i++)
        if (traces[i].rank < 0)
            problems_say(problems, "%s: no distributedInfo.rank, which each of several files needs",
                         traces[i].path);
    for (size_t i = 1; i < count; i++)
        if (traces[i].rank >= 0 && traces[i].rank == traces[i - 1].rank)
            problems_say(problems, "rank %lld is in two files: %s and %s",
                         (long long)traces[i].rank, traces[i - 1].path, traces[i].path);
    return problems->count > before ? ERROR_INPUT : 0;
}

static uint64_t communication_of(const struct kineto_ranks *ranks) {
    uint64_t sum = 0;
    for (size_t i = 0; i < ranks->count; i++)
        for (size_t e = 0; e < ranks->traces[i].events.count; e++)
            sum += ranks->kinds->all.at[ranks->traces[i].events.at[e].kind].class ==
                   KINETO_COMMUNICATION;
    return sum;
}

void kineto_ranks_init(struct kineto_ranks *ranks, const struct kineto_kinds *kinds,
                       const struct kineto_trace *traces, size_t count) {
    *ranks = (struct kineto_ranks){.kinds = kinds,
                                   .traces = traces,
                                   .count = count,
                                   .ranks = mem_zalloc(count, sizeof *ranks->ranks)};
    uint64_t communication = count > 1 ? communication_of(ranks) : 0;
    ranks->too_many = communication > KINETO_MOST_PARTS;
    if (ranks->too_many)
        ranks->unmatched = communication;
    else if (count > 1)
        match_collectives(ranks);
}

void kineto_ranks_finish(struct kineto_ranks *ranks) {
    free(ranks->parts.at);
    free(ranks->collectives.at);
    free(ranks->ranks);
    *ranks = (struct kineto_ranks){0};
}

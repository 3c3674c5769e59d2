/* Matching by order: the n-th collective of a process group and kernel name on one rank is the n-th on all of them.
 */
#include "ingest/kineto_ranks.h"

#include "base/str.h"

#include <stdlib.h>

/* A clock counts as off only where its ends lie outside what is left once all clocks agree. */
#define OFFSET_TO_RESIDUAL 10

static int compare_times(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int64_t median(int64_t *values, size_t count) {
    if (count == 0)
        return 0;
    qsort(values, count, sizeof *values, compare_times);
    int64_t low = values[(count - 1) / 2], high = values[count / 2];
    return low + (high - low) / 2;
}

/* ---- Parts ---- */

static int by_collective(const void *a, const void *b) {
    const struct kineto_part *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Of the kinds of one trace: numbers common to all traces. */
static uint32_t *number_groups(struct kineto_ranks *ranks, const struct kineto_trace *trace) {
    uint32_t *groups = mem_alloc((trace->kinds.count + 1) * sizeof *groups);
    struct str key = {0};
    for (size_t i = 0; i < trace->kinds.count; i++) {
        const struct kineto_kind *kind = &trace->kinds.at[i];
        groups[i] = UINT32_MAX;
        if (kind->class != KINETO_COMMUNICATION)
            continue;
        key.length = 0;
        str_add(&key, kind->group);
        str_add_char(&key, '\n');
        str_add(&key, kind->name);
        groups[i] = intern(&ranks->groups, key.text, key.length, NULL);
    }
    str_finish(&key);
    return groups;
}

/* 0 where the base is absent or senseless. */
static int64_t base_of(const struct kineto_trace *trace, int64_t time_ns) {
    const int64_t most = INT64_C(4000000000000000000);
    int64_t wall;
    if (!trace->has_base || trace->base_ns < 0 || trace->base_ns > most)
        return 0;
    return __builtin_add_overflow(time_ns, trace->base_ns, &wall) || wall > most || wall < 0 ? 0 : trace->base_ns;
}

static void add_parts(struct kineto_ranks *ranks, const struct kineto_trace *trace, uint32_t rank) {
    uint32_t *groups = number_groups(ranks, trace);
    uint32_t *orders = mem_zalloc(ranks->groups.entries.count + 1, sizeof *orders);
    for (size_t i = 0; i < trace->events.count; i++) {
        const struct kineto_event *event = &trace->events.at[i];
        uint32_t group = groups[event->kind];
        if (group == UINT32_MAX)
            continue;
        int64_t base_ns = base_of(trace, event->end_ns);
        array_push(&ranks->parts, ((struct kineto_part){group, orders[group]++, rank, event->kind,
                                                        event->start_ns + base_ns, event->end_ns + base_ns}));
    }
    free(orders);
    free(groups);
}

/* ---- Collectives ---- */

static struct kineto_collective collective_of(const struct kineto_part *parts, size_t first, size_t count) {
    struct kineto_collective c = {.first = first, .count = count, .last_rank = parts[first].rank};
    int64_t shortest = INT64_MAX, first_end = INT64_MAX, last_end = INT64_MIN;
    for (size_t i = first; i < first + count; i++) {
        int64_t duration = parts[i].end_ns - parts[i].start_ns;
        if (duration < shortest) {
            shortest = duration;
            c.last_rank = parts[i].rank;
        }
        first_end = parts[i].end_ns < first_end ? parts[i].end_ns : first_end;
        last_end = parts[i].end_ns > last_end ? parts[i].end_ns : last_end;
    }
    for (size_t i = first; i < first + count; i++)
        c.waiting_ns += parts[i].end_ns - parts[i].start_ns - shortest;
    c.end_spread_ns = last_end - first_end;
    return c;
}

/* Parts first..end-1 are one group. Where its ranks show different numbers of collectives nobody knows which are
   missing, so none is matched. */
static void match_group(struct kineto_ranks *ranks, size_t first, size_t end) {
    const struct kineto_part *parts = ranks->parts.at;
    size_t members = 0;
    while (first + members < end && parts[first + members].order == 0)
        members++;
    bool complete = (end - first) % members == 0 && parts[end - 1].order + 1 == (end - first) / members;
    for (size_t i = first; complete && i < end; i++)
        complete = parts[i].rank == parts[first + (i - first) % members].rank;
    if (!complete || members < 2) {
        ranks->unmatched += complete ? 0 : end - first;
        return;
    }
    for (size_t i = first; i < end; i += members)
        array_push(&ranks->collectives, collective_of(parts, i, members));
}

struct keyed {
    int64_t start_ns;
    struct kineto_collective collective;
};

static int by_first_start(const void *a, const void *b) {
    const struct keyed *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return (x->collective.first > y->collective.first) - (x->collective.first < y->collective.first);
}

static void order_by_start(struct kineto_ranks *ranks) {
    size_t count = ranks->collectives.count;
    struct keyed *keyed = mem_alloc((count + 1) * sizeof *keyed);
    for (size_t i = 0; i < count; i++) {
        const struct kineto_collective *c = &ranks->collectives.at[i];
        keyed[i] = (struct keyed){INT64_MAX, *c};
        for (size_t p = c->first; p < c->first + c->count; p++) {
            const struct kineto_part *part = &ranks->parts.at[p];
            int64_t start_ns = part->start_ns - ranks->ranks[part->rank].clock_offset_ns;
            keyed[i].start_ns = start_ns < keyed[i].start_ns ? start_ns : keyed[i].start_ns;
        }
    }
    qsort(keyed, count, sizeof *keyed, by_first_start);
    for (size_t i = 0; i < count; i++)
        ranks->collectives.at[i] = keyed[i].collective;
    free(keyed);
}

/* ---- Clocks ---- */

/* Middle of the ends of a collective, as recorded. */
static int64_t middle_end(const struct kineto_ranks *ranks, const struct kineto_collective *c, int64_t *scratch) {
    for (size_t i = 0; i < c->count; i++)
        scratch[i] = ranks->parts.at[c->first + i].end_ns;
    return median(scratch, c->count);
}

struct residual {
    uint32_t rank;
    int64_t offset_ns;
};

static int by_rank(const void *a, const void *b) {
    const struct residual *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return compare_times(&x->offset_ns, &y->offset_ns);
}

/* A blocking collective ends everywhere at once, so a rank whose collectives all end late has a clock that is
 * ahead. */
static void find_offsets(struct kineto_ranks *ranks, size_t count) {
    ARRAY_OF(struct residual) residuals = {0};
    int64_t *scratch = mem_alloc((count + 1) * sizeof *scratch);
    for (size_t i = 0; i < ranks->collectives.count; i++) {
        const struct kineto_collective *c = &ranks->collectives.at[i];
        int64_t middle = middle_end(ranks, c, scratch);
        for (size_t p = c->first; p < c->first + c->count; p++)
            array_push(&residuals,
                       ((struct residual){ranks->parts.at[p].rank, ranks->parts.at[p].end_ns - middle}));
    }
    if (residuals.count > 0)
        qsort(residuals.at, residuals.count, sizeof *residuals.at, by_rank);
    for (size_t first = 0, end; first < residuals.count; first = end) {
        for (end = first; end < residuals.count && residuals.at[end].rank == residuals.at[first].rank;)
            end++;
        int64_t low = residuals.at[first + (end - first - 1) / 2].offset_ns;
        int64_t high = residuals.at[first + (end - first) / 2].offset_ns;
        ranks->ranks[residuals.at[first].rank].clock_offset_ns = low + (high - low) / 2;
    }
    free(residuals.at);
    free(scratch);
}

static int64_t spread_without_offsets(const struct kineto_ranks *ranks, const struct kineto_collective *c) {
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (size_t p = c->first; p < c->first + c->count; p++) {
        const struct kineto_part *part = &ranks->parts.at[p];
        int64_t end_ns = part->end_ns - ranks->ranks[part->rank].clock_offset_ns;
        first = end_ns < first ? end_ns : first;
        last = end_ns > last ? end_ns : last;
    }
    return last - first;
}

static void judge_clocks(struct kineto_ranks *ranks, size_t count) {
    size_t collectives = ranks->collectives.count;
    int64_t *spreads = mem_alloc((collectives + 1) * sizeof *spreads);
    for (size_t i = 0; i < collectives; i++)
        spreads[i] = spread_without_offsets(ranks, &ranks->collectives.at[i]);
    ranks->residual_ns = median(spreads, collectives);
    for (size_t i = 0; i < count; i++)
        if (llabs(ranks->ranks[i].clock_offset_ns) > OFFSET_TO_RESIDUAL * (ranks->residual_ns + 1000))
            ranks->corrected = true;
    free(spreads);
}

int64_t kineto_lateness_ns(const struct kineto_ranks *ranks, const struct kineto_collective *c, size_t part) {
    int64_t first = INT64_MAX, own = 0;
    for (size_t p = c->first; p < c->first + c->count; p++) {
        const struct kineto_part *at = &ranks->parts.at[p];
        int64_t start_ns = at->start_ns - (ranks->corrected ? ranks->ranks[at->rank].clock_offset_ns : 0);
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
        const struct kineto_part *parts = ranks->parts.at;
        int64_t shortest = INT64_MAX;
        for (size_t p = c->first; p < c->first + c->count; p++)
            if (parts[p].end_ns - parts[p].start_ns < shortest)
                shortest = parts[p].end_ns - parts[p].start_ns;
        for (size_t p = c->first; p < c->first + c->count; p++)
            ranks->ranks[parts[p].rank].waiting_ns += parts[p].end_ns - parts[p].start_ns - shortest;
        ranks->ranks[c->last_rank].caused_ns += c->waiting_ns;
        ranks->ranks[c->last_rank].last++;
    }
}

void kineto_ranks_init(struct kineto_ranks *ranks, const struct kineto_trace *traces, size_t count) {
    *ranks = (struct kineto_ranks){.ranks = mem_zalloc(count + 1, sizeof *ranks->ranks)};
    for (size_t i = 0; i < count; i++)
        add_parts(ranks, &traces[i], (uint32_t)i);
    if (ranks->parts.count > 0)
        qsort(ranks->parts.at, ranks->parts.count, sizeof *ranks->parts.at, by_collective);
    for (size_t first = 0, end; first < ranks->parts.count; first = end) {
        for (end = first; end < ranks->parts.count && ranks->parts.at[end].group == ranks->parts.at[first].group;)
            end++;
        match_group(ranks, first, end);
    }
    find_offsets(ranks, count);
    order_by_start(ranks);
    judge_clocks(ranks, count);
    add_waiting(ranks);
}

void kineto_ranks_finish(struct kineto_ranks *ranks) {
    free(ranks->parts.at);
    free(ranks->collectives.at);
    free(ranks->ranks);
    intern_finish(&ranks->groups);
    *ranks = (struct kineto_ranks){0};
}

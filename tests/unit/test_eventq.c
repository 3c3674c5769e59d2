/* The pending-event set against a plain array searched from end to end: random pushes,
   cancellations and pops give the total order (time, rank, number, kind), whatever the heap looks
   like inside, and in whatever order events were pushed. */
#include "base/array.h"
#include "base/rng.h"
#include "engine/eventq.h"
#include "engine/sim.h"

#include <criterion/criterion.h>
#include <stdlib.h>

struct entry {
    int64_t time_ns;
    uint32_t rank, number, kind, payload, id;
};

struct naive {
    ARRAY_OF(struct entry) entries;
    bool apart; /* whether there are events apart */
};

ORDER_BY(by_place, struct entry, ASC(time_ns) ASC(rank) ASC(number) ASC(kind))

static bool before(const struct entry *a, const struct entry *b) {
    return by_place(a, b) < 0;
}

static size_t first_of(const struct naive *n) {
    size_t first = 0;
    for (size_t i = 1; i < n->entries.count; i++)
        if (before(&n->entries.at[i], &n->entries.at[first]))
            first = i;
    return first;
}

static void drop(struct naive *n, size_t place) {
    n->entries.at[place] = n->entries.at[--n->entries.count];
}

/* Of one that is unlike all others that are pending. */
static struct entry draw(const struct naive *n, gsl_rng *rng, uint64_t times) {
    for (;;) {
        struct entry e = {.time_ns = (int64_t)gsl_rng_uniform_int(rng, times) - 3,
                          .rank = (uint32_t)gsl_rng_uniform_int(rng, 32),
                          .number = (uint32_t)gsl_rng_uniform_int(rng, 1 << 30),
                          .kind = (uint32_t)gsl_rng_uniform_int(rng, 32),
                          .payload = (uint32_t)gsl_rng_get(rng),
                          .id = EVENT_NONE};
        e.rank = gsl_rng_uniform(rng) < 0.5 ? 17 : e.rank;
        e.number = gsl_rng_uniform(rng) < 0.5 ? 2385 : e.number;
        size_t i = 0;
        while (i < n->entries.count && by_place(&n->entries.at[i], &e) != 0)
            i++;
        if (i == n->entries.count)
            return e;
    }
}

static void push(struct eventq *q, struct naive *n, gsl_rng *rng, uint64_t times) {
    struct entry e = draw(n, rng, times);
    uint64_t order = eventq_order(e.rank, e.number, e.kind);
    if (n->apart && !q->has_apart)
        eventq_push_apart(q, e.time_ns, order, e.payload);
    else
        e.id = eventq_push(q, e.time_ns, order, e.payload);
    for (size_t i = 0; i < n->entries.count && e.id != EVENT_NONE; i++)
        cr_assert_neq(n->entries.at[i].id, e.id, "an id that is still in use");
    array_push(&n->entries, e);
}

static void pop(struct eventq *q, struct naive *n) {
    struct event event;
    if (n->entries.count == 0) {
        cr_assert(!eventq_pop(q, &event));
        return;
    }
    size_t first = first_of(n);
    const struct entry *e = &n->entries.at[first];
    cr_assert(eventq_pop(q, &event));
    cr_assert(event.time_ns == e->time_ns && event.kind == e->kind && event.payload == e->payload,
              "popped %lld/%u/%u, expected %lld/%u/%u", (long long)event.time_ns, event.kind,
              event.payload, (long long)e->time_ns, e->kind, e->payload);
    drop(n, first);
}

static void play(uint64_t seed, int steps, uint64_t times, double push_share, bool apart) {
    gsl_rng *rng = rng_create(seed, 0, "eventq");
    struct eventq q = {0};
    struct naive n = {.apart = apart};
    for (int step = 0; step < steps; step++) {
        double what = gsl_rng_uniform(rng);
        if (what < push_share) {
            push(&q, &n, rng, times);
        } else if (what < 0.5 + push_share / 2 || n.entries.count == 0) {
            pop(&q, &n);
        } else {
            size_t place = gsl_rng_uniform_int(rng, n.entries.count);
            if (n.entries.at[place].id != EVENT_NONE) {
                eventq_cancel(&q, n.entries.at[place].id);
                drop(&n, place);
            }
        }
        cr_assert_eq(q.count, n.entries.count);
        cr_assert_eq(eventq_next_ns(&q),
                     n.entries.count ? n.entries.at[first_of(&n)].time_ns : INT64_MAX);
    }
    while (n.entries.count > 0)
        pop(&q, &n);
    pop(&q, &n);
    eventq_finish(&q);
    free(n.entries.at);
    gsl_rng_free(rng);
}

Test(eventq, like_a_plain_list) {
    static const struct {
        int steps;
        uint64_t times;
        double push_share;
    } games[] = {
        {3000, 8, 0.6}, {3000, 1000000, 0.55}, {3000, 1, 0.5}, {2000, 40, 0.4}, {1500, 100, 0.8}};
    for (size_t i = 0; i < sizeof games / sizeof *games; i++)
        for (int apart = 0; apart < 2; apart++)
            play(2385 + i, games[i].steps, games[i].times, games[i].push_share, apart);
}

/* The order in words: time, then rank, number and kind, in whatever order they are pushed; the ends
   of each scale included. */
Test(eventq, total_order) {
    static const struct {
        int64_t time_ns;
        uint32_t rank, number, kind;
    } ordered[] = {{INT64_MIN, 1, 0, 4},
                   {-5, 31, (1u << 30) - 1, 31},
                   {0, 0, 0, 0},
                   {0, 0, 0, 31},
                   {0, 0, 1, 0},
                   {0, 0, (1u << 30) - 1, 31},
                   {0, 1, 0, 0},
                   {0, 31, 0, 0},
                   {7, 0, 2385, 5},
                   {7, 3, 0, 0},
                   {INT64_MAX - 1, 0, 0, 0}};
    enum { COUNT = sizeof ordered / sizeof *ordered };
    struct eventq q = {0};
    struct event event;
    uint32_t ids[COUNT];
    for (uint32_t i = 0, at = 3; i < COUNT; i++, at = (at + 7) % COUNT)
        ids[at] =
            eventq_push(&q, ordered[at].time_ns,
                        eventq_order(ordered[at].rank, ordered[at].number, ordered[at].kind), at);
    for (uint32_t i = 0; i < COUNT; i++)
        cr_assert_eq(eventq_time_ns(&q, ids[i]), ordered[i].time_ns);
    for (uint32_t i = 0; i < COUNT; i++) {
        cr_assert(eventq_pop(&q, &event));
        cr_assert_eq(event.payload, i, "place %u: %u", i, event.payload);
        cr_assert_eq(event.kind, ordered[i].kind);
    }
    cr_assert(!eventq_pop(&q, &event));
    eventq_finish(&q);
}

static void expect_too_many(void *context, size_t bytes, const char *fault) {
    (void)context;
    cr_expect_eq(bytes, 0);
    cr_expect_str_eq(fault, "a run can have at most 16777216 pending events");
}

/* One more than fit ends the process, as where memory runs out. */
Test(eventq, too_many, .exit_code = 1) {
    struct eventq q = {.slot_count = EVENTQ_MOST, .slot_capacity = EVENTQ_MOST};
    mem_on_failure(expect_too_many, NULL);
    eventq_push(&q, 5, 0, 0);
}

/* What is finished is empty: it may be finished once more, or used. */
Test(eventq, finished_is_empty) {
    struct eventq q = {0};
    eventq_push(&q, 5, 0, 0);
    eventq_finish(&q);
    cr_expect_eq(eventq_next_ns(&q), INT64_MAX);
    eventq_push(&q, 7, 0, 0);
    cr_expect_eq(eventq_next_ns(&q), 7);
    eventq_finish(&q);
    eventq_finish(&q);
}

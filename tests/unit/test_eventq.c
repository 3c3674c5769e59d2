/* The pending-event set against a plain array searched from end to end: random pushes,
   cancellations and pops give the total order (time, rank, number of creation), whatever the heap
   looks like inside. */
#include "base/array.h"
#include "base/rng.h"
#include "engine/eventq.h"
#include "engine/sim.h"

#include <criterion/criterion.h>
#include <stdlib.h>

struct entry {
    int64_t time_ns;
    uint32_t rank, kind, payload, id;
    uint64_t created;
};

struct naive {
    ARRAY_OF(struct entry) entries;
    uint64_t created;
    bool apart; /* whether there are events apart */
};

static bool before(const struct entry *a, const struct entry *b) {
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns;
    return a->rank != b->rank ? a->rank < b->rank : a->created < b->created;
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

static void push(struct eventq *q, struct naive *n, gsl_rng *rng, uint64_t times) {
    struct entry e = {.time_ns = (int64_t)gsl_rng_uniform_int(rng, times) - 3,
                      .rank = (uint32_t)gsl_rng_uniform_int(rng, 6),
                      .kind = (uint32_t)gsl_rng_uniform_int(rng, 7),
                      .payload = (uint32_t)gsl_rng_get(rng),
                      .id = EVENT_NONE,
                      .created = n->created++};
    e.rank = e.rank == 5 ? 255 : e.rank;
    if (n->apart && !q->has_apart)
        eventq_push_apart(q, e.time_ns, e.rank, e.kind, e.payload);
    else
        e.id = eventq_push(q, e.time_ns, e.rank, e.kind, e.payload);
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

struct visit {
    const struct naive *naive;
    const struct eventq *queue;
    size_t count;
    uint64_t order; /* of the last one */
    bool *seen;
};

static void visit(const struct event *event, void *context) {
    struct visit *v = context;
    const struct naive *n = v->naive;
    int64_t first_ns = n->entries.at[first_of(n)].time_ns;
    size_t i = 0;
    cr_assert_eq(event->time_ns, first_ns);
    while (i < n->entries.count &&
           (v->seen[i] || n->entries.at[i].time_ns != first_ns ||
            n->entries.at[i].kind != event->kind || n->entries.at[i].payload != event->payload))
        i++;
    cr_assert_lt(i, n->entries.count, "an event that is not due, or twice");
    uint64_t order = eventq_visit_order(v->queue, n->entries.at[i].id);
    cr_assert(v->count == 0 || order > v->order);
    v->order = order;
    v->seen[i] = true;
    v->count++;
}

static void check_first_instant(const struct eventq *q, const struct naive *n) {
    struct visit v = {
        .naive = n, .queue = q, .seen = mem_zalloc(n->entries.count + 1, sizeof *v.seen)};
    size_t due = 0;
    for (size_t i = 0; i < n->entries.count; i++)
        due += n->entries.at[i].time_ns == n->entries.at[first_of(n)].time_ns;
    eventq_visit_first_instant(q, visit, &v);
    cr_assert_eq(v.count, due, "visited %zu of %zu", v.count, due);
    free(v.seen);
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
        if (step % 7 == 0 && !apart)
            check_first_instant(&q, &n);
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

/* The order in words: time, then rank, then who was there first; the ends of the time scale
 * included. */
Test(eventq, total_order) {
    static const struct {
        int64_t time_ns;
        uint32_t rank;
    } pushed[] = {{7, 3},  {7, 0}, {INT64_MAX - 1, 0}, {7, 3}, {0, 255},
                  {-5, 9}, {7, 0}, {INT64_MIN, 1}};
    static const uint32_t expected[] = {7, 5, 4, 1, 6, 0, 3, 2};
    struct eventq q = {0};
    struct event event;
    uint32_t ids[8];
    for (uint32_t i = 0; i < 8; i++)
        ids[i] = eventq_push(&q, pushed[i].time_ns, pushed[i].rank, 40 + i, i);
    for (uint32_t i = 0; i < 8; i++)
        cr_assert_eq(eventq_time_ns(&q, ids[i]), pushed[i].time_ns);
    for (uint32_t i = 0; i < 8; i++) {
        cr_assert(eventq_pop(&q, &event));
        cr_assert_eq(event.payload, expected[i], "place %u: %u", i, event.payload);
        cr_assert_eq(event.kind, 40 + expected[i]);
    }
    cr_assert(!eventq_pop(&q, &event));
    eventq_finish(&q);
}

/* What is finished is empty: it may be finished once more, or used. */
Test(eventq, finished_is_empty) {
    struct eventq q = {0};
    eventq_push(&q, 5, 0, 0, 0);
    eventq_finish(&q);
    cr_expect_eq(eventq_next_ns(&q), INT64_MAX);
    eventq_push(&q, 7, 0, 0, 0);
    cr_expect_eq(eventq_next_ns(&q), 7);
    eventq_finish(&q);
    eventq_finish(&q);
}

/* The classes of docs/semantics.md 1.2 in their order; with arrivals first the sixth comes behind
   the tenth. */
Test(eventq, order_of_kinds) {
    static const struct {
        enum event_kind kind;
        int class, with_arrivals_first;
    } kinds[] = {{EVENT_CLUSTER, 1, 1},   {EVENT_FAILURE, 2, 2},  {EVENT_REPAIR, 2, 2},
                 {EVENT_MEASURE, 3, 3},   {EVENT_SLEEP, 4, 4},    {EVENT_COMPUTING, 5, 5},
                 {EVENT_FINISH, 6, 11},   {EVENT_RELEASE, 6, 11}, {EVENT_PHASE, 7, 7},
                 {EVENT_ARRIVAL, 10, 10}, {EVENT_TIMER, 12, 13},  {EVENT_DEMAND, 1, 1},
                 {EVENT_BACKLOG, 8, 8},   {EVENT_REPLICA, 9, 9},  {EVENT_SCALING, 11, 12}};
    size_t count = sizeof kinds / sizeof *kinds;
    for (size_t i = 0; i < count * count * 2; i++) {
        bool arrivals_first = i % 2;
        size_t one = i / 2 % count, other = i / 2 / count;
        uint32_t a = event_order_rank(kinds[one].kind, arrivals_first);
        uint32_t b = event_order_rank(kinds[other].kind, arrivals_first);
        int x = arrivals_first ? kinds[one].with_arrivals_first : kinds[one].class;
        int y = arrivals_first ? kinds[other].with_arrivals_first : kinds[other].class;
        cr_expect_eq((a > b) - (a < b), (x > y) - (x < y), "kinds %zu and %zu", one, other);
    }
}

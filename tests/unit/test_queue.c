/* The kinetic tournament against the least of all its jobs, by the same doubles and ties by job,
   while time goes on in steps of every size and jobs come and go. */
#include "policy/list/kinetic_queue.h"

#include "base/rng.h"

#include <criterion/criterion.h>
#include <math.h>

#define JOBS 600

struct job {
    double value, submit_s;
    uint32_t slot;
    bool in;
};

struct play {
    gsl_rng *rng;
    struct queue queue;
    struct job jobs[JOBS]; /* in the order of submission */
    uint32_t count;
    double now_s, factor, step_s;
    int kind; /* of values, see draw_value */
};

static double uniform(struct play *p) {
    return gsl_rng_uniform(p->rng);
}

/* Semantics 5.1: key / A, A = 1 + age / tau, times the user's factor. */
static double expected_value(const struct play *p, const struct job *job) {
    double value = job->value;
    if (p->queue.ageing_s > 0)
        value /= 1 + (p->now_s - job->submit_s) / p->queue.ageing_s;
    return value * p->factor;
}

static void expect_first(const struct play *p, const char *name) {
    uint32_t best = QUEUE_NONE;
    for (uint32_t i = 0; i < p->count; i++)
        if (p->jobs[i].in && (best == QUEUE_NONE ||
                              expected_value(p, &p->jobs[i]) < expected_value(p, &p->jobs[best])))
            best = i;
    uint32_t slot = queue_first(&p->queue);
    if (best == QUEUE_NONE) {
        cr_assert_eq(slot, QUEUE_NONE, "%s", name);
        return;
    }
    cr_assert_neq(slot, QUEUE_NONE, "%s", name);
    cr_assert_eq(p->queue.entries[slot].job, best, "%s at %.17g s: job %u instead of %u", name,
                 p->now_s, p->queue.entries[slot].job, best);
    cr_assert_eq(queue_value(&p->queue, slot), expected_value(p, &p->jobs[best]), "%s", name);
}

/* 0: all different; 1: of three; 2: all equal; 3: neighbouring doubles; 4: over 30 decades;
 * negative without ageing. */
static double draw_value(struct play *p) {
    double value = 1 + uniform(p);
    switch (p->kind) {
    case 1:
        value = floor(3 * uniform(p)); /* 0 is one of them */
        break;
    case 2:
        value = 2.385;
        break;
    case 3:
        value = 2.385 * (1 + 0x1p-52 * floor(4 * uniform(p)));
        break;
    case 4:
        value = pow(10, 30 * uniform(p) - 15);
        break;
    default:
        break;
    }
    return p->queue.ageing_s == 0 && uniform(p) < 0.3 ? -value : value;
}

static void add(struct play *p) {
    struct job *job = &p->jobs[p->count];
    double last_s = p->count > 0 ? p->jobs[p->count - 1].submit_s : 0;
    *job = (struct job){
        .value = draw_value(p), .submit_s = uniform(p) < 0.3 ? last_s : p->now_s, .in = true};
    job->slot = queue_add(&p->queue, p->count++, job->value, job->submit_s);
}

static void remove_one(struct play *p, bool first) {
    if (p->queue.count == 0)
        return;
    uint32_t job = (uint32_t)gsl_rng_uniform_int(p->rng, p->count);
    if (first)
        job = p->queue.entries[queue_first(&p->queue)].job;
    if (!p->jobs[job].in)
        return;
    queue_remove(&p->queue, p->jobs[job].slot);
    p->jobs[job].in = false;
}

/* Back again, older than others that have come since. */
static void put_back(struct play *p) {
    uint32_t job = p->count > 0 ? (uint32_t)gsl_rng_uniform_int(p->rng, p->count) : 0;
    if (p->count == 0 || p->jobs[job].in)
        return;
    p->jobs[job].slot = queue_add(&p->queue, job, p->jobs[job].value, p->jobs[job].submit_s);
    p->jobs[job].in = true;
}

static void step(struct play *p, bool factors) {
    double what = uniform(p);
    if (what < 0.4) {
        p->now_s += uniform(p) < 0.1 ? 1000 * p->step_s : p->step_s * uniform(p);
        p->factor = factors ? exp(4 * uniform(p)) : 1;
        queue_advance(&p->queue, p->now_s, p->factor);
    } else if (what < 0.75 && p->count < JOBS) {
        add(p);
    } else if (what < 0.85) {
        put_back(p);
    } else {
        remove_one(p, uniform(p) < 0.5);
    }
}

static void play(uint64_t seed, double ageing_s, double step_s, int kind, bool factors) {
    static struct play p;
    char name[128];
    snprintf(name, sizeof name, "seed %d, ageing %g s, step %g s, values %d, factors %d", (int)seed,
             ageing_s, step_s, kind, factors);
    p = (struct play){.rng = rng_create(seed, 0, "queue"),
                      .queue.ageing_s = ageing_s,
                      .step_s = step_s,
                      .kind = kind};
    p.factor = 1;
    queue_advance(&p.queue, 0, 1);
    for (int i = 0; i < 2500; i++) {
        step(&p, factors);
        expect_first(&p, name);
    }
    while (p.queue.count > 0) {
        remove_one(&p, true);
        expect_first(&p, name);
    }
    queue_finish(&p.queue);
    gsl_rng_free(p.rng);
}

/* Steps from far below tau to ages of 1e12 times tau. */
Test(queue, first_as_by_looking_at_all) {
    static const double ageings_s[] = {0, 1e-9, 1e-3, 3600, 1e12},
                        steps_s[] = {1e-9, 1e-3, 10, 1e6};
    uint64_t seed = 1;
    for (int kind = 0; kind < 5; kind++)
        for (int a = 0; a < 5; a++)
            for (int s = 0; s < 4; s++, seed++)
                play(seed, ageings_s[a], steps_s[s], kind, seed % 2);
}

Test(queue, crossing_by_hand) {
    struct queue q = {.ageing_s = 100};
    queue_advance(&q, 900, 1);
    uint32_t old = queue_add(&q, 0, 10, 0), young = queue_add(&q, 1, 4, 900);
    cr_assert_eq(queue_first(&q), old); /* 10 / 10 = 1 against 4 / 1 */
    /* Equal where 10 / (10 + x) = 4 / (1 + x), x = (t - 900 s) / 100 s: 10 + 10 x = 40 + 4 x, x
     * = 5. */
    queue_advance(&q, 1399.999999, 1);
    cr_assert_eq(queue_first(&q), old);
    queue_advance(&q, 1400.000001, 1);
    cr_assert_eq(queue_first(&q), young);
    queue_advance(&q, 1e9, 1);
    cr_assert_eq(queue_first(&q), young);
    queue_finish(&q);
}

/* The point of it: with nothing turning, a look at a later time plays no match again; the root says
 * until when. */
Test(queue, certain_for_a_while) {
    struct queue q = {.ageing_s = 3600};
    queue_advance(&q, 5000, 1);
    for (uint32_t i = 0; i < 1000; i++)
        queue_add(&q, i, 1 + i, 5 * i); /* older and smaller: first for ever */
    cr_expect_eq(q.nodes[1].until_s, INFINITY);
    queue_finish(&q);
}

/* The greatest sum of gains, exactly: see allocation.h. A state is how many GPUs of each type, in
   units that all choices share, may be used; jobs come one by one, who goes first last, so that of
   equal sums the one that is best for the first is found. */
#include "allocation.h"

#include <string.h>

double allocation_exact_steps(const struct allocation *a) {
    double states = 1, choices = 0;
    for (uint32_t t = 0; t < a->type_count; t++)
        states *= a->capacity[t] + 1.0;
    for (uint32_t i = 0; i < a->count; i++)
        choices += a->jobs[i].pinned ? 0 : a->jobs[i].count + 1.0;
    return states * choices;
}

#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && \
    defined(__has_attribute)
#if __has_attribute(target_clones)
#define VECTOR_CLONES __attribute__((target_clones("avx2", "default")))
#endif
#endif
#ifndef VECTOR_CLONES
#define VECTOR_CLONES
#endif

#define WIDE 32 /* a row that is worth a loop of its own */

/* States that differ in the first types alone, enough for a wide row, are neighbours. */
struct table {
    size_t states, *strides; /* a state is the sum of units x stride */
    size_t width, rows;      /* of a row; rows there are */
    uint32_t within;         /* types that differ in a row */
    uint32_t *units;         /* by type: GPUs that are always taken together */
    int64_t *levels; /* units of type t: levels[t * width + state in the row], or of the others
                        levels[t * rows + row] behind those */
    int64_t *best;   /* greatest sum of the jobs so far, by state */
    int64_t *before, *takes; /* of one row and one job: best without it; what it takes, as takes */
};

static uint32_t common_divisor(uint32_t a, uint32_t b) {
    while (b != 0) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* What divides every k of a type: a state between two of its multiples is worth the lower one. */
static uint32_t unit_of(const struct allocation *a, uint32_t gpu_type) {
    uint32_t unit = 0;
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t c = 0; c < a->jobs[i].count && !a->jobs[i].pinned; c++)
            if (a->jobs[i].choices[c].gpu_type == gpu_type)
                unit = common_divisor(a->jobs[i].choices[c].k, unit);
    return unit > 0 ? unit : 1;
}

/* Of a type in a state of each row, or in a row. */
static int64_t *level_at(const struct table *t, uint32_t gpu_type, size_t place) {
    return gpu_type < t->within
               ? &t->levels[gpu_type * t->width + place]
               : &t->levels[t->within * t->width + (gpu_type - t->within) * t->rows + place];
}

static struct table make_table(const struct allocation *a) {
    const struct easim_pass *pass = a->pass;
    struct table t = {.states = 1};
    t.strides = pass->host->scratch(pass->plan, a->type_count * sizeof *t.strides);
    t.units = pass->host->scratch(pass->plan, a->type_count * sizeof *t.units);
    for (uint32_t h = 0; h < a->type_count; h++) {
        t.units[h] = unit_of(a, h);
        t.strides[h] = t.states;
        t.states *= (size_t)a->capacity[h] / t.units[h] + 1;
    }
    t.width = 1;
    for (; t.within < a->type_count && t.width < WIDE; t.within++)
        t.width = t.strides[t.within] * (a->capacity[t.within] / t.units[t.within] + 1);
    t.rows = t.states / t.width;
    t.levels = pass->host->scratch(pass->plan, (t.within * t.width + a->type_count * t.rows) *
                                                   sizeof *t.levels);
    t.best = pass->host->scratch(pass->plan, t.states * sizeof *t.best);
    t.before = pass->host->scratch(pass->plan, t.width * sizeof *t.before);
    t.takes = pass->host->scratch(pass->plan, t.width * sizeof *t.takes);
    for (uint32_t h = 0; h < a->type_count; h++) {
        bool within = h < t.within;
        for (size_t i = 0; i < (within ? t.width : t.rows); i++)
            *level_at(&t, h, i) = (int64_t)(i * (within ? 1 : t.width) / t.strides[h] %
                                            (a->capacity[h] / t.units[h] + 1));
    }
    return t;
}

static uint32_t units_of(const struct table *t, const struct allocation_choice *choice) {
    return choice->k / t->units[choice->gpu_type];
}

/* Whether of equal sums the one in which the job has choice `c` goes before that with `other`: a
   running job keeps what it has, else the job has more of it, and the first of those with as much.
 */
static bool breaks_tie(const struct allocation_job *job, uint32_t c, uint32_t other) {
    if (job->runs && (c == 0 || other == 0))
        return c == 0;
    int64_t own = job->choices[c].gain, others = job->choices[other].gain;
    return own > others || (own == others && c < other);
}

/* A choice, as rows see it. */
struct offer {
    int64_t gain, choice; /* from 1 */
    uint32_t gpu_type, units;
    size_t states; /* which it takes */
};

/* Choices in the order in which a later one goes first on a tie. Those of no gain are left out:
   having nothing leaves as much for others, and more. */
static uint32_t sort_choices(const struct table *t, const struct allocation_job *job,
                             struct offer *offers) {
    uint32_t count = 0;
    for (uint32_t c = 0; c < job->count; c++) {
        const struct allocation_choice *choice = &job->choices[c];
        uint32_t at = count, units = units_of(t, choice);
        if (choice->gain < 0)
            continue;
        for (; at > 0 && breaks_tie(job, (uint32_t)offers[at - 1].choice - 1, c); at--)
            offers[at] = offers[at - 1];
        offers[at] = (struct offer){choice->gain, c + 1, choice->gpu_type, units,
                                    units * t->strides[choice->gpu_type]};
        count++;
    }
    return count;
}

/* A choice in neighbouring states, where it is no worse than what the job takes so far; in those of
   enough units alone, unless levels is NULL. */
__attribute__((always_inline)) static inline void
put_offer(const struct offer *offer, size_t count, const int64_t *levels,
          const int64_t *restrict before, int64_t *restrict best, int64_t *restrict takes) {
    const int64_t gain = offer->gain, choice = offer->choice, least = offer->units;
    for (size_t i = 0; i < count; i++) {
        int64_t sum = before[i] + gain;
        bool better = (sum >= best[i]) & (!levels || levels[i] >= least);
        best[i] = better ? sum : best[i];
        takes[i] = better ? choice : takes[i];
    }
}

/* What a job takes in the states of a row: of the greatest sums the last. Lower rows still hold the
   sums without it. */
VECTOR_CLONES static void add_to_row(const struct table *t, size_t row, const struct offer *offers,
                                     uint32_t count) {
    int64_t *own = &t->best[row * t->width];
    memcpy(t->before, own, t->width * sizeof *own);
    memset(t->takes, 0, t->width * sizeof *t->takes);
    for (uint32_t o = 0; o < count; o++) {
        const struct offer *offer = &offers[o];
        bool within = offer->gpu_type < t->within;
        size_t from = within ? offer->states : 0;
        if (within && from < t->width && t->within > 1)
            put_offer(offer, t->width - from, level_at(t, offer->gpu_type, from), t->before,
                      own + from, t->takes + from);
        else if (within && from < t->width)
            put_offer(offer, t->width - from, NULL, t->before, own + from, t->takes + from);
        else if (!within && *level_at(t, offer->gpu_type, row) >= offer->units)
            put_offer(offer, t->width, NULL, own - offer->states, own, t->takes);
    }
}

/* What the job takes in each state, 0: nothing, else the choice + 1. */
static void add_job(const struct table *t, const struct allocation_job *job, struct offer *offers,
                    uint16_t *takes) {
    uint32_t count = sort_choices(t, job, offers);
    for (size_t row = t->rows; row-- > 0;) {
        add_to_row(t, row, offers, count);
        for (size_t s = 0; s < t->width; s++)
            takes[row * t->width + s] = (uint16_t)t->takes[s];
    }
}

void allocation_solve_exact(struct allocation *a) {
    struct table t = make_table(a);
    uint16_t *takes = a->pass->host->scratch(a->pass->plan, a->count * t.states * sizeof *takes);
    uint32_t most = 1;
    for (uint32_t i = 0; i < a->count; i++)
        most = a->jobs[i].count > most ? a->jobs[i].count : most;
    struct offer *offers = a->pass->host->scratch(a->pass->plan, most * sizeof *offers);
    for (uint32_t i = a->count; i-- > 0;)
        if (!a->jobs[i].pinned)
            add_job(&t, &a->jobs[i], offers, &takes[i * t.states]);
    size_t left = t.states - 1;
    for (uint32_t i = 0; i < a->count; i++) {
        struct allocation_job *job = &a->jobs[i];
        if (job->pinned || takes[i * t.states + left] == 0)
            continue;
        job->chosen = takes[i * t.states + left] - 1u;
        const struct allocation_choice *choice = &job->choices[job->chosen];
        left -= units_of(&t, choice) * t.strides[choice->gpu_type];
    }
}

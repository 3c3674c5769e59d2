/* Large clusters: see allocation.h. Lagrange's relaxation: GPUs of a type have a price, and each
   job takes what is worth most to it beyond the price. Any prices bound the greatest sum from
   above; subgradient steps look for the best. Prices are then raised until everybody's wish fits,
   and what is left goes to the largest gain per GPU, one step after the other. */
#include "allocation.h"

#define PASSES   100
#define BISECTED 30

struct market {
    struct allocation *a;
    double *price, *best_price, *wanted; /* by GPU type: per GPU; GPUs */
};

static double surplus(const struct market *m, const struct allocation_choice *c, double factor) {
    return (double)c->gain - factor * m->price[c->gpu_type] * c->k;
}

/* What every job takes at factor x the prices; their surplus and the value of all GPUs: a bound, if
   the factor is 1. */
static double take_wishes(struct market *m, double factor) {
    double bound = 0;
    for (uint32_t t = 0; t < m->a->type_count; t++) {
        bound += factor * m->price[t] * m->a->capacity[t];
        m->wanted[t] = 0;
    }
    for (uint32_t i = 0; i < m->a->count; i++) {
        struct allocation_job *job = &m->a->jobs[i];
        double best = 0;
        if (job->pinned)
            continue;
        job->chosen = EASIM_NONE;
        for (uint32_t c = 0; c < job->count; c++)
            if (surplus(m, &job->choices[c], factor) > best) {
                best = surplus(m, &job->choices[c], factor);
                job->chosen = c;
            }
        bound += best;
        if (job->chosen != EASIM_NONE)
            m->wanted[job->choices[job->chosen].gpu_type] += job->choices[job->chosen].k;
    }
    return bound;
}

static bool fits(const struct market *m) {
    bool all = true;
    for (uint32_t t = 0; t < m->a->type_count; t++)
        all = all && m->wanted[t] <= m->a->capacity[t];
    return all;
}

/* The largest gain per GPU of any choice: at that price nobody wants one. */
static double highest_price(const struct allocation *a) {
    double highest = 1;
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t c = 0; c < a->jobs[i].count; c++)
            highest = fmax(highest, (double)a->jobs[i].choices[c].gain / a->jobs[i].choices[c].k);
    return highest;
}

/* The least bound, and its prices. Steps get shorter and go by the excess as a share of the GPUs.
 */
static double find_prices(struct market *m, double highest) {
    double least = INFINITY;
    for (int pass = 0; pass < PASSES; pass++) {
        double bound = take_wishes(m, 1);
        for (uint32_t t = 0; t < m->a->type_count; t++) {
            double gpus = fmax(1, m->a->capacity[t]), excess = (m->wanted[t] - gpus) / gpus;
            if (bound < least)
                m->best_price[t] = m->price[t];
            m->price[t] += highest / (2 + pass) * fmin(1, fmax(-1, excess));
            m->price[t] = fmin(highest, fmax(0, m->price[t]));
        }
        least = fmin(least, bound);
    }
    for (uint32_t t = 0; t < m->a->type_count; t++)
        m->price[t] = m->best_price[t];
    return least;
}

/* The least factor of the prices, as far as it is looked for, at which all wishes fit. */
static void take_what_fits(struct market *m, double highest) {
    double low = 1, high = 1;
    for (uint32_t t = 0; t < m->a->type_count; t++) { /* nothing is for nothing */
        m->price[t] = fmax(m->price[t], highest * 1e-9);
        high = fmax(high, 2 * highest / m->price[t]);
    }
    take_wishes(m, low);
    for (int i = 0; i < BISECTED && !(i == 0 && fits(m)); i++) {
        double middle = sqrt(low * high);
        take_wishes(m, middle);
        *(fits(m) ? &high : &low) = middle;
    }
    take_wishes(m, low);
    if (!fits(m))
        take_wishes(m, high);
}

struct step {
    struct allocation_job *job;
    uint32_t choice;
    double per_gpu;
};

/* Whether the job's choice c fits beside all others, and is a better step than the best so far. */
static void look_at(const struct market *m, struct allocation_job *job, uint32_t c,
                    struct step *best) {
    const struct allocation_choice *to = &job->choices[c], *from = job->chosen == EASIM_NONE
                                                                       ? NULL
                                                                       : &job->choices[job->chosen];
    double own = from && from->gpu_type == to->gpu_type ? from->k : 0;
    double gain = (double)(to->gain - (from ? from->gain : 0));
    double more = (double)to->k - (from ? from->k : 0);
    double per_gpu = gain / fmax(more, 1e-3);
    if (gain > 0 && per_gpu > best->per_gpu &&
        m->wanted[to->gpu_type] - own + to->k <= m->a->capacity[to->gpu_type])
        *best = (struct step){job, c, per_gpu};
}

static bool take_best_step(struct market *m) {
    struct step best = {.per_gpu = 0};
    for (uint32_t i = 0; i < m->a->count; i++)
        for (uint32_t c = 0; !m->a->jobs[i].pinned && c < m->a->jobs[i].count; c++)
            look_at(m, &m->a->jobs[i], c, &best);
    if (!best.job)
        return false;
    const struct allocation_choice *to = &best.job->choices[best.choice];
    if (best.job->chosen != EASIM_NONE) {
        const struct allocation_choice *from = &best.job->choices[best.job->chosen];
        m->wanted[from->gpu_type] -= from->k;
    }
    m->wanted[to->gpu_type] += to->k;
    best.job->chosen = best.choice;
    return true;
}

double allocation_solve_prices(struct allocation *a) {
    struct market m = {.a = a};
    double **arrays[] = {&m.price, &m.best_price, &m.wanted};
    for (int i = 0; i < 3; i++)
        *arrays[i] = a->pass->host->scratch(a->pass->plan, a->type_count * sizeof(double));
    double highest = highest_price(a), bound = find_prices(&m, highest);
    uint32_t steps = 0;
    take_what_fits(&m, highest);
    for (uint32_t t = 0; t < a->type_count; t++)
        steps += 2 * a->capacity[t];
    while (steps-- > 0 && take_best_step(&m))
        ;
    return bound;
}

/* Large clusters, and power below an enforced cap: see allocation.h. Lagrange's relaxation: GPUs of
   a type have a price, and so has power, and each job wishes for what is worth most to it beyond
   the price. Any prices bound the greatest sum from
   above; an ellipsoid that holds the best ones is cut until it is small. Then jobs choose among
   what is left, those first that gain most beyond the price per GPU, and the last GPUs go where
   they add most. Waiting jobs of the same configurations are alike, and looked at once. */
#include "allocation.h"

#include <string.h>

#define CUTS       30   /* per GPU type */
#define HALVINGS   30   /* of the range of the logarithm of a price that all types share */
#define RANGE      1e12 /* of that price */
#define WIDTH      0.25 /* of the first ellipsoid around the last round's prices, of the highest */
#define RIM        0.8  /* of its square, from which the best prices may lie outside */
#define RISES      10   /* times that all jobs are looked at again */
#define LEAST_STEP 1e-3 /* of the price of a GPU: a step that costs less is worth as much */

/* Jobs with the same choices. */
struct group {
    uint32_t first, count; /* offers */
    uint32_t jobs, last;   /* how many, and which so far */
};

struct offer {
    double gain, k, power;
    uint32_t gpu_type;
};

struct market {
    struct allocation *a;
    struct group *groups;
    struct offer *offers;
    uint32_t group_count, offer_count;
    uint32_t *before, *after; /* by job: the neighbours of the same group, EASIM_NONE: none */
    /* Resources are GPUs by type, and power if it is lacking, in units of the least that one GPU
       takes. */
    uint32_t resources;
    double unit_nw;
    double *capacity, *excess; /* by resource: all; wishes beyond that at the prices tried last */
    double *price;             /* by resource: the best so far, for one GPU or unit */
    double bound;              /* at these */
    double *left;              /* by GPU type: GPUs that nobody has chosen */
    int64_t left_nw;           /* likewise */
    double least_step;
};

/* Prices among which the best are: (x - centre)' shape^-1 (x - centre) <= 1. */
struct ellipsoid {
    double *centre, *shape, *along;
    uint32_t types, size; /* all resources; those that are not flat */
};

static void *scratch(const struct allocation *a, size_t count, size_t size) {
    return a->pass->host->scratch(a->pass->plan, (count ? count : 1) * size);
}

/* --- jobs --- */

static bool can_have(const struct allocation *a, const struct allocation_choice *c) {
    return c->gain >= 0 && c->k <= a->capacity[c->gpu_type] && (!a->lacks_power || c->nw <= a->nw);
}

static double power_of(const struct market *m, const struct allocation_choice *c) {
    return (double)c->nw / m->unit_nw;
}

/* What GPUs of a type cost, and power. */
static double cost_at(const struct market *m, const double *price, const struct offer *offer) {
    double gpus = price[offer->gpu_type] * offer->k;
    return m->resources > m->a->type_count ? gpus + price[m->a->type_count] * offer->power : gpus;
}

static double cost_of(const struct market *m, const struct allocation_choice *c) {
    return cost_at(m, m->price,
                   &(struct offer){.k = c->k, .power = power_of(m, c), .gpu_type = c->gpu_type});
}

static struct group *add_group(struct market *m, const struct allocation_job *job) {
    struct group *g = &m->groups[m->group_count++];
    g->first = m->offer_count;
    for (uint32_t c = 0; c < job->count; c++)
        if (can_have(m->a, &job->choices[c]))
            m->offers[m->offer_count++] =
                (struct offer){(double)job->choices[c].gain, job->choices[c].k,
                               power_of(m, &job->choices[c]), job->choices[c].gpu_type};
    g->count = m->offer_count - g->first;
    return g;
}

static void make_room(struct market *m) {
    const struct allocation *a = m->a;
    size_t offers = 0;
    for (uint32_t i = 0; i < a->count; i++)
        offers += a->jobs[i].like == i ? a->jobs[i].count : 0;
    m->groups = scratch(a, a->count, sizeof *m->groups);
    m->offers = scratch(a, offers, sizeof *m->offers);
    m->before = scratch(a, a->count, sizeof *m->before);
    m->after = scratch(a, a->count, sizeof *m->after);
}

static void group_jobs(struct market *m) {
    const struct allocation *a = m->a;
    struct group **group_of = scratch(a, a->count, sizeof(struct group *));
    make_room(m);
    for (uint32_t i = 0; i < a->count; i++) {
        uint32_t first = a->jobs[i].like;
        m->before[i] = m->after[i] = EASIM_NONE;
        if (a->jobs[i].pinned)
            continue;
        if (first == i)
            group_of[i] = add_group(m, &a->jobs[i]);
        else
            m->before[i] = group_of[first]->last, m->after[m->before[i]] = i;
        group_of[first]->last = i;
        group_of[first]->jobs++;
    }
}

/* --- prices --- */

/* The bound that prices give, and what is wished for. */
static double bound_of(struct market *m, const double *price) {
    double bound = 0;
    for (uint32_t t = 0; t < m->resources; t++) {
        bound += price[t] * m->capacity[t];
        m->excess[t] = -m->capacity[t];
    }
    for (uint32_t g = 0; g < m->group_count; g++) {
        const struct offer *offers = &m->offers[m->groups[g].first], *best = NULL;
        double most = 0;
        for (uint32_t o = 0; o < m->groups[g].count; o++) {
            double surplus = offers[o].gain - cost_at(m, price, &offers[o]);
            best = surplus > most ? &offers[o] : best;
            most = surplus > most ? surplus : most;
        }
        if (!best)
            continue;
        bound += most * m->groups[g].jobs;
        m->excess[best->gpu_type] += best->k * m->groups[g].jobs;
        if (m->resources > m->a->type_count)
            m->excess[m->a->type_count] += best->power * m->groups[g].jobs;
    }
    return bound;
}

/* Takes prices that bound the sum by less. */
static double try_prices(struct market *m, const double *price) {
    double bound = bound_of(m, price);
    if (bound < m->bound) {
        m->bound = bound;
        memcpy(m->price, price, m->resources * sizeof *price);
    }
    return bound;
}

/* Keeps what is at least `depth` below the centre in the direction of `slope`. */
static bool cut(struct ellipsoid *e, const double *slope, double depth) {
    double n = e->size, norm = 0;
    for (uint32_t t = 0; t < e->types; t++) {
        e->along[t] = 0;
        for (uint32_t u = 0; u < e->types; u++)
            e->along[t] += e->shape[t * e->types + u] * slope[u];
        norm += e->along[t] * slope[t];
    }
    norm = sqrt(norm);
    if (!(norm > 0) || depth >= norm)
        return false;
    double share = depth / norm, step = (1 + n * share) / (n + 1);
    double wider = n > 1 ? n * n * (1 - share * share) / (n * n - 1) : 0;
    double less = 2 * step / (1 + share);
    for (uint32_t t = 0; t < e->types; t++) {
        e->centre[t] -= step * e->along[t] / norm;
        for (uint32_t u = 0; u < e->types; u++) {
            double *cell = &e->shape[t * e->types + u];
            *cell = n > 1 ? wider * (*cell - less * e->along[t] / norm * (e->along[u] / norm))
                          : *cell * (1 - share) * (1 - share) / 4;
        }
    }
    return true;
}

static bool all_fit(const struct market *m) {
    bool fit = true;
    for (uint32_t t = 0; t < m->resources; t++)
        fit = fit && m->excess[t] <= 0;
    return fit;
}

/* The least price of all GPUs, whatever their type, and of a unit of power, at which there is as
   much as is wished for. */
static double common_price(struct market *m, double *price) {
    double highest = 0;
    for (uint32_t o = 0; o < m->offer_count; o++)
        highest = fmax(highest, m->offers[o].gain / m->offers[o].k);
    double high = log(highest), low = high - log(RANGE);
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        for (uint32_t t = 0; t < m->resources; t++)
            price[t] = exp(middle);
        try_prices(m, price);
        *(all_fit(m) ? &high : &low) = middle;
    }
    return exp(high);
}

/* Around all that is within `radius` of the centre, each price by itself. Types without GPUs keep
   the centre's. */
static void surround(struct ellipsoid *e, const struct market *m, double radius) {
    e->size = 0;
    for (uint32_t t = 0; t < e->types; t++)
        e->size += m->capacity[t] > 0;
    for (uint32_t t = 0; t < e->types; t++)
        for (uint32_t u = 0; u < e->types; u++)
            e->shape[t * e->types + u] =
                t == u && m->capacity[t] > 0 ? radius * radius * e->size : 0;
}

/* A price below 0 is cut off first; else what the bound tells to be worse than the best so far. */
static void search(struct market *m, struct ellipsoid *e) {
    double *slope = scratch(m->a, e->types, sizeof *slope), depth = 0;
    for (uint32_t i = 0; i < CUTS * e->size; i++) {
        uint32_t below = 0;
        while (below < e->types && e->centre[below] >= 0)
            below++;
        if (below == e->types)
            depth = try_prices(m, e->centre) - m->bound;
        for (uint32_t t = 0; t < e->types; t++)
            slope[t] = below == e->types ? -m->excess[t] : t == below ? -1 : 0;
        if (!cut(e, slope, below == e->types ? depth : -e->centre[below]))
            break;
    }
}

/* A price of the last round, as it is kept, in gains of this one. */
static double scale_of(const struct market *m, uint32_t resource) {
    return resource < m->a->type_count ? m->a->unit : m->a->unit * m->unit_nw;
}

/* Around the last round's prices; whether the best ones are well inside. */
static bool search_near(struct market *m, struct ellipsoid *e, const double *last) {
    double highest = 0, square = 0;
    for (uint32_t t = 0; t < e->types; t++) {
        e->centre[t] = last[t] * scale_of(m, t);
        highest = fmax(highest, e->centre[t]);
    }
    surround(e, m, WIDTH * highest);
    search(m, e);
    for (uint32_t t = 0; t < e->types; t++) {
        double moved = m->price[t] - last[t] * scale_of(m, t);
        square += m->capacity[t] > 0 ? moved * moved : 0;
    }
    return square < RIM * WIDTH * WIDTH * highest * highest;
}

/* Where power alone is short, its price is up to twice the common one: a GPU takes a unit or more.
 */
static void search_all(struct market *m, struct ellipsoid *e) {
    double half = common_price(m, e->centre) / (m->resources > m->a->type_count ? 1 : 2);
    for (uint32_t t = 0; t < e->types; t++)
        e->centre[t] = half;
    surround(e, m, half);
    search(m, e);
}

static void find_prices(struct market *m, struct allocation_prices *last) {
    uint32_t types = m->resources;
    struct ellipsoid e = {.types = types};
    e.centre = scratch(m->a, types, sizeof *e.centre);
    e.along = scratch(m->a, types, sizeof *e.along);
    e.shape = scratch(m->a, (size_t)types * types, sizeof *e.shape);
    try_prices(m, e.centre);
    if (all_fit(m))
        return;
    if (!last->known || !search_near(m, &e, last->price))
        search_all(m, &e);
    last->known = types <= ALLOCATION_MOST_TYPES;
    for (uint32_t t = 0; t < types && last->known; t++)
        last->price[t] = m->price[t] / scale_of(m, t);
}

/* --- choices --- */

struct step {
    double worth;
    uint32_t job, choice;
};

struct queue {
    struct step *steps;
    uint32_t count;
};

static bool goes_before(const struct step *a, const struct step *b) {
    return a->worth > b->worth || (a->worth == b->worth && a->job < b->job);
}

static void push(struct queue *q, struct step step) {
    uint32_t at = q->count++;
    for (; at > 0 && goes_before(&step, &q->steps[(at - 1) / 2]); at = (at - 1) / 2)
        q->steps[at] = q->steps[(at - 1) / 2];
    q->steps[at] = step;
}

static struct step pop(struct queue *q) {
    struct step first = q->steps[0], last = q->steps[--q->count];
    uint32_t at = 0, child = 1;
    for (; child < q->count; at = child, child = 2 * at + 1) {
        child += child + 1 < q->count && goes_before(&q->steps[child + 1], &q->steps[child]);
        if (!goes_before(&q->steps[child], &last))
            break;
        q->steps[at] = q->steps[child];
    }
    q->steps[at] = last;
    return first;
}

/* Whether a job that has `from`, or nothing, may take `to`. */
static bool is_left(const struct market *m, const struct allocation_choice *from,
                    const struct allocation_choice *to) {
    double own = from && from->gpu_type == to->gpu_type ? from->k : 0;
    return to->k - own <= m->left[to->gpu_type] && to->nw - (from ? from->nw : 0) <= m->left_nw;
}

/* What a job without GPUs gains most from beyond the price, of what is left. */
static bool best_wish(const struct market *m, struct step *step) {
    const struct allocation_job *job = &m->a->jobs[step->job];
    double most = 0;
    step->choice = EASIM_NONE;
    if (job->chosen != EASIM_NONE)
        return false;
    for (uint32_t c = 0; c < job->count; c++) {
        const struct allocation_choice *to = &job->choices[c];
        double surplus = (double)to->gain - cost_of(m, to);
        if (!is_left(m, NULL, to) || surplus <= most)
            continue;
        most = surplus;
        *step = (struct step){most / fmax(to->k, power_of(m, to)), step->job, c};
    }
    return step->choice != EASIM_NONE;
}

/* The step up that adds most for its price, of what is left. */
static bool best_rise(const struct market *m, struct step *step) {
    const struct allocation_job *job = &m->a->jobs[step->job];
    const struct allocation_choice *from =
        job->chosen == EASIM_NONE ? NULL : &job->choices[job->chosen];
    step->choice = EASIM_NONE;
    step->worth = 0;
    for (uint32_t c = 0; c < job->count; c++) {
        const struct allocation_choice *to = &job->choices[c];
        double gain = (double)(to->gain - (from ? from->gain : 0));
        double more = cost_of(m, to) - (from ? cost_of(m, from) : 0);
        double worth = gain / fmax(more, m->least_step);
        if (gain > 0 && worth > step->worth && is_left(m, from, to))
            *step = (struct step){worth, step->job, c};
    }
    return step->choice != EASIM_NONE;
}

static void take(struct market *m, const struct step *step) {
    struct allocation_job *job = &m->a->jobs[step->job];
    const struct allocation_choice *from = job->chosen == EASIM_NONE ? NULL
                                                                     : &job->choices[job->chosen],
                                   *to = &job->choices[step->choice];
    if (from) {
        m->left[from->gpu_type] += from->k;
        m->left_nw += from->nw;
    }
    job->chosen = step->choice;
    m->left[to->gpu_type] -= to->k;
    m->left_nw -= to->nw;
}

/* Of those without GPUs in a group the first alone is looked at: the others would do the same. */
static bool has_turn(const struct market *m, uint32_t i) {
    const struct allocation_job *jobs = m->a->jobs;
    return !jobs[i].pinned && (jobs[i].chosen != EASIM_NONE || m->before[i] == EASIM_NONE ||
                               jobs[m->before[i]].chosen != EASIM_NONE);
}

typedef bool best_step(const struct market *m, struct step *step);

static void look_at(const struct market *m, struct queue *q, uint32_t i, best_step *best) {
    struct step step = {.job = i};
    if (i != EASIM_NONE && has_turn(m, i) && best(m, &step))
        push(q, step);
}

/* Steps by their worth, each looked at again when its turn comes: it may no longer fit. */
static bool take_steps(struct market *m, struct queue *q, best_step *best) {
    bool any = false;
    for (uint32_t i = 0; i < m->a->count; i++)
        look_at(m, q, i, best);
    while (q->count > 0) {
        struct step first = pop(q), now = {.job = first.job};
        if (best(m, &now) && now.choice == first.choice) {
            bool is_new = m->a->jobs[now.job].chosen == EASIM_NONE;
            take(m, &now);
            any = true;
            if (is_new)
                look_at(m, q, m->after[now.job], best);
        }
        look_at(m, q, now.job, best);
    }
    return any;
}

/* Nobody has chosen, or running jobs what they have, even if a cap has fallen below that: the host
   limits them, but admits nothing more. */
static void begin(struct market *m, bool keeps) {
    struct allocation *a = m->a;
    for (uint32_t t = 0; t < a->type_count; t++)
        m->left[t] = m->capacity[t];
    m->left_nw = a->lacks_power ? a->nw : INT64_MAX;
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->jobs[i].pinned)
            continue;
        a->jobs[i].chosen = EASIM_NONE;
        if (keeps && a->jobs[i].runs && a->jobs[i].choices->gain >= 0)
            take(m, &(struct step){.job = i});
    }
}

/* A step to another GPU type frees GPUs, so that another may be possible then. Returns the sum. */
static int64_t rise(struct market *m, struct queue *q) {
    const struct allocation_job *jobs = m->a->jobs;
    int64_t sum = 0;
    for (int i = 0; i < RISES && take_steps(m, q, best_rise); i++)
        ;
    for (uint32_t i = 0; i < m->a->count; i++)
        sum += jobs[i].pinned || jobs[i].chosen == EASIM_NONE
                   ? 0
                   : jobs[i].choices[jobs[i].chosen].gain;
    return sum;
}

/* Under a cap a few watts decide who is the last to have some: unless others gain more, running
   jobs keep what they have, or they would stop and start in turn. */
static void choose(struct market *m) {
    struct allocation *a = m->a;
    struct queue q = {.steps = scratch(a, a->count, sizeof *q.steps)};
    uint32_t *chosen = scratch(a, a->count, sizeof *chosen);
    m->left = scratch(a, a->type_count, sizeof *m->left);
    for (uint32_t t = 0; t < a->type_count; t++)
        m->least_step = fmax(m->least_step, m->price[t] * LEAST_STEP);
    begin(m, false);
    take_steps(m, &q, best_wish);
    int64_t sum = rise(m, &q);
    for (uint32_t i = 0; i < a->count; i++)
        chosen[i] = a->jobs[i].chosen;
    if (!a->lacks_power)
        return;
    begin(m, true);
    if (rise(m, &q) >= sum)
        return;
    for (uint32_t i = 0; i < a->count; i++)
        a->jobs[i].chosen = chosen[i];
}

bool allocation_has_power(const struct allocation *a) {
    int64_t nw = 0;
    for (uint32_t i = 0; i < a->count; i++)
        if (!a->jobs[i].pinned && a->jobs[i].chosen != EASIM_NONE)
            nw += a->jobs[i].choices[a->jobs[i].chosen].nw;
    return !a->power || nw <= a->nw;
}

/* Power that one GPU takes, at least: of what takes any. */
static double least_nw(const struct allocation *a) {
    double least = INFINITY;
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t c = 0; c < a->jobs[i].count && a->jobs[i].like == i; c++)
            if (a->jobs[i].choices[c].nw > 0)
                least = fmin(least, (double)a->jobs[i].choices[c].nw / a->jobs[i].choices[c].k);
    return least;
}

double allocation_solve_prices(struct allocation *a, struct allocation_prices *last) {
    struct market m = {.a = a, .bound = INFINITY, .unit_nw = least_nw(a)};
    m.resources = a->type_count + a->lacks_power;
    m.price = scratch(a, m.resources, sizeof *m.price);
    m.capacity = scratch(a, m.resources, sizeof *m.capacity);
    m.excess = scratch(a, m.resources, sizeof *m.excess);
    for (uint32_t t = 0; t < a->type_count; t++)
        m.capacity[t] = a->capacity[t];
    if (a->lacks_power)
        m.capacity[a->type_count] = fmax(0, (double)a->nw / m.unit_nw);
    group_jobs(&m);
    find_prices(&m, last);
    choose(&m);
    return m.bound;
}

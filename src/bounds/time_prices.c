/* A lower bound of completion times, proved by prices of GPU time, instant by instant (semantics
   27.3, f). A schedule pays for what its jobs hold, at most N x price each instant; so the sum of
   completions is at least what the jobs together would lose if each could choose its time and its
   GPUs for itself at these prices, less what the cluster earns. What a job loses at least is told
   with a worth of its work, any one for each stretch of time that it may end in. */
#include "bounds/internal.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

#define STARTS       256 /* points of the grid at starts of jobs, */
#define STEPS        256 /* and in equal steps: at most so many, */
#define JOB_STEPS    8   /* and of few jobs so many of each */
#define WORTHS       128 /* of work that are tried while prices are searched, */
#define LAST_WORTHS  768 /* and for the result */
#define LEAST_PASSES 3
#define MOST_PASSES  60
#define ALL_TRIALS   4e6 /* of a worth for a job: some 0.1 s */
#define CELLS        16  /* of a market cost as much as a trial */

/* A configuration, of whatever batch and span computes fastest. */
struct rate {
    uint32_t gpu_type;
    double gpus, speed;
};

struct prices {
    const struct pricing *in;
    uint32_t types;
    double *points; /* of the grid: intervals + 1 */
    size_t intervals;
    double *price;    /* s of all jobs' time for a GPU second, by GPU type, then interval */
    double *used_s;   /* GPU time, likewise, that the jobs chose */
    size_t *by_group; /* jobs in the order of their groups */
    double trials;    /* so far */
};

/* One group, at the prices of now: gains[v][i], of a unit of time spent at worth v from the first
   point to point i. */
struct market {
    struct prices *all;
    ARRAY_OF(struct rate) rates;
    double fastest;
    size_t worths;
    double *worth, *gains;
};

/* ---- The grid ---- */

static double start_of(const struct demand_job *job) {
    return job->submit_s + job->setup_s;
}

static double last_finish_s(const struct pricing *in) {
    double last_s = 0;
    for (size_t j = 0; j < in->count; j++) {
        const struct demand_job *job = in->jobs[j];
        last_s = fmax(last_s, in->finish_s[j]);
        last_s = fmax(last_s, start_of(job) + job->work / in->demand->groups[job->group].fastest);
    }
    return last_s;
}

/* From the first start to a little behind the last finish, or to the end. */
static void make_grid(struct prices *p) {
    const struct pricing *in = p->in;
    size_t stride = 1 + in->count / STARTS, count = 0, few = 16 + JOB_STEPS * in->count;
    int steps = few < STEPS ? (int)few : STEPS;
    double first_s = INFINITY, end_s = fmin(in->end_s, 1.05 * last_finish_s(in));
    p->points = mem_alloc((in->count / stride + STEPS + 3) * sizeof *p->points);
    for (size_t j = 0; j < in->count; j++)
        first_s = fmin(first_s, start_of(in->jobs[j]));
    first_s = fmin(first_s, end_s);
    for (size_t j = 0; j < in->count; j += stride)
        p->points[count++] = fmin(start_of(in->jobs[j]), end_s);
    for (int i = 0; i <= steps; i++)
        p->points[count++] = i == steps ? end_s : first_s + (end_s - first_s) * i / steps;
    sort_array(p->points, count, by_real);
    for (size_t i = 1; i < count; i++)
        if (p->points[i] > p->points[p->intervals])
            p->points[++p->intervals] = p->points[i];
}

/* The last point at or before t; the first one if there is none. */
static size_t place_of(const struct prices *p, double t_s) {
    size_t next = 1;
    SEARCH(next, p->intervals + 1, p->points[at] <= t_s)
    return next - 1;
}

/* A second of the cluster is worth twice as many seconds as jobs are there in some schedule: found
   to be a good beginning. */
static void begin_prices(struct prices *p) {
    double *jobs = mem_zalloc(p->intervals + 1, sizeof *jobs);
    for (size_t j = 0; j < p->in->count; j++) {
        jobs[place_of(p, start_of(p->in->jobs[j]))]++;
        jobs[place_of(p, p->in->finish_s[j])]--;
    }
    for (size_t i = 0; i < p->intervals; i++) {
        jobs[i] += i > 0 ? jobs[i - 1] : 0;
        for (uint32_t h = 0; h < p->types; h++)
            p->price[h * p->intervals + i] = p->in->worth[h] * 2 * fmax(0.05, jobs[i]);
    }
    free(jobs);
}

/* ---- A group ---- */

static bool is_no_better(const struct demand_rate *a, const struct demand_rate *b) {
    return a->gpu_type == b->gpu_type && a->gpus >= b->gpus &&
           a->gpus / a->gpu_s <= b->gpus / b->gpu_s;
}

static void find_rates(struct market *m, const struct demand_group *group) {
    m->rates.count = 0;
    m->fastest = group->fastest;
    for (size_t r = 0; r < group->rates.count; r++) {
        const struct demand_rate *rate = &group->rates.at[r];
        bool beaten = false;
        for (size_t o = 0; o < group->rates.count && !beaten; o++)
            beaten = o != r && is_no_better(rate, &group->rates.at[o]) &&
                     (o < r || !is_no_better(&group->rates.at[o], rate));
        if (!beaten)
            array_push(&m->rates,
                       ((struct rate){rate->gpu_type, rate->gpus, rate->gpus / rate->gpu_s}));
    }
}

/* Worths of a unit of work: none, and from little up to three times what it costs at most. */
static void choose_worths(struct market *m) {
    const struct prices *p = m->all;
    double most = 0;
    for (size_t i = 0; i < p->intervals; i++) {
        double least = INFINITY;
        for (size_t r = 0; r < m->rates.count; r++) {
            const struct rate *rate = &m->rates.at[r];
            least =
                fmin(least, p->price[rate->gpu_type * p->intervals + i] * rate->gpus / rate->speed);
        }
        most = fmax(most, least);
    }
    double high = 3 * most + 2 / m->fastest, low = high * 1e-4;
    m->worth[0] = 0;
    for (size_t v = 1; v < m->worths; v++)
        m->worth[v] = low * pow(high / low, (double)(v - 1) / (double)(m->worths - 2));
}

static void find_gains(struct market *m) {
    const struct prices *p = m->all;
    size_t n = p->intervals;
    m->all->trials += (double)(m->rates.count * n * m->worths) / CELLS;
    for (size_t v = 0; v < m->worths; v++) {
        double *gains = &m->gains[v * (n + 1)];
        memset(gains, 0, (n + 1) * sizeof *gains);
        for (size_t r = 0; r < m->rates.count; r++) {
            const struct rate *rate = &m->rates.at[r];
            const double *price = &p->price[rate->gpu_type * n];
            double earned = m->worth[v] * rate->speed, gpus = rate->gpus;
            for (size_t i = 0; i < n; i++) {
                double gain = earned - price[i] * gpus;
                gains[i + 1] = gain > gains[i + 1] ? gain : gains[i + 1];
            }
        }
        for (size_t i = 0; i < n; i++)
            gains[i + 1] = gains[i] + gains[i + 1] * (p->points[i + 1] - p->points[i]);
    }
}

/* Gained from the first point to t, which is in interval i; behind the grid GPUs are free. */
static double gain_until(const struct market *m, size_t v, size_t i, double t_s) {
    const struct prices *p = m->all;
    const double *gains = &m->gains[v * (p->intervals + 1)];
    if (i == p->intervals)
        return gains[i] + m->worth[v] * m->fastest * (t_s - p->points[i]);
    return gains[i] +
           (gains[i + 1] - gains[i]) * ((t_s - p->points[i]) / (p->points[i + 1] - p->points[i]));
}

/* ---- A job ---- */

/* One that ends between from_s and to_s, in interval i or at its end. */
struct ending {
    double start_s, work, from_s, to_s;
    double ends_s;   /* whichever of the two it is, for the worth tried last */
    size_t start, i; /* intervals of start_s and from_s */
};

/* What it loses at least, with this worth of its work. */
static double loss_s(const struct market *m, struct ending *e, size_t v) {
    m->all->trials++;
    double due_s = m->worth[v] * e->work + gain_until(m, v, e->start, e->start_s) - e->start_s;
    double from_s = due_s + e->from_s - gain_until(m, v, e->i, e->from_s);
    double to_s = due_s + e->to_s - gain_until(m, v, e->i, e->to_s);
    e->ends_s = from_s < to_s ? e->from_s : e->to_s;
    return fmin(from_s, to_s);
}

/* The worth that proves most: the loss is concave in it, and the best is near what it was for the
   ending before. */
static size_t best_worth(const struct market *m, struct ending *e, size_t near,
                         double *ret_loss_s) {
    size_t last = m->worths - 1;
    double best_s = loss_s(m, e, near), best_ends_s = e->ends_s;
    for (size_t step = 1; step > 0;) {
        const size_t sides[] = {near > step ? near - step : 0,
                                near + step < last ? near + step : last};
        bool moved = false;
        for (int side = 0; side < 2 && !moved; side++) {
            double next_s = loss_s(m, e, sides[side]);
            if (next_s <= best_s)
                continue;
            moved = true;
            best_s = next_s;
            best_ends_s = e->ends_s;
            near = sides[side];
        }
        step = moved ? 2 * step : step / 2;
    }
    e->ends_s = best_ends_s;
    *ret_loss_s = best_s;
    return near;
}

/* The GPU time that it takes from start to end with this worth. */
static void use_gpus(const struct market *m, const struct ending *e, double until_s, size_t v) {
    const struct prices *p = m->all;
    for (size_t i = e->start; i < p->intervals && p->points[i] < until_s; i++) {
        const struct rate *best = NULL;
        double most = 0;
        for (size_t r = 0; r < m->rates.count; r++) {
            const struct rate *rate = &m->rates.at[r];
            size_t at = rate->gpu_type * p->intervals + i;
            double gain = m->worth[v] * rate->speed - p->price[at] * rate->gpus;
            if (gain > most) {
                most = gain;
                best = rate;
            }
        }
        if (best)
            p->used_s[best->gpu_type * p->intervals + i] +=
                best->gpus * (fmin(p->points[i + 1], until_s) - fmax(p->points[i], e->start_s));
    }
}

/* What a job loses at least, from its release on. */
static double least_loss_s(const struct market *m, const struct demand_job *job) {
    const struct prices *p = m->all;
    double end_s = p->in->end_s, until_s = 0, alone_s = job->work / m->fastest;
    struct ending e = {.start_s = start_of(job), .work = job->work};
    double best_s = end_s - e.start_s; /* not done by the end */
    size_t v = m->worths / 2, best_v = 0;
    e.from_s = e.start_s + alone_s;
    if (e.from_s >= end_s)
        return end_s - job->submit_s;
    e.start = place_of(p, e.start_s);
    for (e.i = place_of(p, e.from_s); e.from_s - e.start_s < best_s; e.i++) {
        double least_s;
        bool behind = e.i == p->intervals; /* alone_s later all may be done for nothing */
        e.to_s = behind ? e.from_s + alone_s : p->points[e.i + 1];
        v = best_worth(m, &e, v, &least_s);
        if (least_s < best_s) {
            best_s = least_s;
            best_v = v;
            until_s = e.ends_s;
        }
        e.from_s = e.to_s;
        if (behind) {
            best_s = fmin(best_s, e.to_s - e.start_s);
            break;
        }
    }
    use_gpus(m, &e, until_s, best_v);
    return best_s + job->setup_s;
}

/* ---- All ---- */

static double alone_s(const struct pricing *in) {
    double sum_s = 0;
    for (size_t j = 0; j < in->count; j++)
        sum_s += fmin(demand_alone_s(in->demand, in->jobs[j]), in->end_s - in->jobs[j]->submit_s);
    return sum_s;
}

static double earned_s(const struct prices *p) {
    double sum_s = 0;
    for (uint32_t h = 0; h < p->types; h++)
        for (size_t i = 0; i < p->intervals; i++)
            sum_s += p->in->demand->cluster->gpu_types[h].gpus * p->price[h * p->intervals + i] *
                     (p->points[i + 1] - p->points[i]);
    return sum_s;
}

/* What the prices prove; and what the jobs would use at them. */
static double proved_s(struct prices *p, struct market *m, size_t worths) {
    double sum_s = -earned_s(p);
    m->worths = worths;
    memset(p->used_s, 0, p->types * p->intervals * sizeof *p->used_s);
    for (size_t i = 0; i < p->in->count; i++) {
        const struct demand_job *job = p->in->jobs[p->by_group[i]];
        if (i == 0 || p->in->jobs[p->by_group[i - 1]]->group != job->group) {
            find_rates(m, &p->in->demand->groups[job->group]);
            choose_worths(m);
            find_gains(m);
        }
        sum_s += least_loss_s(m, job);
    }
    return sum_s;
}

/* Dearer where the jobs would use more than there is: falling steps along the mean of the last. */
static void change_prices(struct prices *p, double *trend, double step) {
    for (uint32_t h = 0; h < p->types; h++) {
        double gpus = p->in->demand->cluster->gpu_types[h].gpus, worth = p->in->worth[h];
        for (size_t i = 0; i < p->intervals && gpus > 0 && worth > 0; i++) {
            size_t at = h * p->intervals + i;
            double there_s = gpus * (p->points[i + 1] - p->points[i]);
            double excess = fmin(3, p->used_s[at] / there_s - 1);
            trend[at] = 0.8 * trend[at] + 0.2 * excess;
            p->price[at] = fmax(0, p->price[at] + step * trend[at] * (worth + 0.3 * p->price[at]));
        }
    }
}

/* As many passes as cost what they may, by what the first one cost. */
static double search_prices(struct prices *p, struct market *m) {
    size_t cells = p->types * p->intervals, passes = MOST_PASSES;
    double *trend = mem_zalloc(cells, sizeof *trend), *best = mem_zalloc(cells, sizeof *best);
    double best_s = alone_s(p->in); /* at no prices */
    begin_prices(p);
    for (size_t pass = 0; pass < passes; pass++) {
        double now_s = proved_s(p, m, WORTHS);
        if (pass == 0)
            passes = (size_t)fmin(MOST_PASSES, fmax(LEAST_PASSES, ALL_TRIALS / p->trials));
        if (now_s > best_s) {
            best_s = now_s;
            memcpy(best, p->price, cells * sizeof *best);
        }
        change_prices(p, trend, 1 / (1 + 9 * (double)pass / (double)passes));
    }
    memcpy(p->price, best, cells * sizeof *best);
    free(trend);
    free(best);
    return proved_s(p, m, LAST_WORTHS);
}

static void order_by_group(struct prices *p) {
    size_t count = p->in->count, groups = p->in->demand->group_count;
    size_t *first = mem_zalloc(groups + 1, sizeof *first);
    for (size_t j = 0; j < count; j++)
        first[p->in->jobs[j]->group + 1]++;
    for (size_t g = 0; g < groups; g++)
        first[g + 1] += first[g];
    for (size_t j = 0; j < count; j++)
        p->by_group[first[p->in->jobs[j]->group]++] = j;
    free(first);
}

double time_prices_s(const struct pricing *in) {
    struct prices p = {.in = in, .types = in->demand->cluster->gpu_type_count};
    make_grid(&p);
    struct market market = {.all = &p};
    size_t cells = p.types * p.intervals;
    p.price = mem_zalloc(cells + 1, sizeof *p.price);
    p.used_s = mem_zalloc(cells + 1, sizeof *p.used_s);
    p.by_group = mem_alloc(in->count * sizeof *p.by_group);
    market.worth = mem_alloc(LAST_WORTHS * sizeof *market.worth);
    market.gains = mem_alloc(LAST_WORTHS * (p.intervals + 1) * sizeof *market.gains);
    order_by_group(&p);
    double sum_s = search_prices(&p, &market);
    free(market.rates.at);
    free(market.worth);
    free(market.gains);
    free(p.points);
    free(p.price);
    free(p.used_s);
    free(p.by_group);
    return sum_s;
}

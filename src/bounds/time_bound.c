/* Lower bounds of the mean completion time (semantics 27.3). The cluster is one machine: a GPU of
   type h counts w_h, with sum w_h N_h = 1, so that all of them together are worth one second a
   second. Any w, and any mixture in (d), gives a bound; good ones are searched in a fixed number of
   passes. */
#include "bounds/internal.h"

#include <stdlib.h>
#include <string.h>

#define SRPT_PASSES  20
#define BUSY_PASSES  14
#define MIXED_PASSES 26
#define GOLDEN       0.6180339887498949
#define CUT_BY       (1 - 1e-8) /* for the rounding here and of power and time in the engine, */
#define ROUNDED_S    2e-9       /* which finishes at whole nanoseconds */

const char *const time_argument_names[] = {"a", "b", "c", "d", "e", "f"};

/* A bound to be made as large as it can be by the shares w_h N_h of the GPU types. */
struct search {
    const struct demand *demand;
    uint32_t types; /* of GPUs */
    double end_s;
    struct machine_job *machine; /* the measured jobs */
    const struct demand_job **jobs;
    double *busy_s, *alone_s; /* by job */
    size_t count;
    double *shares, *best_shares; /* by GPU type; sum 1 */
    double best_s;                /* sum over the jobs */
    double (*bound_s)(struct search *);
};

/* The least weighted GPU time of each job under the shares. */
static void size_jobs(struct search *s) {
    const struct cluster *cluster = s->demand->cluster;
    for (size_t j = 0; j < s->count; j++) {
        const struct demand_group *group = &s->demand->groups[s->jobs[j]->group];
        double setup = INFINITY, work = INFINITY;
        for (uint32_t h = 0; h < s->types; h++) {
            if (group->least_gpus[h] == INFINITY)
                continue;
            double weight = s->shares[h] / cluster->gpu_types[h].gpus;
            setup = fmin(setup, weight * group->least_gpus[h]);
            work = fmin(work, weight * group->least_gpu_s[h]);
        }
        s->machine[j].size_s = s->jobs[j]->setup_s * setup + s->jobs[j]->work * work;
    }
}

static void size_jobs_at_best(struct search *s) {
    memcpy(s->shares, s->best_shares, s->types * sizeof *s->shares);
    size_jobs(s);
}

static double srpt_s(struct search *s) {
    return one_machine_srpt_s(s->machine, s->count, 0, s->end_s);
}

/* The rest of a job's life behind its mean busy time. */
static double behind_s(const struct search *s, size_t j) {
    return s->jobs[j]->work / s->demand->groups[s->jobs[j]->group].fastest / 2;
}

/* (c) of one job, once its mean busy time is known. */
static double busy_term_s(const struct search *s, size_t j) {
    return s->busy_s[j] - s->jobs[j]->submit_s + behind_s(s, j);
}

static double mixed_s(struct search *s) {
    double sum_s = 0;
    one_machine_busy(s->machine, s->count, s->busy_s);
    for (size_t j = 0; j < s->count; j++) {
        double lambda = s->machine[j].weight;
        sum_s += lambda * busy_term_s(s, j) + (1 - lambda) * s->alone_s[j];
    }
    return sum_s;
}

static double try_shares(struct search *s) {
    size_jobs(s);
    double bound_s = s->bound_s(s);
    if (bound_s > s->best_s)
        memcpy(s->best_shares, s->shares, s->types * sizeof *s->shares);
    s->best_s = fmax(s->best_s, bound_s);
    return bound_s;
}

/* With this share of type h, the others in the proportions that they have in base. */
static double try_share(struct search *s, const double *base, uint32_t h, double share) {
    double others = 0;
    for (uint32_t i = 0; i < s->types; i++)
        others += i == h ? 0 : base[i];
    for (uint32_t i = 0; i < s->types; i++)
        s->shares[i] = i == h ? share : base[i] * (1 - share) / others;
    return try_shares(s);
}

/* Golden section over the share of one type. */
static void search_share(struct search *s, uint32_t h, int passes) {
    double *base = mem_alloc(s->types * sizeof *base);
    memcpy(base, s->best_shares, s->types * sizeof *base);
    double from = 0, to = 1, low = 1 - GOLDEN, high = GOLDEN;
    double at_low = try_share(s, base, h, low), at_high = try_share(s, base, h, high);
    for (int i = 2; i < passes; i++)
        if (at_low >= at_high) {
            to = high, high = low, at_high = at_low;
            at_low = try_share(s, base, h, low = to - GOLDEN * (to - from));
        } else {
            from = low, low = high, at_low = at_high;
            at_high = try_share(s, base, h, high = from + GOLDEN * (to - from));
        }
    free(base);
}

/* From equal worth of all GPUs that some job can use, type by type. */
static void search_shares(struct search *s, double (*bound_s)(struct search *), int passes) {
    uint32_t used = 0;
    s->bound_s = bound_s;
    for (uint32_t h = 0; h < s->types; h++)
        used += s->best_shares[h] > 0;
    size_jobs_at_best(s);
    s->best_s = bound_s(s);
    for (uint32_t h = 0, left = used; h < s->types && left > 1; h++)
        if (s->best_shares[h] > 0 && s->best_shares[h] < 1) {
            search_share(s, h, (passes - 1) / (int)(used - 1));
            left--;
        }
}

/* Steps along the subgradient, which is a job's (c) less its (a); each as long as to move a job of
   mean difference by a share that falls from one. */
static double search_mixture(struct search *s) {
    double best_s = 0; /* of (a) alone */
    for (size_t j = 0; j < s->count; j++)
        best_s += s->alone_s[j];
    size_jobs_at_best(s);
    for (int pass = 0; pass < MIXED_PASSES; pass++) {
        double mean_s = 0;
        best_s = fmax(best_s, mixed_s(s));
        for (size_t j = 0; j < s->count; j++)
            mean_s += fabs(busy_term_s(s, j) - s->alone_s[j]) / (double)s->count;
        for (size_t j = 0; j < s->count && mean_s > 0; j++) {
            double step = (busy_term_s(s, j) - s->alone_s[j]) / mean_s / (1 + pass);
            s->machine[j].weight = fmin(1, fmax(0, s->machine[j].weight + step));
        }
    }
    return best_s;
}

/* Prices begin at the shares of (b), and at that machine's queue when short jobs go first. Of each
   type a part is worth as much as of all others: no type that a job can use begins at nothing. */
static double priced_s(struct search *s) {
    double *worth = mem_alloc(s->types * sizeof *worth), *finish_s = s->busy_s;
    for (uint32_t h = 0; h < s->types; h++) {
        uint32_t gpus = s->demand->cluster->gpu_types[h].gpus;
        worth[h] = gpus > 0 ? (0.9 * s->best_shares[h] + 0.1 / s->types) / gpus : 0;
    }
    size_jobs_at_best(s);
    one_machine_busy(s->machine, s->count, s->busy_s);
    for (size_t j = 0; j < s->count; j++)
        finish_s[j] = s->busy_s[j] + s->machine[j].size_s / 2;
    double sum_s =
        time_prices_s(&(struct pricing){s->demand, s->jobs, s->count, s->end_s, worth, finish_s});
    free(worth);
    return sum_s;
}

static void begin_search(struct search *s, const struct demand *demand, double end_s) {
    size_t all = demand->jobs.count;
    s->demand = demand;
    s->end_s = end_s;
    s->types = demand->cluster->gpu_type_count;
    s->machine = mem_alloc(all * sizeof *s->machine);
    s->jobs = mem_alloc(all * sizeof *s->jobs);
    s->busy_s = mem_alloc(all * sizeof *s->busy_s);
    s->alone_s = mem_alloc(all * sizeof *s->alone_s);
    s->shares = mem_zalloc(s->types, sizeof *s->shares);
    s->best_shares = mem_zalloc(s->types, sizeof *s->best_shares);
    for (size_t j = 0; j < all; j++) {
        const struct demand_job *job = &demand->jobs.at[j];
        if (!job->measured)
            continue;
        s->jobs[s->count] = job;
        s->alone_s[s->count] = fmin(demand_alone_s(demand, job), end_s - job->submit_s);
        s->machine[s->count++] = (struct machine_job){.release_s = job->submit_s, .weight = 1};
        for (uint32_t h = 0; h < s->types; h++)
            if (demand->groups[job->group].least_gpus[h] < INFINITY)
                s->best_shares[h] = demand->cluster->gpu_types[h].gpus;
    }
    double gpus = 0;
    for (uint32_t h = 0; h < s->types; h++)
        gpus += s->best_shares[h];
    for (uint32_t h = 0; h < s->types; h++)
        s->best_shares[h] /= fmax(1, gpus);
}

static void end_search(struct search *s) {
    free(s->machine);
    free(s->jobs);
    free(s->busy_s);
    free(s->alone_s);
    free(s->shares);
    free(s->best_shares);
}

struct time_bound time_bound_find(const struct demand *demand, double end_s) {
    struct time_bound bound = {{NAN, NAN, NAN, NAN, NAN, NAN}, TIME_ALONE};
    double sums_s[TIME_ARGUMENTS] = {0, NAN, NAN, NAN, NAN, NAN};
    struct search s = {0};
    begin_search(&s, demand, end_s);
    if (s.count == 0) {
        end_search(&s);
        return bound;
    }
    for (size_t j = 0; j < s.count; j++)
        sums_s[TIME_ALONE] += s.alone_s[j];
    search_shares(&s, srpt_s, SRPT_PASSES);
    sums_s[TIME_SRPT] = s.best_s;
    size_jobs_at_best(&s);
    sums_s[TIME_PRESENT] = presence_s(s.machine, s.alone_s, s.count, end_s);
    sums_s[TIME_PRICED] = priced_s(&s);
    if (end_s == INFINITY) {
        search_shares(&s, mixed_s, BUSY_PASSES); /* with all weights 1: (c) */
        sums_s[TIME_BUSY] = s.best_s;
        sums_s[TIME_MIXED] = search_mixture(&s);
    }
    for (int i = 0; i < TIME_ARGUMENTS; i++) {
        if (isnan(sums_s[i]))
            continue;
        double mean_s = end_s < INFINITY ? (sums_s[i] + demand->impossible_s) /
                                               (double)(s.count + demand->impossible_measured)
                                         : sums_s[i] / (double)s.count;
        bound.by[i] = fmax(0, mean_s * CUT_BY - ROUNDED_S);
        bound.best = bound.by[i] > bound.by[bound.best] ? (enum time_argument)i : bound.best;
    }
    end_search(&s);
    return bound;
}

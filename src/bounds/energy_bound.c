/* What prices prove of energy: see energy_bound.h. With prices m of the capacity rows, for every
   schedule that ends at M, energy >= S M + sum of work x e + sum m (GPU time used from t on - N (M
   - t)) + set-ups, since no row is overdrawn; S - sum m N >= 0, so M may be its least (a horizon is
   M, whatever the sign), and each piece of work may choose the least of its own terms. */
#include "bounds/energy_bound.h"

#include "bounds/rounded.h"

#include <stdlib.h>
#include <string.h>

#define CUT_BY (1 - 1e-8) /* power is in whole nanowatts in the engine, time in nanoseconds */

/* Prices that are allowed, W a GPU, and what they are worth together, W, not below that. */
static double cut_prices(const struct demand *demand, const struct energy_work *work,
                         double *prices) {
    const struct cluster *cluster = demand->cluster;
    size_t intervals = work->intervals;
    double worth_w = 0;
    for (uint32_t h = 0; h < cluster->gpu_type_count; h++)
        for (size_t i = 0; i < intervals; i++) {
            double *price = &prices[h * intervals + i];
            *price = *price > 0 ? *price : 0;
            worth_w = high_add(worth_w, high_multiply(*price, cluster->gpu_types[h].gpus));
        }
    if (worth_w <= demand->static_w || work->ends_there)
        return worth_w;
    double factor = low_divide(demand->static_w, worth_w);
    for (size_t i = 0; i < cluster->gpu_type_count * intervals; i++)
        prices[i] = fmax(0, low_multiply(prices[i], factor));
    return demand->static_w;
}

/* Of the work of one group in interval i: what it adds, and pays, at least. */
static double least_cost_j(const struct demand_group *group, const double *paid_w) {
    double least_j = INFINITY;
    for (size_t r = 0; r < group->rates.count; r++) {
        const struct demand_rate *rate = &group->rates.at[r];
        least_j = fmin(least_j,
                       low_add(rate->energy_j, low_multiply(rate->gpu_s, paid_w[rate->gpu_type])));
    }
    return least_j;
}

static double setups_j(const struct demand *demand) {
    double sum_j = 0;
    for (size_t j = 0; j < demand->jobs.count; j++) {
        const struct demand_job *job = &demand->jobs.at[j];
        sum_j = low_add(sum_j, low_multiply(job->setup_s, demand->groups[job->group].setup_w));
    }
    return sum_j;
}

double energy_bound_certified_j(const struct demand *demand, const struct energy_work *work,
                                const double *prices) {
    uint32_t types = demand->cluster->gpu_type_count;
    size_t intervals = work->intervals;
    double *allowed = mem_alloc(types * intervals * sizeof *allowed);
    double *paid_w = mem_zalloc(types, sizeof *paid_w); /* by work of the present interval */
    memcpy(allowed, prices, types * intervals * sizeof *allowed);
    double worth_w = cut_prices(demand, work, allowed);
    double sum_j = low_multiply(low_add(demand->static_w, -worth_w), work->least_end_s);
    sum_j = low_add(sum_j, setups_j(demand));
    for (size_t i = 0; i < intervals; i++) {
        for (uint32_t h = 0; h < types; h++) {
            double price = allowed[h * intervals + i];
            double gpus_w = low_multiply(price, demand->cluster->gpu_types[h].gpus);
            sum_j = low_add(sum_j, low_multiply(gpus_w, work->from_s[i]));
            paid_w[h] = low_add(paid_w[h], price);
        }
        for (size_t g = 0; g < work->groups; g++) {
            double units = work->units[i * work->groups + g];
            if (units > 0)
                sum_j =
                    low_add(sum_j, low_multiply(units, least_cost_j(&demand->groups[g], paid_w)));
        }
    }
    free(allowed);
    free(paid_w);
    return sum_j;
}

struct energy_bound energy_bound_find(const struct demand *demand, double end_s) {
    struct energy_work work = {0};
    energy_work_find(&work, demand, end_s);
    double *prices = mem_zalloc(demand->cluster->gpu_type_count * work.intervals, sizeof *prices);
    struct energy_bound bound = {.intervals = work.intervals};
    for (size_t g = 0; g < demand->group_count; g++)
        bound.groups += demand->groups[g].jobs > 0;
    bound.solved = energy_prices_find(demand, &work, prices);
    bound.energy_j = energy_bound_certified_j(demand, &work, prices) * CUT_BY;
    free(prices);
    energy_work_finish(&work);
    return bound;
}

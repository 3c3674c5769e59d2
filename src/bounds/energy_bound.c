/* A lower bound of energy, proved by prices of GPU time from a linear program (semantics 27.2).
   With prices m of the capacity rows, for every schedule that ends at M, energy >= S M + sum of
   work x e + sum m (GPU time used from t on - N (M - t)) + set-ups, since no row is overdrawn; S -
   sum m N >= 0, so M may be its least (a horizon is M, whatever the sign), and each piece of work
   may choose the least of its own terms. */
#include "bounds/internal.h"

#include <glpk.h>
#include <stdlib.h>
#include <string.h>

/* --- energy_prices --- */
/* Columns: the end of the run, and of each piece of work (a group in an interval) the share that
   each configuration does. Rows: all of each piece is done, and for each GPU type and interval,
   what is submitted from then on fits between then and the end. GLPK's dual values of the latter
   rows are the prices. */

#define MOST_PIECES 1500 /* groups x intervals: a second or so of GLPK */

/* ---- Work ---- */

static double least_gpu_s(const struct demand *demand, const struct demand_job *job) {
    const double *by_type = demand->groups[job->group].least_gpu_s;
    double least = INFINITY;
    for (uint32_t h = 0; h < demand->cluster->gpu_type_count; h++)
        least = fmin(least, by_type[h]);
    return least * job->work;
}

static size_t choose_intervals(const struct demand *demand) {
    size_t groups = 0;
    for (size_t g = 0; g < demand->group_count; g++)
        groups += demand->groups[g].jobs > 0;
    size_t most = groups < MOST_PIECES ? MOST_PIECES / groups : 1;
    return most < ENERGY_MOST_INTERVALS ? most : ENERGY_MOST_INTERVALS;
}

void energy_work_find(struct energy_work *work, const struct demand *demand, double end_s) {
    size_t most = choose_intervals(demand);
    double all_s = 0, done_s = 0;
    *work = (struct energy_work){.groups = demand->group_count};
    work->units = mem_zalloc(most * work->groups, sizeof *work->units);
    for (size_t j = 0; j < demand->jobs.count; j++)
        all_s += least_gpu_s(demand, &demand->jobs.at[j]);
    for (size_t j = 0; j < demand->jobs.count; j++) {
        const struct demand_job *job = &demand->jobs.at[j];
        bool later = work->intervals == 0 || job->submit_s > work->from_s[work->intervals - 1];
        if (later && work->intervals < most &&
            done_s >= all_s * (double)work->intervals / (double)most)
            work->from_s[work->intervals++] = job->submit_s;
        double *units = &work->units[(work->intervals - 1) * work->groups + job->group];
        *units = low_add(*units, job->work);
        done_s += least_gpu_s(demand, job);
        double fastest = demand->groups[job->group].fastest;
        double done_at_s =
            low_add(low_add(job->submit_s, job->setup_s), low_divide(job->work, fastest));
        work->least_end_s = fmax(work->least_end_s, done_at_s);
    }
    work->ends_there = end_s < INFINITY;
    work->least_end_s = work->ends_there ? end_s : work->least_end_s;
}

void energy_work_finish(struct energy_work *work) {
    free(work->units);
}

/* ---- The program ---- */

struct program {
    const struct demand *demand;
    const struct energy_work *work;
    glp_prob *glpk;
    int capacity; /* rows before those of GPU type 0 */
    ARRAY_OF(int) rows, columns;
    ARRAY_OF(double) values;
};

static void put_value(struct program *p, int row, int column, double value) {
    array_push(&p->rows, row);
    array_push(&p->columns, column);
    array_push(&p->values, value);
}

ORDER_BY(compare_rates, struct demand_rate, ASC(gpu_type) ASC(gpu_s) ASC(energy_j))

/* Whether b is on or above the line from a to c. */
static bool is_above(const struct demand_rate *a, const struct demand_rate *b,
                     const struct demand_rate *c) {
    return (b->energy_j - a->energy_j) * (c->gpu_s - a->gpu_s) >=
           (c->energy_j - a->energy_j) * (b->gpu_s - a->gpu_s);
}

static size_t rate_count(const struct demand_group *group) {
    return group->rates.count + group->limited.count;
}
static const struct demand_rate *rate_at(const struct demand_group *group, size_t i) {
    return i < group->rates.count ? &group->rates.at[i]
                                  : &group->limited.at[i - group->rates.count];
}

/* The rates that can be the cheapest at some price: of each type the lower left hull. */
static size_t find_hull(const struct demand_group *group, struct demand_rate *hull) {
    size_t count = 0, first = 0, all = 0;
    struct demand_rate *sorted = mem_alloc(rate_count(group) * sizeof *sorted);
    for (size_t r = 0; r < rate_count(group); r++)
        sorted[all++] = *rate_at(group, r);
    sort_array(sorted, all, compare_rates);
    for (size_t i = 0; i < all; i++) {
        if (count == first || hull[count - 1].gpu_type != sorted[i].gpu_type)
            first = count;
        else if (sorted[i].energy_j >= hull[count - 1].energy_j)
            continue;
        while (count > first + 1 && is_above(&hull[count - 2], &hull[count - 1], &sorted[i]))
            count--;
        hull[count++] = sorted[i];
    }
    free(sorted);
    return count;
}

static int capacity_row(const struct program *p, uint32_t gpu_type, size_t interval) {
    return p->capacity + (int)(gpu_type * p->work->intervals + interval) + 1;
}

/* A column for each rate that may be the best for this piece of work. */
static void add_piece(struct program *p, size_t interval, const struct demand_rate *hull,
                      size_t count, double units) {
    int row = glp_add_rows(p->glpk, 1);
    int column = glp_add_cols(p->glpk, (int)count);
    glp_set_row_bnds(p->glpk, row, GLP_FX, 1, 1);
    for (size_t i = 0; i < count; i++, column++) {
        uint32_t h = hull[i].gpu_type;
        double gpus = p->demand->cluster->gpu_types[h].gpus;
        glp_set_col_bnds(p->glpk, column, GLP_LO, 0, 0);
        glp_set_obj_coef(p->glpk, column, units * hull[i].energy_j);
        put_value(p, row, column, 1);
        for (size_t from = 0; from <= interval; from++)
            put_value(p, capacity_row(p, h, from), column, units * hull[i].gpu_s / gpus);
    }
}

static void add_capacity(struct program *p) {
    uint32_t types = p->demand->cluster->gpu_type_count;
    int end = glp_add_cols(p->glpk, 1);
    glp_set_col_bnds(p->glpk, end, p->work->ends_there ? GLP_FX : GLP_LO, p->work->least_end_s,
                     p->work->least_end_s);
    glp_set_obj_coef(p->glpk, end, p->demand->static_w);
    glp_add_rows(p->glpk, (int)(types * p->work->intervals));
    for (uint32_t h = 0; h < types; h++)
        for (size_t i = 0; i < p->work->intervals; i++) {
            int row = capacity_row(p, h, i);
            glp_set_row_bnds(p->glpk, row, GLP_UP, 0, -p->work->from_s[i]);
            put_value(p, row, end, -1);
        }
}

static void add_pieces(struct program *p) {
    for (size_t g = 0; g < p->work->groups; g++) {
        const struct demand_group *group = &p->demand->groups[g];
        if (group->jobs == 0)
            continue;
        struct demand_rate *hull = mem_alloc(rate_count(group) * sizeof *hull);
        size_t count = find_hull(group, hull);
        for (size_t i = 0; i < p->work->intervals; i++) {
            double units = p->work->units[i * p->work->groups + g];
            if (units > 0)
                add_piece(p, i, hull, count, units);
        }
        free(hull);
    }
}

bool energy_prices_find(const struct demand *demand, const struct energy_work *work,
                        double *prices) {
    struct program p = {.demand = demand, .work = work, .glpk = glp_create_prob()};
    uint32_t types = demand->cluster->gpu_type_count;
    glp_smcp how;
    glp_term_out(GLP_OFF);
    glp_set_obj_dir(p.glpk, GLP_MIN);
    /* GLPK counts from 1: the places 0 are not read */
    put_value(&p, 0, 0, 0);
    add_capacity(&p);
    add_pieces(&p);
    glp_load_matrix(p.glpk, (int)p.values.count - 1, p.rows.at, p.columns.at, p.values.at);
    glp_scale_prob(p.glpk, GLP_SF_AUTO);
    glp_adv_basis(p.glpk, 0);
    glp_init_smcp(&how);
    how.msg_lev = GLP_MSG_OFF;
    how.meth = GLP_DUALP;
    bool solved = glp_simplex(p.glpk, &how) == 0 && glp_get_status(p.glpk) == GLP_OPT;
    for (uint32_t h = 0; h < types; h++)
        for (size_t i = 0; i < work->intervals; i++) {
            double gpus = demand->cluster->gpu_types[h].gpus;
            double dual = solved ? glp_get_row_dual(p.glpk, capacity_row(&p, h, i)) : 0;
            prices[h * work->intervals + i] = gpus > 0 ? fmax(0, -dual / gpus) : 0;
        }
    glp_delete_prob(p.glpk);
    glp_free_env();
    free(p.rows.at);
    free(p.columns.at);
    free(p.values.at);
    return solved;
}

/* --- energy_bound --- */

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
    for (size_t r = 0; r < rate_count(group); r++) {
        const struct demand_rate *rate = rate_at(group, r);
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

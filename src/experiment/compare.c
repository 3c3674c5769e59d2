/* Comparison of policies: see compare.h. */
#include "experiment/compare.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

/* --- pareto --- */

static bool setting_competes(const struct pareto_point *point, unsigned dimensions) {
    for (unsigned d = 0; d < dimensions; d++)
        if (isnan(point->at[d]))
            return false;
    return true;
}

static bool setting_dominates(const struct pareto_point *a, const struct pareto_point *b,
                              unsigned dimensions) {
    bool better = false;
    for (unsigned d = 0; d < dimensions; d++) {
        if (!(a->at[d] <= b->at[d])) /* false for NAN too */
            return false;
        better = better || a->at[d] < b->at[d];
    }
    return better;
}

void pareto_dominators(const struct pareto_point *points, size_t count, unsigned dimensions,
                       size_t *dominators) {
    for (size_t i = 0; i < count; i++) {
        dominators[i] = setting_competes(&points[i], dimensions) ? PARETO_NOBODY : i;
        for (size_t j = 0; j < count && dominators[i] == PARETO_NOBODY; j++)
            if (setting_dominates(&points[j], &points[i], dimensions))
                dominators[i] = j;
    }
}

/* --- compare --- */

static void setting_values(const struct comparison *comparison, size_t series, unsigned column,
                           double *values) {
    for (uint32_t i = 0; i < comparison->replications; i++)
        values[i] = summary_value(&comparison->series[series].summaries[i], column);
}

/* Streams have the numbers that they had with so many metrics: a further metric of all runs changes
   no interval of another. */
#define STREAM_METRICS 78

static unsigned stream_of(unsigned column) {
    return column < SUMMARY_ALL ? column : column - (unsigned)SUMMARY_ALL + STREAM_METRICS;
}

/* One stream for a metric of one policy, so the result does not depend on the other policies. */
static gsl_rng *bootstrap_stream(const struct comparison *comparison, size_t series,
                                 unsigned number) {
    char name[256];
    snprintf(name, sizeof name, "bootstrap-t of %s", comparison->series[series].policy);
    return rng_create(comparison->seed, number, name);
}

static struct estimate estimate_of(const struct comparison *comparison, size_t series,
                                   unsigned column) {
    double *values = mem_zalloc(comparison->replications, sizeof *values), p;
    setting_values(comparison, series, column, values);
    struct estimate e = t_interval_of(values, comparison->replications);
    if (comparison->bootstrap) {
        gsl_rng *rng = bootstrap_stream(comparison, series, stream_of(column));
        bootstrap_t(values, comparison->replications, rng, &e, &p);
        gsl_rng_free(rng);
    }
    free(values);
    return e;
}

static struct paired paired_of(const struct comparison *comparison, size_t series, unsigned column,
                               const double *values, const double *base) {
    struct paired p = paired_test(values, base, comparison->replications);
    if (comparison->bootstrap) {
        gsl_rng *rng = bootstrap_stream(comparison, series, STREAM_METRICS + stream_of(column));
        paired_bootstrap(values, base, comparison->replications, rng, &p);
        gsl_rng_free(rng);
    }
    return p;
}

void compare_metric(const struct comparison *comparison, unsigned column,
                    struct compare_cell *cells) {
    double *base = mem_zalloc(comparison->replications, sizeof *base),
           *values = mem_zalloc(comparison->replications, sizeof *values);
    double *p_values = mem_zalloc(comparison->count, sizeof *p_values),
           *adjusted = mem_zalloc(comparison->count, sizeof *adjusted);
    const struct paired none = paired_test(NULL, NULL, 0);
    if (comparison->baseline != COMPARE_NOBODY)
        setting_values(comparison, comparison->baseline, column, base);
    for (size_t s = 0; s < comparison->count; s++) {
        setting_values(comparison, s, column, values);
        bool differs = comparison->baseline != COMPARE_NOBODY && s != comparison->baseline;
        cells[s] = (struct compare_cell){
            .estimate = estimate_of(comparison, s, column),
            .paired = differs ? paired_of(comparison, s, column, values, base) : none,
        };
        double size = fabs(cells[s].paired.base_mean);
        cells[s].relative = size > 0 ? cells[s].paired.diff.mean / size : NAN;
    }
    for (int ratio = 0; ratio < 2; ratio++) {
        for (size_t s = 0; s < comparison->count; s++)
            p_values[s] = ratio ? cells[s].paired.ratio_p : cells[s].paired.p_value;
        paired_test_holm(p_values, comparison->count, adjusted);
        for (size_t s = 0; s < comparison->count; s++)
            *(ratio ? &cells[s].ratio_p_holm : &cells[s].p_holm) = adjusted[s];
    }
    free(base);
    free(values);
    free(p_values);
    free(adjusted);
}

double compare_skewness(const struct comparison *comparison, unsigned column, size_t *ret_series) {
    double *values = mem_zalloc(comparison->replications, sizeof *values), most = 0;
    for (size_t s = 0; s < comparison->count; s++) {
        setting_values(comparison, s, column, values);
        double skewness = t_interval_skewness(values, comparison->replications);
        if (fabs(skewness) > fabs(most)) {
            most = skewness;
            *ret_series = s;
        }
    }
    free(values);
    return most;
}

const char *compare_baseline(const struct comparison *comparison) {
    return comparison->baseline == COMPARE_NOBODY ? NULL
                                                  : comparison->series[comparison->baseline].policy;
}

const char *compare_dominator(const struct comparison *comparison,
                              const struct compare_place *place, size_t series) {
    bool by_another = place->dominator != PARETO_NOBODY && place->dominator != series;
    return by_another ? comparison->series[place->dominator].policy : NULL;
}

static double badness(double value, unsigned column) {
    return metric_of(column)->better == METRIC_MORE ? -value : value;
}

void compare_pareto(const struct comparison *comparison, const unsigned *columns,
                    unsigned dimensions, struct compare_place *places) {
    struct pareto_point *points = mem_zalloc(comparison->count, sizeof *points);
    size_t *dominators = mem_zalloc(comparison->count, sizeof *dominators);
    for (uint32_t i = 0; i < comparison->replications; i++) {
        for (size_t s = 0; s < comparison->count; s++)
            for (unsigned d = 0; d < dimensions; d++)
                points[s].at[d] = badness(
                    summary_value(&comparison->series[s].summaries[i], columns[d]), columns[d]);
        pareto_dominators(points, comparison->count, dimensions, dominators);
        for (size_t s = 0; s < comparison->count; s++)
            places[s].share = (i > 0 ? places[s].share : 0) + (dominators[s] == PARETO_NOBODY);
    }
    for (size_t s = 0; s < comparison->count; s++)
        for (unsigned d = 0; d < dimensions; d++)
            points[s].at[d] = badness(estimate_of(comparison, s, columns[d]).mean, columns[d]);
    pareto_dominators(points, comparison->count, dimensions, dominators);
    for (size_t s = 0; s < comparison->count; s++)
        places[s] =
            (struct compare_place){dominators[s], places[s].share / comparison->replications};
    free(points);
    free(dominators);
}

struct estimate compare_trend_estimate(const struct trend *trends, uint32_t count, size_t offset) {
    double *values = mem_zalloc(count, sizeof *values);
    for (uint32_t i = 0; i < count; i++)
        values[i] = *(const double *)((const char *)&trends[i] + offset);
    struct estimate e = t_interval_of(values, count);
    free(values);
    return e;
}

struct compare_trend compare_trend(const struct comparison *comparison, size_t series) {
    const struct trend *trends = comparison->series[series].trends;
    uint32_t count = comparison->replications;
    return (struct compare_trend){
        compare_trend_estimate(trends, count, offsetof(struct trend, queue_per_h)),
        compare_trend_estimate(trends, count, offsetof(struct trend, work_unfinished)),
        compare_trend_estimate(trends, count, offsetof(struct trend, jobs_unfinished))};
}

struct ratio compare_ratio(const struct comparison *perturbed, const struct comparison *clean,
                           size_t series, unsigned column) {
    uint32_t count = clean->replications;
    double *values = mem_zalloc(count, sizeof *values), *base = mem_zalloc(count, sizeof *base);
    setting_values(perturbed, series, column, values);
    setting_values(clean, series, column, base);
    struct ratio r = ratio_estimate(values, base, count);
    free(values);
    free(base);
    return r;
}

double compare_precision(const struct comparison *comparison, unsigned column) {
    double worst = 0;
    for (size_t s = 0; s < comparison->count; s++) {
        struct estimate e = estimate_of(comparison, s, column);
        double relative = e.ci95 / fabs(e.mean);
        worst = isfinite(relative) ? fmax(worst, relative) : e.ci95 == 0 ? worst : INFINITY;
    }
    return worst;
}

uint32_t compare_next_count(const struct comparison *comparison, const struct compare_goal *goal) {
    double precision = compare_precision(comparison, goal->column), n = comparison->replications;
    if (precision <= goal->relative || comparison->replications >= goal->most)
        return comparison->replications;
    /* The half width falls with the root of n; an estimate: at most twice as many at a time. */
    double wanted = ceil(n * (precision / goal->relative) * (precision / goal->relative));
    double next = fmin(fmin(fmax(wanted, n + 1), 2 * n), goal->most);
    return (uint32_t)next;
}

/* Statistics over replications: see statistics.h. */
#include "experiment/statistics.h"

#include "base/mem.h"

#include <float.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct estimate statistics_estimate(const double *values, size_t count) {
    struct estimate e = {.mean = NAN, .sd = NAN, .ci95 = NAN};
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i])) {
            e.n++;
            sum += values[i];
        }
    if (e.n == 0)
        return e;
    e.mean = sum / (double)e.n;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i]))
            squares += (values[i] - e.mean) * (values[i] - e.mean);
    if (e.n > 1) {
        double degrees = (double)e.n - 1;
        e.sd = sqrt(squares / degrees);
        e.ci95 = gsl_cdf_tdist_Pinv(0.975, degrees) * e.sd / sqrt((double)e.n);
    }
    return e;
}

struct estimate statistics_column(const struct summary *summaries, size_t count, unsigned column) {
    double *values = mem_zalloc(count, sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = summary_value(&summaries[i], column);
    struct estimate e = statistics_estimate(values, count);
    free(values);
    return e;
}

static bool is_pair(double value, double base) {
    return !isnan(value) && !isnan(base);
}

/* The t-test of differences, `size` being the size of what was subtracted. Differences that vary by
   rounding only are constant (R's t.test refuses them by the same bound): none at all, or one that
   no test can weigh. */
static double test(const struct estimate *diff, double size) {
    if (diff->n < 2)
        return NAN;
    double error = diff->sd / sqrt((double)diff->n), rounding = 10 * DBL_EPSILON * size;
    if (error <= rounding)
        return fabs(diff->mean) <= rounding ? 1 : NAN;
    return 2 * gsl_cdf_tdist_Q(fabs(diff->mean) / error, (double)diff->n - 1);
}

static void add_geometric_ratio(struct paired *p, const double *values, const double *base,
                                size_t count, double *scratch) {
    for (size_t i = 0; i < count; i++) {
        bool pair = is_pair(values[i], base[i]);
        if (pair && !(values[i] > 0 && base[i] > 0))
            return;
        scratch[i] = pair ? log(values[i] / base[i]) : NAN;
    }
    struct estimate logs = statistics_estimate(scratch, count);
    p->ratio = exp(logs.mean);
    p->ratio_low = exp(logs.mean - logs.ci95);
    p->ratio_high = exp(logs.mean + logs.ci95);
}

bool statistics_all_equal(const struct summary *summaries, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (memcmp(&summaries[i], &summaries[0], sizeof *summaries) != 0)
            return false;
    return count > 1;
}

struct paired statistics_paired(const double *values, const double *base, size_t count) {
    struct paired p = {.base_mean = NAN, .ratio = NAN, .ratio_low = NAN, .ratio_high = NAN};
    double *scratch = mem_zalloc(count, sizeof *scratch), size = 0, base_sum = 0;
    for (size_t i = 0; i < count; i++) {
        bool pair = is_pair(values[i], base[i]);
        scratch[i] = pair ? values[i] - base[i] : NAN;
        base_sum += pair ? base[i] : 0;
        size = pair ? fmax(size, fmax(fabs(values[i]), fabs(base[i]))) : size;
    }
    p.diff = statistics_estimate(scratch, count);
    p.base_mean = p.diff.n > 0 ? base_sum / (double)p.diff.n : NAN;
    p.p_value = test(&p.diff, size);
    add_geometric_ratio(&p, values, base, count, scratch);
    free(scratch);
    return p;
}

void statistics_holm(const double *p_values, size_t count, double *adjusted) {
    size_t defined = 0;
    for (size_t i = 0; i < count; i++) {
        adjusted[i] = NAN;
        defined += !isnan(p_values[i]);
    }
    double least = 0; /* a larger p-value is never adjusted to a smaller one */
    for (size_t rank = 0; rank < defined; rank++) {
        size_t next = count;
        for (size_t i = 0; i < count; i++)
            if (isnan(adjusted[i]) && !isnan(p_values[i]) &&
                (next == count || p_values[i] < p_values[next]))
                next = i;
        least = fmax(least, fmin(1, (double)(defined - rank) * p_values[next]));
        adjusted[next] = least;
    }
}

struct ratio statistics_ratio(const double *values, const double *base, size_t count) {
    struct ratio r = {.mean = NAN, .base_mean = NAN, .ratio = NAN, .ci95 = NAN};
    double sum = 0, base_sum = 0;
    for (size_t i = 0; i < count; i++)
        if (is_pair(values[i], base[i])) {
            r.n++;
            sum += values[i];
            base_sum += base[i];
        }
    if (r.n == 0)
        return r;
    r.mean = sum / (double)r.n;
    r.base_mean = base_sum / (double)r.n;
    if (r.base_mean == 0)
        return r;
    r.ratio = r.mean / r.base_mean;
    double *residuals = mem_zalloc(count, sizeof *residuals);
    for (size_t i = 0; i < count; i++)
        residuals[i] = values[i] - r.ratio * base[i]; /* NAN unless a pair */
    r.ci95 = statistics_estimate(residuals, count).ci95 / fabs(r.base_mean);
    free(residuals);
    return r;
}

/* Pairs of runs: see paired_test.h. */
#include "experiment/paired_test.h"

#include "base/mem.h"

#include <float.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

static bool is_pair(double value, double base) {
    return !isnan(value) && !isnan(base);
}

/* The t-test of differences, `size` being the size of what was subtracted. Differences that vary by
   rounding only are constant (R's t.test refuses them by the same bound): none at all, or one that
   no test can weigh. */
static double p_value(const struct estimate *diff, double size) {
    if (diff->n < 2)
        return NAN;
    double error = diff->sd / sqrt((double)diff->n), rounding = 10 * DBL_EPSILON * size;
    if (error <= rounding)
        return fabs(diff->mean) <= rounding ? 1 : NAN;
    return 2 * gsl_cdf_tdist_Q(fabs(diff->mean) / error, (double)diff->n - 1);
}

static void add_geometric_ratio(struct paired *paired, const double *values, const double *base,
                                size_t count, double *scratch) {
    for (size_t i = 0; i < count; i++) {
        bool pair = is_pair(values[i], base[i]);
        if (pair && !(values[i] > 0 && base[i] > 0))
            return;
        scratch[i] = pair ? log(values[i] / base[i]) : NAN;
    }
    struct estimate logs = t_interval_of(scratch, count);
    paired->ratio = exp(logs.mean);
    paired->ratio_low = exp(logs.mean - logs.ci95);
    paired->ratio_high = exp(logs.mean + logs.ci95);
}

struct paired paired_test(const double *values, const double *base, size_t count) {
    struct paired p = {.base_mean = NAN, .ratio = NAN, .ratio_low = NAN, .ratio_high = NAN};
    double *scratch = mem_zalloc(count, sizeof *scratch), size = 0, base_sum = 0;
    for (size_t i = 0; i < count; i++) {
        bool pair = is_pair(values[i], base[i]);
        scratch[i] = pair ? values[i] - base[i] : NAN;
        base_sum += pair ? base[i] : 0;
        size = pair ? fmax(size, fmax(fabs(values[i]), fabs(base[i]))) : size;
    }
    p.diff = t_interval_of(scratch, count);
    p.base_mean = p.diff.n > 0 ? base_sum / (double)p.diff.n : NAN;
    p.p_value = p_value(&p.diff, size);
    add_geometric_ratio(&p, values, base, count, scratch);
    free(scratch);
    return p;
}

void paired_test_holm(const double *p_values, size_t count, double *adjusted) {
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

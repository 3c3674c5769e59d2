/* Intervals and tests over runs: see statistics.h. */
#include "experiment/statistics.h"

#include "base/mem.h"
#include "base/sort_doubles.h"

#include <float.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

/* --- t_interval --- */

struct estimate t_interval_of(const double *values, size_t count) {
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
        e.ci95 = e.sd == 0 ? 0 : gsl_cdf_tdist_Pinv(0.975, degrees) * e.sd / sqrt((double)e.n);
    }
    return e;
}

double t_interval_skewness(const double *values, size_t count) {
    const struct estimate e = t_interval_of(values, count);
    double n = (double)e.n, squares = 0, cubes = 0;
    for (size_t i = 0; i < count; i++) {
        double d = isnan(values[i]) ? 0 : values[i] - e.mean;
        squares += d * d;
        cubes += d * d * d;
    }
    bool varies = e.n > 2 && e.sd > 10 * DBL_EPSILON * fabs(e.mean);
    return varies ? sqrt(n * (n - 1)) / (n - 2) * (cubes / n) / pow(squares / n, 1.5) : NAN;
}

double t_interval_count(double skewness) {
    return ceil(25 * skewness * skewness);
}

struct estimate t_interval_of_column(const struct summary *summaries, size_t count,
                                     unsigned column) {
    double *values = mem_zalloc(count, sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = summary_value(&summaries[i], column);
    struct estimate e = t_interval_of(values, count);
    free(values);
    return e;
}

/* --- bootstrap_t --- */

/* (mean - center) / its error of a resample; infinite if all its values are one. */
static double resampled_t(const double *values, size_t count, double center, gsl_rng *rng) {
    double sum = 0, squares = 0, n = (double)count;
    for (size_t i = 0; i < count; i++) {
        double d = values[(size_t)(gsl_rng_uniform(rng) * n)] - center;
        sum += d;
        squares += d * d;
    }
    double error = sqrt(fmax(0, squares / n - sum / n * (sum / n)) / (n - 1));
    return error > 0 ? sum / n / error : sum > 0 ? INFINITY : -INFINITY;
}

void bootstrap_t(const double *values, size_t count, gsl_rng *rng, struct estimate *estimate,
                 double *p_value) {
    double *defined = mem_alloc(count * sizeof *defined), error;
    double *t = mem_alloc(BOOTSTRAP_RESAMPLES * sizeof *t);
    size_t n = 0, below = 1, above = 1;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i]))
            defined[n++] = values[i];
    error = estimate->sd / sqrt((double)n);
    if (n >= BOOTSTRAP_LEAST && error > 10 * DBL_EPSILON * fabs(estimate->mean)) {
        double own = estimate->mean / error;
        for (size_t b = 0; b < BOOTSTRAP_RESAMPLES; b++) {
            t[b] = resampled_t(defined, n, estimate->mean, rng);
            below += t[b] <= own;
            above += t[b] >= own;
        }
        sort_doubles(t, BOOTSTRAP_RESAMPLES);
        const size_t tail = (BOOTSTRAP_RESAMPLES + 1) / 40; /* 2.5 % */
        estimate->low = estimate->mean - error * t[BOOTSTRAP_RESAMPLES - tail];
        estimate->high = estimate->mean - error * t[tail - 1];
        estimate->ci95 = (estimate->high - estimate->low) / 2;
        estimate->skewed = true;
        *p_value = fmin(1, 2 * (double)(below < above ? below : above) / (BOOTSTRAP_RESAMPLES + 1));
    }
    free(defined);
    free(t);
}

/* --- paired_test --- */

static bool is_pair(double value, double base) {
    return !isnan(value) && !isnan(base);
}

/* The t-test of differences, `size` being the size of what was subtracted. Differences that vary by
   rounding only are constant (R's t.test refuses them by the same bound), so there is either no
   difference, or one that a test cannot weigh. */
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
    double size = 0;
    for (size_t i = 0; i < count; i++) {
        bool pair = is_pair(values[i], base[i]);
        if (pair && !(values[i] > 0 && base[i] > 0))
            return;
        scratch[i] = pair ? log(values[i] / base[i]) : NAN;
        size = pair ? fmax(size, 1 + fabs(scratch[i])) : size; /* of a factor */
    }
    struct estimate logs = t_interval_of(scratch, count);
    paired->ratio = exp(logs.mean);
    paired->ratio_low = exp(logs.mean - logs.ci95);
    paired->ratio_high = exp(logs.mean + logs.ci95);
    paired->ratio_p = p_value(&logs, size);
}

struct paired paired_test(const double *values, const double *base, size_t count) {
    struct paired p = {
        .base_mean = NAN, .ratio = NAN, .ratio_low = NAN, .ratio_high = NAN, .ratio_p = NAN};
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

void paired_bootstrap(const double *values, const double *base, size_t count, gsl_rng *rng,
                      struct paired *paired) {
    double *scratch = mem_alloc(count * sizeof *scratch);
    for (size_t i = 0; i < count; i++)
        scratch[i] = is_pair(values[i], base[i]) ? values[i] - base[i] : NAN;
    bootstrap_t(scratch, count, rng, &paired->diff, &paired->p_value);
    for (size_t i = 0; i < count; i++)
        scratch[i] = is_pair(values[i], base[i]) ? log(values[i] / base[i]) : NAN;
    struct estimate logs = t_interval_of(scratch, count);
    if (!isnan(paired->ratio))
        bootstrap_t(scratch, count, rng, &logs, &paired->ratio_p);
    if (logs.skewed) {
        paired->ratio_low = exp(logs.low);
        paired->ratio_high = exp(logs.high);
    }
    free(scratch);
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

/* --- ratio_estimate --- */

struct ratio ratio_estimate(const double *values, const double *base, size_t count) {
    struct ratio r = {.mean = NAN, .base_mean = NAN, .ratio = NAN, .ci95 = NAN};
    double sum = 0, base_sum = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i]) && !isnan(base[i])) {
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
    r.ci95 = t_interval_of(residuals, count).ci95 / fabs(r.base_mean);
    free(residuals);
    return r;
}

/* --- better --- */

struct share_range better_wilson(size_t hits, size_t count) {
    if (count == 0)
        return (struct share_range){NAN, NAN, NAN};
    const double z = 1.959963984540054; /* 97.5 % of the normal law */
    double n = (double)count, share = (double)hits / n, weight = 1 + z * z / n;
    double middle = (share + z * z / (2 * n)) / weight;
    double half = z / weight * sqrt(share * (1 - share) / n + z * z / (4 * n * n));
    return (struct share_range){share, hits == 0 ? 0 : middle - half,
                                hits == count ? 1 : middle + half};
}

/* The difference as far as it is above rounding. */
static double mean_above_rounding(const struct paired *paired) {
    double size = fmax(fabs(paired->base_mean), fabs(paired->base_mean + paired->diff.mean));
    return fabs(paired->diff.mean) > 10 * DBL_EPSILON * size ? paired->diff.mean : 0;
}

int better_verdict(const struct paired *paired, enum metric_better direction, bool clearly) {
    double mean = mean_above_rounding(paired);
    bool tested = paired->diff.n > 1 && (isnan(paired->p_value) || paired->p_value < 0.05);
    if (mean == 0 || direction == METRIC_NEITHER || (clearly && !tested))
        return 0;
    return (mean > 0) == (direction == METRIC_MORE) ? 1 : -1;
}

struct better better_of(const double *values, const double *base, size_t worlds,
                        size_t replications, enum metric_better direction) {
    struct better better = {0};
    size_t ahead = 0, clearly = 0, worse = 0, most_pairs = 0;
    for (size_t w = 0; w < worlds; w++) {
        struct paired p =
            paired_test(values + w * replications, base + w * replications, replications);
        if (p.diff.n == 0)
            continue;
        better.worlds++;
        ahead += better_verdict(&p, direction, false) > 0;
        clearly += better_verdict(&p, direction, true) > 0;
        worse += better_verdict(&p, direction, true) < 0;
        most_pairs = p.diff.n > most_pairs ? p.diff.n : most_pairs;
    }
    bool directed = direction != METRIC_NEITHER;
    better.sign = better_wilson(ahead, directed ? better.worlds : 0);
    better.clearly = better_wilson(clearly, directed && most_pairs > 1 ? better.worlds : 0);
    better.worse = better_wilson(worse, directed && most_pairs > 1 ? better.worlds : 0);
    return better;
}

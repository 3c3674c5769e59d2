/* The ratio of two means: see ratio_estimate.h. */
#include "experiment/ratio_estimate.h"

#include "base/mem.h"
#include "experiment/t_interval.h"

#include <math.h>
#include <stdlib.h>

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

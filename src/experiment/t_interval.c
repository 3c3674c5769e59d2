/* The t-interval of a mean: see t_interval.h. */
#include "experiment/t_interval.h"

#include "base/mem.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

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
        e.ci95 = gsl_cdf_tdist_Pinv(0.975, degrees) * e.sd / sqrt((double)e.n);
    }
    return e;
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

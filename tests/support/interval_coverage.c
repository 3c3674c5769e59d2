/* How often 95 % intervals hold the mean of a lognormal law, Student's t against bootstrap-t:
   interval_coverage EXPERIMENTS prints "cv,n,t,bootstrap-t,width" for each law and count of values,
   the shares of the experiments that hold, and the median of how many times wider bootstrap-t is.
 */
#include "experiment/statistics.h"

#include "base/mem.h"
#include "base/sort_doubles.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_VALUES 30

static void measure(double cv, uint32_t n, uint32_t experiments) {
    /* of mean 1: sigma^2 = log(1 + cv^2), mu = -sigma^2 / 2 */
    double sigma = sqrt(log(1 + cv * cv)), values[MOST_VALUES], p, by_t = 0, by_bootstrap = 0;
    double *widths = mem_alloc(experiments * sizeof *widths);
    for (uint32_t e = 0; e < experiments; e++) {
        gsl_rng *rng = rng_create((uint64_t)(1000 * cv) + n, e, "lognormal values");
        gsl_rng *own = rng_create((uint64_t)(1000 * cv) + n, e, "bootstrap-t");
        for (uint32_t i = 0; i < n; i++)
            values[i] = gsl_ran_lognormal(rng, -sigma * sigma / 2, sigma);
        const struct estimate t = t_interval_of(values, n);
        struct estimate b = t;
        bootstrap_t(values, n, own, &b, &p);
        by_t += fabs(t.mean - 1) <= t.ci95;
        by_bootstrap += b.low <= 1 && 1 <= b.high;
        widths[e] = b.ci95 / t.ci95;
        gsl_rng_free(rng);
        gsl_rng_free(own);
    }
    sort_doubles(widths, experiments);
    printf("%g,%u,%.4f,%.4f,%.2f\n", cv, n, by_t / experiments, by_bootstrap / experiments,
           widths[experiments / 2]);
    free(widths);
}

int main(int argc, char **argv) {
    static const double laws[] = {2, 0.5};
    uint32_t experiments = argc == 2 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
    if (experiments == 0)
        return 2;
    for (size_t law = 0; law < sizeof laws / sizeof *laws; law++)
        for (uint32_t n = 10; n <= MOST_VALUES; n += 10)
            measure(laws[law], n, experiments);
    return 0;
}

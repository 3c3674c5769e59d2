/* Fairness measures. Pure functions. */
#ifndef EASIM_METRICS_FAIRNESS_H
#define EASIM_METRICS_FAIRNESS_H

#include <stddef.h>

/* Jain's index (sum x)^2 / (n * sum x^2), in 1/n..1 (Jain, Chiu, Hawe 1984); NAN if n is 0 or all x
 * are 0. */
double fairness_jain(const double *values, size_t count);
/* Finish-time fairness rho = jct / T_ideal (Themis, NSDI'20). */
double fairness_finish_time(double jct_s, double ideal_s);

#endif

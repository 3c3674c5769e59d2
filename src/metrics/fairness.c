/* Fairness measures: see fairness.h. */
#include "metrics/fairness.h"

#include <math.h>

double fairness_jain(const double *values, size_t count) {
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        sum += values[i];
        squares += values[i] * values[i];
    }
    return squares > 0 ? sum * sum / ((double)count * squares) : NAN;
}

double fairness_finish_time(double jct_s, double ideal_s) {
    return ideal_s > 0 ? jct_s / ideal_s : NAN;
}

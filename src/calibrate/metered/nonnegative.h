/* Least squares with parameters that are at least 0, from normal equations. */
#ifndef EASIM_CALIBRATE_METERED_NONNEGATIVE_H
#define EASIM_CALIBRATE_METERED_NONNEGATIVE_H

#include <stdbool.h>
#include <stddef.h>

/* normal: X'X, symmetric and positive definite (no column depends on others), size x size; right:
   X'y. Finds the x >= 0 with least |Xx - y| (Lawson and Hanson, Solving Least Squares Problems,
   1974, chapter 23); free[i]: x[i] > 0 is not held at its bound. false, with x and free 0: the
   columns depend on each other to rounding. */
bool nonnegative_solve(const double *normal, const double *right, size_t size, double *x,
                       bool *free);
/* Column `column` as a combination of the columns that `before` marks: *rest becomes the share of
   its square that they leave (0..1) and weights[i] their factors, 0 of the others. */
void nonnegative_regress(const double *normal, size_t size, size_t column, const bool *before,
                         double *weights, double *rest);
/* The inverse of the rows and columns that are marked, 0 elsewhere. false: none. */
bool nonnegative_inverse(const double *normal, size_t size, const bool *marked, double *inverse);

#endif

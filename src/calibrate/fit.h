/* Nonlinear least squares of one form on relative residuals of throughput and power together. */
#ifndef EASIM_CALIBRATE_FIT_H
#define EASIM_CALIBRATE_FIT_H

#include "calibrate/points.h"

struct fit {
    double values[PARAM_COUNT]; /* exactly 0 at that bound; PARAM_PMAX exactly PARAM_P0 */
    /* Speed of a round's software over that of the newest with three rows or more (or, where none
       has three, of the newest). A round none of whose rows was fitted has the level of the next
       older one, or if there is none, of the next newer one. */
    double levels[MOST_ROUNDS];
    double cost; /* half the sum of squared relative residuals; by size, the sum of their sizes */
};

/* Fits a form to all points but those of one fold (NO_FOLD: to all), from the values of `from`, or
   from several fixed starts if it is NULL, of which the best counts. False if there are fewer
   residuals than parameters or no start led anywhere. */
bool fit_form(const struct points *points, const struct form *form, uint32_t left_out,
              const struct fit *from, struct fit *fit) MUST_CHECK;

/* Whether the points but those of one fold leave a direction of the parameters open at a fit: what
   is there then comes from the start. */
bool fit_leaves_open(const struct points *points, const struct form *form, uint32_t left_out,
                     const struct fit *fit);

/* Covariance of the free parameters at a fit, by the linearised model. Throughput and power have
   each their own variance, estimated from their residuals (a sandwich estimator). */
struct covariance {
    size_t count; /* of the parameters of the form; levels are taken into account and left out */
    enum parameter free[PARAM_COUNT];
    double matrix[PARAM_COUNT][PARAM_COUNT]; /* by index in free; NAN where it cannot be had */
    bool singular;          /* the data leaves a direction of the parameters open */
    bool open[PARAM_COUNT]; /* by index in free: the parameter lies in such a direction */
};

void fit_covariance(const struct points *points, const struct form *form, const struct fit *fit,
                    struct covariance *covariance);
/* Standard error by index in covariance->free; INFINITY: open, NAN: no residual is left to estimate
 * it from. */
double covariance_error(const struct covariance *covariance, size_t index);

#endif

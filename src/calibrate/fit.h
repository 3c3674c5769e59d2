/* Nonlinear least squares of one form on relative residuals of throughput and power together. */
#ifndef EASIM_CALIBRATE_FIT_H
#define EASIM_CALIBRATE_FIT_H

#include "base/array.h"
#include "calibrate/form.h"
#include "calibrate/profile_table.h"

struct point {
    struct place at;
    double rate;            /* samples/s of one GPU */
    double power_w;         /* of one GPU; NAN: not measured */
    uint32_t configuration; /* equal for equal places; 0, 1, ... */
    uint32_t line;
};

/* Points to calibrate on, ordered by span, k, batch, line. Zero-initialise; release with
 * points_finish. */
struct points {
    ARRAY_OF(struct point) at;
    uint32_t configurations;
    uint32_t folds; /* fold of a configuration: its number modulo this */
    size_t powers;  /* points with power */
    uint32_t power_configurations;
    bool one_node, across_nodes; /* some with several GPUs are so placed */
};

/* Each configuration is a part of its own until points_set_folds says otherwise. */
void points_of_group(struct points *points, const struct profile_group *group);
/* As many parts as there are configurations, but at most most_points / points and at least 10. */
void points_set_folds(struct points *points, size_t most_points);
void points_finish(struct points *points);

#define NO_FOLD UINT32_MAX

struct fit {
    double values[PARAM_COUNT]; /* exactly 0 at that bound; PARAM_PMAX exactly PARAM_P0 */
    double cost;                /* half the sum of squared relative residuals */
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
    size_t count;
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

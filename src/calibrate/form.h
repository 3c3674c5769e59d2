/* The competing forms of iteration time and power (semantics 3): which parameters each leaves free,
   and its gradient. Residuals come from model/laws.h, so what is fitted is what a simulation
   computes. */
#ifndef EASIM_CALIBRATE_FORM_H
#define EASIM_CALIBRATE_FORM_H

#include "base/array.h"
#include "model/laws.h"

#include <stdbool.h>
#include <stddef.h>

/* Ascending by simplicity. */
enum compute_form {
    COMPUTE_PROPORTIONAL,
    COMPUTE_AFFINE,
    COMPUTE_ROOFLINE,
    COMPUTE_NORM,
    COMPUTE_FORMS
};
/* SYNC_DOUBLING: across nodes beta by the doublings of their number, nothing inside; only with the
   log2 law. */
#define SYNC_FORM_ROWS(X) \
    X(SYNC_NONE, "no sync"), X(SYNC_CONSTANT, "constant sync"), X(SYNC_DOUBLING, "log2 sync"), \
        X(SYNC_EXPONENT, "k^e"), X(SYNC_ADDITIVE, "additive sync"), \
        X(SYNC_NORM, "gamma-norm sync")
enum sync_form { SYNC_FORM_ROWS(ENUM_OF), SYNC_FORMS };
/* POWER_LAW_FLOOR: from one metered size and the power of a node at rest; not fitted. */
enum power_law { POWER_LAW_NONE, POWER_LAW_CONSTANT, POWER_LAW_LINEAR, POWER_LAW_FLOOR };

extern const char *const compute_form_names[];
extern const char *const sync_form_names[];
extern const char *const power_law_names[];

#define PARAMETERS(X) \
    X(PARAM_A, "a_s"), X(PARAM_C, "c_s"), X(PARAM_GAMMA, "gamma"), X(PARAM_ALPHA, "alpha_s"), \
        X(PARAM_BETA, "beta_s"), X(PARAM_ALPHA_INTER, "alpha_inter_s"), \
        X(PARAM_BETA_INTER, "beta_inter_s"), X(PARAM_SYNC_GAMMA, "sync_gamma"), \
        X(PARAM_EXPONENT, "scaling_exponent"), X(PARAM_P0, "p0_w"), X(PARAM_PMAX, "pmax_w")
enum parameter { PARAMETERS(ENUM_OF), PARAM_COUNT };

extern const char *const parameter_names[]; /* keys of the model file */

struct form {
    enum compute_form compute;
    enum sync_form sync;
    enum power_law power;
    bool one_node, across_nodes; /* some points with several GPUs are inside a node, across nodes */
    /* No point has one GPU: a floor of the compute time and a constant of the synchronization
       cannot be told apart, and the constant of the nearest span is fixed at 0. */
    bool no_single;
    bool log2; /* across nodes alpha + beta log2(nodes) */
};

#define GAMMA_LEAST 1.0
#define GAMMA_MOST \
    10.0 /* of the model file: 2^(1/10) - 1 = 7 % above the roofline at its ridge \
          */

/* A launch floor for forms without one: the clock of a simulation ticks no finer. */
#define FLOOR_NONE_S 1e-9

/* The free parameters of a form, ascending; their number. */
size_t form_parameters(const struct form *form, enum parameter free[static PARAM_COUNT]);
/* Gives the parameters that a form does not leave free their fixed or tied values. */
void form_settle(const struct form *form, double values[static PARAM_COUNT]);
struct speed_params form_speed(const double values[static PARAM_COUNT]);
struct power_params form_power(const double values[static PARAM_COUNT]);

/* Whether the values make the form one of the simpler forms, written with more parameters: with
   power, by its law; without, by compute and synchronization. */
bool form_is_simpler(const struct form *form, const double values[static PARAM_COUNT]);

/* Unbounded coordinate of a parameter and back. PARAM_PMAX is written as its excess over PARAM_P0.
   slope (may be NULL) becomes d value / d coordinate. */
double form_coordinate(enum parameter parameter, const double values[static PARAM_COUNT]);
double form_value(enum parameter parameter, double coordinate, double p0_w, double *slope);

/* Where a job ran. */
struct place {
    uint32_t k;
    double batch;
    enum easim_span span;
    double steps;        /* micro-steps of an iteration; 0: 1 */
    uint32_t log2_nodes; /* across nodes with the log2 law, their number; 0: the linear law */
};

/* As speed_iteration_s takes them: 1, or across nodes their number, at least 2, which it is where
   the linear law has no use for it. */
uint32_t form_nodes(struct place at);

/* Seconds of an iteration there: model/laws.h. */
double form_iteration_s(const double values[static PARAM_COUNT], struct place at);

/* Samples/s of one GPU, and the derivative by each parameter. */
double form_rate(const double values[static PARAM_COUNT], struct place at,
                 double gradient[static PARAM_COUNT]);
/* Power of one GPU at `rate` by the law; NAN where the rate is. */
double form_power_w(const double values[static PARAM_COUNT], double rate);
/* Power of one GPU at `rate` with that gradient; its own gradient holds pmax_w - p0_w fixed for
 * PARAM_P0. */
double form_watts(const double values[static PARAM_COUNT], double rate,
                  const double rate_gradient[static PARAM_COUNT],
                  double gradient[static PARAM_COUNT]);

#endif

/* Statistical efficiency measured: samples to a quality target over the global batch. */
#ifndef EASIM_CALIBRATE_CONVERGENCE_H
#define EASIM_CALIBRATE_CONVERGENCE_H

#include "base/array.h"
#include "calibrate/profile_table.h"

/* One run that met its target. */
struct target_run {
    double global_batch, samples;
};

/* Runs of one batch. */
struct target_batch {
    double global_batch;
    double samples; /* median */
    double mean_ln; /* mean of ln of the samples */
    size_t rows;
};

/* The runs of one model, all GPU types together. Zero-initialise; release with target_runs_finish.
 */
struct target_runs {
    ARRAY_OF(struct target_run) at;        /* by ascending batch */
    ARRAY_OF(struct target_batch) batches; /* likewise */
};

/* Of all rows of the profile that have samples_to_target; `model` is an interned text. */
void target_runs_of_model(struct target_runs *runs, const struct profile_table *profile,
                          const char *model);
/* Sorts runs->at, to which runs were added, and makes the batches of it. */
void target_runs_gather(struct target_runs *runs);
void target_runs_finish(struct target_runs *runs);

/* PHI_MOST: samples to the target do not grow with the batch. */
#define PHI_MOST 1e15

enum convergence_parameter {
    CONVERGENCE_SAMPLES,
    CONVERGENCE_M0,
    CONVERGENCE_PHI,
    CONVERGENCE_ALL
};
extern const char *const convergence_parameter_names[]; /* keys of the model file */

/* S(B) = S0 max(1, (phi + B)/(phi + m0)): what a job of work S0 needs at the efficiency of
   semantics 3.2. */
struct convergence {
    double values[CONVERGENCE_ALL];
    bool m0_told;     /* else it is the least batch measured */
    bool phi_told;    /* else nothing says how S grows: PHI_MOST */
    double deviation; /* standard deviation of ln S about the curve; NAN: no row is left to tell */
    double covariance[CONVERGENCE_ALL][CONVERGENCE_ALL]; /* NAN: of what is not told */
};

/* Least squares of ln S, each row of weight 1, with m0 at least the least batch measured. m0 is
   told if the fit with m0 at that batch is worse at the 5 % level of an F test. runs must not be
   empty. */
struct convergence convergence_of(const struct target_runs *runs);
double convergence_samples(const struct convergence *convergence, double global_batch);

/* |S(B) / measured - 1| of the median of each batch: the largest, and the median over rows. `worst`
   is the batch of the largest. A curve NULL: the constant that is the median of the batches. */
struct convergence_errors {
    double worst_batch, most, row_median;
};
struct convergence_errors convergence_score(const struct convergence *curve,
                                            const struct target_runs *runs);
/* The constant that stands beside the curve: the median over batches of their medians. */
double convergence_constant(const struct target_runs *runs);

#endif

/* The parameters of one model that were fitted together, drawn from the covariance that `easim
   calibrate` wrote with them (semantics 17.3). */
#ifndef EASIM_EXPERIMENT_WORLDS_FITTED_BLOCK_H
#define EASIM_EXPERIMENT_WORLDS_FITTED_BLOCK_H

#include "study/study.h"

#include <gsl/gsl_rng.h>

/* The fit of a model on a GPU type, or as a whole. All memory is in the caller's arena. */
struct fitted_block {
    const char *model, *gpu; /* gpu NULL: of the model as a whole, its convergence */
    const char *name;        /* calibration/MODEL/GPU */
    struct location where;   /* of the covariance */
    size_t count;
    const char **keys;           /* of the model file */
    const struct field **fields; /* what they take */
    double *means;               /* as the file has them */
    double *factor; /* count x count, lower triangle: a draw is means + factor x normal draws */
};

/* Zero-initialise; release with fitted_blocks_finish. */
struct fitted_blocks {
    ARRAY_OF(struct fitted_block) at;
    ARRAY_OF(const char *) without; /* what the study runs and no covariance tells of, and why */
};

/* Finds those of models and GPU types that the jobs of the study may run on. Negative after adding
   problems: a matrix is no covariance. */
int fitted_blocks_find(struct fitted_blocks *blocks, const struct study *study, struct arena *arena,
                       struct problems *problems) MUST_CHECK;
void fitted_blocks_finish(struct fitted_blocks *blocks);

/* values: count of them. Whether all are within what a model file takes. */
bool fitted_block_draw(const struct fitted_block *block, gsl_rng *rng, double *values);

#endif

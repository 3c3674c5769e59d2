/* The record of a fit in a model file, which no run reads: how its figures were found, and how well
   they are known. */
#ifndef EASIM_CALIBRATE_FIT_RECORD_H
#define EASIM_CALIBRATE_FIT_RECORD_H

#include "calibrate/choice.h"
#include "calibrate/convergence.h"
#include "calibrate/limits.h"

/* Key `fit` of a model on a GPU type. */
void fit_record_write(struct str *out, const struct form_choice *choice,
                      const struct limits *limits);
/* Key `fit` of a model: its convergence. */
void fit_record_convergence(struct str *out, const struct convergence *convergence,
                            const struct target_runs *runs);

#endif

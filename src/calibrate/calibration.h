/* All that a profile tells: its models, each on its GPU types. */
#ifndef EASIM_CALIBRATE_CALIBRATION_H
#define EASIM_CALIBRATE_CALIBRATION_H

#include "calibrate/convergence.h"
#include "calibrate/form_choice.h"
#include "calibrate/limits.h"

struct calibrated_model {
    const char *name;
    struct form_choice *choices; /* by GPU type, in the order of first appearance */
    struct limits *limits;       /* by the same index */
    size_t count;
    struct target_runs runs;
    struct convergence convergence; /* meaningless without runs */
    /* Whether m0 and phi are those of the convergence: there are runs, and no others were given. */
    bool measured_efficiency;
};

struct calibration_options {
    double max_form_error;
    double m0, phi; /* NAN: not given */
};

/* Zero-initialise; release with calibration_finish. */
struct calibration {
    struct calibration_options options;
    const char *profile;             /* file name */
    struct calibrated_model *models; /* in the order of first appearance */
    size_t count;
    struct arena arena;
};

void calibration_make(struct calibration *calibration, const struct profile_table *profile,
                      const struct calibration_options *options);
void calibration_finish(struct calibration *calibration);

#endif

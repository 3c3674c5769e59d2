/* A model file against a profile that it need not know. */
#ifndef EASIM_CALIBRATE_VALIDATION_H
#define EASIM_CALIBRATE_VALIDATION_H

#include "calibrate/choice.h"
#include "calibrate/convergence.h"
#include "calibrate/profile_table.h"
#include "calibrate/score.h"

/* One model on one GPU type. Release with validation_finish. */
struct validation {
    const struct profile_group *group;
    struct points points; /* the rows without a limit, or at the highest one */
    struct prediction *predictions;
    struct scores scores;
    bool by_table;       /* predicted by a lookup table, not by a form */
    const char *missing; /* why nothing is predicted, or NULL */
};

void validation_make(struct validation *validation, const struct profile_group *group,
                     const struct model_set *models);
void validation_finish(struct validation *validation);

/* Header, and a row per point, of a CSV of measured against modelled values, for figures. Not
   predicted: empty. A lookup table meets the points that it was made of, so each row says which of
   the two predicts. */
void points_write_header(struct str *out);
void points_write(struct str *out, const struct profile_group *group, const struct points *points,
                  const struct prediction *predictions, bool by_table);

/* --- limits --- */
/* Power limits of a profile: time, power and energy of each against calibrated rows. */

enum limit_quantity { LIMIT_TIME, LIMIT_POWER, LIMIT_ENERGY, LIMIT_QUANTITIES };

/* Mean absolute relative errors of the ratios of a level, each configuration's predicted by the
   mean of the others; NAN: there is one. */
struct limit_errors {
    double left_out[LIMIT_QUANTITIES];
};

/* Zero-initialise; release with left_out_limits_finish. Only configurations that have power both at
   the limit and among the base rows of the group (no limit, or the highest) count. */
struct limits {
    ARRAY_OF(struct power_level) levels;       /* by ascending limit */
    ARRAY_OF(struct limit_errors) errors;      /* by the same index */
    ARRAY_OF(struct power_level_point) points; /* by ascending limit, span, k, batch */
    double energy_optimal_w; /* least mean energy ratio among the levels with the most
                                configurations; NAN: no level */
};

void limits_of_group(struct limits *limits, const struct profile_group *group);
void left_out_limits_finish(struct limits *limits);

/* --- calibration: all that a profile tells: its models, each on its GPU types --- */

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

/* Power limits of a profile: time, power and energy at each limit against the calibrated rows. */
#ifndef EASIM_CALIBRATE_LIMITS_H
#define EASIM_CALIBRATE_LIMITS_H

#include "calibrate/profile_table.h"

enum limit_quantity { LIMIT_TIME, LIMIT_POWER, LIMIT_ENERGY, LIMIT_QUANTITIES };

/* Mean absolute relative errors of the ratios of a level, each configuration's predicted by the
   mean of the others; NAN: there is one. */
struct limit_errors {
    double left_out[LIMIT_QUANTITIES];
};

/* Zero-initialise; release with limits_finish. Only configurations that have power both at the
   limit and among the base rows of the group (no limit, or the highest) count. */
struct limits {
    ARRAY_OF(struct power_level) levels;       /* by ascending limit */
    ARRAY_OF(struct limit_errors) errors;      /* by the same index */
    ARRAY_OF(struct power_level_point) points; /* by ascending limit, span, k, batch */
    double energy_optimal_w; /* least mean energy ratio among the levels with the most
                                configurations; NAN: no level */
};

void limits_of_group(struct limits *limits, const struct profile_group *group);
void limits_finish(struct limits *limits);

#endif

/* Power limits of a profile: time, power and energy at each limit against the calibrated rows. */
#ifndef EASIM_CALIBRATE_LIMITS_H
#define EASIM_CALIBRATE_LIMITS_H

#include "calibrate/profile_table.h"

/* Zero-initialise; release with limits_finish. Only configurations that have power both at the
   limit and among the base rows of the group (no limit, or the highest) count. */
struct limits {
    ARRAY_OF(struct power_level) levels;       /* by ascending limit */
    ARRAY_OF(struct power_level_point) points; /* by ascending limit, span, k, batch */
    double energy_optimal_w; /* least mean energy ratio among the levels with the most
                                configurations; NAN: no level */
};

void limits_of_group(struct limits *limits, const struct profile_group *group);
void limits_finish(struct limits *limits);

#endif

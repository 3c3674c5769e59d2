/* A configuration under a power limit. Pure functions. */
#ifndef EASIM_MODEL_LEVEL_H
#define EASIM_MODEL_LEVEL_H

#include "model/model_file.h"

/* What computing time and power are multiplied by: at least and at most 1. */
struct level_ratios {
    double time, power;
};

/* Those of the place nearest to a configuration that was measured at a level of limits. */
struct level_ratios level_ratios_of(const struct power_limits *limits,
                                    const struct power_level *level,
                                    const struct easim_config *config, uint32_t span);
/* The configuration at that level: never faster, never more power, and never more than the
   limit. */
struct easim_config level_apply(const struct power_limits *limits, const struct power_level *level,
                                const struct easim_config *unlimited);

#endif

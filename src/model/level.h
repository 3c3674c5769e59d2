/* A configuration under a power limit. Pure functions. */
#ifndef EASIM_MODEL_LEVEL_H
#define EASIM_MODEL_LEVEL_H

#include "model/model_file.h"

/* The configuration at a level of limits: computing time times, and power times, the ratios of the
   nearest place measured at that level; never faster, never more power, and never more than the
   limit. */
struct easim_config level_apply(const struct power_limits *limits, const struct power_level *level,
                                const struct easim_config *unlimited);

#endif

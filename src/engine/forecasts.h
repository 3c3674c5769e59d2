/* Forecasts of cap, price and carbon intensity, hour by hour (semantics 29). They are new at every
   full hour, which is no event: policies see them when they decide. */
#ifndef EASIM_ENGINE_FORECASTS_H
#define EASIM_ENGINE_FORECASTS_H

#include "engine/sim.h"

#define FORECAST_HOUR_NS (3600 * NS_PER_S)

/* How many hours the policy of a simulation sees: none unless it declares FORECAST. */
uint32_t forecasts_hours(const struct sim *sim);
/* Puts those of the first hour into the view, which holds the values of t = 0 already. */
void forecasts_init(struct sim *sim);
/* Those of the present hour, if they are not in the view yet. */
void forecasts_update(struct sim *sim);
void forecasts_finish(struct sim *sim); /* accepts a zeroed sim */

#endif

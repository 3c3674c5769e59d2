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

/* What holds in a whole hour from from_ns on: the mean of a series over time, of a limit the least;
   NAN: the series does not reach that far. The cursor is at from_ns or before, and goes on to the
   end of that hour. */
double forecasts_hour_value(struct series_cursor *cursor, int64_t from_ns);

#endif

/* What `--check` asks of forecasts: that an hour was, when it is over, what had been shown of it
   while it was present, whatever the error of those ahead; and that without an error what is shown
   of an hour never changes. */
#ifndef EASIM_ENGINE_FORECASTS_CHECK_H
#define EASIM_ENGINE_FORECASTS_CHECK_H

#include "engine/sim.h"

/* Around forecasts_update, with the view of the instant before and the time to which it goes on. */
void forecasts_check_advance(struct sim *sim, int64_t from_ns, int64_t to_ns);
void forecasts_check_shown(struct sim *sim);
void forecasts_check_finish(struct sim *sim);

#endif

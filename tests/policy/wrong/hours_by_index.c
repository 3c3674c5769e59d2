/* Walks the hours of a forecast by sizeof. */
#include "wrong.h"

#include <easim/forecast.h>

static int decide(const struct easim_pass *pass) {
    const struct easim_forecast *forecast = easim_forecast_of(pass, 0);
    const struct easim_forecast_hour *hours = forecast->hours;
    for (uint32_t h = 0; h < forecast->hour_count; h++)
        if (!(hours[h].from_s < INFINITY))
            return 0;
    return start_in_order(pass);
}

static const struct easim_extension extensions[] = {EASIM_FORECAST(false)};

POLICY(.decide = decide, .extensions = extensions, .extension_count = 1,
       .extension_bytes = sizeof *extensions);

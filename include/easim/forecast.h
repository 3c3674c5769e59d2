/* easim/forecast.h: the extension easim.forecast, version 1: what is forecast of the hours to come,
   where the scenario has `forecast` (docs/reference/semantics.md, 29). */
#ifndef EASIM_FORECAST_H
#define EASIM_FORECAST_H

#include <easim/policy.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A clock hour at a site, counted from t = 0: the mean of carbon intensity and of price, and the
   least power cap. NAN: not given, or the series ends before the hour does. */
struct easim_forecast_hour {
    double from_s;
    double power_cap_w; /* INFINITY if none */
    double price_per_mwh, carbon_g_per_kwh;
};

struct easim_forecast {
    size_t struct_size; /* of the host's struct easim_forecast */
    /* How many hours are forecast, from the present one on, which is exact; 0: the scenario has no
       forecasts. They are new at every full hour, which is no event: ask for a wake-up. */
    uint32_t hour_count;
    uint32_t site_count; /* 1: the cluster as a whole */
    size_t hour_stride, site_stride;
    const void *hours; /* of each site hour_count of them: use easim_forecast_at */
};

/* Its row in the policy's table of extensions. */
#define EASIM_FORECAST(is_optional) \
    { "easim.forecast", 1, (uint32_t)sizeof(struct easim_forecast), is_optional }

/* `extension`: the place of the row in the policy's table. NULL: optional, and this host lacks it.
 */
static inline const struct easim_forecast *easim_forecast_of(const struct easim_pass *pass,
                                                             uint32_t extension) {
    return (const struct easim_forecast *)pass->extensions[extension];
}

/* Below site_count and hour_count. */
static inline const struct easim_forecast_hour *
easim_forecast_at(const struct easim_forecast *forecast, uint32_t site, uint32_t hour) {
    return (const struct easim_forecast_hour *)((const char *)forecast->hours +
                                                site * forecast->site_stride +
                                                hour * forecast->hour_stride);
}

#ifdef __cplusplus
}
#endif

#endif

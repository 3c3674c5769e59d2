/* easim/forecast.h: the extension easim.forecast, version 1. It shows forecasts of carbon
   intensity, price and power cap for the next hours, if the scenario has `forecast`
   (docs/reference/semantics.md, 29). */
#ifndef EASIM_FORECAST_H
#define EASIM_FORECAST_H

#include <easim/policy.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One clock hour at a site. Price and carbon intensity are means over the hour, and the cap is the
   least in the hour. NAN: not given, or the series ends before the hour does. */
struct easim_forecast_hour {
    double from_s;
    double power_cap_w; /* INFINITY if none */
    double price_per_mwh, carbon_g_per_kwh;
};

struct easim_forecast {
    size_t struct_size; /* of the host's struct easim_forecast */
    /* Number of hours that are forecast; 0 if the scenario has no forecasts. The first is the
       present hour, which is exact. Forecasts are new at every full hour. This is no event, so ask
       for a wake-up. */
    uint32_t hour_count;
    uint32_t site_count; /* 1: the cluster as a whole */
    size_t hour_stride, site_stride;
    const void *hours; /* an array of hour_count hours for each site: use easim_forecast_at */
};

/* The row of this extension in the policy's table of extensions. */
#define EASIM_FORECAST(is_optional) \
    { "easim.forecast", 1, (uint32_t)sizeof(struct easim_forecast), is_optional }

/* `extension` is the index of that row in the table. NULL: the extension is optional, and this
   easim does not have it. */
static inline const struct easim_forecast *easim_forecast_of(const struct easim_pass *pass,
                                                             uint32_t extension) {
    return (const struct easim_forecast *)pass->extensions[extension];
}

/* The forecast of one hour at one site: `site` < site_count, `hour` < hour_count. */
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

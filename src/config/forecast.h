/* The section `forecast` of a scenario: how many hours ahead policies see carbon intensity, price
   and power cap, and how far these forecasts are from what comes (semantics 29). */
#ifndef EASIM_CONFIG_FORECAST_H
#define EASIM_CONFIG_FORECAST_H

#include "config/schema.h"

/* Of the logarithm of a forecast, far ahead; and from one hour to the next. */
struct forecast_error {
    double sigma, correlation; /* 0..2, 0: exact; 0 <= correlation < 1 */
};

struct forecast_options {
    struct location where;
    int64_t hours; /* 0: there is none */
    struct forecast_error error;
};

/* node: the section or NULL. Negative after adding problems. */
int forecast_bind(struct forecast_options *options, const struct yaml_node *node,
                  const struct binding *binding) MUST_CHECK;

#endif

/* What policies see of the next hours: see forecast.h. */
#include "config/forecast.h"

#define MOST_HOURS 720 /* 30 days */

static const struct field error_fields[] = {
    {.key = "sigma",
     .type = FIELD_REAL,
     .offset = offsetof(struct forecast_error, sigma),
     .required = true,
     .max = 2,
     .help = "of the lognormal factor on a forecast of an hour far ahead; 0: exact"},
    {.key = "correlation",
     .type = FIELD_REAL,
     .offset = offsetof(struct forecast_error, correlation),
     .max = 1,
     .help = "of the errors of one hour and the next, below 1"},
    FIELDS_END};

static const struct field forecast_fields[] = {
    {.type = FIELD_LOCATION, .offset = offsetof(struct forecast_options, where)},
    {.key = "hours",
     .type = FIELD_INT,
     .offset = offsetof(struct forecast_options, hours),
     .default_value = 24,
     .min = 1,
     .max = MOST_HOURS,
     .help = "how many hours policies see, the present one included"},
    {.key = "error",
     .type = FIELD_OBJECT,
     .offset = offsetof(struct forecast_options, error),
     .fields = error_fields,
     .help = "how far forecasts are from what comes (default: not at all)"},
    FIELDS_END};

int forecast_bind(struct forecast_options *options, const struct yaml_node *node,
                  const struct binding *binding) {
    *options = (struct forecast_options){.hours = 0};
    if (!node)
        return 0;
    if (node->kind != YAML_NODE_MAPPING)
        return schema_wrong(binding, node, "forecast", "a mapping such as {hours: 24}");
    int r = schema_bind(binding, forecast_fields, node, "forecast", options);
    const struct yaml_node *error = yaml_find(node, "error");
    if (r == 0 && !(options->error.correlation < 1)) /* errors that never change */
        return schema_wrong(binding, yaml_find(error, "correlation"), "forecast.error.correlation",
                            "number >= 0 and < 1");
    return r;
}

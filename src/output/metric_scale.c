/* Units for people: see metric_scale.h. */
#include "output/metric_scale.h"

#include "metrics/metric_table.h"

#include <string.h>

static const struct {
    const char *unit; /* of the summary */
    struct metric_scale shown;
} shown_units[] = {{METRIC_SHARE, {"%", 100}}, {"J s", {"MJ s", 1e-6}}, {METRIC_CURRENCY, {"", 1}}};

struct metric_scale metric_scale(unsigned column) {
    const char *unit = metric_table[column].unit;
    for (size_t i = 0; i < sizeof shown_units / sizeof *shown_units; i++)
        if (strcmp(unit, shown_units[i].unit) == 0)
            return shown_units[i].shown;
    return (struct metric_scale){unit, 1};
}

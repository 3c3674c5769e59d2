/* Units for people: see metric_scale.h. */
#include "output/metric_scale.h"

#include "metrics/metric_table.h"

#include <string.h>

/* From a unit to the one that is shown for values from `least` on. */
struct step {
    const char *unit;
    double least;
    struct metric_scale shown;
};

static const struct step on_axis[] = {{METRIC_SHARE, 0, {"%", 100}},
                                      {"s", 7200, {"h", 1.0 / 3600}},
                                      {"W", 2000, {"kW", 1e-3}},
                                      {"J", 1e6, {"kWh", 1 / 3.6e6}}};
static const struct step in_text[] = {
    {METRIC_SHARE, 0, {"%", 100}}, {"J s", 0, {"MJ s", 1e-6}}, {METRIC_CURRENCY, 0, {"", 1}}};

static struct metric_scale find_scale(const struct step *steps, size_t count, unsigned column,
                                      double most) {
    const char *unit = metric_table[column].unit;
    for (size_t i = 0; i < count; i++)
        if (strcmp(unit, steps[i].unit) == 0 && most >= steps[i].least)
            return steps[i].shown;
    return (struct metric_scale){unit, 1};
}

struct metric_scale metric_scale_axis(unsigned column, double most) {
    return find_scale(on_axis, sizeof on_axis / sizeof *on_axis, column, most);
}

struct metric_scale metric_scale_text(unsigned column) {
    return find_scale(in_text, sizeof in_text / sizeof *in_text, column, 0);
}

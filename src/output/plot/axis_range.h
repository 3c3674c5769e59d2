/* The range of an axis with few points: one that is far from all others does not squeeze them, and
 * wide intervals do not either. */
#ifndef EASIM_OUTPUT_PLOT_AXIS_RANGE_H
#define EASIM_OUTPUT_PLOT_AXIS_RANGE_H

#include <stdbool.h>
#include <stddef.h>

enum plot_scale { PLOT_SCALE_AUTO, PLOT_SCALE_LINEAR, PLOT_SCALE_LOG };

struct plot_range {
    double least, most; /* of the axis */
    bool log;
    bool cut; /* intervals end outside */
};

/* `count` >= 1 means with half intervals (NAN: none). AUTO: a value is left outside if the others
   take less than a fifth of the range with it and it is more than three times as large or as small
   as the nearest of them, at most a third of the values; the rest is on a logarithmic axis if it is
   positive and spans more than a factor of 20. Otherwise all are inside. Intervals widen the axis
   by at most 60 % of what the values take on each side. false: LOG, and not all values are
   positive. */
bool plot_range_find(const double *means, const double *halves, size_t count, enum plot_scale scale,
                     struct plot_range *range);
/* The place of a value along the axis, 0..1; one outside is at the end. */
double plot_range_place(const struct plot_range *range, double value);
/* The value is outside the axis. */
bool plot_range_leaves_out(const struct plot_range *range, double value);

#endif

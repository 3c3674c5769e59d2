/* Figure of metered and predicted power over time. */
#ifndef EASIM_OUTPUT_PLOT_METER_FIGURE_H
#define EASIM_OUTPUT_PLOT_METER_FIGURE_H

#include "output/plot/figure.h"

/* As plot_kind.make. */
int plot_meter(const struct plot_source *source, const struct plot_wishes *wishes,
               struct plot_figure *figure, struct error *reterr) MUST_CHECK;

#endif

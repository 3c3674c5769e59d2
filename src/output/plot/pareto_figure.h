/* Figure of two metrics per policy: means with intervals, the front, names beside the points. */
#ifndef EASIM_OUTPUT_PLOT_PARETO_FIGURE_H
#define EASIM_OUTPUT_PLOT_PARETO_FIGURE_H

#include "output/plot/figure.h"

int plot_pareto(const struct plot_source *source, const struct plot_wishes *wishes,
                struct plot_figure *figure, struct error *reterr) MUST_CHECK;

#endif

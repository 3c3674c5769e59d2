/* Figures over time: power, GPUs and the queue. */
#ifndef EASIM_OUTPUT_PLOT_TIME_FIGURES_H
#define EASIM_OUTPUT_PLOT_TIME_FIGURES_H

#include "output/plot/figure.h"

/* As plot_kind.make. */
int plot_power(const struct plot_source *source, const struct plot_wishes *wishes,
               struct plot_figure *figure, struct error *reterr) MUST_CHECK;
int plot_occupancy(const struct plot_source *source, const struct plot_wishes *wishes,
                   struct plot_figure *figure, struct error *reterr) MUST_CHECK;
int plot_queue(const struct plot_source *source, const struct plot_wishes *wishes,
               struct plot_figure *figure, struct error *reterr) MUST_CHECK;

#endif

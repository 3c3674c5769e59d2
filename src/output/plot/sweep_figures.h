/* Figures of a sweep: lines along an axis, and heat maps over two. */
#ifndef EASIM_OUTPUT_PLOT_SWEEP_FIGURES_H
#define EASIM_OUTPUT_PLOT_SWEEP_FIGURES_H

#include "output/plot/figure.h"

/* As plot_kind.make. */
int plot_lines(const struct plot_source *source, const struct plot_wishes *wishes,
               struct plot_figure *figure, struct error *reterr) MUST_CHECK;
int plot_heatmap(const struct plot_source *source, const struct plot_wishes *wishes,
                 struct plot_figure *figure, struct error *reterr) MUST_CHECK;

#endif

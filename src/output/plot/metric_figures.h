/* Figures of metrics of policies: two against each other, and bars. */
#ifndef EASIM_OUTPUT_PLOT_METRIC_FIGURES_H
#define EASIM_OUTPUT_PLOT_METRIC_FIGURES_H

#include "output/plot/figure.h"

/* As plot_kind.make. */
int plot_pareto(const struct plot_source *source, const struct plot_wishes *wishes,
                struct plot_figure *figure, struct error *reterr) MUST_CHECK;
int plot_bars(const struct plot_source *source, const struct plot_wishes *wishes,
              struct plot_figure *figure, struct error *reterr) MUST_CHECK;

#endif

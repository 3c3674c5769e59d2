/* Figures of metrics of policies: bars. */
#ifndef EASIM_OUTPUT_PLOT_METRIC_FIGURES_H
#define EASIM_OUTPUT_PLOT_METRIC_FIGURES_H

#include "output/plot/figure.h"

/* As plot_kind.make. */
int plot_bars(const struct plot_source *source, const struct plot_wishes *wishes,
              struct plot_figure *figure, struct error *reterr) MUST_CHECK;
/* Sets the variable note: "means of 10 replications with 95 % intervals", for these columns. */
void plot_note_replications(const struct plot_source *source, const unsigned *columns, size_t count,
                            struct plot_figure *figure);

#endif

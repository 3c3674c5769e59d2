/* Figures of what models say: a panel for each model, a colour for each GPU type. */
#ifndef EASIM_OUTPUT_PLOT_MODEL_FIGURES_H
#define EASIM_OUTPUT_PLOT_MODEL_FIGURES_H

#include "output/plot/figure.h"

int plot_speedup(const struct plot_source *source, const struct plot_wishes *wishes,
                 struct plot_figure *figure, struct error *reterr);
int plot_energy_over_k(const struct plot_source *source, const struct plot_wishes *wishes,
                       struct plot_figure *figure, struct error *reterr);
int plot_energy_over_b(const struct plot_source *source, const struct plot_wishes *wishes,
                       struct plot_figure *figure, struct error *reterr);

#endif

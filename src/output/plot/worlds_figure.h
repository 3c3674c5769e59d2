/* Figure of a comparison in many worlds: the difference in each, sorted, and where it comes from.
 */
#ifndef EASIM_OUTPUT_PLOT_WORLDS_FIGURE_H
#define EASIM_OUTPUT_PLOT_WORLDS_FIGURE_H

#include "output/plot/figure.h"

/* As plot_kind.make. */
int plot_worlds(const struct plot_source *source, const struct plot_wishes *wishes,
                struct plot_figure *figure, struct error *reterr) MUST_CHECK;

#endif

/* Model table, world table. */
#ifndef EASIM_OUTPUT_PLOT_FIGURES_H
#define EASIM_OUTPUT_PLOT_FIGURES_H

#include "base/intern.h"
#include "output/plot/figure.h"
#include "output/plot/source.h"

#endif

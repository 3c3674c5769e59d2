/* The figures of each kind, as plot_kind.make. */
#ifndef EASIM_OUTPUT_PLOT_FIGURES_H
#define EASIM_OUTPUT_PLOT_FIGURES_H

#include "output/plot/figure.h"

/* Two metrics per policy: means with intervals, the front, names next to the points. */
plot_maker plot_pareto;
/* Completion times. */
plot_maker plot_jct;
/* Over time: power, GPUs and the queue. */
plot_maker plot_power, plot_occupancy, plot_queue;
/* Metrics of policies. */
plot_maker plot_bars;
/* A comparison in many worlds: the difference in each, sorted, and where it comes from. */
plot_maker plot_worlds;
/* A sweep: lines along an axis, and heat maps over two. */
plot_maker plot_lines, plot_heatmap;
/* Predictions of models: a panel for each model, a colour for each GPU type. */
plot_maker plot_speedup, plot_energy_over_k, plot_energy_over_b;
/* Metered and predicted power over time. */
plot_maker plot_meter;

/* Sets the variable note for some columns: "means of 10 replications with 95 % intervals". */
void plot_note_replications(const struct plot_source *source, const unsigned *columns, size_t count,
                            struct plot_figure *figure);

#endif

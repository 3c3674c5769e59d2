/* The figures of each kind, as plot_kind.make. */
#ifndef EASIM_OUTPUT_PLOT_FIGURES_H
#define EASIM_OUTPUT_PLOT_FIGURES_H

#include "output/plot/figure.h"

/* Two metrics per policy: means with intervals, the front, names next to the points. */
int plot_pareto(const struct plot_source *source, const struct plot_wishes *wishes,
                struct plot_figure *figure, struct error *reterr) MUST_CHECK;
/* Completion times. */
int plot_jct(const struct plot_source *source, const struct plot_wishes *wishes,
             struct plot_figure *figure, struct error *reterr) MUST_CHECK;
/* Over time: power, GPUs and the queue. */
int plot_power(const struct plot_source *source, const struct plot_wishes *wishes,
               struct plot_figure *figure, struct error *reterr) MUST_CHECK;
int plot_occupancy(const struct plot_source *source, const struct plot_wishes *wishes,
                   struct plot_figure *figure, struct error *reterr) MUST_CHECK;
int plot_queue(const struct plot_source *source, const struct plot_wishes *wishes,
               struct plot_figure *figure, struct error *reterr) MUST_CHECK;
/* Metrics of policies. */
int plot_bars(const struct plot_source *source, const struct plot_wishes *wishes,
              struct plot_figure *figure, struct error *reterr) MUST_CHECK;
/* A comparison in many worlds: the difference in each, sorted, and where it comes from. */
int plot_worlds(const struct plot_source *source, const struct plot_wishes *wishes,
                struct plot_figure *figure, struct error *reterr) MUST_CHECK;
/* A sweep: lines along an axis, and heat maps over two. */
int plot_lines(const struct plot_source *source, const struct plot_wishes *wishes,
               struct plot_figure *figure, struct error *reterr) MUST_CHECK;
int plot_heatmap(const struct plot_source *source, const struct plot_wishes *wishes,
                 struct plot_figure *figure, struct error *reterr) MUST_CHECK;
/* Predictions of models: a panel for each model, a colour for each GPU type. */
int plot_speedup(const struct plot_source *source, const struct plot_wishes *wishes,
                 struct plot_figure *figure, struct error *reterr) MUST_CHECK;
int plot_energy_over_k(const struct plot_source *source, const struct plot_wishes *wishes,
                       struct plot_figure *figure, struct error *reterr) MUST_CHECK;
int plot_energy_over_b(const struct plot_source *source, const struct plot_wishes *wishes,
                       struct plot_figure *figure, struct error *reterr) MUST_CHECK;
/* Metered and predicted power over time. */
int plot_meter(const struct plot_source *source, const struct plot_wishes *wishes,
               struct plot_figure *figure, struct error *reterr) MUST_CHECK;

/* Sets the variable note for some columns: "means of 10 replications with 95 % intervals". */
void plot_note_replications(const struct plot_source *source, const unsigned *columns, size_t count,
                            struct plot_figure *figure);

#endif

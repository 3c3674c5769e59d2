/* The figures of Kineto traces as easim prints them; docs/reference/profiles.md defines each. */
#ifndef EASIM_INGEST_KINETO_KINETO_FIGURES_H
#define EASIM_INGEST_KINETO_KINETO_FIGURES_H

#include "ingest/figures.h"
#include "ingest/kineto/kineto_ranks.h"
#include "ingest/kineto/kineto_shares.h"
#include "ingest/kineto/kineto_trace.h"

/* Figures over the steps of a trace. NAN without one. */
struct kineto_iteration {
    double median_us, mean_us, p95_us, cv; /* cv: standard deviation (n - 1) over mean */
    bool slow_first;                       /* over 1.5 times the median: warm-up */
};

/* Figures of a rank, kept when most of its events are gone. kineto_rank_figures_finish. */
struct kineto_rank_figures {
    struct kineto_iteration iteration;
    struct kineto_shares all, *steps; /* of the first steps */
    size_t step_count;                /* of all, also of those not listed */
    struct kineto_streams streams;
};

/* For a prepared trace: the first most_steps steps are kept. Takes the streams over. */
void kineto_rank_figures_init(struct kineto_rank_figures *figures, struct kineto_trace *trace,
                              struct kineto_streams *take_streams, size_t most_steps);
void kineto_rank_figures_finish(struct kineto_rank_figures *figures);

/* ranks: one group each, and their steps. */
void kineto_figures_add_ranks(struct figure *root, const struct kineto_trace *traces,
                              const struct kineto_rank_figures *figures, size_t count);
/* waiting: totals of each rank, the verdict and matched collectives. */
void kineto_figures_add_collectives(struct figure *root, const struct kineto_ranks *ranks);
void kineto_figures_add_costs(struct figure *root, const struct kineto_costs *costs);

/* --- kineto_simulated --- */
/* Busy time and energy of each GPU in timelines that easim itself wrote. */

/* For a trace that was just read: the busy time of its GPUs, each the union of its slices. The
   events lose the numbers of their GPUs, and are in any order. */
void kineto_simulated_close(struct kineto_trace *trace);

#endif

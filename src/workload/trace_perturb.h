/* A recorded log drawn anew in every replication, so that intervals cover arrivals (semantics 30):
   days in another order, a scaled load, compressed time. */
#ifndef EASIM_WORKLOAD_TRACE_PERTURB_H
#define EASIM_WORKLOAD_TRACE_PERTURB_H

#include "base/rng.h"
#include "workload/trace.h"

/* 0, or a factor of NAN: not asked for. */
struct trace_perturb {
    int64_t bootstrap_days; /* length of the blocks of days that are drawn with replacement */
    double load_scale;      /* jobs for each job, drawn anew */
    double compress;        /* divides all times of submit */
};

/* Days of 24 h from the first submit to the last. */
int64_t trace_perturb_days(const struct trace *trace);
/* What is wrong with asking for it, of a log that is there; NULL: nothing. In the arena. */
const char *trace_perturb_refusal(const struct trace_perturb *perturb, const struct trace *trace,
                                  struct arena *arena);
/* Whether anything of it is drawn: else all replications have the same log. */
static inline bool trace_perturb_draws(const struct trace_perturb *perturb) {
    return perturb->bootstrap_days > 0 || (perturb->load_scale > 0 && perturb->load_scale != 1);
}
/* Another log: its rows are in order of submit on the clock of the first, ids that come again are
   "ID~2", "ID~3", ...; texts are those of `trace`, ids those of either. Release with trace_finish.
 */
void trace_perturb_draw(const struct trace_perturb *perturb, const struct trace *trace,
                        gsl_rng *rng, struct trace *ret_drawn);

#endif

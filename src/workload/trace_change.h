/* Changes of a recorded log before its use: slices, scaled load, compressed time, cut run times. */
#ifndef EASIM_WORKLOAD_TRACE_CHANGE_H
#define EASIM_WORKLOAD_TRACE_CHANGE_H

#include "base/rng.h"
#include "base/units.h"
#include "workload/trace.h"

#define TRACE_DAY_NS         (86400 * NS_PER_S)
#define TRACE_CHANGE_MAX_ROW (INT64_C(1) << 53) /* as the last row: all */

/* What policies take as the run time of a job without a model. */
enum estimate_kind { ESTIMATE_REQUESTED, ESTIMATE_RUN, ESTIMATE_FACTOR };

struct trace_changes {
    double from_s,
        until_s;   /* rows with from <= submit < until, the first submit of the log being 0 */
    double lead_s; /* and those of so long before from, where t = 0 is then; 0: the first submit */
    int64_t first_row, last_row; /* of those: from 1, both included */
    bool kill_at_request;        /* run times end at the requested time */
    enum estimate_kind estimate; /* ESTIMATE_RUN: the requested time becomes the run time */
    double load_scale; /* rows for each row, above 0; parts of rows are drawn from the seed */
    double compress;   /* submits are divided by it; run times and slacks stay */
    uint64_t seed;
};

extern const struct trace_changes trace_changes_none;

bool trace_change_is_none(const struct trace_changes *changes);

/* When the lead ends and the slice begins, in the time of the changed log; 0: there is no lead. */
int64_t trace_change_lead_ns(const struct trace_changes *changes);

/* In the order of the members. The rows must be in order of submit; they stay so, the first submit
   is 0 again unless there is a lead, and what happened is noted. */
void trace_change(struct trace *trace, const struct trace_changes *changes);

/* --- trace_perturb --- */
/* A recorded log drawn anew in every replication, so that intervals cover arrivals (semantics 30):
   days in another order, a scaled load, compressed time. */

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

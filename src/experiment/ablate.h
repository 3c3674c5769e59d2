/* The difference between two list policies split into components: every mixture of the two on the
   same workloads, and the Shapley share of each component in each replication. */
#ifndef EASIM_EXPERIMENT_ABLATE_H
#define EASIM_EXPERIMENT_ABLATE_H

#include "experiment/statistics.h"
#include "policy/list/hybrid.h"
#include "study/replicate.h"

/* Zero-initialise; release with ablation_finish. */
struct ablation {
    uint32_t replications;
    enum component active[COMPONENT_COUNT]; /* in which the policies may differ */
    unsigned active_count;
    unsigned cell_count; /* 2^active_count */
    struct replicate_result
        *cells; /* bit i of the place: active[i] is the first policy's, else the second's */
};

/* One component, one metric, over the replications in which all cells define the metric. */
struct ablation_share {
    bool same;             /* the policies are alike in it: not varied, and all figures are 0 */
    bool inert;            /* it changes nothing, in no replication and no mixture */
    struct estimate share; /* Shapley */
    struct estimate alone; /* from the second policy to it with this component of the first */
    struct estimate
        missing; /* from the first policy with this component of the second to the first */
};

struct ablation_metric {
    struct estimate first, second, difference; /* first - second */
    struct ablation_share shares[COMPONENT_COUNT];
};

/* Finds what may differ. Both studies are of list policies and of the same scenario. */
void ablation_init(struct ablation *ablation, const struct study *first,
                   const struct study *second);
/* Runs all cells. */
int ablation_run(struct ablation *ablation, const struct study *first, const struct study *second,
                 const struct replicate_options *options, struct error *reterr) MUST_CHECK;
void ablation_finish(struct ablation *ablation);

/* Whether a component is the first policy's in a cell; of one that is not varied it is. */
bool ablation_is_first(const struct ablation *ablation, unsigned cell, enum component component);

void ablation_metric(const struct ablation *ablation, unsigned column,
                     struct ablation_metric *ret_metric);

/* --- shapley: what each player of a game adds, over all orders of joining (Shapley 1953) --- */

/* values[S]: worth of the coalition S, a set of players by bits; 2^players of them. The shares add
   up to values[all] - values[none], except for rounding; that of a player who never changes the
   worth is exactly 0. In the game with values[S] and values[all except S] exchanged, every share is
   exactly the negative. */
void shapley_shares(const double *values, unsigned players, double *shares);

#endif

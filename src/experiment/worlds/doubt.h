/* The budgets of all metrics and policies of a comparison in many worlds. */
#ifndef EASIM_EXPERIMENT_WORLDS_DOUBT_H
#define EASIM_EXPERIMENT_WORLDS_DOUBT_H

#include "experiment/worlds/budget.h"
#include "experiment/worlds/world_results.h"

/* Zero-initialise; release with doubt_finish. */
struct doubt {
    const struct world_results *results; /* borrowed */
    struct budget *budgets;              /* [column][policy]; of the baseline all undefined */
    struct share_range *groups;          /* [column][policy][group] */
};

/* seed: of the bootstrap. Without a baseline everything is undefined. */
void doubt_init(struct doubt *doubt, const struct world_results *results, uint64_t seed);
void doubt_finish(struct doubt *doubt);

const struct budget *doubt_budget(const struct doubt *doubt, unsigned column, size_t policy);
size_t doubt_group_count(const struct doubt *doubt);

/* Where the variance of a difference comes from: the three variances, then each group in physics.
   Source `place` of DOUBT_SOURCES + groups. */
#define DOUBT_SOURCES 3
const char *doubt_source_name(const struct doubt *doubt, size_t place);
struct share_range doubt_source_share(const struct doubt *doubt, unsigned column, size_t policy,
                                      size_t place);

#endif

/* Bounds of all replications of a study, in processes of their own: a solver that fails takes no
   results with it. */
#ifndef EASIM_STUDY_BOUND_REPLICATIONS_H
#define EASIM_STUDY_BOUND_REPLICATIONS_H

#include "bounds/bound.h"
#include "study/replicate.h"

/* Whether there are bounds of such runs: what the answer is negative for is refused below, too.
   Asked before anything runs. */
int bound_replications_check(const struct study *study, struct error *reterr) MUST_CHECK;
/* extras: the configurations that any of the schedules may use which the bounds are compared with.
   how: processes, cancel, done. ret_bounds: of replications 1 to count; none of them is to be used
   where the answer is negative. */
int bound_replications(const struct study *study, const struct config_extras *extras,
                       const struct replicate_options *how, uint32_t count,
                       struct bounds *ret_bounds, struct error *reterr) MUST_CHECK;

#endif

/* What growing (grow.h) and shrinking (shrink.h) share: which running jobs may be resized. */
#ifndef EASIM_POLICY_LIST_RESIZE_H
#define EASIM_POLICY_LIST_RESIZE_H

#include "policy/list/rules.h"

/* Whether a job runs, has another configuration and does not share a GPU. */
bool resize_possible(const struct easim_view *view, const struct easim_job *job);
/* When the interval since its last resize has passed; -INFINITY if it never was resized. */
double resize_due_s(const struct rules *rules, const struct easim_job *job);
/* Whether the job may be resized at all now: it is possible, and its interval has passed. */
bool resize_may(const struct rules *rules, const struct easim_view *view,
                const struct easim_job *job);
/* Least time or objective that growing must save, given the job's objective as it is; NaN if the
 * policy's resize_least is. */
double resize_least_saving(const struct rules *rules, const struct easim_pass *pass,
                           const struct easim_job *job, double now_objective);

#endif

/* The one orthogonal switch of list policies (SPEC 6): running malleable jobs move to better configurations when
   nobody waits and GPUs are free, and, with `shrink`, to smaller ones when somebody waits. */
#ifndef EASIM_POLICY_RESIZE_H
#define EASIM_POLICY_RESIZE_H

#include "policy/list.h"

/* After the starts of a pass. Negative, after host->fail, if an objective is NaN. */
int resize_decide(struct list *list, const struct easim_pass *pass);

#endif

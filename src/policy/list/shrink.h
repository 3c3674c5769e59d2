/* Shrinking, the other half of the switch `resize` of list policies (semantics 7.3): when jobs
   wait, a running job may give GPUs back if the first waiting job gains more by starting now than
   the running one loses. */
#ifndef EASIM_POLICY_LIST_SHRINK_H
#define EASIM_POLICY_LIST_SHRINK_H

#include "policy/list/list.h"

/* After the starts of a pass that has left list->first_left waiting. Negative, after host->fail, if
   an objective is NaN. */
int shrink_decide(struct list *list, const struct easim_pass *pass);

#endif

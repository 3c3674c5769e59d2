/* A host for callbacks whose actions are not to count. */
#ifndef EASIM_POLICY_REFUSING_HOST_H
#define EASIM_POLICY_REFUSING_HOST_H

#include "easim/policy.h"

/* Makes the host answer EASIM_INVAL to every action; what it tells stays. */
void refusing_host_set(struct easim_host *host);

#endif

/* What --check makes sure of about services after every event: everything is derived again from the
   replicas and the demand (semantics 34). */
#ifndef EASIM_ENGINE_SERVICES_CHECK_H
#define EASIM_ENGINE_SERVICES_CHECK_H

#include "engine/services.h"

/* What replicas and reservations hold and draw. */
struct services_held {
    uint32_t *node_gpus;            /* by node; added to */
    int64_t power_nw, committed_nw; /* reserved GPUs draw as idle ones do */
    int128 energy;                  /* of replicas so far, 1e-18 J */
};

void services_check(struct sim *sim, struct services_held *held);

#endif

/* Exchanges: sets of jobs that start, stop and change their GPUs with each other, all or none. */
#ifndef EASIM_ENGINE_EXCHANGE_H
#define EASIM_ENGINE_EXCHANGE_H

#include "engine/segments.h"

#define EXCHANGE_WHOLE UINT32_MAX /* no part of it in particular */

/* Parts as the host keeps them; zero-initialise, release with exchange_finish. */
struct exchange {
    struct easim_part *parts;
    struct allocation *allocations; /* that a start or resize gets; empty otherwise */
    uint32_t count;
};

/* Copies what the policy passes: parts part_bytes long each. False if that is no set of parts. */
bool exchange_read(struct exchange *exchange, const struct sim *sim, const void *parts,
                   uint32_t count, size_t part_bytes);
void exchange_finish(struct exchange *exchange);

/* Tries an exchange, and changes nothing: why it is refused and for which part, or REFUSED_NOT;
   and the committed power of the cluster with it. */
enum refusal exchange_try(struct sim *sim, struct exchange *exchange, uint32_t *ret_part,
                          int64_t *ret_committed_nw);
/* Gives and takes the GPUs of an exchange that exchange_try has just found in order; its starts and
   resizes have their allocations then, and are still to be carried out. */
void exchange_take_gpus(struct sim *sim, struct exchange *exchange);

#endif

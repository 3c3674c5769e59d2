/* Jobs that the policy refuses for good (plan_reject). What can never run is rejected on arrival:
   admission.h. */
#ifndef EASIM_ENGINE_REJECTION_H
#define EASIM_ENGINE_REJECTION_H

#include "engine/sim.h"

/* The words for it in all results: "by the policy", with its reason if it has one. They are sim's.
   There are only so many different ones. */
const char *rejection_words(struct sim *sim, const char *reason);
/* Takes a waiting job out of the queue; rejection_carry_out follows when the decision ends. */
void rejection_take(struct sim *sim, uint32_t job, const char *words);
void rejection_carry_out(struct sim *sim, uint32_t job);
void rejection_finish(struct sim *sim);

#endif

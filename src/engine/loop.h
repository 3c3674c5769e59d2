/* Runs a simulation: set-up, the event loop, the end. */
#ifndef EASIM_ENGINE_LOOP_H
#define EASIM_ENGINE_LOOP_H

#include "engine/sim.h"

/* Sets up a zeroed sim whose five first members and observers are filled in. Negative on failure;
   loop_finish in any case. */
int loop_init(struct sim *sim, struct error *reterr) MUST_CHECK;
/* Runs from 0 to the end. The sim is left as it was at the end, for observers' last look. Negative
   on failure: the policy, a check, or a cancellation. */
int loop_run(struct sim *sim, struct error *reterr) MUST_CHECK;
/* Sets sim->is_lean, at the end of the set-up; and the loop of such a run (lean.c). */
void lean_choose(struct sim *sim);
int lean_loop_run(struct sim *sim, struct error *reterr) MUST_CHECK;
void loop_finish(struct sim *sim);

#endif

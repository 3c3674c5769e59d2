/* Jobs that are stopped while they run: preempted, or on a node that fails. */
#ifndef EASIM_ENGINE_INTERRUPT_H
#define EASIM_ENGINE_INTERRUPT_H

#include "engine/jobs.h"

/* A running job is to be preempted: its GPUs come free now, unless it is to write a checkpoint
   first (which it may not if at_once). */
void interrupt_yield_gpus(struct sim *sim, uint32_t job, bool at_once);
/* The preemption itself, after interrupt_yield_gpus: back to the queue, or into the checkpoint. */
void interrupt_preempt(struct sim *sim, uint32_t job, bool at_once);
void interrupt_release(struct sim *sim,
                       uint32_t job); /* the checkpoint is written: GPUs free, back to the queue */

/* One of its nodes fails: work since the last complete checkpoint is lost, all GPUs free, back to
 * the queue. */
void interrupt_fail(struct sim *sim, uint32_t job);

#endif

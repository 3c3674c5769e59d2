/* Jobs that are stopped or moved while they run: preempted, resized, or on a node that fails. */
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

/* Moves a running job to other GPUs, of which its own may be some; the view shows it in config.
   False, with nothing changed, if they are not free. */
bool interrupt_swap_gpus(struct sim *sim, uint32_t job, uint32_t config,
                         struct allocation *allocation);
/* The resize itself, after interrupt_swap_gpus. Owns the allocation. */
void interrupt_resize(struct sim *sim, const struct job_start *start);

/* One of its nodes fails: work since the last complete checkpoint is lost, all GPUs free, back to
 * the queue. */
void interrupt_fail(struct sim *sim, uint32_t job);

#endif

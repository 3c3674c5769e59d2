/* Running jobs that move to other GPUs, more or fewer. */
#ifndef EASIM_ENGINE_JOB_RESIZE_H
#define EASIM_ENGINE_JOB_RESIZE_H

#include "engine/segments.h"

/* Takes GPUs for start->config for a running job, of which its own may be some; the view shows it
   there, with the checkpoint and the restart that it pays and the finish that is then expected. If
   the work it loses takes its phase back, start->config becomes what it takes in that phase. False,
   with nothing changed, if the GPUs are not free. */
bool job_resize_take_gpus(struct sim *sim, struct job_start *start);
/* Likewise for a job that has let its own GPUs go (gpus_let_go). */
bool job_resize_take_free_gpus(struct sim *sim, struct job_start *start);
/* The resize itself, after job_resize_take_gpus: its segment ends, and set-up begins on the new
   GPUs. Owns the allocation. */
void job_resize_carry_out(struct sim *sim, const struct job_start *start);

#endif

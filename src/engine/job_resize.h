/* Running jobs that move to other GPUs, more or fewer. */
#ifndef EASIM_ENGINE_JOB_RESIZE_H
#define EASIM_ENGINE_JOB_RESIZE_H

#include "engine/segments.h"

/* Takes GPUs for a running job, of which its own may be some; the view shows it in config, with the
   checkpoint and the restart that it pays and the finish that is then expected. False, with nothing
   changed, if they are not free. */
bool job_resize_take_gpus(struct sim *sim, uint32_t job, uint32_t config,
                          struct allocation *allocation);
/* The resize itself, after job_resize_take_gpus: its segment ends, and set-up begins on the new
   GPUs. Owns the allocation. */
void job_resize_carry_out(struct sim *sim, const struct job_start *start);

#endif

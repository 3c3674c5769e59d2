/* What checkpoints keep and cost. When a job is stopped: which part of its work is kept, which
   is lost, and for how long it holds its GPUs to write. */
#ifndef EASIM_ENGINE_CHECKPOINT_H
#define EASIM_ENGINE_CHECKPOINT_H

#include "engine/sim.h"

/* How a job comes to be stopped: with time for a checkpoint, without, or by a failure, which comes
   before the end of a checkpoint of the same instant. */
enum stop { STOP_ON_DEMAND, STOP_AT_ONCE, STOP_FAILURE };

/* How long a job that is stopped now keeps its GPUs to write a checkpoint: one that it begins now,
   or the rest of that of a resize, which is to begin when all GPUs are awake. */
int64_t checkpoint_write_ns(const struct sim *sim, uint32_t job, enum stop stop);
/* Takes off the work done since the run began, as far as a checkpoint keeps it; the rest is lost.
   For a job that still is in the segment in which it is stopped. */
void checkpoint_book_work(struct sim *sim, uint32_t job, enum stop stop);
/* If a checkpoint was being written: notes that it is complete, or takes back the work that it
   was to keep, or, if it may go on, leaves it. */
void checkpoint_book_unsaved(struct sim *sim, uint32_t job, enum stop stop);
/* A resize: as checkpoint_book_work, and the checkpoint, or the rest of the last one's, is charged
   to the set-up on the new GPUs. */
void checkpoint_charge_resize(struct sim *sim, uint32_t job);
/* After that: the job waits wait_ns for the new GPUs before it writes. */
void checkpoint_delay(struct sim *sim, uint32_t job, int64_t wait_ns);

#endif

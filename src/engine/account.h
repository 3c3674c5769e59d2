/* What a job has done and drawn up to now, the present segment included. For observers, and for
   segments.c where a segment ends; nothing is kept here. */
#ifndef EASIM_ENGINE_ACCOUNT_H
#define EASIM_ENGINE_ACCOUNT_H

#include "engine/sim.h"

/* Of its spec's work, in its unit; lost work not counted. */
double account_work_done(const struct sim *sim, uint32_t job);
/* Drawn by its GPUs in the present segment, and while it held them at all; 1e-18 J. */
int128 account_present_energy(const struct sim *sim, uint32_t job);
int128 account_energy(const struct sim *sim, uint32_t job);
/* GPU time that it held, 1e-12 GPU s; and time. */
int128 account_gpu_ps(const struct sim *sim, uint32_t job);
int64_t account_held_ns(const struct sim *sim, uint32_t job);
/* What it has lost of that. */
struct lost account_lost(const struct sim *sim, uint32_t job);

#endif

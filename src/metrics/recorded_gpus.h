/* Which GPUs jobs held, and what the others did: as segments.csv and gpus.csv tell it. The names of
   states are in gpu_tracker.c. */
#ifndef EASIM_METRICS_RECORDED_GPUS_H
#define EASIM_METRICS_RECORDED_GPUS_H

#include <stdint.h>

/* GPUs of one node, of consecutive numbers from 0 to node.gpus - 1. */
struct recorded_gpus {
    uint32_t node, first, count;
    uint32_t
        lane; /* on a GPU held in part: which of its lanes, from 0, nobody else is on; else 0 */
};

extern const char *const recorded_state_names[]; /* by enum recorded_state */
enum recorded_state { RECORDED_FREE, RECORDED_ASLEEP, RECORDED_FAILED, RECORDED_RESERVED };

/* GPUs that no job holds (a GPU held in part is held). Free ones are awake. */
struct recorded_rest {
    int64_t start_ns, end_ns; /* end_ns > start_ns */
    uint32_t node, first, count;
    uint8_t state; /* enum recorded_state */
};

#endif

/* Which GPUs each job is on. The engine only counts the free GPUs of a node; here they get numbers,
   once all of an instant is done: a job gets the lowest free ones of its nodes, and if GPUs sleep
   those freed last (semantics 23.2). It changes nothing of the run. */
#ifndef EASIM_METRICS_GPU_TRACKER_H
#define EASIM_METRICS_GPU_TRACKER_H

#include "engine/sim.h"

#include <stdint.h>

/* --- recorded_gpus --- */
/* Which GPUs jobs held, and what the others did: as in segments.csv and gpus.csv. */

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

/* --- gpu_tracker --- */

#define TRACKED_HELD (RECORDED_RESERVED + 1) /* one more state, of a GPU that jobs hold */

/* A place in the tracker's list of GPUs. */
struct gpu_places {
    uint32_t first, count;
};

/* A job, or a replica of a service. */
struct tracked_job {
    struct gpu_places held;
    uint32_t shared;  /* GPU of which it holds a part, by number in the cluster; EASIM_NONE */
    uint32_t replica; /* in sim->services.replicas; EASIM_NONE: it is a job, or gone */
    bool moved;       /* at this instant it got or gave back GPUs */
};

/* How many GPUs of a node are in each state. */
struct tracked_counts {
    uint32_t of[TRACKED_HELD + 1];
};

/* A GPU that jobs share. */
struct tracked_shared {
    uint32_t engine_gpu;  /* as the engine calls it (cluster/free_units.h) */
    uint32_t tracked_gpu; /* by place of the engine's GPU: which it is, or was last */
    ARRAY_OF(bool) lanes;
    uint32_t users;
};

/* Zero-initialise; release with gpu_tracker_finish. */
struct gpu_tracker {
    uint32_t *node_first; /* by node: the cluster's number of its first GPU; one more at the end */
    uint32_t gpu_count;
    uint8_t *states;                   /* by GPU: enum recorded_state, or held */
    int64_t *since_ns;                 /* by GPU: of that */
    struct tracked_counts *counts;     /* by node */
    uint32_t *taken, *asleep;          /* trees of nodes: which GPU a job gets, or sleeps, next */
    struct tracked_shared *shared;     /* by GPU; NULL: no job ever asked for a part of one */
    ARRAY_OF(struct tracked_job) jobs; /* by index; behind them the replicas */
    ARRAY_OF(uint32_t) moved;          /* of jobs */
    ARRAY_OF(uint32_t)
    changed;                       /* nodes of which GPUs were taken, freed, failed, repaired or
                                      fell asleep */
    bool *is_changed;              /* by node */
    ARRAY_OF(struct piece) pieces; /* scratch */
    ARRAY_OF(struct recorded_gpus) gpus;
    ARRAY_OF(struct recorded_rest) rests; /* in order of end_ns */
};

/* A segment of the job has ended for that reason, which may mean that it gives GPUs back or gets
   some; returns what it held in the segment. */
struct gpu_places gpu_tracker_end_segment(struct gpu_tracker *tracker, const struct sim *sim,
                                          const struct segment *segment);
/* A replica that there now is, and that has begun, or ceased, to hold GPUs; holder: as before, or
   EASIM_NONE. Returns by what it is known here. */
uint32_t gpu_tracker_move_replica(struct gpu_tracker *tracker, const struct sim *sim,
                                  uint32_t holder, uint32_t replica, bool holds);
/* What it held up to now, since it was moved last. */
struct gpu_places gpu_tracker_held(const struct gpu_tracker *tracker, uint32_t holder);
/* Something has happened to GPUs of a node that no job held. */
void gpu_tracker_note_node(struct gpu_tracker *tracker, const struct sim *sim, uint32_t node);
/* All of an instant is done. */
void gpu_tracker_settle(struct gpu_tracker *tracker, const struct sim *sim);
/* The end of the run: what rests, rests up to now. */
void gpu_tracker_close(struct gpu_tracker *tracker, const struct sim *sim);
void gpu_tracker_finish(struct gpu_tracker *tracker);

#endif

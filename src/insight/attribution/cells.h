/* What no job held: idle, sleeping and failed GPUs, and the nodes beside their GPUs, by GPU type
   and bucket of time (semantics 25.1). */
#ifndef EASIM_INSIGHT_ATTRIBUTION_CELLS_H
#define EASIM_INSIGHT_ATTRIBUTION_CELLS_H

#include "insight/attribution/step_integral.h"

/* Of the measured time in one bucket, and one GPU type: its GPUs, and the nodes that have them. */
struct cell {
    int128 used_ps, idle_ps, failed_ps; /* GPU time, 1e-12 GPU s; idle: asleep ones too */
    int128 idle_energy;                 /* 1e-18 J */
    int128 part_energy[NODE_PARTS];     /* of the nodes */
    int128 fabric_energy;               /* of the cluster's network */
    struct step_sum apart;              /* of idle_energy and the two above */
};

/* Zero-initialise; release with cells_finish. */
struct cells {
    int64_t from_ns, to_ns; /* measured */
    int64_t bucket_ns;      /* the n-th bucket begins at n times it; INT64_MAX: one bucket */
    uint32_t types;
    size_t first_bucket, buckets; /* that the measured time touches */
    struct cell *at;              /* by bucket, then GPU type */
};

/* How many buckets there are in the measured time of a run. */
size_t cells_buckets(const struct recorded_run *run, int64_t bucket_ns);
void cells_find(struct cells *cells, const struct recorded_run *run, int64_t bucket_ns);
void cells_finish(struct cells *cells);

/* The cell of an instant in the measured time. */
struct cell *cells_at(const struct cells *cells, int64_t time_ns, uint32_t gpu_type);
/* When the bucket of that instant ends, or the measured time. */
int64_t cells_end_ns(const struct cells *cells, int64_t time_ns);

#endif

/* The cluster's power meter: piecewise-constant power, integrated exactly. Power is held in whole
   nanowatts and energy in nanowatt-nanoseconds (1e-18 J) of 128 bits, so sums do not depend on
   their order (decision 0004). */
#ifndef EASIM_CLUSTER_POWER_METER_H
#define EASIM_CLUSTER_POWER_METER_H

#include "cluster/cluster.h"
#include "cluster/power_units.h"

/* GPUs that jobs use in one way: thousandths, and the power of all together, now; energy (1e-18 J)
   and GPU time so far. GPU time is in GPU-picoseconds: thousandths of GPUs times nanoseconds. */
struct power_use {
    int64_t milli, nw;
    int128 energy, gpu_ps;
};

/* One GPU type. GPUs are idle, asleep, in set-up (or checkpoint), computing, those of a replica
   that loads or serves, or on a failed node (no power); of one that jobs share, what none of them
   holds is idle. */
struct power_type {
    int64_t idle_milli_nw,
        ctx_milli_nw; /* of a thousandth of a GPU; idle power is a whole number of microwatts */
    int64_t ctx_nw, sleep_nw; /* of one GPU */
    uint32_t gpus, asleep, failed;
    int64_t limited_milli; /* of those computing: under a power limit */
    struct power_use setup, computing;
    struct power_use loading, serving; /* of replicas */
    int128 idle_energy;                /* so far, 1e-18 J; asleep included */
    int128 limited_gpu_ps, sleep_gpu_ps;
};

struct power_meter {
    struct power_type *types;
    uint32_t type_count;
    bool serves;         /* there may be replicas */
    int64_t base_nw;     /* nodes without GPUs, and the network, now */
    int64_t advanced_nw; /* of everything, in the time that has passed last */
    int128 base_energy;
    int64_t network_nw;    /* of base_nw, and never another */
    int64_t *cpu_milli_nw; /* by node: for each thousandth of a GPU that is allocated */
};

void power_meter_init(struct power_meter *meter, const struct cluster *cluster); /* all GPUs idle */
void power_meter_finish(struct power_meter *meter);

int64_t power_meter_network_nw(const struct cluster *cluster); /* of its switches and optics */

/* Thousandths of a node's GPUs are allocated, or free again. */
void power_meter_allocate(struct power_meter *meter, uint32_t node, int64_t milli);
void power_meter_release(struct power_meter *meter, uint32_t node, int64_t milli);
/* A node without busy or sleeping GPUs fails: it and its GPUs draw nothing until it is repaired. */
void power_meter_fail(struct power_meter *meter, const struct node *node);
void power_meter_repair(struct power_meter *meter, const struct node *node);
/* Power of everything now, nW. */
int64_t power_meter_total_nw(const struct power_meter *meter);
/* Lets time pass at the present power. */
void power_meter_advance(struct power_meter *meter, int64_t duration_ns);
/* All energy so far: what all parts add up to. */
int128 power_meter_energy(const struct power_meter *meter);

#endif

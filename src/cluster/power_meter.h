/* The cluster's power meter: piecewise-constant power, integrated exactly. */
#ifndef EASIM_CLUSTER_POWER_METER_H
#define EASIM_CLUSTER_POWER_METER_H

#include "cluster/cluster.h"

#include <stdint.h>
#include <string.h>

/* --- power_units --- */
/* Power in whole nanowatts, energy in nanowatt-nanoseconds (1e-18 J) and GPU time in
   GPU-picoseconds, the last two of 128 bits, so that sums do not depend on their order (decision
   0004). */

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

#define POWER_MAX_W 9e9 /* of a whole cluster: what 63 bits of nanowatts hold */

/* The nearest nanowatt; a cap above POWER_MAX_W bounds nothing, and becomes it. */
int64_t power_nw(double watts);
/* Power of k GPUs that draw gpu_w each, or, if milli > 0, of so many thousandths of one. */
int64_t power_of_gpus_nw(double gpu_w, uint32_t k, uint32_t milli);
double power_w(int64_t nanowatts);
double power_j(int128 energy);     /* of 1e-18 J */
double power_gpu_s(int128 gpu_ps); /* GPU-seconds */

/* (double)value, to the nearest and ties to even: the compiler makes a call of that. */
static inline double int128_double(int128 value) {
    if (value == (int64_t)value)
        return (double)(int64_t)value;
    uint128 size = value < 0 ? -(uint128)value : (uint128)value;
    uint64_t high = (uint64_t)(size >> 64);
    int shift = high ? 65 - __builtin_clzll(high) : 1;      /* so that 63 bits are left */
    uint64_t rest = (uint64_t)(size << (128 - shift) != 0); /* far below the last bit of a double */
    double top = (double)(int64_t)((uint64_t)(size >> shift) | rest), scale;
    uint64_t bits = (uint64_t)(1023 + shift) << 52; /* 2^shift */
    memcpy(&scale, &bits, sizeof scale);
    return (value < 0 ? -top : top) * scale;
}

/* --- power_meter --- */

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
    int64_t ctx_nw, sleep_nw;  /* of one GPU */
    int64_t most_cpu_milli_nw; /* cpu_milli_nw of its nodes, at most */
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
    int128 energy;         /* of everything */
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
/* Power of a node on which nothing runs, its GPUs awake, nW. */
int64_t power_meter_idle_node_nw(const struct power_meter *meter, const struct node *node);
/* Power of everything now, nW. */
int64_t power_meter_total_nw(const struct power_meter *meter);
/* Lets time pass at the present power. */
void power_meter_advance(struct power_meter *meter, int64_t duration_ns);
/* All energy so far: what all parts add up to. */
int128 power_meter_energy(const struct power_meter *meter);

#endif

/* The cluster's power meter: piecewise-constant power, integrated exactly. Power is held in whole nanowatts and
   energy in nanowatt-nanoseconds (1e-18 J) of 128 bits, so sums do not depend on their order (decision 0004). */
#ifndef EASIM_CLUSTER_POWER_H
#define EASIM_CLUSTER_POWER_H

#include "cluster/cluster.h"

__extension__ typedef __int128 int128;

#define POWER_MAX_W 9e9 /* of a whole cluster: what 63 bits of nanowatts hold */

/* One GPU type. GPUs are idle, asleep, in set-up (or checkpoint), computing, or on a failed node (no power). */
struct power_type {
    int64_t idle_nw, ctx_nw, sleep_nw; /* of one GPU */
    uint32_t gpus, setup, computing, asleep, failed;
    uint32_t limited;                                   /* of `computing`: under a power limit */
    int64_t computing_nw;                               /* of all computing GPUs together */
    int128 idle_energy, setup_energy, computing_energy; /* so far, 1e-18 J; idle: asleep included */
    int128 setup_gpu_ns, computing_gpu_ns, limited_gpu_ns, sleep_gpu_ns;
};

struct power_meter {
    struct power_type *types;
    uint32_t type_count;
    int64_t base_nw; /* nodes without GPUs, now */
    int128 base_energy;
    int64_t *cpu_nw_per_busy_gpu; /* by node */
};

void power_meter_init(struct power_meter *meter, const struct cluster *cluster); /* all GPUs idle */
void power_meter_finish(struct power_meter *meter);

/* Nodes gain (sign 1) or lose (sign -1) `gpus` allocated GPUs. */
void power_meter_busy(struct power_meter *meter, uint32_t node, uint32_t gpus, int sign);
/* A node without busy or sleeping GPUs fails (sign 1), or is repaired (sign -1). */
void power_meter_fail(struct power_meter *meter, const struct node *node, int sign);
/* Power of everything now, nW. */
int64_t power_meter_total_nw(const struct power_meter *meter);
/* Lets time pass at the present power. */
void power_meter_advance(struct power_meter *meter, int64_t duration_ns);
/* All energy so far: what all parts add up to. */
int128 power_meter_energy(const struct power_meter *meter);

int64_t power_nw(double watts); /* nearest nanowatt; a cap above POWER_MAX_W bounds nothing, and becomes it */
double power_w(int64_t nanowatts);
double power_j(int128 energy); /* of 1e-18 J */
double power_gpu_s(int128 gpu_ns);

#endif

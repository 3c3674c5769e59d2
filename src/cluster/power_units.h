/* Power in whole nanowatts, energy in nanowatt-nanoseconds (1e-18 J) and GPU time in
   GPU-picoseconds, the last two of 128 bits: sums do not depend on their order (decision 0004).
   Watts, joules and seconds at the borders. */
#ifndef EASIM_CLUSTER_POWER_UNITS_H
#define EASIM_CLUSTER_POWER_UNITS_H

#include <stdint.h>

__extension__ typedef __int128 int128;

#define POWER_MAX_W 9e9 /* of a whole cluster: what 63 bits of nanowatts hold */

/* The nearest nanowatt; a cap above POWER_MAX_W bounds nothing, and becomes it. */
int64_t power_nw(double watts);
/* Power of k GPUs that draw gpu_w each, or, if milli > 0, of so many thousandths of one. */
int64_t power_of_gpus_nw(double gpu_w, uint32_t k, uint32_t milli);
double power_w(int64_t nanowatts);
double power_j(int128 energy);     /* of 1e-18 J */
double power_gpu_s(int128 gpu_ps); /* GPU-seconds */

#endif

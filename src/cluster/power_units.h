/* Power in whole nanowatts, energy in nanowatt-nanoseconds (1e-18 J) and GPU time in
   GPU-picoseconds, the last two of 128 bits: sums do not depend on their order (decision 0004).
   Watts, joules and seconds at the borders. */
#ifndef EASIM_CLUSTER_POWER_UNITS_H
#define EASIM_CLUSTER_POWER_UNITS_H

#include <stdint.h>
#include <string.h>

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

#endif

/* Units of exact power: see power_units.h. */
#include "cluster/power_units.h"

#include "base/units.h"

int64_t power_nw(double watts) {
    return units_nearest((watts < POWER_MAX_W ? watts : POWER_MAX_W) * 1e9);
}

double power_w(int64_t nanowatts) {
    return (double)nanowatts / 1e9;
}

double power_j(int128 energy) {
    return int128_double(energy) / 1e18;
}

/* Whole GPUs count in nanoseconds, so that there is one rounding. */
double power_gpu_s(int128 gpu_ps) {
    if (gpu_ps == (int64_t)gpu_ps) { /* mostly, and without a division of 128 bits */
        int64_t few_ps = (int64_t)gpu_ps;
        return few_ps % 1000 == 0 ? (double)(few_ps / 1000) / 1e9 : (double)few_ps / 1e12;
    }
    return gpu_ps % 1000 == 0 ? int128_double(gpu_ps / 1000) / 1e9 : int128_double(gpu_ps) / 1e12;
}

int64_t power_of_gpus_nw(double gpu_w, uint32_t k, uint32_t milli) {
    return milli > 0 ? milli * power_nw(gpu_w / WHOLE_GPU_MILLI) : k * power_nw(gpu_w);
}

/* The power meter: see power_meter.h. */
#include "cluster/power_meter.h"

#include "base/mem.h"
#include "base/units.h"

#include <stdlib.h>

/* --- power_units --- */

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

/* --- power_meter --- */

void power_meter_init(struct power_meter *meter, const struct cluster *cluster) {
    *meter = (struct power_meter){.type_count = cluster->gpu_type_count};
    meter->types = mem_zalloc(meter->type_count, sizeof *meter->types);
    meter->cpu_milli_nw = mem_zalloc(cluster->node_count, sizeof *meter->cpu_milli_nw);
    for (uint32_t h = 0; h < meter->type_count; h++) {
        const struct gpu_type *type = &cluster->gpu_types[h];
        meter->types[h] =
            (struct power_type){.idle_milli_nw = power_nw(type->idle_w / WHOLE_GPU_MILLI),
                                .ctx_milli_nw = power_nw(type->ctx_w / WHOLE_GPU_MILLI),
                                .ctx_nw = power_nw(type->ctx_w),
                                .sleep_nw = power_nw(type->sleep_w),
                                .gpus = type->gpus};
    }
    meter->network_nw = power_meter_network_nw(cluster);
    meter->base_nw = meter->network_nw;
    for (uint32_t n = 0; n < cluster->node_count; n++) {
        meter->base_nw += power_nw(cluster->nodes[n].fixed_w);
        meter->cpu_milli_nw[n] = power_nw(cluster->nodes[n].cpu_w_per_busy_gpu / WHOLE_GPU_MILLI);
        int64_t *most = &meter->types[cluster->nodes[n].gpu_type].most_cpu_milli_nw;
        *most = meter->cpu_milli_nw[n] > *most ? meter->cpu_milli_nw[n] : *most;
    }
}

int64_t power_meter_network_nw(const struct cluster *cluster) {
    return power_nw(network_power_w(&cluster->network));
}

void power_meter_finish(struct power_meter *meter) {
    free(meter->types);
    free(meter->cpu_milli_nw);
    *meter = (struct power_meter){0};
}

void power_meter_allocate(struct power_meter *meter, uint32_t node, int64_t milli) {
    meter->base_nw += milli * meter->cpu_milli_nw[node];
}

void power_meter_release(struct power_meter *meter, uint32_t node, int64_t milli) {
    meter->base_nw -= milli * meter->cpu_milli_nw[node];
}

void power_meter_fail(struct power_meter *meter, const struct node *node) {
    meter->types[node->gpu_type].failed += node->gpus;
    meter->base_nw -= power_nw(node->fixed_w);
}

void power_meter_repair(struct power_meter *meter, const struct node *node) {
    meter->types[node->gpu_type].failed -= node->gpus;
    meter->base_nw += power_nw(node->fixed_w);
}

int64_t power_meter_idle_node_nw(const struct power_meter *meter, const struct node *node) {
    return (int64_t)node->gpus * WHOLE_GPU_MILLI * meter->types[node->gpu_type].idle_milli_nw +
           power_nw(node->fixed_w);
}

static int64_t idle_power_nw(const struct power_type *type) {
    int64_t awake_milli = (int64_t)(type->gpus - type->asleep - type->failed) * WHOLE_GPU_MILLI;
    int64_t used_milli =
        type->setup.milli + type->computing.milli + type->loading.milli + type->serving.milli;
    return type->idle_milli_nw * (awake_milli - used_milli) + type->sleep_nw * type->asleep;
}

int64_t power_meter_total_nw(const struct power_meter *meter) {
    int64_t total = meter->base_nw;
    for (const struct power_type *t = meter->types; t < meter->types + meter->type_count; t++)
        total += idle_power_nw(t) + t->setup.nw + t->computing.nw + t->loading.nw + t->serving.nw;
    return total;
}

static void add_use(struct power_use *use, int64_t duration_ns) {
    use->energy += (int128)use->nw * duration_ns;
    use->gpu_ps += (int128)use->milli * duration_ns;
}

/* The power of all is added up on the way. What is 0 in most runs is not multiplied. */
void power_meter_advance(struct power_meter *meter, int64_t duration_ns) {
    int64_t total_nw = meter->base_nw;
    meter->base_energy += (int128)meter->base_nw * duration_ns;
    for (struct power_type *t = meter->types; t < meter->types + meter->type_count; t++) {
        int64_t idle_nw = idle_power_nw(t);
        total_nw += idle_nw + t->setup.nw + t->computing.nw;
        t->idle_energy += (int128)idle_nw * duration_ns;
        if (t->setup.milli > 0)
            add_use(&t->setup, duration_ns);
        add_use(&t->computing, duration_ns);
        if (meter->serves) {
            total_nw += t->loading.nw + t->serving.nw;
            add_use(&t->loading, duration_ns);
            add_use(&t->serving, duration_ns);
        }
        if (t->limited_milli > 0)
            t->limited_gpu_ps += (int128)t->limited_milli * duration_ns;
        if (t->asleep > 0)
            t->sleep_gpu_ps += (int128)((int64_t)t->asleep * WHOLE_GPU_MILLI) * duration_ns;
    }
    meter->advanced_nw = total_nw;
    meter->energy += (int128)total_nw * duration_ns;
}

int128 power_meter_energy(const struct power_meter *meter) {
    int128 energy = meter->base_energy;
    for (const struct power_type *t = meter->types; t < meter->types + meter->type_count; t++)
        energy += t->idle_energy + t->setup.energy + t->computing.energy + t->loading.energy +
                  t->serving.energy;
    return energy;
}

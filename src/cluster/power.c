/* The power meter: see power.h. */
#include "cluster/power.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

int64_t power_nw(double watts) {
    return (int64_t)llround(fmin(watts, POWER_MAX_W) * 1e9);
}

double power_w(int64_t nanowatts) {
    return (double)nanowatts / 1e9;
}

double power_j(int128 energy) {
    return (double)energy / 1e18;
}

double power_gpu_s(int128 gpu_ns) {
    return (double)gpu_ns / 1e9;
}

void power_meter_init(struct power_meter *m, const struct cluster *cluster) {
    *m = (struct power_meter){.type_count = cluster->gpu_type_count};
    m->types = mem_zalloc(m->type_count, sizeof *m->types);
    m->cpu_nw_per_busy_gpu = mem_zalloc(cluster->node_count, sizeof *m->cpu_nw_per_busy_gpu);
    for (uint32_t h = 0; h < m->type_count; h++) {
        const struct gpu_type *type = &cluster->gpu_types[h];
        m->types[h] = (struct power_type){.idle_nw = power_nw(type->idle_w),
                                          .ctx_nw = power_nw(type->ctx_w),
                                          .sleep_nw = power_nw(type->sleep_w),
                                          .gpus = type->gpus};
    }
    for (uint32_t n = 0; n < cluster->node_count; n++) {
        m->base_nw += power_nw(cluster->nodes[n].fixed_w);
        m->cpu_nw_per_busy_gpu[n] = power_nw(cluster->nodes[n].cpu_w_per_busy_gpu);
    }
}

void power_meter_finish(struct power_meter *m) {
    free(m->types);
    free(m->cpu_nw_per_busy_gpu);
    *m = (struct power_meter){0};
}

void power_meter_busy(struct power_meter *m, uint32_t node, uint32_t gpus, int sign) {
    m->base_nw += sign * (int64_t)gpus * m->cpu_nw_per_busy_gpu[node];
}

void power_meter_fail(struct power_meter *m, const struct node *node, int sign) {
    m->types[node->gpu_type].failed += (uint32_t)sign * node->gpus; /* wraps as wanted */
    m->base_nw -= sign * power_nw(node->fixed_w);
}

static int64_t idle_nw(const struct power_type *type) {
    return type->idle_nw * (type->gpus - type->setup - type->computing - type->asleep - type->failed) +
           type->sleep_nw * type->asleep;
}

int64_t power_meter_total_nw(const struct power_meter *m) {
    int64_t total = m->base_nw;
    for (const struct power_type *t = m->types; t < m->types + m->type_count; t++)
        total += idle_nw(t) + t->ctx_nw * t->setup + t->computing_nw;
    return total;
}

void power_meter_advance(struct power_meter *m, int64_t duration_ns) {
    m->base_energy += (int128)m->base_nw * duration_ns;
    for (struct power_type *t = m->types; t < m->types + m->type_count; t++) {
        t->idle_energy += (int128)idle_nw(t) * duration_ns;
        t->setup_energy += (int128)(t->ctx_nw * t->setup) * duration_ns;
        t->computing_energy += (int128)t->computing_nw * duration_ns;
        t->setup_gpu_ns += (int128)t->setup * duration_ns;
        t->computing_gpu_ns += (int128)t->computing * duration_ns;
        t->limited_gpu_ns += (int128)t->limited * duration_ns;
        t->sleep_gpu_ns += (int128)t->asleep * duration_ns;
    }
}

int128 power_meter_energy(const struct power_meter *m) {
    int128 energy = m->base_energy;
    for (const struct power_type *t = m->types; t < m->types + m->type_count; t++)
        energy += t->idle_energy + t->setup_energy + t->computing_energy;
    return energy;
}

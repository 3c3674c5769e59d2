/* Least needs of jobs: see demand.h. */
#include "bounds/demand.h"

#include "base/units.h"
#include "bounds/rounded.h"
#include "easim/predict.h"

#include <stdlib.h>

/* A busy GPU lets the CPU of its node draw more: the least that a node of the type does. */
static double least_cpu_w(const struct cluster *cluster, uint32_t gpu_type) {
    double least_w = INFINITY;
    for (uint32_t n = 0; n < cluster->node_count; n++)
        if (cluster->nodes[n].gpu_type == gpu_type)
            least_w = fmin(least_w, cluster->nodes[n].cpu_w_per_busy_gpu);
    return least_w;
}

static void find_static_power(struct demand *demand) {
    const struct cluster *cluster = demand->cluster;
    demand->idle_w = arena_alloc(&demand->arena, cluster->gpu_type_count * sizeof *demand->idle_w);
    for (uint32_t h = 0; h < cluster->gpu_type_count; h++) {
        const struct gpu_type *type = &cluster->gpu_types[h];
        demand->idle_w[h] =
            type->sleep_after_s < INFINITY ? fmin(type->idle_w, type->sleep_w) : type->idle_w;
        demand->static_w = low_add(demand->static_w, low_multiply(type->gpus, demand->idle_w[h]));
    }
    for (uint32_t n = 0; n < cluster->node_count; n++)
        demand->static_w = low_add(demand->static_w, cluster->nodes[n].fixed_w);
    demand->static_w = low_add(demand->static_w, network_power_w(&cluster->network));
}

/* A span that the configuration may ever be placed in: never a tighter one than on the empty
   cluster, and one GPU is on one node. */
static bool may_have_span(const struct easim_config *c, uint32_t span) {
    return c->goodput[span] > 0 && span >= c->empty_span && (c->k > 1 || span == c->empty_span);
}

static void add_rates(struct demand_group *group, const struct demand *demand,
                      const struct easim_config *c) {
    uint32_t h = c->gpu_type;
    const struct gpu_type *type = &demand->cluster->gpu_types[h];
    double gpus = easim_config_gpus(c), cpu_w = least_cpu_w(demand->cluster, h);
    for (uint32_t span = 0; span < c->span_count; span++) {
        if (!may_have_span(c, span))
            continue;
        double above_w = low_add(low_add(c->power_w[span], -demand->idle_w[h]), cpu_w);
        struct demand_rate rate = {.gpu_type = h,
                                   .gpus = gpus,
                                   .gpu_s = low_divide(gpus, c->goodput[span]),
                                   .energy_j =
                                       low_divide(low_multiply(gpus, above_w), c->goodput[span])};
        array_push(&group->rates, rate);
        group->least_gpu_s[h] = fmin(group->least_gpu_s[h], rate.gpu_s);
        group->fastest = fmax(group->fastest, c->goodput[span]);
        group->least_spread_w = fmin(group->least_spread_w, c->power_w[span] - type->idle_w);
    }
    group->least_gpus[h] = fmin(group->least_gpus[h], gpus);
    group->least_spread_w = fmin(group->least_spread_w, type->ctx_w - type->idle_w);
    double setup_w = low_multiply(gpus, low_add(low_add(type->ctx_w, -demand->idle_w[h]), cpu_w));
    group->setup_w = fmin(group->setup_w, fmax(0, setup_w));
}

static double *all_infinite(struct demand *demand) {
    uint32_t types = demand->cluster->gpu_type_count;
    double *values = arena_alloc(&demand->arena, types * sizeof *values);
    for (uint32_t h = 0; h < types; h++)
        values[h] = INFINITY;
    return values;
}

static void fill_group(struct demand *demand, const struct config_table *table, uint32_t set) {
    struct demand_group *group = &demand->groups[set];
    const struct config_set *configs = &table->sets.at[set];
    group->least_gpu_s = all_infinite(demand);
    group->least_gpus = all_infinite(demand);
    group->setup_w = group->least_spread_w = INFINITY;
    for (uint32_t i = 0; i < configs->count; i++)
        add_rates(group, demand, &table->configs.at[configs->first + i]);
}

static void leave_out(struct demand *demand, const struct job_spec *spec, int64_t warmup_ns,
                      int64_t end_ns) {
    bool measured = spec->submit_ns >= warmup_ns;
    demand->impossible++;
    demand->impossible_measured += measured;
    if (measured && end_ns != TIME_NONE_NS)
        demand->impossible_s += units_s(end_ns - spec->submit_ns);
}

void demand_find(struct demand *demand, const struct workload *workload,
                 const struct noise_draw *noise, int64_t end_ns, const double *done) {
    const struct config_table *table = &workload->table;
    demand->cluster = table->cluster;
    demand->group_count = table->sets.count;
    demand->groups = mem_zalloc(demand->group_count, sizeof *demand->groups);
    find_static_power(demand);
    for (size_t j = 0; j < workload->jobs.count; j++) {
        const struct job_spec *spec = &workload->jobs.at[j];
        struct demand_group *group = &demand->groups[spec->set];
        if (spec->submit_ns >= end_ns)
            continue;
        if (table->sets.at[spec->set].count == 0) {
            leave_out(demand, spec, workload->warmup_ns, end_ns);
            continue;
        }
        if (group->jobs++ == 0)
            fill_group(demand, table, spec->set);
        const struct start_costs *costs = workload_costs(workload, spec);
        double work = done ? done[j] : spec->work;
        *array_add(&demand->jobs) =
            (struct demand_job){.submit_s = units_s(spec->submit_ns),
                                .work = work / speed_noise(noise, (uint32_t)j, spec->kind),
                                .setup_s = work > 0 ? fmin(costs->start_s, costs->restart_s) : 0,
                                .group = spec->set,
                                .measured = spec->submit_ns >= workload->warmup_ns};
    }
}

void demand_finish(struct demand *demand) {
    for (size_t g = 0; g < demand->group_count; g++)
        free(demand->groups[g].rates.at);
    free(demand->groups);
    free(demand->jobs.at);
    arena_finish(&demand->arena);
}

double demand_alone_s(const struct demand *demand, const struct demand_job *job) {
    return job->setup_s + job->work / demand->groups[job->group].fastest;
}

/* Power over time: see power_steps.h. */
#include "insight/rules/power_steps.h"

#include "base/sort_doubles.h"
#include "base/units.h"
#include "cluster/power_meter.h"

#include <stdlib.h>

/* Power of a thousandth of a GPU, as the engine's meter rounds it. */
static int64_t milli_nw(double gpu_w) {
    return power_nw(gpu_w / WHOLE_GPU_MILLI);
}

static int64_t committed_nw(const struct cluster *cluster, const struct easim_config *config,
                            uint32_t span) {
    int64_t computing = power_of_gpus_nw(config->power_w[span], config->k, config->milli);
    int64_t ctx =
        power_of_gpus_nw(cluster->gpu_types[config->gpu_type].ctx_w, config->k, config->milli);
    return computing > ctx ? computing : ctx;
}

static int64_t held_milli(const struct easim_config *config) {
    return config->milli > 0 ? config->milli : (int64_t)config->k * WHOLE_GPU_MILLI;
}

int64_t power_steps_added_nw(const struct cluster *cluster, const struct easim_config *config,
                             uint32_t span) {
    return committed_nw(cluster, config, span) -
           held_milli(config) * milli_nw(cluster->gpu_types[config->gpu_type].idle_w);
}

static void add_change(struct power_steps *steps, int64_t time_ns, int64_t nw, int64_t committed) {
    array_push(&steps->at, ((struct power_step){time_ns, nw, committed}));
}

static void add_interval(struct power_steps *steps, int64_t start_ns, int64_t end_ns, int64_t nw,
                         int64_t committed) {
    add_change(steps, start_ns, nw, committed);
    add_change(steps, end_ns, -nw, -committed);
}

/* Power of a node's processors for the GPUs of a segment. */
static int64_t cpu_nw(const struct recorded_run *run, const struct recorded_segment *segment,
                      const struct easim_config *config) {
    int64_t nw = 0;
    for (uint32_t i = 0; i < segment->gpus_count; i++) {
        const struct recorded_gpus *gpus = &run->gpus.at[segment->gpus + i];
        int64_t milli = config->milli > 0 ? config->milli : (int64_t)gpus->count * WHOLE_GPU_MILLI;
        nw += milli * milli_nw(run->folder->cluster.nodes[gpus->node].cpu_w_per_busy_gpu);
    }
    return nw;
}

/* Relative to idle GPUs. sign 1: it begins, -1: it ends. */
static void add_segment(struct power_steps *steps, const struct recorded_run *run,
                        const struct recorded_segment *segment, int64_t time_ns, int sign) {
    const struct easim_config *config = recorded_run_config(run, segment);
    if (!config)
        return;
    int64_t drawn = (int64_t)(segment->energy / (segment->end_ns - segment->start_ns));
    int64_t idle =
        held_milli(config) * milli_nw(run->folder->cluster.gpu_types[config->gpu_type].idle_w);
    int64_t cpu = cpu_nw(run, segment, config);
    add_change(steps, time_ns, sign * (drawn - idle + cpu),
               sign * (power_steps_added_nw(&run->folder->cluster, config, segment->span) + cpu));
}

/* The engine commits as much for GPUs that sleep as for idle ones, and nothing for failed ones. */
static void add_rest(struct power_steps *steps, const struct recorded_run *run,
                     const struct recorded_rest *rest) {
    const struct node *node = &run->folder->cluster.nodes[rest->node];
    const struct gpu_type *type = &run->folder->cluster.gpu_types[node->gpu_type];
    int64_t idle = rest->count * WHOLE_GPU_MILLI * milli_nw(type->idle_w);
    if (rest->state == RECORDED_ASLEEP) {
        add_interval(steps, rest->start_ns, rest->end_ns,
                     rest->count * power_nw(type->sleep_w) - idle, 0);
    } else if (rest->state == RECORDED_FAILED) {
        int64_t fixed = rest->first == 0 ? power_nw(node->fixed_w) : 0;
        add_interval(steps, rest->start_ns, rest->end_ns, -idle - fixed, -idle - fixed);
    }
}

/* Power of all nodes and GPUs without jobs, awake. */
static int64_t idle_nw_of(const struct cluster *cluster) {
    int64_t nw = power_meter_network_nw(cluster);
    for (uint32_t n = 0; n < cluster->node_count; n++)
        nw += power_nw(cluster->nodes[n].fixed_w) +
              cluster->nodes[n].gpus * WHOLE_GPU_MILLI *
                  milli_nw(cluster->gpu_types[cluster->nodes[n].gpu_type].idle_w);
    return nw;
}

ORDER_BY(compare_steps, struct power_step, ASC(time_ns))

/* Changes become what holds after them, those of an instant one. */
static void add_up(struct power_steps *steps) {
    struct power_step sum = {0};
    size_t kept = 0;
    for (size_t i = 0; i < steps->at.count; i++) {
        const struct power_step *change = &steps->at.at[i];
        kept -= kept > 0 && steps->at.at[kept - 1].time_ns == change->time_ns;
        sum.time_ns = change->time_ns;
        sum.nw += change->nw;
        sum.committed_nw += change->committed_nw;
        steps->at.at[kept++] = sum;
    }
    steps->at.count = kept;
}

void power_steps_make(struct power_steps *steps, const struct recorded_run *run) {
    int64_t idle_nw = idle_nw_of(&run->folder->cluster);
    add_change(steps, 0, idle_nw, idle_nw);
    for (size_t i = 0; i < run->events.count; i++) {
        const struct segment_event *e = &run->events.at[i];
        add_segment(steps, run, &run->segments.at[e->segment], e->time_ns, e->begins ? 1 : -1);
    }
    for (size_t i = 0; i < run->rests.count; i++)
        add_rest(steps, run, &run->rests.at[i]);
    sort_array_by(steps->at.at, steps->at.count, time_ns, compare_steps);
    add_up(steps);
}

void power_steps_finish(struct power_steps *steps) {
    free(steps->at.at);
    *steps = (struct power_steps){0};
}

/* Sums up the time without jobs by GPU type and bucket: idle, sleeping and failed GPUs, and the
   nodes without their GPUs (semantics 25.1). One sweep over the run, from change to change. */
#include "insight/attribution/internal.h"

#include "base/units.h"
#include "cluster/power_meter.h"
#include "insight/network_use.h"
#include "insight/run_events.h"
#include "model/batches.h"
#include "model/laws.h"

#include <math.h>
#include <stdlib.h>

/* --- step_integral --- */

static struct step_sum sum_of(struct step_sum a, struct step_sum b) {
    return (struct step_sum){a.co2_kg + b.co2_kg, a.cost + b.cost};
}

/* For a time in one step. */
static struct step_sum step_integral_of_step(const struct recorded_folder *folder, size_t step,
                                             int64_t duration_ns) {
    const struct recorded_step *s = &folder->steps.at[step];
    double kwh = units_s(duration_ns) / J_PER_KWH * folder->cluster.pue;
    return (struct step_sum){kwh * s->carbon_g_per_kwh / 1000, kwh * s->price_per_mwh / 1000};
}

void step_integral_init(struct step_integral *integral, const struct recorded_folder *folder) {
    size_t count = folder->steps.count;
    *integral = (struct step_integral){folder, mem_zalloc(count, sizeof *integral->before)};
    for (size_t i = 1; i < count; i++)
        integral->before[i] = sum_of(
            integral->before[i - 1],
            step_integral_of_step(folder, i - 1,
                                  folder->steps.at[i].time_ns - folder->steps.at[i - 1].time_ns));
}

void step_integral_finish(struct step_integral *integral) {
    free(integral->before);
    *integral = (struct step_integral){0};
}

static size_t step_at(const struct recorded_folder *folder, int64_t time_ns) {
    size_t next = 1;
    SEARCH(next, folder->steps.count, folder->steps.at[at].time_ns <= time_ns)
    return next - 1;
}

/* An interval in one step has no rounding of the steps before it. */
struct step_sum step_integral_find(const struct step_integral *integral, int64_t from_ns,
                                   int64_t to_ns) {
    const struct recorded_folder *f = integral->folder;
    size_t first = step_at(f, from_ns);
    if (first + 1 == f->steps.count || to_ns <= f->steps.at[first + 1].time_ns)
        return step_integral_of_step(f, first, to_ns - from_ns);
    size_t last = step_at(f, to_ns);
    const struct step_sum *before = integral->before;
    const struct step_sum whole = {before[last].co2_kg - before[first + 1].co2_kg,
                                   before[last].cost - before[first + 1].cost};
    struct step_sum head =
        step_integral_of_step(f, first, f->steps.at[first + 1].time_ns - from_ns);
    return sum_of(sum_of(head, whole),
                  step_integral_of_step(f, last, to_ns - f->steps.at[last].time_ns));
}

/* --- cells --- */

/* A GPU type now. */
struct type_state {
    int64_t held_milli, gpus_up; /* GPUs of nodes that have not failed */
    int64_t asleep, failed;
    int64_t part_nw[NODE_PARTS]; /* of its nodes */
    int64_t fabric_nw;
};

/* GPUs that fall asleep (count > 0) or no longer sleep. */
struct sleep_change {
    int64_t time_ns, count;
    uint32_t gpu_type;
};

struct sweep {
    const struct recorded_run *run;
    const struct cluster *cluster;
    struct power_meter meter; /* for its roundings */
    struct type_state *types;
    struct node_changes nodes;
    ARRAY_OF(struct sleep_change) sleeps;
    size_t segment, node, sleep, step; /* next ones; step: the present one */
};

/* ---- Buckets ---- */

static int64_t bucket_of(int64_t bucket_ns, int64_t time_ns) {
    return bucket_ns == INT64_MAX ? 0 : time_ns / bucket_ns;
}

static int64_t measured_from_ns(const struct recorded_run *run) {
    int64_t warmup_ns = run->workload.warmup_ns, end_ns = run->part->end_ns;
    return warmup_ns < end_ns ? warmup_ns : end_ns;
}

size_t cells_buckets(const struct recorded_run *run, int64_t bucket_ns) {
    int64_t from_ns = measured_from_ns(run), to_ns = run->part->end_ns;
    return to_ns == from_ns
               ? 0
               : (size_t)(bucket_of(bucket_ns, to_ns - 1) - bucket_of(bucket_ns, from_ns) + 1);
}

struct cell *cells_at(const struct cells *cells, int64_t time_ns, uint32_t gpu_type) {
    size_t bucket = (size_t)bucket_of(cells->bucket_ns, time_ns) - cells->first_bucket;
    return &cells->at[bucket * cells->types + gpu_type];
}

int64_t cells_end_ns(const struct cells *cells, int64_t time_ns) {
    int64_t left_ns = cells->to_ns - time_ns;
    int64_t in_bucket_ns =
        cells->bucket_ns == INT64_MAX ? left_ns : cells->bucket_ns - time_ns % cells->bucket_ns;
    return time_ns + (in_bucket_ns < left_ns ? in_bucket_ns : left_ns);
}

/* ---- Time passes ---- */

static void pass(const struct sweep *sweep, const struct cells *cells, int64_t from_ns,
                 int64_t to_ns) {
    int64_t ns = to_ns - from_ns;
    struct step_sum each_w = step_integral_of_step(sweep->run->folder, sweep->step, ns);
    for (uint32_t h = 0; h < cells->types; h++) {
        const struct type_state *t = &sweep->types[h];
        const struct power_type *meter = &sweep->meter.types[h];
        struct cell *cell = cells_at(cells, from_ns, h);
        int64_t awake_milli = (t->gpus_up - t->asleep) * WHOLE_GPU_MILLI - t->held_milli;
        int64_t idle_nw = meter->idle_milli_nw * awake_milli + meter->sleep_nw * t->asleep;
        int64_t apart_nw = idle_nw + t->fabric_nw;
        cell->used_ps += (int128)t->held_milli * ns;
        cell->idle_ps += (int128)(awake_milli + t->asleep * WHOLE_GPU_MILLI) * ns;
        cell->failed_ps += (int128)t->failed * WHOLE_GPU_MILLI * ns;
        cell->idle_energy += (int128)idle_nw * ns;
        cell->fabric_energy += (int128)t->fabric_nw * ns;
        for (int p = 0; p < NODE_PARTS; p++) {
            cell->part_energy[p] += (int128)t->part_nw[p] * ns;
            apart_nw += t->part_nw[p];
        }
        cell->apart.co2_kg += each_w.co2_kg * power_w(apart_nw);
        cell->apart.cost += each_w.cost * power_w(apart_nw);
    }
}

/* Passes the measured part of an interval, bucket by bucket; prices are the same throughout. */
static void pass_measured(const struct sweep *sweep, const struct cells *cells, int64_t from_ns,
                          int64_t to_ns) {
    from_ns = from_ns > cells->from_ns ? from_ns : cells->from_ns;
    to_ns = to_ns < cells->to_ns ? to_ns : cells->to_ns;
    while (from_ns < to_ns) {
        int64_t end_ns = cells_end_ns(cells, from_ns);
        end_ns = end_ns < to_ns ? end_ns : to_ns;
        pass(sweep, cells, from_ns, end_ns);
        from_ns = end_ns;
    }
}

/* ---- Changes ---- */

/* Whole nanowatts, as the meter has them in all; sign -1: they are off. */
static void add_node(struct sweep *sweep, const struct node *node, int sign) {
    struct type_state *t = &sweep->types[node->gpu_type];
    int64_t rest_nw = power_nw(node->fixed_w);
    for (int p = 0; p < NODE_OTHER; p++) {
        int64_t part_nw = power_nw(node->part_w[p]);
        t->part_nw[p] += sign * part_nw;
        rest_nw -= part_nw;
    }
    t->part_nw[NODE_OTHER] += sign * rest_nw;
    t->gpus_up += sign * (int64_t)node->gpus;
}

static void apply_node(struct sweep *sweep, const struct node_change *change) {
    const struct node *node = &sweep->cluster->nodes[change->node];
    sweep->types[node->gpu_type].failed += change->fails ? node->gpus : -(int64_t)node->gpus;
    add_node(sweep, node, change->fails ? -1 : 1);
}

static void apply_segment(struct sweep *sweep, const struct segment_event *event) {
    const struct recorded_segment *s = &sweep->run->segments.at[event->segment];
    const struct easim_config *config = recorded_run_config(sweep->run, s);
    const struct recorded_gpus *gpus = &sweep->run->gpus.at[s->gpus];
    int64_t sign = event->begins ? 1 : -1;
    if (!config)
        return;
    struct type_state *t = &sweep->types[config->gpu_type];
    t->held_milli += sign * recorded_run_milli(sweep->run, s);
    for (uint32_t i = 0; i < s->gpus_count; i++) {
        int64_t milli =
            config->milli > 0 ? config->milli : (int64_t)gpus[i].count * WHOLE_GPU_MILLI;
        t->part_nw[NODE_CPU] += sign * milli * sweep->meter.cpu_milli_nw[gpus[i].node];
    }
}

/* ---- The sweep ---- */

ORDER_BY(by_time, struct sleep_change, ASC(time_ns))

static void list_sleeps(struct sweep *sweep) {
    for (size_t i = 0; i < sweep->run->rests.count; i++) {
        const struct recorded_rest *r = &sweep->run->rests.at[i];
        if (r->state != RECORDED_ASLEEP)
            continue;
        uint32_t type = sweep->cluster->nodes[r->node].gpu_type;
        array_push(&sweep->sleeps, ((struct sleep_change){r->start_ns, r->count, type}));
        array_push(&sweep->sleeps, ((struct sleep_change){r->end_ns, -(int64_t)r->count, type}));
    }
    sort_array(sweep->sleeps.at, sweep->sleeps.count, by_time);
}

static int64_t next_ns(const struct sweep *s) {
    int64_t next = INT64_MAX;
    const struct recorded_folder *folder = s->run->folder;
    if (s->segment < s->run->events.count)
        next = s->run->events.at[s->segment].time_ns;
    if (s->node < s->nodes.list.count && s->nodes.list.at[s->node].time_ns < next)
        next = s->nodes.list.at[s->node].time_ns;
    if (s->sleep < s->sleeps.count && s->sleeps.at[s->sleep].time_ns < next)
        next = s->sleeps.at[s->sleep].time_ns;
    if (s->step + 1 < folder->steps.count && folder->steps.at[s->step + 1].time_ns < next)
        next = folder->steps.at[s->step + 1].time_ns;
    return next;
}

static void apply_all(struct sweep *s, int64_t now_ns) {
    const struct recorded_folder *folder = s->run->folder;
    while (s->step + 1 < folder->steps.count && folder->steps.at[s->step + 1].time_ns <= now_ns)
        s->step++;
    while (s->node < s->nodes.list.count && s->nodes.list.at[s->node].time_ns == now_ns)
        apply_node(s, &s->nodes.list.at[s->node++]);
    while (s->segment < s->run->events.count && s->run->events.at[s->segment].time_ns == now_ns)
        apply_segment(s, &s->run->events.at[s->segment++]);
    for (; s->sleep < s->sleeps.count && s->sleeps.at[s->sleep].time_ns == now_ns; s->sleep++)
        s->types[s->sleeps.at[s->sleep].gpu_type].asleep += s->sleeps.at[s->sleep].count;
}

static void sweep_init(struct sweep *sweep, const struct recorded_run *run) {
    const struct cluster *cluster = &run->folder->cluster;
    *sweep = (struct sweep){.run = run, .cluster = cluster};
    power_meter_init(&sweep->meter, cluster);
    sweep->types = mem_zalloc(cluster->gpu_type_count, sizeof *sweep->types);
    for (uint32_t n = 0; n < cluster->node_count; n++)
        add_node(sweep, &cluster->nodes[n], 1);
    for (uint32_t h = 0; h < cluster->gpu_type_count; h++)
        sweep->types[h].fabric_nw = fabric_nw(cluster, h);
    node_changes_find(&sweep->nodes, run);
    list_sleeps(sweep);
}

static void sweep_finish(struct sweep *sweep) {
    power_meter_finish(&sweep->meter);
    free(sweep->types);
    node_changes_finish(&sweep->nodes);
    free(sweep->sleeps.at);
}

void cells_find(struct cells *cells, const struct recorded_run *run, int64_t bucket_ns) {
    struct sweep sweep;
    int64_t now_ns = 0, then_ns;
    *cells = (struct cells){.from_ns = measured_from_ns(run),
                            .to_ns = run->part->end_ns,
                            .bucket_ns = bucket_ns,
                            .types = run->folder->cluster.gpu_type_count,
                            .buckets = cells_buckets(run, bucket_ns)};
    cells->first_bucket = (size_t)bucket_of(bucket_ns, cells->from_ns);
    cells->at = mem_zalloc(cells->buckets * cells->types, sizeof *cells->at);
    sweep_init(&sweep, run);
    while ((then_ns = next_ns(&sweep)) != INT64_MAX) {
        pass_measured(&sweep, cells, now_ns, then_ns);
        now_ns = then_ns;
        apply_all(&sweep, now_ns);
    }
    pass_measured(&sweep, cells, now_ns, cells->to_ns);
    sweep_finish(&sweep);
}

void cells_finish(struct cells *cells) {
    free(cells->at);
    *cells = (struct cells){0};
}

/* --- model_counts --- */

/* Samples that were computed for the reference samples that a segment kept. */
static double samples_of(const struct recorded_run *run, const struct recorded_segment *segment,
                         const struct model *model) {
    const struct easim_config *config = recorded_run_config(run, segment);
    if (segment->kind != SEGMENT_RUN)
        return 0;
    if (model->efficiency == EFFICIENCY_NONE)
        return segment->work;
    double phi = model_phase_phi(model, segment->phase);
    return segment->work / efficiency_of_batch(model->m0, phi, config->k * config->batch);
}

struct model_counts model_counts_of(const struct recorded_run *run,
                                    const struct recorded_segment *segment) {
    struct model_counts counts = {0};
    const struct job_spec *job = &run->workload.jobs.at[segment->job];
    if (job->kind == JOB_KIND_RIGID || recorded_run_is_replica(run, segment->job))
        return counts;
    const struct model *model = &run->folder->models.models[job->model];
    const struct gpu_type *type =
        &run->folder->cluster.gpu_types[recorded_run_config(run, segment)->gpu_type];
    double samples = samples_of(run, segment, model);
    double gpu_s = power_gpu_s(recorded_run_gpu_ps(run, segment));
    if (model->bytes_per_sample > 0) {
        counts.bytes = samples * model->bytes_per_sample;
        counts.bytes_gpu_s = gpu_s;
    }
    if (!(model->flops_per_sample > 0))
        return counts;
    counts.flops = samples * model->flops_per_sample;
    counts.flops_gpu_s = gpu_s;
    if (!(type->peak_flops > 0))
        return counts;
    counts.peaked_flops = counts.flops;
    counts.peak = gpu_s * type->peak_flops;
    if (!(type->memory_bytes_s > 0 && model->bytes_per_sample > 0))
        return counts;
    double by_memory = type->memory_bytes_s / model->bytes_per_sample * model->flops_per_sample;
    counts.roof = gpu_s * fmin(type->peak_flops, by_memory);
    counts.roof_gpu_s = gpu_s;
    counts.memory_gpu_s = by_memory < type->peak_flops ? gpu_s : 0;
    return counts;
}

void model_counts_add(struct model_counts *sum, const struct model_counts *counts, double share) {
    double *to = (double *)sum;
    const double *from = (const double *)counts;
    for (size_t i = 0; i < sizeof *sum / sizeof *to; i++)
        to[i] += from[i] * share;
}

static double ratio(double above, double below) {
    return below > 0 ? above / below : NAN;
}

double model_counts_flops_s(const struct model_counts *c) {
    return ratio(c->flops, c->flops_gpu_s);
}

double model_counts_utilization(const struct model_counts *c) {
    return ratio(c->peaked_flops, c->peak);
}

double model_counts_roofline(const struct model_counts *c) {
    return ratio(c->roof, c->roof_gpu_s);
}

double model_counts_memory_bound(const struct model_counts *c) {
    return ratio(c->memory_gpu_s, c->roof_gpu_s);
}

double model_counts_gpu_h_per_byte(const struct model_counts *c) {
    return ratio(c->bytes_gpu_s / S_PER_H, c->bytes);
}

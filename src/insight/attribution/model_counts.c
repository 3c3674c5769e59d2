/* Operations and bytes: see model_counts.h. */
#include "insight/attribution/model_counts.h"

#include "base/units.h"
#include "model/batches.h"
#include "model/laws.h"

#include <math.h>

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

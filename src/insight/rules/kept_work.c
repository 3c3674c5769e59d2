/* Pieces of kept computing: see kept_work.h. */
#include "insight/rules/kept_work.h"

#include "easim/predict.h"

#include <string.h>

bool kept_work_at(const struct rule_run *rule_run, size_t at, struct kept_piece *piece) {
    const struct recorded_run *run = rule_run->run;
    const struct recorded_segment *segment = &run->segments.at[at];
    const struct job_spec *spec = &run->workload.jobs.at[segment->job];
    double s = rule_run_overlap_s(rule_run, segment->start_ns, segment->end_ns);
    if (segment->kind != SEGMENT_RUN || s <= 0 || segment->config == EASIM_NONE ||
        spec->kind != JOB_KIND_MALLEABLE)
        return false;
    double whole_s = units_s(segment->end_ns - segment->start_ns);
    *piece = (struct kept_piece){.segment = segment,
                                 .spec = spec,
                                 .config = recorded_run_config(run, segment),
                                 .job = segment->job,
                                 .set = spec->set + segment->phase,
                                 .work = segment->work * s / whole_s,
                                 .s = s,
                                 .gpu_s = rule_run_gpu_s(rule_run, segment),
                                 .energy_j = rule_run_energy_j(rule_run, segment)};
    return piece->config->goodput[kept_work_span(piece)] > 0;
}

bool kept_work_next(const struct rule_run *rule_run, size_t *at, struct kept_piece *piece) {
    while (*at < rule_run->run->segments.count)
        if (kept_work_at(rule_run, (*at)++, piece))
            return true;
    return false;
}

struct kept_configs kept_work_configs(const struct rule_run *rule_run, uint32_t set) {
    const struct config_table *table = &rule_run->run->workload.table;
    const struct config_set *s = &table->sets.at[set];
    return (struct kept_configs){&table->configs.at[s->first], s->count};
}

uint32_t kept_work_span(const struct kept_piece *piece) {
    const struct easim_config *c = piece->config;
    return c->goodput[c->empty_span] > 0 ? c->empty_span : piece->segment->span;
}

double kept_work_unit_j(const struct easim_config *config, uint32_t span) {
    return kept_work_unit_gpu_s(config, span) * config->power_w[span];
}

double kept_work_unit_gpu_s(const struct easim_config *config, uint32_t span) {
    return easim_config_gpus(config) / config->goodput[span];
}

/* Sums by key: see gathered.h. */
#include "insight/rules/gathered.h"

#include "base/units.h"
#include "easim/predict.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct gathered *gathered_find(struct gathered_list *list, uint32_t model, uint32_t type,
                               uint32_t other) {
    const uint32_t key[] = {model, type, other};
    bool is_new;
    uint32_t place = intern(&list->keys, key, sizeof key, &is_new);
    if (is_new)
        array_push(&list->at, ((struct gathered){.model = model,
                                                 .type = type,
                                                 .other = other,
                                                 .least = INFINITY,
                                                 .first_ns = INT64_MAX,
                                                 .last_job = EASIM_NONE}));
    return &list->at.at[place];
}

static void end_job(struct gathered *gathered) {
    if (gathered->last_job != EASIM_NONE)
        top_list_add(&gathered->heaviest, (struct top_entry){.weight = gathered->job_weight,
                                                             .index = gathered->last_job,
                                                             .from_ns = gathered->job_first_ns,
                                                             .to_ns = gathered->job_last_ns});
    gathered->job_weight = 0;
}

void gathered_add(struct gathered *gathered, uint32_t job, int64_t from_ns, int64_t to_ns,
                  double weight) {
    if (job != gathered->last_job) {
        end_job(gathered);
        gathered->jobs++;
        gathered->last_job = job;
        gathered->job_first_ns = from_ns;
        gathered->job_last_ns = to_ns;
    }
    gathered->job_first_ns = from_ns < gathered->job_first_ns ? from_ns : gathered->job_first_ns;
    gathered->job_last_ns = to_ns > gathered->job_last_ns ? to_ns : gathered->job_last_ns;
    gathered->job_weight += weight;
    gathered->first_ns = from_ns < gathered->first_ns ? from_ns : gathered->first_ns;
    gathered->last_ns = to_ns > gathered->last_ns ? to_ns : gathered->last_ns;
}

double gathered_mean(const struct gathered *gathered, size_t which) {
    return gathered->work > 0 ? gathered->means[which] / gathered->work : NAN;
}

void gathered_add_piece(struct gathered *gathered, const struct kept_piece *piece, double weight) {
    gathered->gpu_s += piece->gpu_s;
    gathered_add(gathered, piece->job, piece->segment->start_ns, piece->segment->end_ns, weight);
}

void gathered_report_all(const struct rule_run *rule_run, struct gathered_list *list,
                         gathered_report_fn report, struct insights *insights) {
    for (size_t i = 0; i < list->at.count; i++)
        report(rule_run, &list->at.at[i], insights);
    gathered_list_finish(list);
}

void gathered_rule(const struct rule_run *rule_run, const void *thresholds,
                   gathered_piece_fn gather, gathered_report_fn report, struct insights *insights) {
    struct gathered_list list = {0};
    struct kept_piece piece;
    for (size_t at = 0; kept_work_next(rule_run, &at, &piece);)
        gather(rule_run, &piece, thresholds, &list);
    gathered_report_all(rule_run, &list, report, insights);
}

void gathered_list_finish(struct gathered_list *list) {
    intern_finish(&list->keys);
    free(list->at.at);
}

struct insight *gathered_report(const struct rule_run *rule_run, struct gathered *gathered,
                                const char *note, double factor, struct insights *insights) {
    end_job(gathered);
    struct insight *insight =
        insights_add(insights, fmax(units_s(gathered->first_ns), rule_run->from_s),
                     fmin(units_s(gathered->last_ns), rule_run->to_s));
    if (gathered->model < rule_run->folder->models.count) {
        insight->entity = ENTITY_MODEL;
        insight->name = rule_run->folder->models.models[gathered->model].name;
    } else if (gathered->type != EASIM_NONE) {
        insight->entity = ENTITY_GPU_TYPE;
        insight->name = rule_run->folder->cluster.gpu_types[gathered->type].name;
    }
    for (size_t i = 0; i < gathered->heaviest.count; i++) {
        const struct top_entry *e = &gathered->heaviest.at[i];
        insight_evidence(insight, EVIDENCE_JOB, rule_run->run->workload.jobs.at[e->index].id,
                         fmax(units_s(e->from_ns), rule_run->from_s),
                         fmin(units_s(e->to_ns), rule_run->to_s), "%.4g %s", e->weight * factor,
                         note);
    }
    insight->evidence_count = gathered->jobs;
    return insight;
}

/* --- job_evidence --- */

void job_evidence_add(struct insight *insight, const struct top_entry *entry, const char *format,
                      ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *note = arena_vprintf(insight->arena, format, arguments);
    va_end(arguments);
    insight_evidence(insight, EVIDENCE_JOB,
                     insight->rule_run->run->workload.jobs.at[entry->index].id,
                     units_s(entry->from_ns), units_s(entry->to_ns), "%s", note);
}

/* --- kept_work --- */

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

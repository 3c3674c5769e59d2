/* Sums by key: see gathered.h. */
#include "insight/rules/gathered.h"

#include "base/units.h"

#include <math.h>
#include <stdlib.h>

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

void gathered_end(struct gathered *gathered) {
    end_job(gathered);
    gathered->last_job = EASIM_NONE;
}

double gathered_mean(const struct gathered *gathered, size_t which) {
    return gathered->work > 0 ? gathered->means[which] / gathered->work : NAN;
}

void gathered_list_finish(struct gathered_list *list) {
    intern_finish(&list->keys);
    free(list->at.at);
}

struct insight *gathered_report(const struct rule_run *rule_run, const struct gathered *gathered,
                                const struct rule *rule, const char *note, double factor,
                                struct insights *insights) {
    struct insight *insight = insights_add(insights, rule);
    insight->from_s = fmax(units_s(gathered->first_ns), rule_run->from_s);
    insight->to_s = fmin(units_s(gathered->last_ns), rule_run->to_s);
    for (size_t i = 0; i < gathered->heaviest.count; i++) {
        const struct top_entry *e = &gathered->heaviest.at[i];
        struct insight_evidence evidence = {
            .kind = EVIDENCE_JOB,
            .name = rule_run->run->workload.jobs.at[e->index].id,
            .from_s = fmax(units_s(e->from_ns), rule_run->from_s),
            .to_s = fmin(units_s(e->to_ns), rule_run->to_s),
            .note = arena_printf(&insights->arena, "%.4g %s", e->weight * factor, note)};
        insight_evidence(insights, insight, &evidence);
    }
    insight->evidence_count = gathered->jobs;
    return insight;
}

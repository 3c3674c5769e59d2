/* Rules of the number of GPUs: more than a job makes use of. (growth.c: fewer than it could have
 * had.)
 */
#include "base/units.h"
#include "insight/rules/families.h"
#include "insight/rules/gathered.h"
#include "insight/rules/kept_work.h"
#include "insight/rules/narrower.h"
#include "insight/rules/scaling_curve.h"

#include <math.h>
#include <stdlib.h>

struct overscale_thresholds {
    double least_marginal, least_efficiency;
};

static const struct field overscale_fields[] = {
    {.key = "least_marginal",
     .type = FIELD_REAL,
     .offset = offsetof(struct overscale_thresholds, least_marginal),
     .min = 0,
     .max = 1,
     .default_value = 0.3,
     .help = "speed that each GPU beyond the next smaller allowed number adds, in that of one"},
    {.key = "least_efficiency",
     .type = FIELD_REAL,
     .offset = offsetof(struct overscale_thresholds, least_efficiency),
     .min = 0,
     .max = 1,
     .default_value = 0.5,
     .help = "speed of a GPU in that of one alone, or among the fewest allowed"},
    FIELDS_END};

enum { EFFICIENCY, MARGINAL, OWN_K, KNEE_K, OWN_SAMPLE_J, KNEE_SAMPLE_J };

static bool is_above_knee(const struct scaling_curve *curve, uint32_t at,
                          const struct overscale_thresholds *t) {
    return at > 0 && (scaling_marginal(curve, at) < t->least_marginal ||
                      scaling_efficiency_at(curve, at) < t->least_efficiency);
}

static void gather_overscale(const struct rule_run *rule_run, const struct kept_piece *piece,
                             const struct overscale_thresholds *t, struct gathered_list *list) {
    struct scaling_curve curve;
    scaling_curve_make(&curve, kept_work_configs(rule_run, piece->set), piece->config->gpu_type);
    uint32_t own = scaling_curve_find(&curve, piece->config->k), knee = own;
    if (own >= curve.count || !is_above_knee(&curve, own, t))
        return;
    while (is_above_knee(&curve, knee, t))
        knee--;
    const struct easim_config *c = piece->config, *less = curve.at[knee];
    uint32_t span = kept_work_span(piece), there = less->empty_span;
    double own_j = kept_work_unit_j(c, span), less_j = kept_work_unit_j(less, there);
    struct gathered *g = gathered_find(list, piece->spec->model, EASIM_NONE, EASIM_NONE);
    g->work += piece->work;
    g->gpu_s += piece->gpu_s;
    g->lost_j += piece->work * (own_j - less_j);
    g->lost_gpu_s +=
        piece->work * (kept_work_unit_gpu_s(c, span) - kept_work_unit_gpu_s(less, there));
    g->gained_s += piece->work * (1 / less->goodput[there] - 1 / c->goodput[span]);
    g->means[EFFICIENCY] += piece->work * scaling_efficiency_at(&curve, own);
    g->means[MARGINAL] += piece->work * scaling_marginal(&curve, own);
    g->means[OWN_K] += piece->work * c->k;
    g->means[KNEE_K] += piece->work * less->k;
    g->means[OWN_SAMPLE_J] += piece->work * own_j;
    g->means[KNEE_SAMPLE_J] += piece->work * less_j;
    g->least = fmin(g->least, less->k);
    gathered_add(g, piece->job, piece->segment->start_ns, piece->segment->end_ns,
                 piece->work * (own_j - less_j));
}

static void report_overscale(const struct rule_run *rule_run, struct gathered *g,
                             struct insights *insights) {
    gathered_end(g);
    struct insight *insight = gathered_report(rule_run, g, &rule_overscale,
                                              "kWh over that at the knee", 1 / J_PER_KWH, insights);
    insight->entity = ENTITY_MODEL;
    insight->name = rule_run->folder->models.models[g->model].name;
    insight_find(insights, insight,
                 "%u jobs on %.3g GPUs where the speed of %.3g is worth having: %.4g GPU h and "
                 "%.4g kWh for %.4g h",
                 g->jobs, gathered_mean(g, OWN_K), gathered_mean(g, KNEE_K),
                 g->lost_gpu_s / S_PER_H, g->lost_j / J_PER_KWH, g->gained_s / S_PER_H);
    insight_figure(insight, "jobs", "", g->jobs);
    insight_figure(insight, "k", "GPUs", gathered_mean(g, OWN_K));
    insight_figure(insight, "k_at_knee", "GPUs", gathered_mean(g, KNEE_K));
    insight_figure(insight, "efficiency", "", gathered_mean(g, EFFICIENCY));
    insight_figure(insight, "marginal_speedup", "", gathered_mean(g, MARGINAL));
    insight_figure(insight, "lost", "GPU h", g->lost_gpu_s / S_PER_H);
    insight_figure(insight, "energy_lost", "kWh", g->lost_j / J_PER_KWH);
    insight_figure(insight, "time_gained", "h", g->gained_s / S_PER_H);
    insight->recommendation =
        arena_printf(&insights->arena, "let jobs take at most %.0f GPUs", g->least);
    narrower_k(rule_run, insights, insight, (uint32_t)g->least);
    insight_weigh(insight, fmax(g->lost_j, 0), rule_run->energy_j);
}

static void find_overscale(const struct rule_run *rule_run, const void *thresholds,
                           struct insights *insights) {
    struct gathered_list list = {0};
    struct kept_piece piece;
    for (size_t at = 0; kept_work_next(rule_run, &at, &piece);)
        gather_overscale(rule_run, &piece, thresholds, &list);
    for (size_t i = 0; i < list.at.count; i++)
        report_overscale(rule_run, &list.at.at[i], insights);
    gathered_list_finish(&list);
}

const struct rule rule_overscale = {
    .id = "OVERSCALE",
    .title = "more GPUs than a job makes use of",
    .trigger = "the GPUs of a job beyond the next smaller allowed number add less than "
               "least_marginal of the speed of one GPU each, or each of them has less than "
               "least_efficiency of it; the knee is the most for which neither is so",
    .recommends = "at most the GPUs at the knee",
    .measure = SHARE_OF_ENERGY,
    .betters = SUMMARY_COLUMN(energy_kwh),
    .thresholds = overscale_fields,
    .thresholds_size = sizeof(struct overscale_thresholds),
    .find = find_overscale,
};

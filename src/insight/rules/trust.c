/* Rules of how far the figures can be trusted: configurations without measurements, and differences
   between policies that may be chance. */
#include "base/numfmt.h"
#include "base/units.h"
#include "insight/rules/gathered.h"
#include "insight/rules/internal.h"
#include "io/csv.h"

#include <math.h>
#include <string.h>

/* ---- MODEL-EXTRAPOLATED ---- */

static void report_extrapolated(const struct rule_run *rule_run, struct gathered *g,
                                const char *models, struct insights *insights) {
    struct insight *insight =
        gathered_report(rule_run, g, "GPU h outside what was measured", 1 / S_PER_H, insights);
    insight_find(
        insight,
        "%u jobs computed where their models were not measured: %.4g GPU h, %.4g of them of "
        "jobs that had a measured choice",
        g->jobs, g->gpu_s / S_PER_H, g->lost_gpu_s / S_PER_H);
    SHOW(insight, model_extrapolated, .jobs = g->jobs, .gpu_hours = g->gpu_s / S_PER_H,
         .gpu_hours_by_choice = g->lost_gpu_s / S_PER_H, .energy = g->energy_j / J_PER_KWH,
         .models = models);
    insight->recommendation = "measure these models there before quoting figures";
    insight->what_if.note = "easim cannot test this; measure the models";
    insight_weigh(insight, g->lost_gpu_s, rule_run->gpu_s);
}

/* "resnet50-fp32 on h100 (14.2 GPU h), ..." */
static const char *list_models(const struct rule_run *rule_run, const struct gathered_list *list,
                               struct arena *arena) {
    const struct recorded_folder *folder = rule_run->folder;
    struct str text = {0};
    for (size_t i = 0; i < list->at.count; i++)
        str_addf(&text, "%s%s on %s (%.4g GPU h)", i > 0 ? ", " : "",
                 folder->models.models[list->at.at[i].model].name,
                 folder->cluster.gpu_types[list->at.at[i].type].name,
                 list->at.at[i].gpu_s / S_PER_H);
    const char *kept = arena_strdup(arena, text.text ? text.text : "");
    str_finish(&text);
    return kept;
}

/* Whether the job might have had a configuration that was measured. */
static bool could_be_measured(const struct rule_run *rule_run, uint32_t set) {
    struct kept_configs all = kept_work_configs(rule_run, set);
    uint32_t i = 0;
    while (i < all.count && all.at[i].extrapolated)
        i++;
    return i < all.count;
}

void find_model_extrapolated(const struct rule_run *rule_run, const void *thresholds,
                             struct insights *insights) {
    const struct model_extrapolated_thresholds *t = thresholds;
    struct gathered_list all = {0}, models = {0};
    struct kept_piece piece;
    for (size_t at = 0; kept_work_next(rule_run, &at, &piece);) {
        if (!piece.config->extrapolated)
            continue;
        struct gathered *g = gathered_find(&all, EASIM_NONE, EASIM_NONE, EASIM_NONE);
        g->energy_j += piece.energy_j;
        g->lost_gpu_s += could_be_measured(rule_run, piece.set) ? piece.gpu_s : 0;
        gathered_add_piece(g, &piece, piece.gpu_s);
        gathered_find(&models, piece.spec->model, piece.config->gpu_type, EASIM_NONE)->gpu_s +=
            piece.gpu_s;
    }
    if (all.at.count > 0 && all.at.at[0].gpu_s > t->least_share * rule_run->gpu_s)
        report_extrapolated(rule_run, &all.at.at[0],
                            list_models(rule_run, &models, &insights->arena), insights);
    gathered_list_finish(&all);
    gathered_list_finish(&models);
}

/* ---- SEED-NOISE ---- */

enum { METRIC, POLICY, BASELINE, MEAN, DIFF, CI95, PAIRS, COMPARE_COLUMNS };

static bool read_cell(const struct csv *csv, int column, double *value) {
    struct slice text = csv_field(csv, column);
    return text.length > 0 && numfmt_parse_real(text.at, text.length, value);
}

/* Replications with which an interval of this width would be as short as the difference. */
static double replications_needed(double pairs, double diff, double ci95) {
    return diff != 0 ? ceil(pairs * (ci95 / diff) * (ci95 / diff)) : INFINITY;
}

static void report_noise(const struct rule_run *rule_run, const struct csv *csv, const int *columns,
                         const double *values, struct insights *insights) {
    struct arena *arena = &insights->arena;
    struct slice texts[3];
    const char *words[3];
    for (int i = METRIC; i <= BASELINE; i++) {
        texts[i] = csv_field(csv, columns[i]);
        words[i] = arena_strndup(arena, texts[i].at, texts[i].length);
    }
    struct insight *insight = insights_add(insights, rule_run->from_s, rule_run->to_s);
    double needed = replications_needed(values[PAIRS], values[DIFF], values[CI95]);
    insight->entity = ENTITY_POLICY;
    insight->name = words[POLICY];
    insight_find(insight,
                 "its %s differs from that of %s by %.4g, which %.0f replications cannot tell from "
                 "chance (+- %.4g)",
                 words[METRIC], words[BASELINE], values[DIFF], values[PAIRS], values[CI95]);
    SHOW(insight, seed_noise, .metric = words[METRIC], .baseline = words[BASELINE],
         .difference = values[DIFF], .half_interval = values[CI95], .replications = values[PAIRS],
         .replications_needed = needed);
    insight->recommendation =
        isfinite(needed) ? arena_printf(arena, "about %.0f replications, or no claim", needed)
                         : "no claim: the means are equal";
    insight->what_if.note = "a comparison with more replications would show it";
    insight_weigh(insight, 0, rule_run->energy_j);
}

/* compare.csv of a comparison, of the policy that is looked at; of its baseline all others. */
void find_seed_noise(const struct rule_run *rule_run, const void *thresholds,
                     struct insights *insights) {
    static const char *const names[COMPARE_COLUMNS] = {"metric",    "policy",    "baseline", "mean",
                                                       "diff_mean", "diff_ci95", "pairs"};
    static const unsigned metrics[] = {SUMMARY_COLUMN(energy_kwh),
                                       SUMMARY_COLUMN(energy_per_work_kwh),
                                       SUMMARY_COLUMN(jct_restricted_mean_s)};
    const struct seed_noise_thresholds *t = thresholds;
    int columns[COMPARE_COLUMNS];
    struct csv *csv = NULL;
    struct error error = {0};
    if (strcmp(rule_run->folder->command, "compare") != 0 ||
        csv_open(arena_printf(&insights->arena, "%s/compare.csv", rule_run->folder->path), ',',
                 &csv, &error) < 0)
        return;
    bool known = true;
    for (int i = 0; i < COMPARE_COLUMNS; i++)
        known = (columns[i] = csv_column(csv, names[i])) >= 0 && known;
    while (known && csv_next(csv, &error) == 1) {
        double values[COMPARE_COLUMNS];
        bool wanted = slice_is(csv_field(csv, columns[POLICY]), rule_run->policy) ||
                      slice_is(csv_field(csv, columns[BASELINE]), rule_run->policy);
        bool of_metric = false;
        for (size_t m = 0; m < sizeof metrics / sizeof *metrics; m++)
            of_metric =
                of_metric || slice_is(csv_field(csv, columns[METRIC]), summary_names[metrics[m]]);
        if (wanted && of_metric && read_cell(csv, columns[DIFF], &values[DIFF]) &&
            read_cell(csv, columns[CI95], &values[CI95]) &&
            read_cell(csv, columns[PAIRS], &values[PAIRS]) &&
            fabs(values[DIFF]) < t->intervals * values[CI95])
            report_noise(rule_run, csv, columns, values, insights);
    }
    csv_close(csv);
}

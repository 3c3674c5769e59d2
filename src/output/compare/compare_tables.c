/* compare.csv, pareto.csv, stationarity.csv, perturb.csv, and for many worlds differences.csv,
   budget.csv and worlds.csv. Also the same figures as one JSON object. */
#include "output/compare/compare_tables.h"

#include "base/mem.h"
#include "output/columns.h"
#include "output/json.h"

#include <math.h>
#include <stdlib.h>

/* clang-format off */
#define COMPARE_COLUMNS(X) \
    X(metric, csv(text), "", NEITHER, name) \
    X(policy, csv(text), "", NEITHER, c->series[s].policy) \
    X(baseline, csv(text), "", NEITHER, compare_baseline(c)) \
    X(n, int, "", NEITHER, (int64_t)cell->estimate.n) \
    X(mean, real, OF_METRIC, NEITHER, cell->estimate.mean) \
    X(ci95, real, OF_METRIC, NEITHER, cell->estimate.ci95) \
    X(diff_mean, real, OF_METRIC, NEITHER, p->diff.mean) \
    X(diff_ci95, real, OF_METRIC, NEITHER, p->diff.ci95) \
    X(diff_rel, real, "", NEITHER, cell->relative) \
    X(p_value, real, "", NEITHER, p->p_value) \
    X(p_holm, real, "", NEITHER, cell->p_holm) \
    X(pairs, natural, "", NEITHER, pairs_of(c, s, p)) \
    X(ratio_geo, real, "", NEITHER, p->ratio) \
    X(ratio_geo_low, real, "", NEITHER, p->ratio_low) \
    X(ratio_geo_high, real, "", NEITHER, p->ratio_high) \
    X(base_mean, real, OF_METRIC, NEITHER, p->base_mean)
/* With --interval bootstrap-t. */
#define COMPARE_COLUMNS_BOUNDS(X) \
    X(ci95_low, real, OF_METRIC, NEITHER, low_of(&cell->estimate)) \
    X(ci95_high, real, OF_METRIC, NEITHER, high_of(&cell->estimate)) \
    X(diff_ci95_low, real, OF_METRIC, NEITHER, low_of(&p->diff)) \
    X(diff_ci95_high, real, OF_METRIC, NEITHER, high_of(&p->diff))
/* Then for each metric of the front its mean, by its name, and NAME_ci95. */
#define PARETO_COLUMNS(X) \
    X(policy, csv(text), "", NEITHER, c->series[s].policy) \
    X(front, flag, "", NEITHER, places[s].dominator == PARETO_NOBODY) \
    X(dominated_by, text, "", NEITHER, compare_dominator(c, &places[s], s)) \
    X(front_share, real, METRIC_SHARE, NEITHER, places[s].share)
#define STATIONARITY_COLUMNS(X) \
    X(policy, csv(text), "", NEITHER, c->series[s].policy) \
    X(n, csv(int), "", NEITHER, c->replications) \
    X(queue_slope_per_h, estimate, "jobs/h", NEITHER, &t.queue_per_h) \
    X(queue_slope_ci95, csv(real), "jobs/h", NEITHER, t.queue_per_h.ci95) \
    X(work_unfinished_share, estimate, METRIC_SHARE, NEITHER, &t.work_unfinished) \
    X(work_unfinished_ci95, csv(real), METRIC_SHARE, NEITHER, t.work_unfinished.ci95) \
    X(jobs_unfinished_share, estimate, METRIC_SHARE, NEITHER, &t.jobs_unfinished) \
    X(jobs_unfinished_ci95, csv(real), METRIC_SHARE, NEITHER, t.jobs_unfinished.ci95)
#define PERTURB_COLUMNS(X) \
    X(perturbation, csv(text), "", NEITHER, perturbed->name) \
    X(amount, csv(real), "", NEITHER, perturbed->amount) \
    X(metric, csv(text), "", NEITHER, metric_set_name(metrics, column)) \
    X(policy, csv(text), "", NEITHER, c->series[s].policy) \
    X(n, int, "", NEITHER, (int64_t)r.n) \
    X(clean_mean, real, OF_METRIC, NEITHER, r.base_mean) \
    X(perturbed_mean, real, OF_METRIC, NEITHER, r.mean) \
    X(ratio, real, "", NEITHER, r.ratio) \
    X(ratio_ci95, real, "", NEITHER, r.ci95)
/* clang-format on */

/* -1: there is none of a baseline. */
static int64_t pairs_of(const struct comparison *c, size_t series, const struct paired *paired) {
    bool alone = series == c->baseline || c->baseline == COMPARE_NOBODY;
    return alone ? -1 : (int64_t)paired->diff.n;
}

static double low_of(const struct estimate *e) {
    return e->skewed ? e->low : e->mean - e->ci95;
}

static double high_of(const struct estimate *e) {
    return e->skewed ? e->high : e->mean + e->ci95;
}

static void metric_row(const struct comparison *c, size_t s, const char *name,
                       const struct compare_cell *cell, struct str *out) {
    const struct paired *p = &cell->paired;
    size_t begin = out->length;
    COMPARE_COLUMNS(COLUMN_CELL)
    if (c->bootstrap) {
        COMPARE_COLUMNS_BOUNDS(COLUMN_CELL)
    }
    columns_end_row(out, begin);
}

void compare_tables_metrics(const struct compare_output *output, struct str *out) {
    const struct metric_set *metrics = &output->study->metrics;
    const struct comparison *c = &output->comparison;
    struct compare_cell *cells = mem_zalloc(c->count, sizeof *cells);
    str_add(out, &COMPARE_COLUMNS(COLUMN_NAME)[1]);
    str_add(out, c->bootstrap ? COMPARE_COLUMNS_BOUNDS(COLUMN_NAME) "\n" : "\n");
    for (size_t i = 0; i < metrics->count; i++) {
        const char *name = metric_set_name(metrics, metrics->columns[i]);
        compare_metric(c, metrics->columns[i], cells);
        for (size_t s = 0; s < c->count; s++)
            metric_row(c, s, name, &cells[s], out);
    }
    free(cells);
}

void compare_tables_pareto(const struct compare_output *output, struct str *out) {
    const struct comparison *c = &output->comparison;
    struct compare_place *places = mem_zalloc(c->count, sizeof *places);
    struct compare_cell *cells = mem_zalloc(c->count * output->pareto_count, sizeof *cells);
    str_add(out, &PARETO_COLUMNS(COLUMN_NAME)[1]);
    for (unsigned d = 0; d < output->pareto_count; d++) {
        str_addf(out, ",%s,%s_ci95", summary_names[output->pareto[d]],
                 summary_names[output->pareto[d]]);
        compare_metric(c, output->pareto[d], cells + d * c->count);
    }
    str_add_char(out, '\n');
    compare_pareto(c, output->pareto, output->pareto_count, places);
    for (size_t s = 0; s < c->count; s++) {
        size_t begin = out->length;
        PARETO_COLUMNS(COLUMN_CELL)
        for (unsigned d = 0; d < output->pareto_count; d++) {
            csv_comma_real(out, cells[d * c->count + s].estimate.mean);
            csv_comma_real(out, cells[d * c->count + s].estimate.ci95);
        }
        columns_end_row(out, begin);
    }
    free(places);
    free(cells);
}

void compare_tables_trends(const struct compare_output *output, struct str *out) {
    const struct comparison *c = &output->comparison;
    str_add(out, TABLE_HEADER(STATIONARITY_COLUMNS));
    for (size_t s = 0; s < c->count; s++) {
        struct compare_trend t = compare_trend(c, s);
        TABLE_ROW(STATIONARITY_COLUMNS);
    }
}

static void perturbed_rows(const struct compare_perturbed *perturbed,
                           const struct metric_set *metrics, unsigned column, struct str *out) {
    const struct comparison *c = &perturbed->clean;
    for (size_t s = 0; s < c->count; s++) {
        struct ratio r = compare_ratio(&perturbed->perturbed, c, s, column);
        TABLE_ROW(PERTURB_COLUMNS);
    }
}

void compare_tables_perturbed(const struct compare_output *output, struct str *out) {
    const struct metric_set *metrics = &output->study->metrics;
    str_add(out, TABLE_HEADER(PERTURB_COLUMNS));
    for (size_t i = 0; i < output->perturbed_count; i++)
        for (size_t m = 0; m < metrics->count; m++)
            perturbed_rows(&output->perturbed[i], metrics, metrics->columns[m], out);
}

/* --- variance tables --- */
/* budget.csv and differences.csv, and the same as a part of the JSON object of a comparison. */

/* clang-format off */
#define DIFFERENCES_KEYS(X) \
    X(metric, csv(text), "", NEITHER, summary_names[column]) \
    X(policy, csv(text), "", NEITHER, variance->results->policy_names[policy]) \
    X(baseline, csv(text), "", NEITHER, baseline_name(variance->results))
#define DIFFERENCES_COLUMNS(X) \
    DIFFERENCES_KEYS(X) \
    X(worlds, int, "", NEITHER, (int64_t)b->worlds) \
    X(replications, int, "", NEITHER, (int64_t)b->replications) \
    X(diff_mean, real, OF_METRIC, NEITHER, b->mean) \
    X(diff_ci95, real, OF_METRIC, NEITHER, b->ci95) \
    X(diff_rel, real, "", NEITHER, b->base_mean != 0 ? b->mean / fabs(b->base_mean) : NAN) \
    X(base_mean, real, OF_METRIC, NEITHER, b->base_mean) \
    X(degrees, real, "", NEITHER, b->degrees) \
    X(physics_var, real, "", NEITHER, b->squares.physics) \
    X(workload_var, real, "", NEITHER, b->squares.workload) \
    X(residual_var, real, "", NEITHER, b->squares.residual) \
    X(p_better, range, METRIC_SHARE, NEITHER, &b->better.clearly) \
    X(p_better_low, csv(real), METRIC_SHARE, NEITHER, b->better.clearly.low) \
    X(p_better_high, csv(real), METRIC_SHARE, NEITHER, b->better.clearly.high) \
    X(sign_better, range, METRIC_SHARE, NEITHER, &b->better.sign) \
    X(sign_better_low, csv(real), METRIC_SHARE, NEITHER, b->better.sign.low) \
    X(sign_better_high, csv(real), METRIC_SHARE, NEITHER, b->better.sign.high) \
    X(p_worse, range, METRIC_SHARE, NEITHER, &b->better.worse) \
    X(p_worse_low, csv(real), METRIC_SHARE, NEITHER, b->better.worse.low) \
    X(p_worse_high, csv(real), METRIC_SHARE, NEITHER, b->better.worse.high)
#define BUDGET_RANGE(X) \
    X(share, real, METRIC_SHARE, NEITHER, range->share) \
    X(ci_low, real, METRIC_SHARE, NEITHER, range->low) \
    X(ci_high, real, METRIC_SHARE, NEITHER, range->high)
#define BUDGET_COLUMNS(X) \
    DIFFERENCES_KEYS(X) \
    X(source, text, "", NEITHER, variance_source_name(variance, i)) \
    BUDGET_RANGE(X)
/* clang-format on */

#define csv_comma_range(out, range) csv_comma_real(out, (range)->share)

static const char *baseline_name(const struct world_results *results) {
    return results->baseline == WORLD_NOBODY ? NULL : results->policy_names[results->baseline];
}

static void share_rows(const struct variance_table *variance, unsigned column, size_t policy,
                       struct str *out) {
    for (size_t i = 0; i < VARIANCE_SOURCES + variance_group_count(variance); i++) {
        const struct share_range of = variance_source_share(variance, column, policy, i),
                                 *range = &of;
        TABLE_ROW(BUDGET_COLUMNS);
    }
}

static void difference_row(const struct variance_table *variance, unsigned column, size_t policy,
                           struct str *out) {
    const struct variance_shares *b = variance_table_at(variance, column, policy);
    TABLE_ROW(DIFFERENCES_COLUMNS);
}

/* One call for each metric and each policy that has something to differ from. */
static void each_difference(const struct variance_table *variance,
                            void (*add_rows)(const struct variance_table *, unsigned, size_t,
                                             struct str *),
                            struct str *out) {
    for (unsigned column = 0; column < SUMMARY_COUNT; column++)
        for (size_t p = 0; p < variance->results->policies; p++)
            if (p != variance->results->baseline)
                add_rows(variance, column, p, out);
}

void variance_tables_shares(const struct variance_table *variance, struct str *out) {
    str_add(out, TABLE_HEADER(BUDGET_COLUMNS));
    each_difference(variance, share_rows, out);
}

void variance_tables_differences(const struct variance_table *variance, struct str *out) {
    str_add(out, TABLE_HEADER(DIFFERENCES_COLUMNS));
    each_difference(variance, difference_row, out);
}

static void json_add_range(cJSON *object, const char *name, const struct share_range *range) {
    object = cJSON_AddObjectToObject(object, name);
    BUDGET_RANGE(COLUMN_MEMBER)
}

static void add_difference_object(cJSON *policies, const struct variance_table *variance,
                                  unsigned column, size_t policy) {
    const struct variance_shares *b = variance_table_at(variance, column, policy);
    cJSON *object = cJSON_AddObjectToObject(policies, variance->results->policy_names[policy]);
    DIFFERENCES_COLUMNS(COLUMN_MEMBER)
    cJSON *sources = cJSON_AddObjectToObject(object, "budget");
    for (size_t i = 0; i < VARIANCE_SOURCES + variance_group_count(variance); i++) {
        struct share_range range = variance_source_share(variance, column, policy, i);
        json_add_range(sources, variance_source_name(variance, i), &range);
    }
}

void variance_json(cJSON *root, const struct variance_table *variance) {
    cJSON *metrics = cJSON_AddObjectToObject(root, "worlds");
    for (unsigned column = 0; column < SUMMARY_COUNT; column++) {
        cJSON *policies = cJSON_AddObjectToObject(metrics, summary_names[column]);
        for (size_t p = 0; p < variance->results->policies; p++)
            if (p != variance->results->baseline)
                add_difference_object(policies, variance, column, p);
    }
}

/* --- compare_json --- */
/* The figures of the CSV files, by name. */

static void add_policy_object(cJSON *policies, const struct comparison *c, size_t s,
                              const struct compare_cell *cell) {
    cJSON *object = cJSON_AddObjectToObject(policies, c->series[s].policy);
    const struct paired *p = &cell->paired;
    COMPARE_COLUMNS(COLUMN_MEMBER)
    if (c->bootstrap) {
        COMPARE_COLUMNS_BOUNDS(COLUMN_MEMBER)
    }
}

void compare_json_metrics(cJSON *root, const struct comparison *comparison,
                          const struct metric_set *metrics) {
    struct compare_cell *cells = mem_zalloc(comparison->count, sizeof *cells);
    cJSON *object = cJSON_AddObjectToObject(root, "metrics");
    for (size_t i = 0; i < metrics->count; i++) {
        const char *name = metric_set_name(metrics, metrics->columns[i]);
        cJSON *policies = cJSON_AddObjectToObject(object, name);
        compare_metric(comparison, metrics->columns[i], cells);
        for (size_t s = 0; s < comparison->count; s++)
            add_policy_object(policies, comparison, s, &cells[s]);
    }
    free(cells);
}

static void add_pareto(cJSON *root, const struct compare_output *output) {
    const struct comparison *c = &output->comparison;
    struct compare_place *places = mem_zalloc(c->count, sizeof *places);
    cJSON *object = cJSON_AddObjectToObject(root, "pareto");
    cJSON *metrics = cJSON_AddArrayToObject(object, "metrics");
    for (unsigned d = 0; d < output->pareto_count; d++)
        cJSON_AddItemToArray(metrics, cJSON_CreateString(summary_names[output->pareto[d]]));
    cJSON *policies = cJSON_AddObjectToObject(object, "policies");
    compare_pareto(c, output->pareto, output->pareto_count, places);
    for (size_t s = 0; s < c->count; s++) {
        object = cJSON_AddObjectToObject(policies, c->series[s].policy);
        PARETO_COLUMNS(COLUMN_MEMBER)
    }
    free(places);
}

static void add_stationarity_object(cJSON *root, const struct comparison *comparison) {
    cJSON *policies = cJSON_AddObjectToObject(root, "stationarity");
    for (size_t s = 0; s < comparison->count; s++) {
        struct compare_trend t = compare_trend(comparison, s);
        cJSON *object = cJSON_AddObjectToObject(policies, comparison->series[s].policy);
        STATIONARITY_COLUMNS(COLUMN_MEMBER)
    }
}

static void add_perturbed_object(cJSON *root, const struct compare_perturbed *perturbed,
                                 const struct metric_set *metrics) {
    cJSON *object = cJSON_AddObjectToObject(root, perturbed->name);
    json_add_real(object, "amount", perturbed->amount);
    cJSON *all = cJSON_AddObjectToObject(object, "metrics");
    for (size_t i = 0; i < metrics->count; i++) {
        const unsigned column = metrics->columns[i];
        cJSON *policies = cJSON_AddObjectToObject(all, metric_set_name(metrics, column));
        for (size_t s = 0; s < perturbed->clean.count; s++) {
            struct ratio r = compare_ratio(&perturbed->perturbed, &perturbed->clean, s, column);
            object = cJSON_AddObjectToObject(policies, perturbed->clean.series[s].policy);
            PERTURB_COLUMNS(COLUMN_MEMBER)
        }
    }
}

void compare_json(const struct compare_output *output, struct str *out) {
    const struct comparison *c = &output->comparison;
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "name", output->study->scenario.name);
    json_add_int(root, "seed", output->study->scenario.seed);
    json_add_int(root, "replications", c->replications);
    json_add_text(root, "baseline", compare_baseline(c));
    compare_json_metrics(root, c, &output->study->metrics);
    add_pareto(root, output);
    add_stationarity_object(root, c);
    cJSON *perturbed =
        output->perturbed_count > 0 ? cJSON_AddObjectToObject(root, "perturbed") : NULL;
    for (size_t i = 0; i < output->perturbed_count; i++)
        add_perturbed_object(perturbed, &output->perturbed[i], &output->study->metrics);
    if (output->variance)
        variance_json(root, output->variance);
    if (output->bounds)
        bound_tables_add_json(output->bounds, root);
    json_print(root, out);
}

/* --- worlds_csv --- */

/* Then what was drawn, and the metrics. */
/* clang-format off */
#define WORLDS_COLUMNS(X) \
    X(set, int, "", NEITHER, (int64_t)run.set) \
    X(group, text, "", NEITHER, run.set > 0 ? results->groups[run.set - 1] : NULL) \
    X(world, int, "", NEITHER, run.world + 1) \
    X(policy, text, "", NEITHER, results->policy_names[run.policy]) \
    X(replication, int, "", NEITHER, run.replication + 1)
/* clang-format on */

static void add_header(const struct worlds *worlds, struct str *out) {
    struct arena arena = {0};
    str_add(out, &WORLDS_COLUMNS(COLUMN_NAME)[1]);
    for (size_t c = 0; c < worlds->columns; c++)
        csv_comma_text(out, worlds_column_name(worlds, c, &arena));
    for (unsigned c = 0; c < SUMMARY_COUNT; c++)
        csv_comma_text(out, summary_names[c]);
    str_add_char(out, '\n');
    arena_finish(&arena);
}

/* The draws that all runs of a world share. */
static void list_draws(const struct worlds *worlds, size_t set, uint32_t world, struct str *out) {
    struct str value = {0};
    out->length = 0;
    for (size_t c = 0; c < worlds->columns; c++) {
        value.length = 0;
        worlds_value_text(worlds, set, world, c, &value);
        csv_comma_text(out, value.text);
    }
    str_finish(&value);
}

static void add_run_row(const struct world_results *results, struct world_run run,
                        const struct str *draws, struct str *out) {
    size_t begin = out->length;
    WORLDS_COLUMNS(COLUMN_CELL)
    str_add_bytes(out, draws->text, draws->length);
    for (unsigned c = 0; c < SUMMARY_COUNT; c++)
        csv_comma_metric(out, c, world_results_value(results, run, c));
    columns_end_row(out, begin);
}

void worlds_csv(const struct worlds *worlds, const struct world_results *results, struct str *out) {
    struct str draws = {0};
    struct world_run run;
    add_header(worlds, out);
    for (run.set = 0; run.set < results->sets; run.set++)
        for (run.world = 0; run.world < results->worlds; run.world++) {
            list_draws(worlds, run.set, run.world, &draws);
            for (run.policy = 0; run.policy < results->policies; run.policy++)
                for (run.replication = 0; run.replication < results->replications;
                     run.replication++)
                    if (world_results_has(results, run))
                        add_run_row(results, run, &draws, out);
        }
    str_finish(&draws);
}

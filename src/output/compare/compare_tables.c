/* compare.csv, pareto.csv, stationarity.csv, perturb.csv. */
#include "output/compare/compare_tables.h"

#include "base/mem.h"
#include "io/csv.h"

#include <stdlib.h>

static void comma_reals(struct str *out, const double *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        csv_comma_real(out, values[i]);
}

static void metric_row(const struct comparison *comparison, size_t series, unsigned column,
                       const struct compare_cell *cell, struct str *out) {
    const struct paired *p = &cell->paired;
    const double values[] = {cell->estimate.mean, cell->estimate.ci95, p->diff.mean, p->diff.ci95,
                             cell->relative,      p->p_value,          cell->p_holm};
    const double ratios[] = {p->ratio, p->ratio_low, p->ratio_high};
    csv_add_text(out, summary_names[column]);
    csv_comma_text(out, comparison->series[series].policy);
    csv_comma_text(out, compare_baseline(comparison));
    csv_comma_int(out, (int64_t)cell->estimate.n);
    comma_reals(out, values, sizeof values / sizeof *values);
    if (series == comparison->baseline || comparison->baseline == COMPARE_NOBODY)
        str_add_char(out, ',');
    else
        csv_comma_int(out, (int64_t)p->diff.n);
    comma_reals(out, ratios, sizeof ratios / sizeof *ratios);
    csv_comma_real(out, p->base_mean);
    str_add_char(out, '\n');
}

void compare_tables_metrics(const struct compare_output *output, struct str *out) {
    const struct comparison *c = &output->comparison;
    struct compare_cell *cells = mem_zalloc(c->count, sizeof *cells);
    str_add(
        out,
        "metric,policy,baseline,n,mean,ci95,diff_mean,diff_ci95,diff_rel,p_value,p_holm,pairs,ratio_geo,ratio_geo_low,ratio_geo_high,base_mean\n");
    for (unsigned column = 0; column < SUMMARY_ALL; column++) {
        if (!summary_shows(study_metric_groups(output->study), column))
            continue;
        compare_metric(c, column, cells);
        for (size_t s = 0; s < c->count; s++)
            metric_row(c, s, column, &cells[s], out);
    }
    free(cells);
}

void compare_tables_pareto(const struct compare_output *output, struct str *out) {
    const struct comparison *c = &output->comparison;
    struct compare_place *places = mem_zalloc(c->count, sizeof *places);
    struct compare_cell *cells = mem_zalloc(c->count * output->pareto_count, sizeof *cells);
    str_add(out, "policy,front,dominated_by,front_share");
    for (unsigned d = 0; d < output->pareto_count; d++) {
        str_addf(out, ",%s,%s_ci95", summary_names[output->pareto[d]],
                 summary_names[output->pareto[d]]);
        compare_metric(c, output->pareto[d], cells + d * c->count);
    }
    str_add_char(out, '\n');
    compare_pareto(c, output->pareto, output->pareto_count, places);
    for (size_t s = 0; s < c->count; s++) {
        csv_add_text(out, c->series[s].policy);
        csv_comma_int(out, places[s].dominator == PARETO_NOBODY);
        csv_comma_text(out, compare_dominator(c, &places[s], s));
        csv_comma_real(out, places[s].share);
        for (unsigned d = 0; d < output->pareto_count; d++) {
            csv_comma_real(out, cells[d * c->count + s].estimate.mean);
            csv_comma_real(out, cells[d * c->count + s].estimate.ci95);
        }
        str_add_char(out, '\n');
    }
    free(places);
    free(cells);
}

void compare_tables_trends(const struct compare_output *output, struct str *out) {
    str_add(
        out,
        "policy,n,queue_slope_per_h,queue_slope_ci95,work_unfinished_share,work_unfinished_ci95,jobs_unfinished_share,jobs_unfinished_ci95\n");
    for (size_t s = 0; s < output->comparison.count; s++) {
        struct compare_trend t = compare_trend(&output->comparison, s);
        const double values[] = {t.queue_per_h.mean,     t.queue_per_h.ci95,
                                 t.work_unfinished.mean, t.work_unfinished.ci95,
                                 t.jobs_unfinished.mean, t.jobs_unfinished.ci95};
        csv_add_text(out, output->comparison.series[s].policy);
        csv_comma_int(out, (int64_t)output->comparison.replications);
        comma_reals(out, values, sizeof values / sizeof *values);
        str_add_char(out, '\n');
    }
}

static void perturbed_rows(const struct compare_perturbed *perturbed, unsigned column,
                           struct str *out) {
    for (size_t s = 0; s < perturbed->clean.count; s++) {
        struct ratio r = compare_ratio(&perturbed->perturbed, &perturbed->clean, s, column);
        const double values[] = {r.base_mean, r.mean, r.ratio, r.ci95};
        csv_add_text(out, perturbed->name);
        csv_comma_real(out, perturbed->amount);
        csv_comma_text(out, summary_names[column]);
        csv_comma_text(out, perturbed->clean.series[s].policy);
        csv_comma_int(out, (int64_t)r.n);
        comma_reals(out, values, sizeof values / sizeof *values);
        str_add_char(out, '\n');
    }
}

void compare_tables_perturbed(const struct compare_output *output, struct str *out) {
    str_add(out,
            "perturbation,amount,metric,policy,n,clean_mean,perturbed_mean,ratio,ratio_ci95\n");
    for (size_t i = 0; i < output->perturbed_count; i++)
        for (unsigned column = 0; column < SUMMARY_ALL; column++)
            if (summary_shows(study_metric_groups(output->study), column))
                perturbed_rows(&output->perturbed[i], column, out);
}

/* Rank table, Pareto front, stationarity and robustness as text. */
#include "output/compare/compare_tables.h"

#include "base/mem.h"
#include "metrics/summary.h"
#include "output/run/run_report.h"

#include <math.h>
#include <stdlib.h>

/* A blank line and "energy (kWh), less is better". */
static void add_title(const struct report_line *line, struct str *out) {
    static const char *const directions[] = {"", ", less is better", ", more is better"};
    str_add_char(out, '\n');
    run_report_add_label(out, line);
    str_addf(out, "%s\n", directions[metric_of(line->column)->better]);
}

/* --- variance report --- */
/* Results of many worlds, below the table of a comparison. */

/* "62 % (50 .. 73)" */
static void add_percent_range(struct str *out, const struct share_range *range) {
    str_addf(out, "%.0f %%", 100 * range->share);
    if (isnan(range->low) && isnan(range->high))
        return;
    str_add(out, " (");
    if (!isnan(range->low))
        str_addf(out, "%.0f", 100 * range->low);
    str_add(out, " .. ");
    if (!isnan(range->high))
        str_addf(out, "%.0f", 100 * range->high);
    str_add(out, ")");
}

static void add_better(const struct better *better, struct str *out) {
    bool tested = !isnan(better->clearly.share);
    if (isnan(better->sign.share))
        return;
    str_add(out, "better in ");
    add_percent_range(out, tested ? &better->clearly : &better->sign);
    str_add(out, " of the worlds");
    if (tested)
        str_addf(out, ", worse in %.0f %%; by the sign alone better in %.0f %%",
                 100 * better->worse.share, 100 * better->sign.share);
    else
        str_add(out, " by the sign alone");
}

/* A cell of those sources of which a share is known. */
static void add_sources(const struct variance_table *variance, unsigned column, size_t policy,
                        bool groups, struct str *out) {
    size_t first = groups ? VARIANCE_SOURCES : 0,
           end = groups ? VARIANCE_SOURCES + variance_group_count(variance) : VARIANCE_SOURCES;
    const char *before = "";
    for (size_t i = first; i < end; i++) {
        struct share_range range = variance_source_share(variance, column, policy, i);
        if (isnan(range.share))
            continue;
        str_add(out, before);
        str_add_visible(out, variance_source_name(variance, i));
        str_add_char(out, ' ');
        add_percent_range(out, &range);
        before = ", ";
    }
}

static void add_difference(const struct variance_table *variance, const struct report_line *line,
                           size_t policy, struct report *report) {
    const struct world_results *results = variance->results;
    const struct variance_shares *b = variance_table_at(variance, line->column, policy);
    const struct estimate e = {.n = b->worlds, .mean = b->mean, .ci95 = b->ci95};
    report_row_of(report, results->policy_names[policy]);
    if (b->worlds == 0) {
        report_cell_of(report, "no pair");
        return;
    }
    run_report_add_interval(report_cell(report), &e, line->scale);
    run_report_add_percent(report_cell(report), b->mean / fabs(b->base_mean), true);
    struct str *out = report_cell(report);
    add_better(&b->better, out);
    if (b->worlds < results->worlds || b->replications < results->replications)
        str_addf(out, "; %zu of %u worlds, %zu of %u workloads", b->worlds, results->worlds,
                 b->replications, results->replications);
    add_sources(variance, line->column, policy, false, report_cell(report));
    if (variance_group_count(variance) > 0)
        add_sources(variance, line->column, policy, true, report_cell(report));
}

static double largest_difference(const struct variance_table *variance, unsigned column) {
    double largest = 0;
    for (size_t p = 0; p < variance->results->policies; p++)
        if (p != variance->results->baseline)
            largest = fmax(largest, fabs(variance_table_at(variance, column, p)->mean));
    return largest;
}

static void add_metric(const struct variance_table *variance, unsigned column,
                       struct report *report) {
    struct report_line line = run_report_find_line(column);
    run_report_scale_time(&line, largest_difference(variance, column));
    add_title(&line, report_lines(report));
    report_table(report, "policy|>difference|>in %|worlds|variance of the difference");
    if (variance_group_count(variance) > 0)
        str_add(report_column(report, false), "variance of physics");
    for (size_t p = 0; p < variance->results->policies; p++)
        if (p != variance->results->baseline)
            add_difference(variance, &line, p, report);
}

static bool is_known(const struct variance_table *variance, unsigned column) {
    for (size_t p = 0; p < variance->results->policies; p++)
        if (variance_table_at(variance, column, p)->worlds > 0)
            return true;
    return false;
}

/* The meaning of the lines below, and its limits. */
static void add_legend(const struct world_results *results, struct str *out) {
    const char *baseline = results->policy_names[results->baseline];
    if (results->replications > 1)
        str_addf(
            out,
            "\n"
            "worlds: difference from %s over %u worlds x %u workloads, +- half of the 95 %% interval;\n"
            "better in a world: p < 0.05 over the workloads; shares of the variance of a difference; of\n"
            "physics: total effects, more than 100 %% together where groups act jointly; in brackets 95 %%\n",
            baseline, results->worlds, results->replications);
    else
        str_addf(
            out,
            "\n"
            "worlds: difference from %s over %u worlds, all with one workload; in brackets 95 %%;\n"
            "without replications there is no interval, no test in a world, no share of the variance%s\n",
            baseline, results->worlds,
            results->sets > 1 ? ";\nuncertainty.shares: of no effect here" : "");
}

void variance_report(const struct variance_table *variance, const unsigned *columns, size_t count,
                     struct report *report) {
    const struct world_results *results = variance->results;
    struct str *out = report_lines(report);
    if (results->baseline == WORLD_NOBODY) {
        str_add(out, "\nworlds: the baseline has no results: no differences\n");
        return;
    }
    add_legend(results, out);
    for (size_t i = 0; i < count; i++)
        if (is_known(variance, columns[i]))
            add_metric(variance, columns[i], report);
}

/* --- compare_report --- */

static bool ranks_before(const struct compare_cell *left, const struct compare_cell *right,
                         unsigned column) {
    if (isnan(left->estimate.mean) || isnan(right->estimate.mean))
        return !isnan(left->estimate.mean);
    return metric_of(column)->better == METRIC_MORE ? left->estimate.mean > right->estimate.mean
                                                    : left->estimate.mean < right->estimate.mean;
}

/* By rank; equal ones as listed. */
static void sort_by_rank(const struct compare_cell *cells, size_t count, unsigned column,
                         size_t *order) {
    for (size_t i = 0; i < count; i++) {
        size_t at = i;
        for (; at > 0 && ranks_before(&cells[i], &cells[order[at - 1]], column); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

static void add_p_value(double p, struct str *out) {
    if (isnan(p))
        str_add_char(out, '-');
    else
        str_addf(out, "%s%.4f%s", p < 0.0001 ? "<" : "", fmax(p, 0.0001), p < 0.05 ? " *" : "");
}

bool compare_report_tells_ratios(const struct comparison *c, const struct compare_cell *cells,
                                 unsigned column) {
    for (size_t s = 0; s < c->count; s++)
        if (cells[s].paired.diff.n > 0 && isnan(cells[s].paired.ratio))
            return false;
    return metric_of(column)->tail == METRIC_HEAVY;
}

static void add_ratio(const struct compare_cell *cell, struct report *report) {
    const struct paired *p = &cell->paired;
    const double change[] = {100 * (p->ratio - 1), 100 * (p->ratio_low - 1),
                             100 * (p->ratio_high - 1)};
    run_report_add_range(report_cell(report), change, "+");
}

/* A difference that rounding alone has made is none. */
static void add_mean_difference(const struct compare_cell *cell, double scale,
                                struct report *report) {
    struct estimate diff = cell->paired.diff;
    bool none = fabs(diff.mean) <= 1e-14 * fabs(cell->paired.base_mean);
    diff.mean = none ? 0 : diff.mean;
    diff.ci95 = none && diff.ci95 <= 1e-14 * fabs(cell->paired.base_mean) ? 0 : diff.ci95;
    run_report_add_interval(report_cell(report), &diff, scale);
    run_report_add_percent(report_cell(report), none ? 0 : cell->relative, true);
}

void compare_report_change(const struct compare_cell *cell, bool ratio, double scale,
                           struct report *report) {
    const struct paired *p = &cell->paired;
    if (p->diff.n == 0) {
        report_cell_of(report, "no pair");
        for (int i = 0; i < (ratio ? 1 : 2); i++)
            report_cell(report);
        return;
    }
    if (ratio)
        add_ratio(cell, report);
    else
        add_mean_difference(cell, scale, report);
    if (p->diff.n > 1)
        add_p_value(ratio ? cell->ratio_p_holm : cell->p_holm, report_cell(report));
    else
        report_cell(report);
}

/* Exceptions of a cell: missing replications or pairs, or no test. */
static void add_remarks(const struct comparison *c, const struct compare_cell *cell, bool ratio,
                        bool is_baseline, struct str *out) {
    size_t n = cell->estimate.n, pairs = cell->paired.diff.n, begin = out->length;
    if (is_baseline)
        str_add(out, "baseline");
    if (pairs > 1 && isnan(ratio ? cell->ratio_p_holm : cell->p_holm))
        str_add(out, "no test: all pairs differ alike");
    if (n < c->replications)
        str_addf(out, "%sin %zu of %u", out->length > begin ? ", " : "", n, c->replications);
    if (pairs > 0 && pairs < n)
        str_addf(out, "%s%zu pairs", out->length > begin ? ", " : "", pairs);
}

static void add_policy_row(const struct comparison *c, size_t series,
                           const struct compare_cell *cell, const struct report_line *line,
                           bool ratio, struct report *report) {
    bool is_baseline = series == c->baseline;
    report_cell_of(report, c->series[series].policy);
    run_report_add_interval(report_cell(report), &cell->estimate, line->scale);
    if (c->baseline != COMPARE_NOBODY && !is_baseline)
        compare_report_change(cell, ratio, line->scale, report);
    for (int i = 0; is_baseline && i < (ratio ? 2 : 3); i++)
        report_cell(report);
    add_remarks(c, cell, ratio, is_baseline, report_cell(report));
}

static double largest_mean(const struct comparison *c, const struct compare_cell *cells) {
    double largest = 0;
    for (size_t s = 0; s < c->count; s++)
        largest = fmax(largest, fabs(cells[s].estimate.mean));
    return largest;
}

static void add_ranked_rows(const struct comparison *c, const struct compare_cell *cells,
                            const size_t *order, const struct report_line *line,
                            struct report *report) {
    size_t place = 0;
    bool ratio = compare_report_tells_ratios(c, cells, line->column);
    report_table(report, c->baseline == COMPARE_NOBODY ? ">|policy|>mean|"
                         : ratio ? ">|policy|>mean|>geometric mean, change in %|>p|"
                                 : ">|policy|>mean|>difference|>in %|>p|");
    for (size_t i = 0; i < c->count; i++) {
        if (i == 0 || cells[order[i]].estimate.mean != cells[order[i - 1]].estimate.mean)
            place = i + 1;
        if (cells[order[i]].estimate.n > 0 && metric_of(line->column)->better != METRIC_NEITHER)
            str_addf(report_row(report), "%zu", place);
        else
            report_row_of(report, "-");
        add_policy_row(c, order[i], &cells[order[i]], line, ratio, report);
    }
}

/* Equal means share a place; there is none where neither less nor more is better. */
static void add_metric_ranking(const struct compare_output *output, unsigned column,
                               struct report *report) {
    const struct comparison *c = &output->comparison;
    struct compare_cell *cells = mem_zalloc(c->count, sizeof *cells);
    size_t *order = mem_zalloc(c->count, sizeof *order);
    struct report_line line = run_report_find_line(column);
    compare_metric(c, column, cells);
    sort_by_rank(cells, c->count, column, order);
    run_report_scale_time(&line, largest_mean(c, cells));
    if (c->count > 0 && cells[order[0]].estimate.n > 0) {
        add_title(&line, report_lines(report));
        add_ranked_rows(c, cells, order, &line, report);
    }
    free(cells);
    free(order);
}

static bool is_shown(const struct compare_output *output, unsigned column) {
    for (size_t i = 0; i < output->shown_count; i++)
        if (output->shown[i] == column)
            return true;
    return false;
}

/* Figures of features other than jobs and GPUs; the comparison has further figures of them. */
static void add_further_rankings(const struct compare_output *output, struct report *report) {
    for (size_t i = 0; i < RUN_REPORT_FURTHER; i++)
        if (summary_shows(study_metric_groups(output->study), run_report_further[i]) &&
            !is_shown(output, run_report_further[i]))
            add_metric_ranking(output, run_report_further[i], report);
}

static void add_pareto_front(const struct compare_output *output, struct str *out) {
    const struct comparison *c = &output->comparison;
    struct compare_place *places = mem_zalloc(c->count, sizeof *places);
    const char *separator = ": ";
    compare_pareto(c, output->pareto, output->pareto_count, places);
    str_add(out, "\nPareto front of the means of ");
    for (unsigned d = 0; d < output->pareto_count; d++)
        str_addf(out, "%s%s", d ? " and " : "", summary_names[output->pareto[d]]);
    for (size_t s = 0; s < c->count; s++)
        if (places[s].dominator == PARETO_NOBODY) {
            str_addf(out, "%s%s", separator, c->series[s].policy);
            if (c->replications > 1)
                str_addf(out, " (on the front of %.0f %% of the replications)",
                         100 * places[s].share);
            separator = ", ";
        }
    str_add(out, separator[0] == ':' ? ": nobody\n" : "\n");
    free(places);
}

static const char *trend_verdict(const struct estimate *slope) {
    if (isnan(slope->ci95))
        return "";
    if (slope->mean - slope->ci95 > 0)
        return "not stationary: it grows";
    return slope->mean + slope->ci95 < 0 ? "not stationary: it shrinks" : "no trend is seen";
}

static void add_queue_trends(const struct compare_output *output, struct report *report) {
    str_add(report_lines(report), "\nqueue: slope of the number of waiting jobs (jobs/h); work and "
                                  "jobs that the end leaves unfinished (%)\n");
    report_table(report, "policy|>slope|>work|>jobs|");
    for (size_t s = 0; s < output->comparison.count; s++) {
        struct compare_trend t = compare_trend(&output->comparison, s);
        bool drained = t.queue_per_h.n == 0;
        report_row_of(report, output->comparison.series[s].policy);
        run_report_add_interval(report_cell(report), &t.queue_per_h, 1);
        run_report_add_percent(report_cell(report), t.work_unfinished.mean, false);
        run_report_add_percent(report_cell(report), t.jobs_unfinished.mean, false);
        report_cell_of(report, drained ? "until drained: it fills and empties"
                                       : trend_verdict(&t.queue_per_h));
    }
}

static void add_robustness(const struct compare_output *output,
                           const struct compare_perturbed *perturbed, struct report *report) {
    str_addf(report_lines(report), "\nrobustness: perturbed / clean, %s %+.4g\n", perturbed->name,
             perturbed->amount);
    report_table(report, "policy");
    for (unsigned d = 0; d < output->pareto_count; d++)
        str_add(report_column(report, true), summary_names[output->pareto[d]]);
    for (size_t s = 0; s < perturbed->clean.count; s++) {
        report_row_of(report, perturbed->clean.series[s].policy);
        for (unsigned d = 0; d < output->pareto_count; d++) {
            struct ratio r =
                compare_ratio(&perturbed->perturbed, &perturbed->clean, s, output->pareto[d]);
            const struct estimate e = {.n = r.n, .mean = r.ratio, .ci95 = r.ci95};
            run_report_add_interval(report_cell(report), &e, 1);
        }
    }
}

static bool all_equal(const struct comparison *comparison) {
    for (size_t s = 0; s < comparison->count; s++)
        if (!summary_all_equal(comparison->series[s].summaries, comparison->replications))
            return false;
    return comparison->replications > 1;
}

/* The heading of the tables below. */
static void add_heading(const struct compare_output *output, struct str *out) {
    const struct comparison *c = &output->comparison;
    bool has_baseline = c->baseline != COMPARE_NOBODY;
    str_addf(out, "%s: %zu polic%s, ", output->study->scenario.name, c->count,
             c->count == 1 ? "y" : "ies");
    run_report_protocol(output->study, c->replications, out);
    if (has_baseline)
        str_addf(out, ", baseline %s", c->series[c->baseline].policy);
    str_add_char(out, '\n');
    str_add(out, c->replications > 1 ? "mean +- half of the 95 % interval"
                                     : "one replication: no intervals, no tests");
    str_add(out, has_baseline ? "; change from the baseline on the same workloads\n"
                              : "; the baseline has no results: no differences\n");
    if (has_baseline && c->replications > 1)
        str_add(out, "p: paired t-test of this change (of logarithms for a geometric mean), Holm's "
                     "correction over the\npolicies of one metric, * below 0.05\n");
}

void compare_report(const struct compare_output *output, struct report *report) {
    add_heading(output, report_lines(report));
    str_add(report_lines(report), "\nshares of job time spent queued and of energy, means; longest "
                                  "queue of all replications\n");
    run_report_headlines(&output->comparison, report);
    for (size_t i = 0; i < output->shown_count; i++)
        add_metric_ranking(output, output->shown[i], report);
    add_further_rankings(output, report);
    add_pareto_front(output, report_lines(report));
    if (output->bounds)
        bound_tables_gaps(output->bounds, "", report_lines(report));
    add_queue_trends(output, report);
    for (size_t i = 0; i < output->perturbed_count; i++)
        add_robustness(output, &output->perturbed[i], report);
    if (output->variance)
        variance_report(output->variance, output->shown, output->shown_count, report);
    if (all_equal(&output->comparison))
        str_add(report_lines(report), "\nwarning: all replications are equal, nothing in the "
                                      "scenario is random: intervals and tests mean nothing\n");
}

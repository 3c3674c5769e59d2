/* Rank table, Pareto front, stationarity and robustness as text. */
#include "output/compare/compare_tables.h"

#include "base/mem.h"
#include "metrics/summary.h"
#include "output/run/run_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- variance report --- */
/* What many worlds say, below the table of a comparison. */

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
    str_add(out, "  better in ");
    add_percent_range(out, tested ? &better->clearly : &better->sign);
    str_add(out, " of the worlds");
    if (tested)
        str_addf(out, ", worse in %.0f %%; by the sign alone better in %.0f %%",
                 100 * better->worse.share, 100 * better->sign.share);
    else
        str_add(out, " by the sign alone");
}

/* A line of those sources of which a share is known. */
static void add_sources(const struct variance_table *variance, unsigned column, size_t policy,
                        bool groups, struct str *out) {
    size_t first = groups ? VARIANCE_SOURCES : 0,
           end = groups ? VARIANCE_SOURCES + variance_group_count(variance) : VARIANCE_SOURCES;
    const char *before = groups ? "of physics: " : "variance: ";
    for (size_t i = first; i < end; i++) {
        struct share_range range = variance_source_share(variance, column, policy, i);
        if (isnan(range.share))
            continue;
        str_addf(out, "%*s%s", before[0] == ',' ? 0 : 20, "", before);
        str_add_visible(out, variance_source_name(variance, i));
        str_add_char(out, ' ');
        add_percent_range(out, &range);
        before = ", ";
    }
    if (before[0] == ',')
        str_add_char(out, '\n');
}

static void add_difference(const struct variance_table *variance, const struct report_line *line,
                           size_t policy, struct str *out) {
    const struct world_results *results = variance->results;
    const struct variance_shares *b = variance_table_at(variance, line->column, policy);
    const struct estimate e = {.n = b->worlds, .mean = b->mean, .ci95 = b->ci95};
    str_addf(out, "     %-14s", results->policy_names[policy]);
    if (b->worlds == 0) {
        str_add(out, " no pair to compare\n");
        return;
    }
    run_report_add_interval(out, &e, line->scale, 11);
    if (b->base_mean != 0)
        str_addf(out, "%+9.1f %%", 100 * b->mean / fabs(b->base_mean));
    add_better(&b->better, out);
    if (b->worlds < results->worlds || b->replications < results->replications)
        str_addf(out, "; %zu of %u worlds, %zu of %u workloads", b->worlds, results->worlds,
                 b->replications, results->replications);
    str_add_char(out, '\n');
    add_sources(variance, line->column, policy, false, out);
    add_sources(variance, line->column, policy, true, out);
}

static void add_metric(const struct variance_table *variance, unsigned column, struct str *out) {
    const struct report_line line = run_report_find_line(column);
    static const char *const directions[] = {"", ", less is better", ", more is better"};
    str_add_char(out, '\n');
    run_report_add_label(out, &line);
    str_addf(out, "%s\n", directions[metric_table[column].better]);
    for (size_t p = 0; p < variance->results->policies; p++)
        if (p != variance->results->baseline)
            add_difference(variance, &line, p, out);
}

static bool is_known(const struct variance_table *variance, unsigned column) {
    for (size_t p = 0; p < variance->results->policies; p++)
        if (variance_table_at(variance, column, p)->worlds > 0)
            return true;
    return false;
}

/* What the lines below say, and cannot say. */
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
                     struct str *out) {
    const struct world_results *results = variance->results;
    if (results->baseline == WORLD_NOBODY) {
        str_add(out, "\nworlds: the baseline has no results: no differences\n");
        return;
    }
    add_legend(results, out);
    for (size_t i = 0; i < count; i++)
        if (is_known(variance, columns[i]))
            add_metric(variance, columns[i], out);
}

/* --- compare_report --- */

static const char *better_words(unsigned column) {
    static const char *const texts[] = {"", ", less is better", ", more is better"};
    return texts[metric_table[column].better];
}

static bool ranks_before(const struct compare_cell *left, const struct compare_cell *right,
                         unsigned column) {
    if (isnan(left->estimate.mean) || isnan(right->estimate.mean))
        return !isnan(left->estimate.mean);
    return metric_table[column].better == METRIC_MORE ? left->estimate.mean > right->estimate.mean
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

static void add_test_result(const struct compare_cell *cell, struct str *out) {
    if (!isnan(cell->p_holm))
        str_addf(out, "  p %c %.4f%s", cell->p_holm < 0.0001 ? '<' : '=',
                 fmax(cell->p_holm, 0.0001), cell->p_holm < 0.05 ? " *" : "");
    else if (cell->paired.diff.n > 1)
        str_add(out, "  no test: all pairs differ alike");
}

/* Difference from the baseline, its relative size, and what the test says of it. */
static void add_baseline_difference(const struct compare_cell *cell, unsigned column, double scale,
                                    struct str *out) {
    const struct paired *p = &cell->paired;
    if (p->diff.n == 0) {
        str_add(out, "   no pair to compare");
        return;
    }
    run_report_add_interval(out, &p->diff, scale, 13);
    bool geometric = metric_table[column].tail == METRIC_HEAVY && !isnan(p->ratio);
    double relative = geometric ? p->ratio - 1 : cell->relative;
    if (!isnan(relative))
        str_addf(out, "%+9.1f %%", 100 * relative);
    if (geometric)
        str_add(out, " g");
    else if (p->diff.n > 1)
        str_add(out, isnan(relative) ? "             " : "  ");
    add_test_result(cell, out);
}

/* Of the column of policies. */
static int policy_width(const struct comparison *comparison) {
    size_t width = 14;
    for (size_t s = 0; s < comparison->count; s++) {
        size_t length = strlen(comparison->series[s].policy);
        width = length > width ? length : width;
    }
    return (int)(width < 60 ? width : 60);
}

static void add_policy_row(const struct comparison *comparison, size_t series,
                           const struct compare_cell *cell, const struct report_line *line,
                           struct str *out) {
    size_t n = cell->estimate.n, pairs = cell->paired.diff.n;
    str_addf(out, "%-*s", policy_width(comparison), comparison->series[series].policy);
    run_report_add_interval(out, &cell->estimate, line->scale, 11);
    if (series == comparison->baseline)
        str_add(out, "     baseline");
    else if (comparison->baseline != COMPARE_NOBODY)
        add_baseline_difference(cell, line->column, line->scale, out);
    if (n < comparison->replications)
        str_addf(out, "  in %zu of %u", n, comparison->replications);
    if (pairs > 0 && pairs < n)
        str_addf(out, ", %zu pairs", pairs);
    str_add_char(out, '\n');
}

/* Equal means share a place; there is none where neither less nor more is better. */
static void add_metric_ranking(const struct compare_output *output, unsigned column,
                               struct str *out) {
    const struct comparison *c = &output->comparison;
    struct compare_cell *cells = mem_zalloc(c->count, sizeof *cells);
    size_t *order = mem_zalloc(c->count, sizeof *order), place = 0;
    const struct report_line line = run_report_find_line(column);
    compare_metric(c, column, cells);
    sort_by_rank(cells, c->count, column, order);
    for (size_t i = 0; i < c->count && cells[order[0]].estimate.n > 0; i++) {
        if (i == 0) {
            str_add_char(out, '\n');
            run_report_add_label(out, &line);
            str_addf(out, "%s\n", better_words(column));
        }
        if (i == 0 || cells[order[i]].estimate.mean != cells[order[i - 1]].estimate.mean)
            place = i + 1;
        if (cells[order[i]].estimate.n > 0 && metric_table[column].better != METRIC_NEITHER)
            str_addf(out, "  %2zu ", place);
        else
            str_add(out, "   - ");
        add_policy_row(c, order[i], &cells[order[i]], &line, out);
    }
    free(cells);
    free(order);
}

/* What a scenario has beside jobs and GPUs; the comparison has further figures of it. */
static void add_further_rankings(const struct compare_output *output, struct str *out) {
    static const unsigned columns[] = {
        SUMMARY_COLUMN(slo_share), SUMMARY_COLUMN(j_per_token), SUMMARY_COLUMN(energy_service_kwh),
        SUMMARY_COLUMN(energy_all_per_work_kwh), SUMMARY_COLUMN(energy_network_kwh)};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (summary_shows(study_metric_groups(output->study), columns[i]))
            add_metric_ranking(output, columns[i], out);
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
        return ", not stationary: it grows";
    return slope->mean + slope->ci95 < 0 ? ", not stationary: it shrinks" : ", no trend is seen";
}

static void add_queue_trends(const struct compare_output *output, struct str *out) {
    str_add(
        out,
        "\nqueue: slope of the number of waiting jobs (jobs/h); censored: what the end leaves unfinished\n");
    for (size_t s = 0; s < output->comparison.count; s++) {
        struct compare_trend t = compare_trend(&output->comparison, s);
        str_addf(out, "     %-*s", policy_width(&output->comparison),
                 output->comparison.series[s].policy);
        if (t.queue_per_h.n > 0) {
            run_report_add_interval(out, &t.queue_per_h, 1, 11);
            str_add(out, trend_verdict(&t.queue_per_h));
        } else {
            str_add(out, " until drained: it fills and empties");
        }
        if (t.work_unfinished.n > 0)
            str_addf(out, "; %.1f %% of the work", 100 * t.work_unfinished.mean);
        if (t.jobs_unfinished.n > 0)
            str_addf(out, ", %.1f %% of the jobs", 100 * t.jobs_unfinished.mean);
        str_add_char(out, '\n');
    }
}

static void add_robustness(const struct compare_output *output,
                           const struct compare_perturbed *perturbed, struct str *out) {
    str_addf(out, "\nrobustness: perturbed / clean, %s %+.4g\n", perturbed->name,
             perturbed->amount);
    for (size_t s = 0; s < perturbed->clean.count; s++) {
        str_addf(out, "     %-*s", policy_width(&perturbed->clean),
                 perturbed->clean.series[s].policy);
        for (unsigned d = 0; d < output->pareto_count; d++) {
            struct ratio r =
                compare_ratio(&perturbed->perturbed, &perturbed->clean, s, output->pareto[d]);
            const struct estimate e = {.n = r.n, .mean = r.ratio, .ci95 = r.ci95};
            if (isnan(r.ratio))
                continue;
            str_addf(out, "%s%s", d ? ";  " : " ", summary_names[output->pareto[d]]);
            run_report_add_interval(out, &e, 1, 8);
        }
        str_add_char(out, '\n');
    }
}

static bool all_equal(const struct comparison *comparison) {
    for (size_t s = 0; s < comparison->count; s++)
        if (!summary_all_equal(comparison->series[s].summaries, comparison->replications))
            return false;
    return comparison->replications > 1;
}

void compare_report(const struct compare_output *output, struct str *out) {
    const struct comparison *c = &output->comparison;
    bool has_baseline = c->baseline != COMPARE_NOBODY;
    str_addf(out, "%s: %zu polic%s, ", output->study->scenario.name, c->count,
             c->count == 1 ? "y" : "ies");
    run_report_protocol(output->study, c->replications, out);
    if (has_baseline)
        str_addf(out, ", baseline %s", c->series[c->baseline].policy);
    str_add_char(out, '\n');
    if (c->replications > 1)
        str_add(out, "mean +- half of the 95 % interval");
    else
        str_add(out, "one replication: no intervals, no tests");
    if (!has_baseline)
        str_add(out, "; the baseline has no results: no differences");
    else
        str_add(
            out,
            "; difference from the baseline on the same workloads; in %, g: of geometric means");
    if (has_baseline && c->replications > 1)
        str_add(
            out,
            ";\n"
            "p: paired t-test of the difference, Holm's correction over the policies of one metric, * below 0.05");
    str_add_char(out, '\n');
    for (size_t i = 0; i < output->shown_count; i++)
        add_metric_ranking(output, output->shown[i], out);
    add_further_rankings(output, out);
    add_pareto_front(output, out);
    if (output->bounds)
        bound_tables_gaps(output->bounds, "", out);
    add_queue_trends(output, out);
    for (size_t i = 0; i < output->perturbed_count; i++)
        add_robustness(output, &output->perturbed[i], out);
    if (output->variance)
        variance_report(output->variance, output->shown, output->shown_count, out);
    if (all_equal(c))
        str_add(
            out,
            "\n"
            "warning: all replications are equal, nothing in the scenario is random: intervals and tests mean nothing\n");
}

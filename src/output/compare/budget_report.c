/* What many worlds say, as text under the table of a comparison. */
#include "output/compare/budget_tables.h"

#include "output/run/run_report.h"

#include <math.h>

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
static void add_sources(const struct doubt *doubt, unsigned column, size_t policy, bool groups,
                        struct str *out) {
    size_t first = groups ? DOUBT_SOURCES : 0,
           end = groups ? DOUBT_SOURCES + doubt_group_count(doubt) : DOUBT_SOURCES;
    const char *before = groups ? "of physics: " : "variance: ";
    for (size_t i = first; i < end; i++) {
        struct share_range range = doubt_source_share(doubt, column, policy, i);
        if (isnan(range.share))
            continue;
        str_addf(out, "%*s%s", before[0] == ',' ? 0 : 20, "", before);
        str_add_visible(out, doubt_source_name(doubt, i));
        str_add_char(out, ' ');
        add_percent_range(out, &range);
        before = ", ";
    }
    if (before[0] == ',')
        str_add_char(out, '\n');
}

static void add_difference(const struct doubt *doubt, const struct report_line *line, size_t policy,
                           struct str *out) {
    const struct world_results *results = doubt->results;
    const struct budget *b = doubt_budget(doubt, line->column, policy);
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
    add_sources(doubt, line->column, policy, false, out);
    add_sources(doubt, line->column, policy, true, out);
}

static void add_metric(const struct doubt *doubt, unsigned column, struct str *out) {
    const struct report_line line = run_report_find_line(column);
    static const char *const directions[] = {"", ", less is better", ", more is better"};
    str_add_char(out, '\n');
    run_report_add_label(out, &line);
    str_addf(out, "%s\n", directions[metric_table[column].better]);
    for (size_t p = 0; p < doubt->results->policies; p++)
        if (p != doubt->results->baseline)
            add_difference(doubt, &line, p, out);
}

static bool is_known(const struct doubt *doubt, unsigned column) {
    for (size_t p = 0; p < doubt->results->policies; p++)
        if (doubt_budget(doubt, column, p)->worlds > 0)
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

void budget_report(const struct doubt *doubt, const unsigned *columns, size_t count,
                   struct str *out) {
    const struct world_results *results = doubt->results;
    if (results->baseline == WORLD_NOBODY) {
        str_add(out, "\nworlds: the baseline has no results: no differences\n");
        return;
    }
    add_legend(results, out);
    for (size_t i = 0; i < count; i++)
        if (is_known(doubt, columns[i]))
            add_metric(doubt, columns[i], out);
}

/* Recorded outages become laws: see calibrate_parts.h. */
#include "cli/calibrate_parts.h"

#include "base/units.h"
#include "calibrate/time_fit.h"
#include "cli/calibrate_words.h"
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>

/* ---- Printing ---- */

static void print_interval(double value, double low, double high) {
    cli_show("  %10.4g", value);
    if (isnan(low))
        cli_show("  %-21s", isnan(value) ? "" : "not told");
    else
        cli_show("  %9.4g to %-8.4g", low, high);
}

static void print_fit(const struct time_fit *fit, bool best) {
    cli_show("  %-11s", time_law_names[fit->law.kind]);
    print_interval(fit->law.mean_s / S_PER_H, fit->mean_low_s / S_PER_H,
                   fit->mean_high_s / S_PER_H);
    if (isnan(fit->law.shape))
        cli_show("  %10s  %-21s", "", "");
    else
        print_interval(fit->law.shape, fit->shape_low, fit->shape_high);
    cli_show("  %9.4g  %9.4g  %11.2f%s\n", fit->median_s / S_PER_H, fit->high_s / S_PER_H, fit->aic,
             best ? "  best" : "");
    if (!isnan(fit->law.shape) &&
        (fit->law.shape < TIME_LAW_MIN_SHAPE || fit->law.shape > TIME_LAW_MAX_SHAPE))
        cli_show("  warning: a scenario takes shapes from %g to %g only\n", TIME_LAW_MIN_SHAPE,
                 TIME_LAW_MAX_SHAPE);
}

ORDER_BY(compare_times, struct seen_time, ASC(time_s))

/* Of the times that ended, the least one that a share of them does not exceed. */
static double seen_quantile_h(const struct seen_times *times, double share) {
    size_t rank = (size_t)ceil(share * (double)times->ended), ended = 0, i = 0;
    while ((ended += times->at.at[i].ended) < rank)
        i++;
    return times->at.at[i].time_s / S_PER_H;
}

static double seen_mean_h(const struct seen_times *times) {
    double sum_s = 0;
    for (size_t i = 0; i < times->at.count; i++)
        sum_s += times->at.at[i].ended ? times->at.at[i].time_s : 0;
    return sum_s / (double)times->ended / S_PER_H;
}

/* The keys of cluster.nodes. */
static void print_keys(const char *key, const struct time_law *law) {
    cli_show("  %s: %.6gh", key, law->mean_s / S_PER_H);
    if (law->kind != TIME_LAW_EXPONENTIAL)
        cli_show(", %s_law: %s, %s_shape: %.6g", key, time_law_names[law->kind], key, law->shape);
    cli_show("\n");
}

/* title: what the times are; key: of their mean. */
static void fit_times(const char *title, const char *key, struct seen_times *times) {
    struct time_fit fits[TIME_LAW_COUNT];
    int best = 0;
    cli_show("%s: %zu times, %zu of them not ended\n", title, times->at.count,
             times->at.count - times->ended);
    if (times->ended < TIME_FIT_LEAST) {
        cli_show("  not fitted: expected at least %d that ended\n", TIME_FIT_LEAST);
        return;
    }
    sort_array(times->at.at, times->at.count, compare_times);
    cli_show("  %-11s  %10s  %-21s  %10s  %-21s  %9s  %9s  %11s\n", "law", "mean (h)", "95 %",
             "shape", "95 %", "median", "90 %", "AIC");
    for (int kind = 0; kind < TIME_LAW_COUNT; kind++) {
        fits[kind] = time_fit_law((enum time_law_kind)kind, times);
        if (fits[kind].ok && fits[kind].aic < fits[best].aic)
            best = kind;
    }
    for (int kind = 0; kind < TIME_LAW_COUNT; kind++) {
        if (fits[kind].ok)
            print_fit(&fits[kind], kind == best);
        else
            cli_show("  %-11s  no fit: the search does not end\n", time_law_names[kind]);
    }
    cli_show("  %-11s  %10.4g  %-21s  %10s  %-21s  %9.4g  %9.4g\n", "ended times",
             seen_mean_h(times), "", "", "", seen_quantile_h(times, 0.5),
             seen_quantile_h(times, 0.9));
    print_keys(key, &fits[best].law);
}

static void print_left_out(uint64_t count, const char *why) {
    if (count > 0)
        cli_show("  %llu outage%s %s\n", (unsigned long long)count, count == 1 ? "" : "s", why);
}

static void print_record(const struct outages *o, const struct outage_times *times,
                         const struct options *options) {
    cli_show("%s: %llu rows, outages of %u of %u nodes in %.6g h\n", o->file,
             (unsigned long long)o->rows, times->failed_nodes, times->nodes,
             times->until_s / S_PER_H);
    if (options->node_counts.count == 0)
        cli_show("  only nodes that failed are known: --node-count tells how many there were\n");
    if (o->merged.count > 0)
        cli_show("  %llu rows joined with an earlier outage of their node (first: line %u)\n",
                 (unsigned long long)o->merged.count, o->merged.first_line);
    print_left_out(times->running, "running at time 0, not taken as times to repair");
    print_left_out(times->outside, "outside of the record left out");
    print_left_out(times->at_once, "repaired at once, not taken as times to repair");
}

/* ---- Fitting ---- */

static int fit_record(const struct options *options, const struct outages *outages,
                      uint32_t nodes) {
    struct outage_times times;
    outage_times_find(&times, outages, nodes, options->record_s > 0 ? options->record_s : NAN);
    bool some = times.up.ended >= TIME_FIT_LEAST || times.repair.ended >= TIME_FIT_LEAST;
    if (some) {
        print_record(outages, &times, options);
        fit_times("time to repair", "mttr", &times.repair);
        fit_times("time to failure", "mtbf", &times.up);
    } else
        cli_say(
            "%s: expected at least %d times to failure or of repair that ended, got %zu and %zu\n",
            outages->file, TIME_FIT_LEAST, times.up.ended, times.repair.ended);
    outage_times_finish(&times);
    return some ? EXIT_DONE : EXIT_RUN_FAILED;
}

/* All nodes, 0: not given. Negative after saying that outages know no types. */
static int64_t node_count(const struct options *options) {
    int64_t count = 0;
    for (size_t i = 0; i < options->node_counts.count && count >= 0; i++) {
        const struct type_value *value = &options->node_counts.at[i];
        if (value->type)
            cli_say("%s: --node-count: expected N, for outages are of no GPU type, got %s=\n",
                    options->who, value->type);
        count = value->type ? -1 : (int64_t)value->value;
    }
    return count;
}

int calibrate_failures(const struct options *options) {
    struct arena arena = {0};
    struct problems problems = CLI_PROBLEMS;
    const struct binding binding = {.arena = &arena, .problems = &problems};
    struct outages outages = {.file = options->operands[1]};
    int64_t nodes = node_count(options);
    int r;
    if (calibrate_refuse(options, CALIBRATE_FAILURES) < 0 || nodes < 0)
        return EXIT_BAD_INPUT;
    if (outages_load(&outages, &binding) == 0 && outages.count == 0)
        problems_add(&problems, (struct location){.file = outages.file}, NULL,
                     "expected at least one outage, got no row");
    uint32_t last = outages.count > 0 ? outages.at[outages.count - 1].node : 0;
    if (nodes > 0 && outages.count > 0 && last >= nodes)
        problems_add(&problems, (struct location){.file = outages.file}, NULL,
                     "expected nodes below %u (--node-count), got node %u", (uint32_t)nodes, last);
    r = problems.count > 0 ? cli_report_problems(&problems)
                           : fit_record(options, &outages, (uint32_t)nodes);
    problems_finish(&problems);
    arena_finish(&arena);
    return r;
}

/* Bounds as tables: see bound.h. */
#include "output/bound.h"

#include "output/columns.h"
#include "output/notes.h"
#include "output/run/run_report.h"

#include <math.h>
#include <stdlib.h>

static unsigned column_of(const struct bound_output *output, enum bound_metric metric) {
    return (unsigned)summary_find(bound_metric_name(metric, &output->study->scenario));
}

/* The bound for every schedule; under a horizon energy is bounded for the work of one policy. */
static struct bound bound_of(const struct bound_output *output, const struct compare_series *policy,
                             enum bound_metric metric, uint32_t replication) {
    return metric == BOUND_ENERGY && policy && policy->bounds
               ? policy->bounds[replication]
               : output->bounds[replication].of[metric];
}

/* Why a replication of a policy has no gap; NULL: it has one. A job that was rejected, or not done
   when the run ended by itself, was not part of the schedule that is bounded. */
static const char *refuse_gap(const struct bound_output *output,
                              const struct compare_series *policy, enum bound_metric metric,
                              uint32_t replication) {
    const struct bound bound = bound_of(output, policy, metric, replication);
    if (bound.reason || (metric == BOUND_ENERGY && policy->bounds))
        return bound.reason;
    const struct summary *summary = &policy->summaries[replication];
    if (summary->jobs_rejected > (double)output->bounds[replication].impossible)
        return "the policy rejected jobs";
    if (output->study->scenario.horizon_ns == TIME_NONE_NS && summary->jobs_unfinished > 0)
        return "jobs were never finished";
    return NULL;
}

/* policy: NULL, of any schedule. */
static double mean_bound(const struct bound_output *output, const struct compare_series *policy,
                         enum bound_metric metric) {
    double sum = 0;
    for (uint32_t r = 0; r < output->replications; r++)
        sum += bound_of(output, policy, metric, r).value;
    return sum / output->replications;
}

static double mean_value(const struct bound_output *output, const struct compare_series *policy,
                         enum bound_metric metric) {
    double sum = 0;
    for (uint32_t r = 0; r < output->replications; r++)
        sum += summary_value(&policy->summaries[r], column_of(output, metric));
    return sum / output->replications;
}

/* The most that the mean of a policy can be above the least possible mean: mean value / mean bound
   - 1, over all replications. NAN if a replication has no gap; ret_reason tells why. */
static double mean_gap(const struct bound_output *output, const struct compare_series *policy,
                       enum bound_metric metric, const char **ret_reason) {
    *ret_reason = NULL;
    for (uint32_t r = 0; r < output->replications && !*ret_reason; r++)
        *ret_reason = refuse_gap(output, policy, metric, r);
    return *ret_reason
               ? NAN
               : mean_value(output, policy, metric) / mean_bound(output, policy, metric) - 1;
}

/* ---- bounds.csv ---- */

/* clang-format off */
#define BOUNDS_COLUMNS(X) \
    X(metric, text, "", NEITHER, bound_metric_name(metric, &output->study->scenario)) \
    X(replication, csv(text), "", NEITHER, number) \
    X(policy, csv(text), "", NEITHER, policy ? policy->policy : NULL) \
    X(bound, real, OF_METRIC, NEITHER, bound) \
    X(value, csv(real), OF_METRIC, NEITHER, value) \
    X(gap, csv(real), "", NEITHER, reason ? NAN : gap) \
    X(reason, text, "", NEITHER, reason) \
    X(argument, csv(text), "", NEITHER, timed ? time_argument_names[bounds->time.best] : NULL) \
    X(warning, csv(text), "", NEITHER, warning.text)
/* clang-format on */

/* For a replication, or for all; of the study alone if there is no policy. */
static void row_warning(const struct bound_output *output, const struct compare_series *policy,
                        uint32_t replication, struct str *out) {
    bool all = replication == output->replications;
    uint32_t first = all ? 0 : replication, count = all ? output->replications : 1;
    if (policy && policy->trends)
        notes_point_text(output->study, policy->summaries + first, policy->trends + first, count,
                         out);
    else
        notes_point_text(output->study, NULL, NULL, 0, out);
}

/* policy: NULL for the bounds alone. */
static void add_rows(const struct bound_output *output, const struct compare_series *policy,
                     enum bound_metric metric, struct str *out) {
    const char *reason = NULL;
    double value = NAN, gap = NAN;
    for (uint32_t r = 0; r <= output->replications; r++) {
        bool all = r == output->replications;
        const struct bounds *bounds = &output->bounds[r];
        double bound =
            all ? mean_bound(output, policy, metric) : bound_of(output, policy, metric, r).value;
        char number[16] = "mean";
        if (!all) {
            snprintf(number, sizeof number, "%u", r + 1);
            reason = bounds->of[metric].reason;
        }
        if (policy) {
            value = all ? mean_value(output, policy, metric)
                        : summary_value(&policy->summaries[r], column_of(output, metric));
            gap = all ? mean_gap(output, policy, metric, &reason) : value / bound - 1;
            reason = all ? reason : refuse_gap(output, policy, metric, r);
        }
        bool timed = metric == BOUND_TIME && !all && !bounds->of[metric].reason;
        struct str warning = {0};
        row_warning(output, policy, r, &warning);
        TABLE_ROW(BOUNDS_COLUMNS);
        str_finish(&warning);
    }
}

void bound_tables_csv(const struct bound_output *output, struct str *out) {
    str_add(out, TABLE_HEADER(BOUNDS_COLUMNS));
    for (enum bound_metric m = 0; m < BOUND_METRICS; m++) {
        for (size_t p = 0; p < output->count; p++)
            add_rows(output, &output->series[p], m, out);
        if (output->count == 0)
            add_rows(output, NULL, m, out);
    }
}

/* ---- JSON ---- */

static void add_warning(const struct bound_output *output, const struct compare_series *policy,
                        const char *key, cJSON *object) {
    struct str text = {0};
    row_warning(output, policy, output->replications, &text);
    json_add_text(object, key, text.text);
    str_finish(&text);
}

static void add_metric(const struct bound_output *output, enum bound_metric metric, cJSON *list) {
    cJSON *object = json_append_object(list);
    const char *reason = NULL;
    for (uint32_t r = 0; r < output->replications && !reason; r++)
        reason = output->bounds[r].of[metric].reason;
    double bound = mean_bound(output, NULL, metric);
    BOUNDS_COLUMNS(COLUMN_MEMBER)
    bool own = metric == BOUND_ENERGY && output->count > 0 && output->series[0].bounds;
    cJSON *bounds = own ? cJSON_AddObjectToObject(object, "bounds") : NULL;
    for (size_t p = 0; own && p < output->count; p++)
        json_add_real(bounds, output->series[p].policy,
                      mean_bound(output, &output->series[p], metric));
    cJSON *gaps = cJSON_AddObjectToObject(object, "gaps");
    for (size_t p = 0; p < output->count; p++)
        json_add_real(gaps, output->series[p].policy,
                      mean_gap(output, &output->series[p], metric, &reason));
    if (output->count == 0)
        add_warning(output, NULL, "warning", object);
    cJSON *warnings = output->count > 0 ? cJSON_AddObjectToObject(object, "warnings") : NULL;
    for (size_t p = 0; p < output->count; p++)
        add_warning(output, &output->series[p], output->series[p].policy, warnings);
}

void bound_tables_add_json(const struct bound_output *output, cJSON *root) {
    cJSON *list = cJSON_AddArrayToObject(root, "bounds");
    for (enum bound_metric m = 0; m < BOUND_METRICS; m++)
        add_metric(output, m, list);
}

void bound_tables_json(const struct bound_output *output, struct str *out) {
    cJSON *root = cJSON_CreateObject();
    json_add_text(root, "scenario", output->study->scenario.name);
    json_add_int(root, "replications", output->replications);
    bound_tables_add_json(output, root);
    json_print(root, out);
}

/* ---- On the terminal ---- */

struct ranked_gap {
    const char *policy;
    double gap;
};

static void add_bound_line(const struct bound_output *output, enum bound_metric metric,
                           struct report *report) {
    struct report_line line = run_report_find_line(column_of(output, metric));
    double *values = mem_alloc(output->replications * sizeof *values);
    for (uint32_t r = 0; r < output->replications; r++)
        values[r] = output->bounds[r].of[metric].value;
    struct estimate estimate = t_interval_of(values, output->replications);
    free(values);
    run_report_scale_time(&line, estimate.mean);
    report_row_of(report, line.label);
    if (estimate.n < output->replications) {
        report_cell_of(report, "-");
        report_cell_of(report, output->bounds[0].of[metric].reason);
        return;
    }
    run_report_add_interval(report_cell(report), &estimate, line.scale);
    report_cell_of(report, line.unit);
}

static void add_arguments(const struct bound_output *output, struct str *out) {
    str_add(out, "    of completion time by argument:");
    for (int i = 0; i < TIME_ARGUMENTS; i++) {
        double sum = 0;
        for (uint32_t r = 0; r < output->replications; r++)
            sum += output->bounds[r].time.by[i];
        str_addf(out, "  (%s) ", time_argument_names[i]);
        run_report_add_time(out, sum / output->replications);
    }
    str_add_char(out, '\n');
}

void bound_tables_report(const struct bound_output *output, struct report *report) {
    const struct bounds *first = &output->bounds[0];
    struct str *out = report_lines(report);
    str_addf(out, "%s: lower bounds, ", output->study->scenario.name);
    run_report_protocol(output->study, output->replications, out);
    str_addf(out, "%s\n", output->replications > 1 ? " (mean +- half of the 95 % interval)" : "");
    report_table(report, "metric|>bound|unit");
    for (enum bound_metric m = 0; m < BOUND_METRICS; m++)
        add_bound_line(output, m, report);
    report_lines(report);
    if (!first->of[BOUND_TIME].reason)
        add_arguments(output, out);
    if (!first->of[BOUND_ENERGY].reason)
        str_addf(out, "    of energy: %zu groups of jobs, submitted in %zu intervals%s\n",
                 first->energy.groups, first->energy.intervals,
                 first->energy.solved ? "" : "; the program was not solved: no prices");
}

ORDER_BY(compare_gaps, struct ranked_gap, ASC(gap))

/* Why no policy has a gap; NULL: one may have. */
static const char *refuse_all_gaps(const struct bound_output *output, enum bound_metric metric) {
    const char *reason = output->bounds[0].of[metric].reason;
    for (size_t p = 0; p < output->count; p++)
        reason = reason ? bound_of(output, &output->series[p], metric, 0).reason : NULL;
    return reason;
}

static void add_gap_line(const struct bound_output *output, enum bound_metric metric,
                         struct ranked_gap *gaps, struct str *out) {
    size_t count = 0;
    if (metric == BOUND_ENERGY && output->count > 0 && output->series[0].bounds)
        str_add(out, " for the work that each did:");
    for (size_t p = 0; p < output->count; p++) {
        const char *reason;
        gaps[count].policy = output->series[p].policy;
        gaps[count].gap = mean_gap(output, &output->series[p], metric, &reason);
        if (reason)
            str_addf(out, " %s: no figure (%s);", output->series[p].policy, reason);
        else
            count++;
    }
    sort_array(gaps, count, compare_gaps);
    for (size_t i = 0; i < count; i++)
        str_addf(out, "%s %s %.3g %%", i > 0 ? "," : "", gaps[i].policy, 100 * gaps[i].gap);
}

void bound_tables_gaps(const struct bound_output *output, const char *indent, struct str *out) {
    struct ranked_gap *gaps = mem_alloc(output->count * sizeof *gaps);
    for (enum bound_metric m = 0; m < BOUND_METRICS; m++) {
        const struct report_line line = run_report_find_line(column_of(output, m));
        const char *reason = refuse_all_gaps(output, m);
        str_addf(out, "%s%s, above the lower bound:", indent, line.label);
        if (reason)
            str_addf(out, " not bounded: %s", reason);
        else
            add_gap_line(output, m, gaps, out);
        str_add_char(out, '\n');
    }
    free(gaps);
}

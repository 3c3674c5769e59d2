/* The table a person reads after a run. */
#include "output/run/run_report.h"

#include "base/units.h"
#include "metrics/metric_table.h"

#include <math.h>
#include <string.h>

/* --- metric_scale --- */

static const struct {
    const char *unit; /* of the summary */
    struct metric_scale shown;
} shown_units[] = {{METRIC_SHARE, {"%", 100}}, {"J s", {"MJ s", 1e-6}}, {METRIC_CURRENCY, {"", 1}}};

struct metric_scale metric_scale(unsigned column) {
    const char *unit = metric_table[column].unit;
    for (size_t i = 0; i < sizeof shown_units / sizeof *shown_units; i++)
        if (strcmp(unit, shown_units[i].unit) == 0)
            return shown_units[i].shown;
    return (struct metric_scale){unit, 1};
}

/* --- run_report --- */

struct line {
    unsigned column;
    bool if_any; /* left out where it is 0 */
};

#define LINE(name) \
    { SUMMARY_COLUMN(name), false }
#define LINE_IF_ANY(name) \
    { SUMMARY_COLUMN(name), true }

static const struct line lines[] = {
    LINE(throughput_jobs_per_h),
    LINE(jobs_submitted),
    LINE(jobs_finished),
    LINE(jobs_rejected),
    LINE(work_done_gpu_h),
    LINE(work_unfinished_gpu_h),
    LINE(jct_mean_s),
    LINE(jct_p95_s),
    LINE(jct_restricted_mean_s),
    LINE(wait_mean_s),
    LINE(bsld_mean),
    LINE(energy_kwh),
    LINE(energy_per_work_kwh),
    LINE(edp_mean_js),
    LINE(power_mean_w),
    LINE(power_max_w),
    LINE(cap_violation_s),
    LINE(util_alloc),
    LINE(util_compute),
    LINE(jain_gpu_s),
    LINE(ftf_mean),
    LINE(deadline_miss_rate),
    LINE(preemptions),
    LINE_IF_ANY(resizes),
    LINE_IF_ANY(job_failures),
    LINE(co2_kg),
    LINE(cost),
    LINE(water_l),
};

/* Of runs with services. */
static const struct line service_lines[] = {
    LINE(energy_service_kwh),    LINE(tokens_demanded),    LINE(tokens_served),
    LINE_IF_ANY(tokens_dropped), LINE_IF_ANY(tokens_left), LINE(slo_share),
    LINE(j_per_token),           LINE(token_wait_p99_s),   LINE(token_latency_p99_ms),
    LINE(replica_gpu_h),         LINE_IF_ANY(scale_ups),   LINE_IF_ANY(service_preemptions),
};

struct report_line run_report_find_line(unsigned column) {
    struct metric_scale scale = metric_scale(column);
    return (struct report_line){metric_table[column].label, scale.unit, column, scale.factor};
}

void run_report_add_label(struct str *out, const struct report_line *line) {
    bool unit = line->unit[0] != '\0';
    str_addf(out, "%s%s%s%s", line->label, unit ? " (" : "", line->unit, unit ? ")" : "");
}

void run_report_add_number(struct str *out, double value, int width) {
    int decimals = 0;
    if (isnan(value)) {
        str_addf(out, "%*s", width, "-");
        return;
    }
    for (double size = fabs(value); size < 9999.5 && size > 0 && decimals < 4; size *= 10)
        decimals++;
    if (value == floor(value))
        decimals = 0;
    str_addf(out, "%*.*f", width, decimals, value);
}

void run_report_add_interval(struct str *out, const struct estimate *estimate, double scale,
                             int width) {
    run_report_add_number(out, scale * estimate->mean, width);
    if (isnan(estimate->ci95))
        return;
    str_add(out, " +-");
    run_report_add_number(out, scale * estimate->ci95, 9);
}

static void add_line(const struct line *line, const struct replicate_result *result,
                     struct str *out) {
    const struct report_line shown = run_report_find_line(line->column);
    struct estimate e = t_interval_of_column(result->summaries, result->count, line->column);
    if (e.n == 0 || (line->if_any && e.mean == 0))
        return;
    str_addf(out, "  %-33s", shown.label);
    run_report_add_number(out, shown.scale * e.mean, 12);
    if (e.n > 1) {
        str_add(out, " +-");
        run_report_add_number(out, shown.scale * e.ci95, 10);
    }
    str_addf(out, "%s%s\n", shown.unit[0] ? " " : "", shown.unit);
}

static void add_decision_time(const struct replicate_result *result, struct str *out) {
    double decisions = 0;
    for (uint32_t i = 0; i < result->count; i++)
        decisions += result->summaries[i].decisions;
    if (result->decide_ns > 0 && decisions > 0)
        str_addf(out, "  %-33s%12.3f us of processor time, %.0f decisions\n", "decision, mean",
                 (double)result->decide_ns / decisions / 1e3, decisions);
}

void run_report_protocol(const struct study *study, uint32_t replications, struct str *out) {
    const struct scenario *s = &study->scenario;
    if (s->horizon_ns == TIME_NONE_NS)
        str_add(out, "until drained");
    else
        str_addf(out, "%g h", units_s(s->horizon_ns) / S_PER_H);
    str_addf(out, ", seed %lld, %u replication%s", (long long)s->seed, replications,
             replications == 1 ? "" : "s");
}

void run_report_summary(const struct study *study, const struct replicate_result *result,
                        struct str *out) {
    if (study->scenario.about && study->scenario.overrides.count == 0)
        str_addf(out, "%s\n", study->scenario.about);
    str_addf(out, "%s: policy %s, ", study->scenario.name, study->policy);
    run_report_protocol(study, result->count, out);
    str_addf(out, "%s\n", result->count > 1 ? " (mean +- half of the 95 % interval)" : "");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        add_line(&lines[i], result, out);
    if (study_metric_groups(study) & METRICS_OF_SERVICES)
        for (size_t i = 0; i < sizeof service_lines / sizeof *service_lines; i++)
            add_line(&service_lines[i], result, out);
    add_decision_time(result, out);
}

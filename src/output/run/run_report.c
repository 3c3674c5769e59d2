/* The table a person reads after a run. */
#include "output/run/run_report.h"

#include "base/units.h"

#include <math.h>

#define LINE(label, unit, column, scale) \
    { label, unit, SUMMARY_COLUMN(column), scale, false }
#define LINE_IF_ANY(label, unit, column, scale) \
    { label, unit, SUMMARY_COLUMN(column), scale, true }

static const struct report_line lines[] = {
    LINE("throughput", "jobs/h", throughput_jobs_per_h, 1),
    LINE("jobs submitted", "", jobs_submitted, 1),
    LINE("jobs finished", "", jobs_finished, 1),
    LINE("jobs rejected", "", jobs_rejected, 1),
    LINE("work done", "GPU h", work_done_gpu_h, 1),
    LINE("work unfinished", "GPU h", work_unfinished_gpu_h, 1),
    LINE("completion time, mean", "s", jct_mean_s, 1),
    LINE("completion time, 95 %", "s", jct_p95_s, 1),
    LINE("completion time, restricted mean", "s", jct_restricted_mean_s, 1),
    LINE("wait, mean", "s", wait_mean_s, 1),
    LINE("bounded slowdown, mean", "", bsld_mean, 1),
    LINE("energy", "kWh", energy_kwh, 1),
    LINE("energy per work", "kWh/GPU h", energy_per_work_kwh, 1),
    LINE("energy-delay product, mean", "MJ s", edp_mean_js, 1e-6),
    LINE("power, mean", "W", power_mean_w, 1),
    LINE("power, highest", "W", power_max_w, 1),
    LINE("over the power cap", "s", cap_violation_s, 1),
    LINE("GPUs allocated", "%", util_alloc, 100),
    LINE("GPUs computing", "%", util_compute, 100),
    LINE("Jain index, GPU time", "", jain_gpu_s, 1),
    LINE("finish-time fairness, mean", "", ftf_mean, 1),
    LINE("deadlines missed", "%", deadline_miss_rate, 100),
    LINE("preemptions", "", preemptions, 1),
    LINE_IF_ANY("resizes", "", resizes, 1),
    LINE_IF_ANY("jobs stopped by failures", "", job_failures, 1),
    LINE("CO2", "kg", co2_kg, 1),
    LINE("cost", "", cost, 1),
    LINE("water", "l", water_l, 1),
};

struct report_line run_report_find_line(unsigned column) {
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (lines[i].column == column)
            return lines[i];
    return (struct report_line){summary_names[column], "", column, 1, false};
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

void run_report_add_interval(struct str *out, const struct estimate *e, double scale, int width) {
    run_report_add_number(out, scale * e->mean, width);
    if (isnan(e->ci95))
        return;
    str_add(out, " +-");
    run_report_add_number(out, scale * e->ci95, 9);
}

static void add_line(const struct report_line *line, const struct replicate_result *result,
                     struct str *out) {
    struct estimate e = statistics_column(result->summaries, result->count, line->column);
    if (e.n == 0 || (line->if_any && e.mean == 0))
        return;
    str_addf(out, "  %-33s", line->label);
    run_report_add_number(out, line->scale * e.mean, 12);
    if (e.n > 1) {
        str_add(out, " +-");
        run_report_add_number(out, line->scale * e.ci95, 10);
    }
    str_addf(out, "%s%s\n", line->unit[0] ? " " : "", line->unit);
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
    str_addf(out, "%s: policy %s, ", study->scenario.name, study->module.policy->name);
    run_report_protocol(study, result->count, out);
    str_addf(out, "%s\n", result->count > 1 ? " (mean +- half of the 95 % interval)" : "");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        add_line(&lines[i], result, out);
    add_decision_time(result, out);
}

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
    const char *unit = metric_of(column)->unit;
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
    LINE_IF_ANY(throttled_gpu_h),
    LINE_IF_ANY(flex_broken),
    LINE_IF_ANY(capped_starts),
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

/* For runs with services. */
static const struct line service_lines[] = {
    LINE(energy_service_kwh),    LINE(tokens_demanded),    LINE(tokens_served),
    LINE_IF_ANY(tokens_dropped), LINE_IF_ANY(tokens_left), LINE(slo_share),
    LINE(j_per_token),           LINE(token_wait_p99_s),   LINE(token_latency_p99_ms),
    LINE(replica_gpu_h),         LINE_IF_ANY(scale_ups),   LINE_IF_ANY(service_preemptions),
};

const unsigned run_report_further[RUN_REPORT_FURTHER] = {SUMMARY_COLUMN(co2_kg),
                                                         SUMMARY_COLUMN(cost),
                                                         SUMMARY_COLUMN(slo_share),
                                                         SUMMARY_COLUMN(j_per_token),
                                                         SUMMARY_COLUMN(tokens_left),
                                                         SUMMARY_COLUMN(energy_service_kwh),
                                                         SUMMARY_COLUMN(cap_violation_s),
                                                         SUMMARY_COLUMN(energy_network_kwh),
                                                         SUMMARY_COLUMN(energy_all_per_work_kwh)};

struct report_line run_report_find_line(unsigned column) {
    struct metric_scale scale = metric_scale(column);
    return (struct report_line){metric_of(column)->label, scale.unit, column, scale.factor};
}

struct report_line run_report_line_of(const struct metric_set *metrics, unsigned column) {
    struct report_line line = run_report_find_line(column);
    if (column >= SUMMARY_ALL)
        line.label = metric_set_name(metrics, column);
    return line;
}

void run_report_add_label(struct str *out, const struct report_line *line) {
    bool unit = line->unit[0] != '\0';
    str_addf(out, "%s%s%s%s", line->label, unit ? " (" : "", line->unit, unit ? ")" : "");
}

/* The decimals that give a number this many significant digits; below 0 before the point. */
static int decimals_for(double size, int digits) {
    return size > 0 ? digits - 1 - (int)floor(log10(size) + 1e-12) : 0;
}

/* Whole numbers, and values without digits after rounding, have no decimals. */
static void add_rounded(struct str *out, double value, int decimals) {
    double unit = decimals < 0 ? pow(10, -decimals) : 1, rounded = round(value / unit) * unit;
    char digits[64];
    decimals = decimals < 0 ? 0 : decimals > 12 ? 12 : decimals;
    if (unit > 1 || (value == floor(value) && fabs(value) < 1e15)) {
        value = unit > 1 ? rounded : value;
        decimals = 0;
    }
    snprintf(digits, sizeof digits, "%.*f", decimals, value);
    str_add(out, strpbrk(digits, "123456789") ? digits : "0");
}

/* About five digits, four decimals at most; of a small number three digits. */
static int usual_decimals(double value) {
    int decimals = decimals_for(fabs(value), 5);
    decimals = decimals < 0 ? 0 : decimals > 4 ? 4 : decimals;
    return fabs(value) < 0.01 ? decimals_for(fabs(value), 3) : decimals;
}

void run_report_add_number(struct str *out, double value) {
    if (isnan(value))
        str_add_char(out, '-');
    else if (fabs(value) < 1e15)
        add_rounded(out, value, usual_decimals(value));
    else
        str_addf(out, "%.4e", value);
}

/* The place of the last digit of an interval of this half width, and of what it is of. */
static int interval_decimals(double half, double value) {
    int own = half > 0 ? decimals_for(half, 3) : 12, usual = usual_decimals(value);
    return own < usual || fabs(value) < half ? own : usual;
}

void run_report_add_interval(struct str *out, const struct estimate *estimate, double scale) {
    double mean = scale * estimate->mean, half = scale * estimate->ci95;
    half = half <= 1e-13 * fabs(mean) ? 0 : half; /* of rounding alone */
    if (estimate->skewed) {
        const double range[] = {mean, scale * estimate->low, scale * estimate->high};
        run_report_add_range(out, range, "");
        return;
    }
    if (isnan(half) || isnan(mean) || fabs(mean) >= 1e15) {
        run_report_add_number(out, mean);
        return;
    }
    add_rounded(out, mean, interval_decimals(half, mean));
    str_add(out, " +- ");
    add_rounded(out, half, decimals_for(half, 3));
}

void run_report_add_range(struct str *out, const double range[static 3], const char *sign) {
    double half = (range[2] - range[1]) / 2;
    int decimals = isnan(half) || half == 0 ? 1 : interval_decimals(half, range[0]);
    str_add(out, range[0] > 0 ? sign : "");
    add_rounded(out, range[0], decimals);
    if (isnan(half))
        return;
    str_add(out, " (");
    add_rounded(out, range[1], decimals);
    str_add(out, " .. ");
    add_rounded(out, range[2], decimals);
    str_add(out, ")");
}

void run_report_add_percent(struct str *out, double share, bool sign) {
    if (isnan(share)) {
        str_add_char(out, '-');
        return;
    }
    str_add(out, sign && 100 * share >= 0.05 ? "+" : "");
    add_rounded(out, 100 * share, 1);
}

#define LEAST_S_IN_H 9999.5  /* what would need five digits */
#define LEAST_S_IN_D 863999. /* ten days */

void run_report_scale_time(struct report_line *line, double largest) {
    if (strcmp(line->unit, "s") != 0 || !(fabs(largest) >= LEAST_S_IN_H))
        return;
    bool days = fabs(largest) >= LEAST_S_IN_D;
    line->unit = days ? "d" : "h";
    line->scale /= days ? 24 * S_PER_H : S_PER_H;
}

void run_report_add_time(struct str *out, double time_s) {
    struct report_line line = {.unit = "s", .scale = 1};
    run_report_scale_time(&line, time_s);
    run_report_add_number(out, line.scale * time_s);
    str_addf(out, " %s", line.unit);
}

static void add_line(const struct line *line, const struct replicate_result *result,
                     struct report *report) {
    struct report_line shown = run_report_find_line(line->column);
    struct estimate e = t_interval_of_column(result->summaries, result->count, line->column);
    if (e.n == 0 || (line->if_any && e.mean == 0))
        return;
    run_report_scale_time(&shown, e.mean);
    report_row_of(report, shown.label);
    run_report_add_interval(report_cell(report), &e, shown.scale);
    report_cell_of(report, shown.unit);
}

/* --- headline --- */
/* Waiting times of jobs, and energy without work. */

static const struct {
    const char *label, *column; /* of a row of `run`, NULL: that of the metric; of `compare` */
    size_t share;               /* in struct trend, as gpu_h */
    const char *before;         /* the GPU-hours; NULL: there are none of it */
    size_t gpu_h;
    unsigned metric;
} headlines[] = {
    {"job time spent queued", "queued %", offsetof(struct trend, queued), NULL, 0, 0},
    {NULL, "idle %", offsetof(struct trend, idle_share),
     "not allocated: ", offsetof(struct trend, free_gpu_h), SUMMARY_COLUMN(energy_idle_kwh)},
    {NULL, "base %", offsetof(struct trend, base_share), NULL, 0, SUMMARY_COLUMN(energy_base_kwh)},
    {NULL, "lost %", offsetof(struct trend, lost_share), "", offsetof(struct trend, lost_gpu_h),
     SUMMARY_COLUMN(energy_lost_kwh)}};

#define HEADLINES (sizeof headlines / sizeof *headlines)

static uint32_t longest_queue(const struct trend *trends, uint32_t count) {
    uint32_t longest = 0;
    for (uint32_t r = 1; r < count; r++)
        longest = trends[r].queue_most > trends[longest].queue_most ? r : longest;
    return longest;
}

static void add_headline(const struct trend *trends, uint32_t count, struct report *report) {
    for (size_t i = 0; i < HEADLINES && count > 0; i++) {
        struct estimate e = compare_trend_estimate(trends, count, headlines[i].share);
        report_row_of(report, headlines[i].label ? headlines[i].label
                                                 : metric_table[headlines[i].metric].label);
        run_report_add_interval(report_cell(report), &e, 100);
        report_cell_of(report, "%");
        if (headlines[i].before) {
            e = compare_trend_estimate(trends, count, headlines[i].gpu_h);
            str_addf(&report->text, "; %s", headlines[i].before);
            run_report_add_number(&report->text, e.mean);
            str_add(&report->text, " GPU h");
        }
    }
    uint32_t longest = longest_queue(trends, count);
    if (count == 0)
        return;
    report_row_of(report, "longest queue");
    run_report_add_number(report_cell(report), trends[longest].queue_most);
    str_add(report_cell(report), "jobs, at ");
    run_report_add_time(&report->text, trends[longest].queue_most_s);
    if (count > 1)
        str_addf(&report->text, " of replication %u", longest + 1);
}

void run_report_headlines(const struct comparison *c, struct report *report) {
    report_table(report, "policy|>longest queue|>at|>lost GPU h");
    for (size_t i = 0; i < HEADLINES; i++)
        str_add(report_column(report, true), headlines[i].column);
    for (size_t s = 0; s < c->count; s++) {
        const struct trend *trends = c->series[s].trends,
                           *longest = &trends[longest_queue(trends, c->replications)];
        report_row_of(report, c->series[s].policy);
        run_report_add_number(report_cell(report), longest->queue_most);
        run_report_add_time(report_cell(report), longest->queue_most_s);
        run_report_add_number(
            report_cell(report),
            compare_trend_estimate(trends, c->replications, offsetof(struct trend, lost_gpu_h))
                .mean);
        for (size_t i = 0; i < HEADLINES; i++)
            run_report_add_percent(
                report_cell(report),
                compare_trend_estimate(trends, c->replications, headlines[i].share).mean, false);
    }
}

/* --- run_report as a whole --- */

static void add_decision_time(const struct replicate_result *result, struct report *report) {
    double decisions = 0;
    for (uint32_t i = 0; i < result->count; i++)
        decisions += result->summaries[i].decisions;
    if (result->decide_ns > 0 && decisions > 0)
        str_addf(report_lines(report),
                 "  decision, mean: %.3f us of processor time, %.0f decisions\n",
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
                        struct report *report) {
    struct str *out = report_lines(report);
    if (study->scenario.about && study->scenario.overrides.count == 0)
        str_addf(out, "%s\n", study->scenario.about);
    str_addf(out, "%s: policy %s, ", study->scenario.name, study->policy);
    run_report_protocol(study, result->count, out);
    str_addf(out, "%s\n", result->count > 1 ? " (mean +- half of the 95 % interval)" : "");
    report_table(report, "metric|>value|unit");
    add_headline(result->trends, result->count, report);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        add_line(&lines[i], result, report);
    if (study_metric_groups(study) & METRICS_OF_SERVICES)
        for (size_t i = 0; i < sizeof service_lines / sizeof *service_lines; i++)
            add_line(&service_lines[i], result, report);
    add_decision_time(result, report);
}

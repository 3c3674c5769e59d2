/* What the forms share: see insights_page.h. */
#include "output/insights/insights_page.h"

#include "base/units.h"
#include "output/run/run_report.h"

#include <math.h>

/* Columns of the summary, in the order of the line. */
static const unsigned columns[HEADLINE_COUNT] = {
    SUMMARY_COLUMN(throughput_jobs_per_h),
    SUMMARY_COLUMN(jct_mean_s),
    SUMMARY_COLUMN(jct_p95_s),
    SUMMARY_COLUMN(energy_kwh),
    SUMMARY_COLUMN(energy_per_job_kwh),
    SUMMARY_COLUMN(edp_mean_js),
    SUMMARY_COLUMN(deadline_missed),
    SUMMARY_COLUMN(jain_gpu_s),
    SUMMARY_COLUMN(util_alloc),
};

void insights_headlines(const struct rule_run *run, struct headline headlines[HEADLINE_COUNT]) {
    for (size_t i = 0; i < HEADLINE_COUNT; i++) {
        struct report_line line = run_report_find_line(columns[i]);
        double value = summary_value(&run->run->summary, columns[i]);
        headlines[i] =
            columns[i] == SUMMARY_COLUMN(energy_per_job_kwh)
                ? (struct headline){"energy_per_job_j", "energy per job", "J", J_PER_KWH * value}
                : (struct headline){summary_names[columns[i]], line.label, line.unit,
                                    line.scale * value};
    }
}

void insights_add_number(struct str *out, double value, const char *unit) {
    if (!isfinite(value))
        str_add(out, "-");
    else if (fabs(value) < 1e15 && (value == floor(value) || fabs(value) >= 1e4))
        str_addf(out, "%.0f", value);
    else
        str_addf(out, "%.4g", value);
    str_addf(out, "%s%s", unit[0] ? " " : "", unit);
}

void insights_add_figure(struct str *out, const struct insight_figure *figure) {
    if (figure->text)
        insights_add_name(out, figure->text);
    else
        insights_add_number(out, figure->value, figure->unit);
}

void insights_add_name(struct str *out, const char *name) {
    struct str visible = {0};
    str_add_visible(&visible, name);
    size_t length = visible.length;
    if (length > INSIGHTS_NAME_BYTES) { /* before a character, not within one */
        for (length = INSIGHTS_NAME_BYTES; (visible.text[length] & 0xc0) == 0x80;)
            length--;
    }
    str_add_bytes(out, visible.length > 0 ? visible.text : "", length);
    str_add(out, length < visible.length ? "..." : "");
    str_finish(&visible);
}

void insights_add_share(struct str *out, const struct insight *insight) {
    if (insight->share >= INSIGHT_LEAST_SHARE)
        str_addf(out, ", %.3g %% of the %s", 100 * insight->share,
                 measure_names[insight->rule->measure]);
}

/* What there is to try, and how well it is known. */
void insights_add_advice(struct str *out, const struct insight *insight) {
    const struct insight_outcome *outcome = &insight->outcome;
    if (outcome->verdict == VERDICT_NO_GAIN)
        str_addf(out, "no recommendation: %u tried, none gains enough", outcome->tried);
    else if (outcome->verdict == VERDICT_NO_PROPOSAL)
        str_add(out, insight_verdict_names[VERDICT_NOT_SIMULATED]);
    else if (outcome->verdict == VERDICT_ASSUMPTION)
        str_addf(out, "if %s", insight->what_if.assumes);
    else
        str_add(out, insight_verdict_names[outcome->verdict]);
    if (outcome->tried > 0 && outcome->one_run)
        str_addf(out, "%s in this run", outcome->verdict == VERDICT_ASSUMPTION ? "," : "");
    if (outcome->tried > 1 && outcome->verdict != VERDICT_NO_GAIN)
        str_addf(out, ", the best of %u tried", outcome->tried);
    if (outcome->verdict != VERDICT_ASSUMPTION && outcome->verdict != VERDICT_NO_GAIN)
        str_addf(out, ": %s", insight->recommendation);
    if (outcome->reason) {
        str_add(out, "; ");
        str_add_visible(out, outcome->reason);
    }
}

void insights_add_effects(struct str *out, const struct insight *insight) {
    const struct insight_outcome *outcome = &insight->outcome;
    for (size_t i = 0; i < outcome->effect_count && outcome->verdict != VERDICT_NO_GAIN; i++) {
        const struct insight_effect *effect = &outcome->effects[i];
        struct report_line line = run_report_find_line(effect->column);
        str_addf(out, "%s%s ", i > 0 ? ", " : "", metric_table[effect->column].label);
        insights_add_number(out, line.scale * effect->before, line.unit);
        if (effect->after == effect->before) {
            str_add(out, " as before");
            continue;
        }
        str_add(out, " to ");
        insights_add_number(out, line.scale * effect->after, line.unit);
        if (isfinite(effect->change))
            str_addf(out, " (%+.3g %%", 100 * effect->change);
        if (isfinite(effect->change) && isfinite(effect->ci95) && !outcome->one_run)
            str_addf(out, " +- %.2g", 100 * effect->ci95);
        str_addf(out, "%s%s", isfinite(effect->change) ? ")" : "", effect->worse ? " worse" : "");
    }
}

void insights_add_entity(struct str *out, const struct insight *insight) {
    if (insight->entity == ENTITY_CLUSTER) {
        str_add(out, "the cluster");
        return;
    }
    str_addf(out, "%s ", entity_names[insight->entity]);
    insights_add_name(out, insight->name);
}

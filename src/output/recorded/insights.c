/* Insights of a recorded run in three forms: see recorded.h. */
#include "base/units.h"
#include "easim_version.h"
#include "output/json.h"
#include "output/recorded/recorded.h"
#include "output/run/run_report.h"

#include <ctype.h>
#include <math.h>

/* A figure of the first line of each form; NAN: not defined in this run. */
struct headline {
    const char *name, *label, *unit;
    double value;
};
#define HEADLINE_COUNT 9
/* A name for people: control characters made visible, and after INSIGHTS_NAME_BYTES cut short. */
#define INSIGHTS_NAME_BYTES 60

static void insights_add_name(struct str *out, const char *name) {
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

static void insights_headlines(const struct rule_run *run,
                               struct headline headlines[HEADLINE_COUNT]) {
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

/* Four digits and the unit, "-" of a number that is not known, or the text of a figure. */
static void insights_add_number(struct str *out, double value, const char *unit) {
    if (!isfinite(value))
        str_add(out, "-");
    else if (fabs(value) < 1e15 && (value == floor(value) || fabs(value) >= 1e4))
        str_addf(out, "%.0f", value);
    else
        str_addf(out, "%.4g", value);
    str_addf(out, "%s%s", unit[0] ? " " : "", unit);
}

static void insights_add_figure(struct str *out, const struct insight_figure *figure) {
    if (figure->is_text)
        insights_add_name(out, figure->value.text);
    else
        insights_add_number(out, figure->value.number, figure->unit);
}

/* ", 15.8 % of the energy"; nothing if that is none of it. */
static void insights_add_share(struct str *out, const struct insight *insight) {
    if (insight->share >= INSIGHT_LEAST_SHARE)
        str_addf(out, ", %.3g %% of the %s", 100 * insight->share,
                 measure_names[insight->rule->measure]);
}

/* "recommended in this run, the best of 3 that were tried: TEXT", without a full stop: the
   proposal, and how well it is known. */
static void insights_add_advice(struct str *out, const struct insight *insight) {
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

/* "energy 492.5 kWh to 346.8 kWh (-29.6 %), ..."; nothing of a change that was not simulated. */
static void insights_add_effects(struct str *out, const struct insight *insight) {
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

/* "job NAME", "the cluster" */
static void insights_add_entity(struct str *out, const struct insight *insight) {
    if (insight->entity == ENTITY_CLUSTER) {
        str_add(out, "the cluster");
        return;
    }
    str_addf(out, "%s ", entity_names[insight->entity]);
    insights_add_name(out, insight->name);
}

/* --- insights_json --- */

static void add_headlines(const struct insights_page *page, cJSON *root) {
    struct headline headlines[HEADLINE_COUNT];
    insights_headlines(page->run, headlines);
    cJSON *object = cJSON_AddObjectToObject(root, "figures");
    for (size_t i = 0; i < HEADLINE_COUNT; i++) {
        cJSON *one = cJSON_AddObjectToObject(object, headlines[i].name);
        json_add_real(one, "value", headlines[i].value);
        json_add_text(one, "unit", headlines[i].unit);
    }
}

static void add_waste(const struct waste *waste, cJSON *root) {
    cJSON *list = cJSON_AddArrayToObject(root, "waste");
    for (int i = 0; i < WASTE_CLASSES; i++) {
        const struct waste_amount *amount = &waste->of[i];
        if (!waste_lists(waste, (enum waste_class)i))
            continue;
        cJSON *one = json_append_object(list);
        json_add_text(one, "class", waste_class_names[i]);
        json_add_real(one, "energy_j", amount->energy_j);
        json_add_real(one, "share", amount->energy_j / waste->total.energy_j);
        json_add_real(one, "gpu_h", amount->gpu_s / S_PER_H);
    }
}

static void add_threshold(cJSON *object, const struct field *field, const char *values) {
    const void *at = values + field->offset;
    cJSON *threshold = cJSON_AddObjectToObject(object, field->key);
    if (field->type == FIELD_INT)
        json_add_int(threshold, "value", *(const int64_t *)at);
    else if (isinf(*(const double *)at))
        json_add_text(threshold, "value", field->word);
    else
        json_add_real(threshold, "value", *(const double *)at);
    json_add_text(threshold, "help", field->help);
}

static void add_rules(const struct insights_page *page, cJSON *root) {
    cJSON *list = cJSON_AddArrayToObject(root, "rules");
    for (size_t i = 0; rule_table[i].id; i++) {
        cJSON *rule = json_append_object(list);
        json_add_text(rule, "id", rule_table[i].id);
        json_add_text(rule, "title", rule_table[i].title);
        json_add_text(rule, "trigger", rule_table[i].trigger);
        json_add_text(rule, "recommends", rule_table[i].recommends);
        cJSON *thresholds = cJSON_AddObjectToObject(rule, "thresholds");
        for (const struct field *field = rule_table[i].thresholds; field->key; field++)
            add_threshold(thresholds, field, page->settings->thresholds[i]);
    }
}

static void add_figures(cJSON *object, const struct insight *insight) {
    cJSON *list = cJSON_AddArrayToObject(object, "figures");
    for (size_t i = 0; i < insight->figures.count; i++) {
        const struct insight_figure *figure = &insight->figures.at[i];
        cJSON *one = json_append_object(list);
        json_add_text(one, "name", figure->name);
        json_add_text(one, "unit", figure->unit);
        if (figure->is_text)
            json_add_text(one, "value", figure->value.text);
        else
            json_add_real(one, "value", figure->value.number);
    }
}

static void add_evidence(cJSON *object, const struct insight *insight) {
    json_add_int(object, "evidence_count", (int64_t)insight->evidence_count);
    cJSON *list = cJSON_AddArrayToObject(object, "evidence");
    for (size_t i = 0; i < insight->evidence.count; i++) {
        const struct insight_evidence *evidence = &insight->evidence.at[i];
        cJSON *one = json_append_object(list);
        json_add_text(one, "kind", evidence_kind_names[evidence->kind]);
        json_add_text(one, "name", evidence->name);
        json_add_real(one, "from_s", evidence->from_s);
        json_add_real(one, "to_s", evidence->to_s);
        json_add_text(one, "note", evidence->note);
    }
}

/* The result of the proposal; a metric by its name in summary.csv. */
static void add_outcome(const struct insight *insight, cJSON *what_if) {
    const struct insight_outcome *outcome = &insight->outcome;
    json_add_text(what_if, "verdict", insight_verdict_names[outcome->verdict]);
    json_add_text(what_if, "assumes", insight->what_if.assumes);
    json_add_int(what_if, "tried", outcome->tried);
    cJSON_AddBoolToObject(what_if, "one_run", outcome->one_run);
    cJSON *list = cJSON_AddArrayToObject(what_if, "gave");
    for (size_t i = 0; i < outcome->effect_count; i++) {
        const struct insight_effect *effect = &outcome->effects[i];
        cJSON *one = json_append_object(list);
        json_add_text(one, "name", summary_names[effect->column]);
        json_add_text(one, "label", metric_table[effect->column].label);
        json_add_text(one, "unit", metric_table[effect->column].unit);
        json_add_real(one, "before", effect->before);
        json_add_real(one, "after", effect->after);
        json_add_real(one, "change", effect->change);
        json_add_real(one, "ci95", effect->ci95);
        cJSON_AddBoolToObject(one, "worse", effect->worse);
    }
}

static void add_insight(const struct insights_page *page, cJSON *list, size_t place) {
    const struct insight *insight = page->insights->at.at[place];
    cJSON *object = json_append_object(list);
    json_add_int(object, "number", (int64_t)place + 1);
    json_add_text(object, "id", insight->rule->id);
    json_add_text(object, "severity", severity_names[insight->severity]);
    json_add_real(object, "share", insight->share);
    json_add_text(object, "share_of", measure_names[insight->rule->measure]);
    json_add_text(object, "entity", entity_names[insight->entity]);
    json_add_text(object, "name", insight->name);
    json_add_real(object, "from_s", insight->from_s);
    json_add_real(object, "to_s", insight->to_s);
    json_add_text(object, "finding", insight->finding);
    add_figures(object, insight);
    add_evidence(object, insight);
    json_add_text(object, "recommendation",
                  insight->outcome.verdict == VERDICT_NO_GAIN ? NULL : insight->recommendation);
    cJSON *what_if = cJSON_AddObjectToObject(object, "what_if");
    json_add_text(what_if, "command", page->commands[place]);
    cJSON_AddBoolToObject(what_if, "promised", insight->outcome.verdict == VERDICT_RECOMMENDED);
    json_add_text(what_if, "unsure", insight->outcome.reason);
    json_add_text(what_if, "note", insight->what_if.note);
    add_outcome(insight, what_if);
}

void insights_json(const struct insights_page *page, struct str *out) {
    const struct rule_run *run = page->run;
    cJSON *root = cJSON_CreateObject();
    json_add_text(root, "easim_version", EASIM_VERSION);
    json_add_text(root, "manifest_sha256", run->folder->manifest_sha256);
    json_add_text(root, "policy", run->policy);
    json_add_int(root, "replication", run->run->part->replication);
    json_add_int(root, "replications", (int64_t)page->replications);
    json_add_real(root, "from_s", run->from_s);
    json_add_real(root, "to_s", run->to_s);
    add_headlines(page, root);
    add_waste(run->waste, root);
    add_rules(page, root);
    cJSON *list = cJSON_AddArrayToObject(root, "insights");
    for (size_t i = 0; i < page->insights->at.count; i++)
        add_insight(page, list, i);
    json_print(root, out);
}

/* --- insights_md --- */
/* For people: text of others is escaped for Markdown and HTML. */

#define LEAST_SHARE 1e-9 /* of a class that has a row */

/* Text as it is: marks of Markdown after a backslash (CommonMark allows it before any of ASCII),
   those of HTML as entities. */
static void add_escaped(struct str *out, const char *text) {
    for (; *text; text++)
        if (*text == '<' || *text == '>' || *text == '&')
            str_add(out, *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : "&amp;");
        else if (strchr("\\`*_{}[]#|~!$", *text))
            str_addf(out, "\\%c", *text);
        else
            str_add_char(out, *text);
}

static void add_text(struct str *out, const char *text) {
    struct str visible = {0};
    str_add_visible(&visible, text);
    add_escaped(out, visible.length > 0 ? visible.text : "");
    str_finish(&visible);
}

static void add_name(struct str *out, const char *name) {
    struct str shown = {0};
    insights_add_name(&shown, name);
    add_escaped(out, shown.length > 0 ? shown.text : "");
    str_finish(&shown);
}

static void add_head(const struct insights_page *page, struct str *out) {
    struct headline headlines[HEADLINE_COUNT];
    const struct rule_run *run = page->run;
    insights_headlines(run, headlines);
    str_add(out, "# Insights\n\nPolicy ");
    add_name(out, run->policy);
    str_addf(out,
             ", replication %u of %zu, from %.10g s to %.10g s. Made from the results whose\n"
             "manifest.json has the SHA-256 %s.\n\n| figure | value |\n|---|---|\n",
             run->run->part->replication, page->replications, run->from_s, run->to_s,
             run->folder->manifest_sha256);
    for (size_t i = 0; i < HEADLINE_COUNT; i++) {
        str_addf(out, "| %s | ", headlines[i].label);
        insights_add_number(out, headlines[i].value, headlines[i].unit);
        str_add(out, " |\n");
    }
}

/* All energy, by class; the classes add up to it, except for rounding. */
static void insights_md_add_waste(const struct waste *waste, struct str *out) {
    double total_j = waste->total.energy_j;
    str_add(out, "\n| energy went into | kWh | % | GPU h |\n|---|---|---|---|\n");
    for (int i = 0; i < WASTE_CLASSES; i++) {
        const struct waste_amount *amount = &waste->of[i];
        if (fabs(amount->energy_j) <= LEAST_SHARE * total_j &&
            fabs(amount->gpu_s) <= LEAST_SHARE * waste->total.gpu_s)
            continue;
        str_addf(out, "| %s | %.4g | %.2f | %.4g |\n", waste_class_names[i],
                 amount->energy_j / J_PER_KWH, total_j > 0 ? 100 * amount->energy_j / total_j : 0,
                 amount->gpu_s / S_PER_H);
    }
    str_addf(out, "| all | %.4g | %.2f | %.4g |\n", total_j / J_PER_KWH, total_j > 0 ? 100.0 : 0,
             waste->total.gpu_s / S_PER_H);
}

static void insights_md_add_evidence(const struct insight *insight, struct str *out) {
    if (insight->evidence_count == 0)
        return;
    str_addf(out, "\nEvidence, %zu of %zu:\n\n", insight->evidence.count, insight->evidence_count);
    for (size_t i = 0; i < insight->evidence.count; i++) {
        const struct insight_evidence *evidence = &insight->evidence.at[i];
        str_addf(out, "- %s", evidence_kind_names[evidence->kind]);
        str_add(out, evidence->name[0] ? " " : "");
        add_name(out, evidence->name);
        str_addf(out, ", %.10g s to %.10g s: ", evidence->from_s, evidence->to_s);
        add_text(out, evidence->note);
        str_add_char(out, '\n');
    }
}

static void add_sentence(const char *begins, const struct str *text, struct str *out) {
    if (text->length == 0)
        return;
    str_addf(out, "\n%s%c", begins, toupper((unsigned char)text->text[0]));
    add_escaped(out, text->text + 1);
    str_add(out, ".\n");
}

/* A line of code is indented, so no backquote in it can end it. */
static void add_what_if(const struct insights_page *page, size_t place, struct str *out) {
    const struct insight *insight = page->insights->at.at[place];
    const struct insight_what_if *what_if = &insight->what_if;
    struct str advice = {0}, effects = {0};
    insights_add_advice(&advice, insight);
    insights_add_effects(&effects, insight);
    add_sentence("", &advice, out);
    add_sentence("It gave: ", &effects, out);
    if (page->commands[place])
        str_addf(out, "\n    %s\n", page->commands[place]);
    str_finish(&advice);
    str_finish(&effects);
    if (what_if->note)
        str_addf(out, "\n%c%s.\n", toupper((unsigned char)what_if->note[0]), what_if->note + 1);
}

static void insights_md_add_insight(const struct insights_page *page, size_t place,
                                    struct str *out) {
    const struct insight *insight = page->insights->at.at[place];
    struct str entity = {0};
    insights_add_entity(&entity, insight);
    str_addf(out, "\n## %zu. %s: %s (%s)\n\n", place + 1, insight->rule->id, insight->rule->title,
             severity_names[insight->severity]);
    add_escaped(out, entity.text);
    str_finish(&entity);
    str_addf(out, ", %.10g s to %.10g s", insight->from_s, insight->to_s);
    insights_add_share(out, insight);
    str_add(out, ": ");
    add_text(out, insight->finding);
    str_add(out, ".\n\n| figure | value |\n|---|---|\n");
    for (size_t i = 0; i < insight->figures.count; i++) {
        struct str figure = {0};
        insights_add_figure(&figure, &insight->figures.at[i]);
        str_addf(out, "| %s | ", insight->figures.at[i].name);
        add_escaped(out, figure.length > 0 ? figure.text : "");
        str_add(out, " |\n");
        str_finish(&figure);
    }
    insights_md_add_evidence(insight, out);
    add_what_if(page, place, out);
}

void insights_md(const struct insights_page *page, struct str *out) {
    add_head(page, out);
    insights_md_add_waste(page->run->waste, out);
    if (page->insights->at.count == 0)
        str_add(out, "\nNo rule found anything.\n");
    for (size_t i = 0; i < page->insights->at.count; i++)
        if (insight_is_shown(page->insights->at.at[i]))
            insights_md_add_insight(page, i, out);
}

/* --- insights_report --- */
/* The figures of the run in a line, then its insights by severity. */

static void insights_report_add_headlines(const struct insights_page *page, struct str *out) {
    struct headline headlines[HEADLINE_COUNT];
    insights_headlines(page->run, headlines);
    for (size_t i = 0; i < HEADLINE_COUNT; i++) {
        str_addf(out, "  %-27s", headlines[i].label);
        insights_add_number(out, headlines[i].value, headlines[i].unit);
        str_add_char(out, '\n');
    }
}

static void insights_report_add_insight(const struct insights_page *page, size_t place,
                                        struct str *out) {
    const struct insight *insight = page->insights->at.at[place];
    struct str effects = {0};
    str_addf(out, "\n%zu. %s %s", place + 1, insight->rule->id, severity_names[insight->severity]);
    insights_add_share(out, insight);
    str_add(out, ": ");
    insights_add_entity(out, insight);
    str_addf(out, "\n   %s\n   ", insight->finding);
    insights_add_advice(out, insight);
    insights_add_effects(&effects, insight);
    if (effects.length > 0)
        str_addf(out, "\n   it gave: %s", effects.text);
    str_addf(out, "%s%s\n", page->commands[place] ? "\n   " : "",
             page->commands[place] ? page->commands[place] : "");
    if (insight->what_if.note)
        str_addf(out, "   note: %s\n", insight->what_if.note);
    str_finish(&effects);
}

static void insights_report_add_waste(const struct waste *waste, struct str *out) {
    double groups_j[WASTE_GROUPS];
    for (int g = 0; g < WASTE_GROUPS; g++)
        groups_j[g] = waste_of_group(waste, (enum waste_group)g).energy_j;
    waste_line_add(groups_j, out);
}

void insights_report(const struct insights_page *page, struct str *out) {
    const struct rule_run *run = page->run;
    insights_add_name(out, run->policy);
    str_addf(out, ", replication %u of %zu\n", run->run->part->replication, page->replications);
    insights_report_add_headlines(page, out);
    insights_report_add_waste(run->waste, out);
    size_t hidden = 0;
    for (size_t i = 0; i < page->insights->at.count; i++)
        if (insight_is_shown(page->insights->at.at[i]))
            insights_report_add_insight(page, i, out);
        else
            hidden++;
    if (hidden > 0)
        str_addf(out, "\n%zu more of less than 0.05 %%: insights.json\n", hidden);
    if (page->insights->at.count == 0)
        str_add(out, "\nno rule found anything\n");
}

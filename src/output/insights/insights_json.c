/* insights.json: everything, exactly. */
#include "base/units.h"
#include "easim_version.h"
#include "output/insights/insights_page.h"
#include "output/json.h"

#include <math.h>

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
        cJSON *one = cJSON_CreateObject();
        cJSON_AddItemToArray(list, one);
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
    for (size_t i = 0; rule_table[i]; i++) {
        cJSON *rule = cJSON_CreateObject();
        cJSON_AddItemToArray(list, rule);
        json_add_text(rule, "id", rule_table[i]->id);
        json_add_text(rule, "title", rule_table[i]->title);
        json_add_text(rule, "trigger", rule_table[i]->trigger);
        json_add_text(rule, "recommends", rule_table[i]->recommends);
        cJSON *thresholds = cJSON_AddObjectToObject(rule, "thresholds");
        for (const struct field *field = rule_table[i]->thresholds; field->key; field++)
            add_threshold(thresholds, field, page->settings->thresholds[i]);
    }
}

static void add_figures(cJSON *object, const struct insight *insight) {
    cJSON *list = cJSON_AddArrayToObject(object, "figures");
    for (size_t i = 0; i < insight->figures.count; i++) {
        const struct insight_figure *figure = &insight->figures.at[i];
        cJSON *one = cJSON_CreateObject();
        cJSON_AddItemToArray(list, one);
        json_add_text(one, "name", figure->name);
        json_add_text(one, "unit", figure->unit);
        if (figure->text)
            json_add_text(one, "value", figure->text);
        else
            json_add_real(one, "value", figure->value);
    }
}

static void add_evidence(cJSON *object, const struct insight *insight) {
    json_add_int(object, "evidence_count", (int64_t)insight->evidence_count);
    cJSON *list = cJSON_AddArrayToObject(object, "evidence");
    for (size_t i = 0; i < insight->evidence.count; i++) {
        const struct insight_evidence *evidence = &insight->evidence.at[i];
        cJSON *one = cJSON_CreateObject();
        cJSON_AddItemToArray(list, one);
        json_add_text(one, "kind", evidence_kind_names[evidence->kind]);
        json_add_text(one, "name", evidence->name);
        json_add_real(one, "from_s", evidence->from_s);
        json_add_real(one, "to_s", evidence->to_s);
        json_add_text(one, "note", evidence->note);
    }
}

/* What became of the proposal; a metric by its name in summary.csv. */
static void add_outcome(const struct insight *insight, cJSON *what_if) {
    const struct insight_outcome *outcome = &insight->outcome;
    json_add_text(what_if, "verdict", insight_verdict_names[outcome->verdict]);
    json_add_text(what_if, "assumes", insight->what_if.assumes);
    json_add_int(what_if, "tried", outcome->tried);
    cJSON_AddBoolToObject(what_if, "one_run", outcome->one_run);
    cJSON *list = cJSON_AddArrayToObject(what_if, "gave");
    for (size_t i = 0; i < outcome->effect_count; i++) {
        const struct insight_effect *effect = &outcome->effects[i];
        cJSON *one = cJSON_CreateObject();
        cJSON_AddItemToArray(list, one);
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
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(list, object);
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

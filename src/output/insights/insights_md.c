/* insights.md: for people. What others have written is escaped, so that it is text to Markdown and
   to HTML. */
#include "output/insights/insights_page.h"

#include "base/units.h"

#include <ctype.h>
#include <math.h>

#define LEAST_SHARE 1e-9 /* of a class that has a row */

/* Text as it is: marks of Markdown behind a backslash (CommonMark allows it before any of ASCII),
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

/* All energy, by class: what there is of it, but for rounding. */
static void add_waste(const struct waste *waste, struct str *out) {
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

static void add_evidence(const struct insight *insight, struct str *out) {
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

/* A line of code stands indented: no backquote in it can end it. */
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

static void add_insight(const struct insights_page *page, size_t place, struct str *out) {
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
    add_evidence(insight, out);
    add_what_if(page, place, out);
}

void insights_md(const struct insights_page *page, struct str *out) {
    add_head(page, out);
    add_waste(page->run->waste, out);
    if (page->insights->at.count == 0)
        str_add(out, "\nNo rule found anything.\n");
    for (size_t i = 0; i < page->insights->at.count; i++)
        if (insight_is_shown(page->insights->at.at[i]))
            add_insight(page, i, out);
}

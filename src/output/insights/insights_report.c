/* What easim analyze prints: the figures of the run in a line, then its insights by severity. */
#include "output/insights/insights_page.h"
#include "output/insights/waste_line.h"

static void add_headlines(const struct insights_page *page, struct str *out) {
    struct headline headlines[HEADLINE_COUNT];
    insights_headlines(page->run, headlines);
    for (size_t i = 0; i < HEADLINE_COUNT; i++) {
        str_addf(out, "  %-27s", headlines[i].label);
        insights_add_number(out, headlines[i].value, headlines[i].unit);
        str_add_char(out, '\n');
    }
}

static void add_insight(const struct insights_page *page, size_t place, struct str *out) {
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

static void add_waste(const struct waste *waste, struct str *out) {
    double groups_j[WASTE_GROUPS];
    for (int g = 0; g < WASTE_GROUPS; g++)
        groups_j[g] = waste_of_group(waste, (enum waste_group)g).energy_j;
    waste_line_add(groups_j, out);
}

void insights_report(const struct insights_page *page, struct str *out) {
    const struct rule_run *run = page->run;
    insights_add_name(out, run->policy);
    str_addf(out, ", replication %u of %zu\n", run->run->part->replication, page->replications);
    add_headlines(page, out);
    add_waste(run->waste, out);
    size_t hidden = 0;
    for (size_t i = 0; i < page->insights->at.count; i++)
        if (insight_is_shown(page->insights->at.at[i]))
            add_insight(page, i, out);
        else
            hidden++;
    if (hidden > 0)
        str_addf(out, "\n%zu more of less than 0.05 %%: insights.json\n", hidden);
    if (page->insights->at.count == 0)
        str_add(out, "\nno rule found anything\n");
}

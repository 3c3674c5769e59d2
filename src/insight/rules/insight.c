/* Lists of insights: see insight.h. */
#include "insight/rules/internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *const severity_names[SEVERITY_COUNT] = {"info", "low", "medium", "high"};
const char *const measure_names[MEASURE_COUNT] = {"energy", "GPU-hours", "jobs", "CO2"};
const char *const insight_verdict_names[VERDICT_COUNT] = {
    "none", "not simulated", "no gain", "assumption", "trade", "recommended"};
const char *const entity_names[ENTITY_COUNT] = {"cluster",  "job",  "user",   "model",
                                                "GPU type", "node", "policy", "service"};
const char *const evidence_kind_names[EVIDENCE_KIND_COUNT] = {"job",      "decision", "segment",
                                                              "interval", "user",     "GPU type"};

/* Figures of the rules: the rows of FIGURES. */
#define RULE(...)
#define ROW(...)
#define RULE_END(...)
#define MORE_FIGURES(of, ...)        const struct insight_figure of##_figures[] = {__VA_ARGS__{0}};
#define X(figure, its_unit, meaning) {.name = #figure, .unit = its_unit},
#define X_TEXT(figure, meaning)      {.name = #figure, .unit = "", .is_text = true},
#include "insight/rules/rules.def"

struct insight *insights_add(struct insights *insights, double from_s, double to_s) {
    struct insight *insight = arena_alloc(&insights->arena, sizeof *insight);
    insight->rule = insights->rule;
    insight->rule_run = insights->rule_run;
    insight->arena = &insights->arena;
    insight->column = insights->rule->betters;
    insight->from_s = from_s;
    insight->to_s = to_s;
    insight->name = insight->finding = insight->recommendation = "";
    array_push(&insights->at, insight);
    return insight;
}

/* Below them info, low and medium (docs/reference/insights.md). */
static enum insight_severity severity_of(double share) {
    static const double below[SEVERITY_COUNT - 1] = {0.01, 0.05, 0.15};
    enum insight_severity severity = SEVERITY_INFO;
    while (severity < SEVERITY_HIGH && share >= below[severity])
        severity++;
    return severity;
}

bool insight_is_shown(const struct insight *insight) {
    return insight->share >= INSIGHT_LEAST_SHARE || insight->rule->trust;
}

void insight_weigh(struct insight *insight, double part, double whole) {
    double share = whole > 0 ? part / whole : 0;
    insight->share = share > 0 && isfinite(share) ? share : 0;
    insight->severity = severity_of(insight->share);
}

void insight_find(struct insight *insight, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    insight->finding = arena_vprintf(insight->arena, format, arguments);
    va_end(arguments);
}

void insight_figures(struct insight *insight, const struct insight_figure *rows,
                     const void *values) {
    _Static_assert(sizeof(double) == sizeof(char *), "members lie as values of the union do");
    const union insight_value *value = values;
    for (; rows->name; rows++, value++)
        array_push(&insight->figures,
                   ((struct insight_figure){rows->name, rows->unit, rows->is_text, *value}));
}

void insight_figure_of(struct insight *insight, const struct insight_figure *row, const char *what,
                       double value) {
    int kept = (int)strcspn(row->name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    const char *name = arena_printf(insight->arena, "%.*s%s", kept, row->name, what);
    array_push(&insight->figures, ((struct insight_figure){name, row->unit, false, {value}}));
}

void insight_evidence(struct insight *insight, enum evidence_kind kind, const char *name,
                      double from_s, double to_s, const char *format, ...) {
    va_list arguments;
    if (insight->evidence_count++ >= INSIGHT_MOST_EVIDENCE)
        return;
    va_start(arguments, format);
    array_push(&insight->evidence,
               ((struct insight_evidence){kind, name, from_s, to_s,
                                          arena_vprintf(insight->arena, format, arguments)}));
    va_end(arguments);
}

void insight_change(struct insight *insight, const char *path, const char *value) {
    struct arena *arena = insight->arena;
    array_push(&insight->what_if.changes,
               ((struct insight_change){arena_strdup(arena, path), arena_strdup(arena, value)}));
}

struct ranked {
    struct insight *insight;
    size_t found;
};

ORDER_BY(compare_ranked, struct ranked, DESC(insight->severity) DESC(insight->share) ASC(found))

void insights_sort(struct insights *insights) {
    size_t count = insights->at.count;
    if (count == 0)
        return;
    struct ranked *ranked = mem_zalloc(count, sizeof *ranked);
    for (size_t i = 0; i < count; i++)
        ranked[i] = (struct ranked){insights->at.at[i], i};
    sort_array(ranked, count, compare_ranked);
    for (size_t i = 0; i < count; i++)
        insights->at.at[i] = ranked[i].insight;
    free(ranked);
}

void insights_finish(struct insights *insights) {
    for (size_t i = 0; i < insights->at.count; i++) {
        free(insights->at.at[i]->figures.at);
        free(insights->at.at[i]->evidence.at);
        free(insights->at.at[i]->what_if.changes.at);
    }
    free(insights->at.at);
    arena_finish(&insights->arena);
    *insights = (struct insights){0};
}

/* Lists of insights: see insight.h. */
#include "insight/rules/insight.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

const char *const severity_names[SEVERITY_COUNT] = {"info", "low", "medium", "high"};
const char *const measure_names[MEASURE_COUNT] = {"energy", "GPU-hours", "jobs", "CO2"};
const char *const insight_verdict_names[VERDICT_COUNT] = {
    "none", "not simulated", "no gain", "assumption", "trade", "recommended"};
const char *const entity_names[ENTITY_COUNT] = {"cluster",  "job",  "user",   "model",
                                                "GPU type", "node", "policy", "service"};
const char *const evidence_kind_names[EVIDENCE_KIND_COUNT] = {"job",      "decision", "segment",
                                                              "interval", "user",     "GPU type"};

struct insight *insights_add(struct insights *insights) {
    struct insight *insight = arena_alloc(&insights->arena, sizeof *insight);
    insight->rule = insights->rule;
    insight->column = insights->rule->betters;
    insight->name = insight->finding = insight->recommendation = "";
    array_push(&insights->at, insight);
    return insight;
}

/* Below them info, low and medium (docs/insights.md). */
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

void insight_find(struct insights *insights, struct insight *insight, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    insight->finding = arena_vprintf(&insights->arena, format, arguments);
    va_end(arguments);
}

void insight_figure(struct insight *insight, const char *name, const char *unit, double value) {
    array_push(&insight->figures, ((struct insight_figure){name, unit, value, NULL}));
}

void insight_figure_text(struct insights *insights, struct insight *insight, const char *name,
                         const char *text) {
    const char *copy = arena_strdup(&insights->arena, text);
    array_push(&insight->figures, ((struct insight_figure){name, "", NAN, copy}));
}

void insight_evidence(struct insights *insights, struct insight *insight,
                      const struct insight_evidence *evidence) {
    if (insight->evidence_count++ >= INSIGHT_MOST_EVIDENCE)
        return;
    struct insight_evidence *kept = array_add(&insight->evidence);
    *kept = *evidence;
    kept->note = arena_strdup(&insights->arena, evidence->note ? evidence->note : "");
}

void insight_change(struct insights *insights, struct insight *insight, const char *path,
                    const char *value) {
    struct arena *arena = &insights->arena;
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

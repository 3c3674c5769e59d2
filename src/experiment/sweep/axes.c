/* Axes of a sweep: see axes.h. */
#include "experiment/sweep/axes.h"

#include "base/numfmt.h"
#include "base/rng.h"
#include "base/units.h"
#include "io/yaml_node.h"
#include "metrics/summary.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- sweep_sets: paths and values as the sweep file has them --- */

static int sweep_path_bind(struct sweep_path *out, const char *text, struct location where,
                           const char *path, const struct binding *binding) MUST_CHECK;

/* text as a path; `path` and `where` are of the place in the sweep file that holds it. Negative if
   a problem was added. */
static int sweep_path_bind(struct sweep_path *out, const char *text, struct location where,
                           const char *path, const struct binding *binding) {
    struct error error = {0};
    if (yaml_path_parse(text, binding->arena, &out->steps, &error) < 0)
        return problems_add(binding->problems, where, path, "%s", error.text);
    out->text = yaml_path_text(&out->steps, binding->arena);
    return 0;
}

int sweep_sets_bind(struct sweep_sets *sets, const struct yaml_node *node, const char *path,
                    const struct binding *binding) {
    if (node->kind != YAML_NODE_MAPPING)
        return schema_wrong(binding, node, path, "a mapping from paths to values");
    int result = 0;
    struct sweep_set *at = arena_alloc(binding->arena, node->count * sizeof *at);
    for (size_t i = 0; i < node->count; i++) {
        at[i].yaml = yaml_flow_text(node->items[i], binding->arena);
        if (sweep_path_bind(&at[i].path, node->keys[i]->text, node->keys[i]->where, path, binding) <
            0)
            result = ERROR_INPUT;
    }
    if (result == 0)
        *sets = (struct sweep_sets){at, node->count};
    return result;
}

/* --- sweep_spans --- */
/* Numbers between two bounds, of a range or a sample. Computed ones keep 12 significant digits: ids
   are hashes of their text, and the last bits of pow differ between C libraries. */

struct sweep_span {
    struct location where;
    const char *path, *label;          /* of samples */
    const struct yaml_node *bounds[3]; /* from, to, step: see bind_bounds */
    double from, to, step;             /* step: NAN if a range has a count, and of samples */
    const char *unit;                  /* of all three, with the blanks before it; "" */
    int64_t count;                     /* numbers of a range */
    int32_t scale;
    bool integer;
};

static int sweep_span_bind_bounds(struct sweep_span *span, const char *path,
                                  const struct binding *binding) MUST_CHECK;
static int sweep_span_bind_range(struct sweep_span *span, const struct yaml_node *node,
                                 const char *path, const struct binding *binding) MUST_CHECK;

enum scale { SCALE_LINEAR, SCALE_LOG };

static const char *const scale_names[] = {"linear", "log", NULL};

#define AXIS_LABEL_HELP HELP("label of the axis in figures, with its unit")

static const struct field bound_forms[] = {
    {"", .type = FIELD_REAL}, {"", .type = FIELD_STRING}, FIELDS_END}; /* text: with its unit */

/* Fields of a range and of a span that is sampled. */
/* clang-format off */
#define SPAN_FIELDS \
    {LOCATION(sweep_span, where)}, \
    {"from", NODE(sweep_span, bounds[0]), REQUIRED, .forms = bound_forms}, \
    {"to", NODE(sweep_span, bounds[1]), REQUIRED, .forms = bound_forms}, \
    {"scale", CHOICE(sweep_span, scale, scale_names), \
     HELP("equal steps of the value, or of its logarithm")}, \
    {"integer", BOOL(sweep_span, integer), HELP("round to whole numbers")}
/* clang-format on */

static const struct field range_fields[] = {
    SPAN_FIELDS,
    {"step", NODE(sweep_span, bounds[2]), .forms = bound_forms,
     HELP("distance between two values")},
    {"count", INT(sweep_span, count), RANGE(2, SWEEP_MOST_POINTS), HELP("number of values")},
    FIELDS_END};

/* Fields of one span of a sample, whose bounds sweep_span_bind_bounds binds then. */
static const struct field sweep_sample_span_fields[] = {
    {"path", TEXT(sweep_span, path), REQUIRED},
    {"label", TEXT(sweep_span, label), AXIS_LABEL_HELP},
    SPAN_FIELDS,
    FIELDS_END,
};

static int refuse_span(const struct sweep_span *span, const char *path, const char *text,
                       const struct binding *binding) {
    return problems_add(binding->problems, span->where, path, "%s", text);
}

/* All bounds have the unit of the first one, or none as it has none. Whether the unit fits the
   quantity is known only when the scenario is loaded. */
static int bind_bound(struct sweep_span *span, const struct field *field,
                      const struct yaml_node *node, const char *path,
                      const struct binding *binding) {
    const char *text = node->kind == YAML_NODE_SCALAR ? node->text : "", *unit = "";
    struct yaml_node bare = *node;
    size_t number = units_number_length(text, strlen(text));
    if (number > 0) {
        bare.text = arena_strndup(binding->arena, text, number);
        bare.length = number;
        unit = arena_strdup(binding->arena, text + number);
    }
    if (!span->unit)
        span->unit = unit;
    const char *name = unit + strspn(unit, " "), *expected = span->unit + strspn(span->unit, " ");
    if (strcmp(name, expected) != 0)
        return schema_wrong(
            binding, node, path,
            *expected ? arena_printf(binding->arena, "a number in %s, as in from", expected)
                      : "a number without unit, as in from");
    return schema_bind_value(binding, field, &bare, path, (char *)span + field->offset);
}

static int bind_bounds(struct sweep_span *span, const char *path, const struct binding *binding) {
    static const struct field fields[] = {
        {"from", REAL(sweep_span, from)},
        {"to", REAL(sweep_span, to)},
        {"step", REAL(sweep_span, step), ABOVE(0, 1e300)},
    };
    int result = 0;
    span->step = NAN;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (span->bounds[i] &&
            bind_bound(span, &fields[i], span->bounds[i],
                       arena_printf(binding->arena, "%s.%s", path, fields[i].key), binding) < 0)
            result = ERROR_INPUT;
    return result;
}

/* from, to and step with their unit. Negative if problems were added. */
static int sweep_span_bind_bounds(struct sweep_span *span, const char *path,
                                  const struct binding *binding) {
    if (bind_bounds(span, path, binding) < 0)
        return ERROR_INPUT;
    if (!(span->from < span->to))
        return refuse_span(span, path, "expected from < to", binding);
    if (span->scale == SCALE_LOG && span->from <= 0)
        return refuse_span(span, path, "expected from > 0 with scale log", binding);
    if (!isfinite(span->scale == SCALE_LOG ? span->to / span->from : span->to - span->from))
        return refuse_span(span, path, "expected bounds that are closer together", binding);
    return 0;
}

/* The number at a share 0..1 of the way, in equal steps of the value or of its logarithm. */
static double sweep_span_along(const struct sweep_span *span, double share) {
    if (share >= 1)
        return span->to;
    return span->scale == SCALE_LOG ? span->from * pow(span->to / span->from, share)
                                    : span->from + (span->to - span->from) * share;
}

/* A range with its bounds; *span is zeroed before. Negative if problems were added. */
static int sweep_span_bind_range(struct sweep_span *span, const struct yaml_node *node,
                                 const char *path, const struct binding *binding) {
    if (schema_bind(binding, range_fields, node, path, span) < 0 ||
        sweep_span_bind_bounds(span, path, binding) < 0)
        return ERROR_INPUT;
    bool stepped = !isnan(span->step);
    if (stepped == (span->count > 0))
        return refuse_span(span, path, "expected either step or count", binding);
    if (stepped && span->scale == SCALE_LOG)
        return refuse_span(span, path, "expected count instead of step with scale log", binding);
    double steps = stepped ? floor((span->to - span->from) / span->step * (1 + 1e-12))
                           : (double)span->count - 1;
    if (steps >= SWEEP_MOST_POINTS)
        return refuse_span(span, path, "expected at most 1000000 values", binding);
    span->count = (int64_t)steps + 1;
    return 0;
}

/* A number of a range, from 0. */
static double sweep_span_number(const struct sweep_span *span, size_t index) {
    return isnan(span->step) ? sweep_span_along(span, (double)index / ((double)span->count - 1))
                             : span->from + (double)index * span->step;
}

/* The number as a value, with the unit, in the arena. */
static const char *sweep_span_text(const struct sweep_span *span, double value,
                                   struct arena *arena) {
    char rounded[NUMFMT_BYTES], text[NUMFMT_BYTES];
    snprintf(rounded, sizeof rounded, "%.12g", span->integer ? round(value) : value);
    bool finite = numfmt_parse_real(rounded, strlen(rounded), &value);
    assert(finite); /* between two bounds that are */
    (void)finite;
    numfmt_real(text, value);
    return arena_printf(arena, "%s%s", text, span->unit);
}

/* --- sweep_axes: from the section `axes` to lists of values --- */

enum sampling { SAMPLING_RANDOM, SAMPLING_LHS };

struct axis_item {
    struct location where;
    const char *name, *path, *label;
    const struct yaml_node *values, *range, *zip, *sample;
};

struct sample {
    int32_t kind;
    int64_t count, seed;
    struct schema_list over; /* struct sweep_span */
};

static const char *const sampling_names[] = {"random", "lhs", NULL};

static const struct field sample_fields[] = {
    {"kind", CHOICE(sample, kind, sampling_names), REQUIRED,
     HELP("independent draws, or a Latin hypercube")},
    {"count", INT(sample, count), REQUIRED, RANGE(1, SWEEP_MOST_POINTS), HELP("number of points")},
    {"seed", INT(sample, seed), DEFAULT(1), RANGE(0, 9007199254740992), HELP("seed of the draws")},
    {"over", OBJECTS(sample, over, sweep_sample_span_fields, sweep_span), REQUIRED, .min = 1,
     HELP("paths and bounds, each with its own random stream")},
    FIELDS_END};

#define PLAIN_FIELDS \
    {LOCATION(axis_item, where)}, {"name", TEXT(axis_item, name)}, \
        {"path", TEXT(axis_item, path)}, {"label", TEXT(axis_item, label), AXIS_LABEL_HELP}, \
        {"values", NODE(axis_item, values), \
         ONE_OF({"", .type = FIELD_LIST}, {"", .type = FIELD_MAPPING})}, \
    { \
        "range", KEYS(axis_item, range, range_fields) \
    }

static const struct field zipped_fields[] = {PLAIN_FIELDS, FIELDS_END};

static const struct field item_fields[] = {
    PLAIN_FIELDS, /* or one of the next two */
    {"zip", NODE(axis_item, zip), ONE_OF({"", LIST_OF({"", OBJECT_FORM(zipped_fields)})})},
    {"sample", KEYS(axis_item, sample, sample_fields)},
    FIELDS_END};

const struct field axes_forms[] = {{"", LIST_OF({"", OBJECT_FORM(item_fields)})}, FIELDS_END};

/* A value of an axis with one path. */
static void push_value(struct sweep_axis *axis, const char *shown, const char *yaml,
                       struct arena *arena) {
    struct sweep_set *set = arena_alloc(arena, sizeof *set);
    *set = (struct sweep_set){axis->paths.at[0], yaml};
    array_push(&axis->values, ((struct sweep_value){shown, {set, 1}}));
}

static void push_number(struct sweep_axis *axis, const struct sweep_span *span, double value,
                        struct arena *arena) {
    const char *text = sweep_span_text(span, value, arena);
    push_value(axis, text, text, arena);
}

/* ---- Lists and ranges ---- */

static int refuse_axis(const struct binding *binding, struct location where, const char *path,
                       const char *text) {
    return problems_add(binding->problems, where, path, "%s", text);
}

static int bind_values(struct sweep_axis *axis, const struct yaml_node *node, const char *path,
                       const struct binding *binding) {
    if (node->kind == YAML_NODE_SCALAR)
        return schema_wrong(binding, node, path, "a list of values");
    if (node->count == 0)
        return refuse_axis(binding, node->where, path, "expected at least one value, got none");
    for (size_t i = 0; i < node->count; i++) {
        const struct yaml_node *item = node->items[i];
        const char *yaml = yaml_flow_text(item, binding->arena);
        const char *shown = node->keys                       ? node->keys[i]->text
                            : item->kind == YAML_NODE_SCALAR ? item->text
                                                             : yaml;
        push_value(axis, shown, yaml, binding->arena);
    }
    return 0;
}

static void add_axis_path(struct sweep_axis *axis, const struct sweep_path *path) {
    for (size_t i = 0; i < axis->paths.count; i++)
        if (strcmp(axis->paths.at[i].text, path->text) == 0)
            return;
    array_push(&axis->paths, *path);
}

/* A mapping from labels to whatever they set. */
static int bind_labels(struct sweep_axis *axis, const struct yaml_node *node, const char *path,
                       const struct binding *binding) {
    int result = 0;
    if (node->count == 0)
        return refuse_axis(binding, node->where, path, "expected at least one value, got none");
    for (size_t i = 0; i < node->count; i++) {
        struct sweep_value value = {.shown = node->keys[i]->text};
        const char *here = arena_printf(binding->arena, "%s.%s", path, value.shown);
        if (sweep_sets_bind(&value.sets, node->items[i], here, binding) < 0)
            result = ERROR_INPUT;
        for (size_t k = 0; k < value.sets.count; k++)
            add_axis_path(axis, &value.sets.at[k].path);
        array_push(&axis->values, value);
    }
    return result;
}

static int bind_range(struct sweep_axis *axis, const struct yaml_node *node, const char *path,
                      const struct binding *binding) {
    struct sweep_span span = {0};
    if (sweep_span_bind_range(&span, node, path, binding) < 0)
        return ERROR_INPUT;
    for (size_t i = 0; i < (size_t)span.count; i++) {
        push_number(axis, &span, sweep_span_number(&span, i), binding->arena);
        size_t n = axis->values.count;
        if (n > 1 && strcmp(axis->values.at[n - 1].shown, axis->values.at[n - 2].shown) == 0)
            axis->values.count--; /* rounded to the same whole number */
    }
    return 0;
}

/* Columns, other than those of axes, in the tables that have the axes as columns. */
static bool is_taken(const char *name) {
    static const char *const others[] = {
        "run_id", "policy",       "replication", "seed",    "state",     "error",
        "claim",  "target",       "metric",      "n",       "mean",      "ci95",
        "diff",   "against_mean", "as_claimed",  "within",  "deviation", "verdict",
        "value",  "tolerance",    "readings",    "missing", "nearest",   "warning"};
    bool taken = strncmp(name, "services.", 9) == 0;
    for (unsigned c = 0; c < SUMMARY_ALL; c++)
        taken = taken || (metric_table[c].group != METRICS_OF_SERVICES &&
                          strcmp(name, metric_table[c].name) == 0);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        taken = taken || strcmp(name, others[i]) == 0;
    return taken;
}

/* An axis in the arena of the binding; item->path: NULL if the values say what they set. here: the
   item in messages. NULL after adding a problem. */
static struct sweep_axis *add_axis(struct sweep_axes *axes, const struct axis_item *item,
                                   const char *here, const struct binding *binding) {
    struct sweep_path path;
    if (item->path && sweep_path_bind(&path, item->path, item->where,
                                      arena_printf(binding->arena, "%s.path", here), binding) < 0)
        return NULL;
    struct sweep_axis *axis = array_add(axes);
    axis->name = item->name ? item->name : item->path;
    axis->column =
        is_taken(axis->name) ? arena_printf(binding->arena, "axis.%s", axis->name) : axis->name;
    axis->label = item->label;
    axis->where = item->where;
    axis->group = axes->groups.count;
    if (item->path)
        array_push(&axis->paths, path);
    return axis;
}

/* Values or a range, with a path or labels: an axis of the group that is being made. */
static int bind_plain(struct sweep_axes *axes, const struct axis_item *item, const char *path,
                      const struct binding *binding) {
    bool labels = item->values && item->values->kind == YAML_NODE_MAPPING;
    if (!item->path && !(labels && item->name))
        return refuse_axis(binding, item->where, path,
                           labels ? "expected a name to go with the labels"
                                  : "expected a path to go with the values");
    struct sweep_axis *axis = add_axis(axes, item, path, binding);
    if (!axis)
        return ERROR_INPUT;
    if (item->range)
        return bind_range(axis, item->range, arena_printf(binding->arena, "%s.range", path),
                          binding);
    const char *values_path = arena_printf(binding->arena, "%s.values", path);
    return item->path ? bind_values(axis, item->values, values_path, binding)
                      : bind_labels(axis, item->values, values_path, binding);
}

static int bind_zip(struct sweep_axes *axes, const struct yaml_node *node, const char *path,
                    const struct binding *binding) {
    size_t first = axes->count;
    if (node->kind != YAML_NODE_SEQUENCE || node->count == 0)
        return schema_wrong(binding, node, path, "a list of axes");
    for (size_t i = 0; i < node->count; i++) {
        struct axis_item item = {0};
        const char *here = arena_printf(binding->arena, "%s[%zu]", path, i);
        if (schema_bind(binding, item_fields, node->items[i], here, &item) < 0)
            return ERROR_INPUT;
        if (item.zip || item.sample || !item.values == !item.range)
            return refuse_axis(binding, item.where, here,
                               "expected a path with values or with a range");
        if (bind_plain(axes, &item, here, binding) < 0)
            return ERROR_INPUT;
        size_t count = axes->at[axes->count - 1].values.count,
               expected = axes->at[first].values.count;
        if (count != expected)
            return problems_add(binding->problems, item.where, here,
                                "expected %zu values as in the first list, got %zu", expected,
                                count);
    }
    return 0;
}

/* ---- Samples ---- */

static void shuffle_strata(size_t *order, size_t count, gsl_rng *rng) {
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)(gsl_rng_uniform(rng) * (double)i);
        size_t kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
}

/* Every path has a random stream of its own: another axis more does not change the values of this
 * one. */
static void draw_samples(struct sweep_axis *axis, const struct sample *sample,
                         const struct sweep_span *span, struct arena *arena) {
    size_t count = (size_t)sample->count;
    gsl_rng *rng =
        rng_create((uint64_t)sample->seed, 0, arena_printf(arena, "sweep %s", span->path));
    size_t *strata = mem_zalloc(count, sizeof *strata);
    if (sample->kind == SAMPLING_LHS)
        shuffle_strata(strata, count, rng);
    for (size_t i = 0; i < count; i++) {
        double share = gsl_rng_uniform(rng);
        if (sample->kind == SAMPLING_LHS)
            share = ((double)strata[i] + share) / (double)count;
        push_number(axis, span, sweep_span_along(span, share), arena);
    }
    free(strata);
    gsl_rng_free(rng);
}

static int bind_sample(struct sweep_axes *axes, const struct yaml_node *node, const char *path,
                       const struct binding *binding) {
    struct sample sample = {0};
    if (schema_bind(binding, sample_fields, node, path, &sample) < 0)
        return ERROR_INPUT;
    struct sweep_span *spans = sample.over.at;
    for (size_t i = 0; i < sample.over.count; i++) {
        const char *here = arena_printf(binding->arena, "%s.over[%zu]", path, i);
        const struct axis_item item = {
            .path = spans[i].path, .label = spans[i].label, .where = spans[i].where};
        struct sweep_axis *axis = sweep_span_bind_bounds(&spans[i], here, binding) < 0
                                      ? NULL
                                      : add_axis(axes, &item, here, binding);
        if (!axis)
            return ERROR_INPUT;
        axis->sampled = true;
        draw_samples(axis, &sample, &spans[i], binding->arena);
    }
    return 0;
}

/* ---- All ---- */

static int bind_item(struct sweep_axes *axes, const struct yaml_node *node, const char *path,
                     const struct binding *binding) {
    struct axis_item item = {0};
    size_t first = axes->count;
    if (schema_bind(binding, item_fields, node, path, &item) < 0)
        return ERROR_INPUT;
    if (!!item.values + !!item.range + !!item.zip + !!item.sample != 1)
        return refuse_axis(binding, item.where, path,
                           "expected one of values, range, zip and sample");
    if ((item.path || item.name || item.label) && (item.zip || item.sample))
        return refuse_axis(binding, item.where, path,
                           "name, path and label belong inside zip or sample");
    int r = item.zip
                ? bind_zip(axes, item.zip, arena_printf(binding->arena, "%s.zip", path), binding)
            : item.sample ? bind_sample(axes, item.sample,
                                        arena_printf(binding->arena, "%s.sample", path), binding)
                          : bind_plain(axes, &item, path, binding);
    if (r == 0)
        array_push(&axes->groups, axes->at[first].values.count);
    return r;
}

int sweep_axes_bind(struct sweep_axes *axes, const struct yaml_node *node,
                    const struct binding *binding) {
    int result = 0;
    if (node->kind != YAML_NODE_SEQUENCE || node->count == 0)
        return schema_wrong(binding, node, "axes", "a list of axes");
    for (size_t i = 0; i < node->count; i++)
        if (bind_item(axes, node->items[i], arena_printf(binding->arena, "axes[%zu]", i), binding) <
            0)
            result = ERROR_INPUT;
    return result;
}

void sweep_axes_finish(struct sweep_axes *axes) {
    for (size_t a = 0; a < axes->count; a++) {
        free(axes->at[a].paths.at);
        free(axes->at[a].values.at);
    }
    free(axes->at);
    free(axes->groups.at);
}

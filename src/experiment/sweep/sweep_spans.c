/* Numbers that are computed keep 12 significant digits: ids are hashes of their text, and the last
   bits of pow differ between C libraries. */
#include "experiment/sweep/sweep_spans.h"

#include "base/numfmt.h"
#include "base/units.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum scale { SCALE_LINEAR, SCALE_LOG };

static const char *const scale_names[] = {"linear", "log", NULL};

#define SPAN_FIELDS \
    {.key = "from", \
     .type = FIELD_NODE, \
     .offset = offsetof(struct sweep_span, bounds[0]), \
     .required = true}, \
        {.key = "to", \
         .type = FIELD_NODE, \
         .offset = offsetof(struct sweep_span, bounds[1]), \
         .required = true}, \
        {.key = "scale", \
         .type = FIELD_CHOICE, \
         .offset = offsetof(struct sweep_span, scale), \
         .choices = scale_names, \
         .help = "equal steps of the value, or of its logarithm"}, \
    { \
        .key = "integer", .type = FIELD_BOOL, .offset = offsetof(struct sweep_span, integer), \
        .help = "round to whole numbers" \
    }

static const struct field range_fields[] = {
    {.type = FIELD_LOCATION, .offset = offsetof(struct sweep_span, where)},
    SPAN_FIELDS,
    {.key = "step", .type = FIELD_NODE, .offset = offsetof(struct sweep_span, bounds[2])},
    {.key = "count",
     .type = FIELD_INT,
     .offset = offsetof(struct sweep_span, count),
     .min = 2,
     .max = SWEEP_MOST_POINTS},
    FIELDS_END};

const struct field sweep_sample_span_fields[] = {
    {.type = FIELD_LOCATION, .offset = offsetof(struct sweep_span, where)},
    {.key = "path",
     .type = FIELD_STRING,
     .offset = offsetof(struct sweep_span, path),
     .required = true,
     .min = 1},
    SPAN_FIELDS,
    FIELDS_END};

static int refuse_span(const struct sweep_span *span, const char *path, const char *text,
                       const struct binding *binding) {
    problems_add(binding->problems, span->where, path, "%s", text);
    return ERROR_INPUT;
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
            *expected ? arena_printf(binding->arena, "a number of %s, as from has", expected)
                      : "a number without unit, as from");
    return schema_bind_value(binding, field, &bare, path, (char *)span + field->offset);
}

static int bind_bounds(struct sweep_span *span, const char *path, const struct binding *binding) {
    static const struct field fields[] = {
        {.key = "from", .type = FIELD_REAL, .offset = offsetof(struct sweep_span, from)},
        {.key = "to", .type = FIELD_REAL, .offset = offsetof(struct sweep_span, to)},
        {.key = "step",
         .type = FIELD_REAL,
         .offset = offsetof(struct sweep_span, step),
         .above_min = true,
         .max = 1e300}};
    int result = 0;
    span->step = NAN;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (span->bounds[i] &&
            bind_bound(span, &fields[i], span->bounds[i],
                       arena_printf(binding->arena, "%s.%s", path, fields[i].key), binding) < 0)
            result = ERROR_INPUT;
    return result;
}

int sweep_span_bind_bounds(struct sweep_span *span, const char *path,
                           const struct binding *binding) {
    if (bind_bounds(span, path, binding) < 0)
        return ERROR_INPUT;
    if (!(span->from < span->to))
        return refuse_span(span, path, "expected from < to", binding);
    if (span->scale == SCALE_LOG && span->from <= 0)
        return refuse_span(span, path, "expected from > 0 with scale log", binding);
    if (!isfinite(span->scale == SCALE_LOG ? span->to / span->from : span->to - span->from))
        return refuse_span(span, path, "expected bounds that are not so far apart", binding);
    return 0;
}

double sweep_span_along(const struct sweep_span *span, double share) {
    if (share >= 1)
        return span->to;
    return span->scale == SCALE_LOG ? span->from * pow(span->to / span->from, share)
                                    : span->from + (span->to - span->from) * share;
}

int sweep_span_bind_range(struct sweep_span *span, const struct yaml_node *node, const char *path,
                          const struct binding *binding) {
    if (schema_bind(binding, range_fields, node, path, span) < 0 ||
        sweep_span_bind_bounds(span, path, binding) < 0)
        return ERROR_INPUT;
    bool stepped = !isnan(span->step);
    if (stepped == (span->count > 0))
        return refuse_span(span, path, "expected either step or count", binding);
    if (stepped && span->scale == SCALE_LOG)
        return refuse_span(span, path, "a step has no scale log: give a count", binding);
    double steps = stepped ? floor((span->to - span->from) / span->step * (1 + 1e-12))
                           : (double)span->count - 1;
    if (steps >= SWEEP_MOST_POINTS)
        return refuse_span(span, path, "expected at most 1000000 values", binding);
    span->count = (int64_t)steps + 1;
    return 0;
}

double sweep_span_number(const struct sweep_span *span, size_t index) {
    return isnan(span->step) ? sweep_span_along(span, (double)index / ((double)span->count - 1))
                             : span->from + (double)index * span->step;
}

const char *sweep_span_text(const struct sweep_span *span, double value, struct arena *arena) {
    char rounded[NUMFMT_BYTES], text[NUMFMT_BYTES];
    snprintf(rounded, sizeof rounded, "%.12g", span->integer ? round(value) : value);
    bool finite = numfmt_parse_real(rounded, strlen(rounded), &value);
    assert(finite); /* between two bounds that are */
    (void)finite;
    numfmt_real(text, value);
    return arena_printf(arena, "%s%s", text, span->unit);
}

/* Held axes of a sweep: see grid_where.h. */
#include "output/plot/grid_where.h"

#include "base/numfmt.h"

#include <stdlib.h>
#include <string.h>

static bool is_value(struct slice text, const char *value) {
    double left, right;
    return slice_is(text, value) ||
           (numfmt_parse_real(text.at, text.length, &left) &&
            numfmt_parse_real(value, strlen(value), &right) && left == right);
}

/* ", did you mean ..." for one of the names, and all of them. */
static const char *list_names(struct arena *arena, const char *word, const char *const *names,
                              size_t count) {
    struct str list = {0};
    for (size_t i = 0; i < count && i < 40; i++)
        str_addf(&list, "%s%s", i > 0 ? ", " : "", names[i]);
    const char *words = arena_printf(
        arena, "%s (there %s %s%s)", str_suggestion(arena, word, names, count),
        count == 1 ? "is" : "are", list.text ? list.text : "none", count > 40 ? ", ..." : "");
    str_finish(&list);
    return words;
}

static int refuse_axis(struct grid_where *where, const char *text, const struct csv *csv, int axes,
                       struct error *reterr) {
    const char *axis = arena_strndup(&where->arena, text, strcspn(text, "="));
    size_t count = (size_t)axes;
    const char **names = arena_alloc(&where->arena, (count + 1) * sizeof *names);
    for (size_t i = 0; i < count; i++)
        names[i] = csv_column_name(csv, i + 1);
    return error_set(reterr, ERROR_INPUT, "where: no axis is named %s%s", axis,
                     list_names(&where->arena, axis, names, count));
}

/* The name of an axis may hold '=' itself. */
static int hold_axis(struct grid_where *where, const char *text, const struct csv *csv, int axes,
                     struct error *reterr) {
    struct grid_held held = {.column = -1};
    for (int c = 1; c <= axes; c++) {
        size_t length = strlen(csv_column_name(csv, (size_t)c));
        if (strncmp(text, csv_column_name(csv, (size_t)c), length) == 0 && text[length] == '=') {
            held.axis = arena_strndup(&where->arena, text, length);
            held.value = arena_strdup(&where->arena, text + length + 1);
            held.column = c;
        }
    }
    if (held.column < 0)
        return refuse_axis(where, text, csv, axes, reterr);
    for (size_t i = 0; i < where->held.count; i++)
        if (where->held.at[i].column == held.column)
            return error_set(reterr, ERROR_INPUT, "where: %s is held at %s and at %s", held.axis,
                             where->held.at[i].value, held.value);
    array_push(&where->held, held);
    return 0;
}

int grid_where_open(struct grid_where *where, const char *const *texts, size_t count,
                    const struct csv *csv, int axes, struct error *reterr) {
    int r = 0;
    for (size_t i = 0; r == 0 && i < count; i++)
        r = hold_axis(where, texts[i], csv, axes, reterr);
    return r;
}

bool grid_where_takes(struct grid_where *where, const struct csv *csv) {
    bool takes = true;
    for (size_t i = 0; i < where->held.count; i++) {
        struct grid_held *held = &where->held.at[i];
        struct slice text = csv_field(csv, held->column);
        intern(&held->values, text.at, text.length, NULL);
        bool is = is_value(text, held->value);
        held->seen = held->seen || is;
        takes = takes && is;
    }
    return takes;
}

int grid_where_check(struct grid_where *where, size_t taken, struct error *reterr) {
    for (size_t i = 0; i < where->held.count; i++) {
        const struct grid_held *held = &where->held.at[i];
        size_t count = held->values.entries.count;
        if (held->seen)
            continue;
        const char **names = arena_alloc(&where->arena, (count + 1) * sizeof *names);
        for (uint32_t v = 0; v < count; v++)
            names[v] = intern_text(&held->values, v);
        return error_set(reterr, ERROR_INPUT, "where: %s is nowhere %s%s", held->axis,
                         held->value[0] ? held->value : "\"\"",
                         list_names(&where->arena, held->value, names, count));
    }
    if (taken == 0 && where->held.count > 0)
        return error_set(reterr, ERROR_INPUT, "where: no point of the sweep has all these values");
    return 0;
}

void grid_where_finish(struct grid_where *where) {
    for (size_t i = 0; i < where->held.count; i++)
        intern_finish(&where->held.at[i].values);
    free(where->held.at);
    arena_finish(&where->arena);
}

/* A tree of figures, and its two ways out. */
#include "ingest/figures.h"

#include "base/array.h"
#include "io/csv.h"
#include "io/json_text.h"

#include <math.h>
#include <string.h>

static struct figure *add_figure(struct figure *parent, const char *name, enum figure_kind kind) {
    struct figure *figure = arena_alloc(parent->arena, sizeof *figure);
    figure->name = name;
    figure->kind = kind;
    figure->arena = parent->arena;
    if (parent->members.last)
        parent->members.last->next = figure;
    else
        parent->members.first = figure;
    parent->members.last = figure;
    return figure;
}

struct figure *figures_create(struct arena *arena) {
    struct figure *figure = arena_alloc(arena, sizeof *figure);
    figure->kind = FIGURE_GROUP;
    figure->arena = arena;
    return figure;
}

struct figure *figures_group(struct figure *parent, const char *name) {
    return add_figure(parent, name, FIGURE_GROUP);
}

struct figure *figures_list(struct figure *parent, const char *name) {
    return add_figure(parent, name, FIGURE_LIST);
}

void figures_real(struct figure *parent, const char *name, double value) {
    add_figure(parent, name, isfinite(value) ? FIGURE_REAL : FIGURE_NONE)->real = value;
}

void figures_int(struct figure *parent, const char *name, int64_t value) {
    add_figure(parent, name, FIGURE_INT)->integer = value;
}

void figures_number(struct figure *parent, const char *name, int64_t value) {
    add_figure(parent, name, value >= 0 ? FIGURE_INT : FIGURE_NONE)->integer = value;
}

void figures_bool(struct figure *parent, const char *name, bool value) {
    add_figure(parent, name, FIGURE_BOOL)->integer = value;
}

void figures_text(struct figure *parent, const char *name, const char *value) {
    add_figure(parent, name, value ? FIGURE_TEXT : FIGURE_NONE)->text =
        value ? arena_strdup(parent->arena, value) : NULL;
}

void figures_none(struct figure *parent, const char *name) {
    add_figure(parent, name, FIGURE_NONE);
}

/* ---- JSON ---- */

static void add_scalar_text(const struct figure *figure, struct str *out) {
    switch (figure->kind) {
    case FIGURE_REAL:
        str_add_real(out, figure->real);
        break;
    case FIGURE_INT:
        str_add_int(out, figure->integer);
        break;
    case FIGURE_BOOL:
        str_add(out, figure->integer ? "true" : "false");
        break;
    default:
        break;
    }
}

static void add_indent(struct str *out, int depth) {
    for (int i = 0; i < depth; i++)
        str_add_char(out, ' ');
}

static bool is_scalar_figure(const struct figure *figure) {
    return figure->kind < FIGURE_GROUP;
}

static bool all_scalar_figures(const struct figure *figure) {
    for (const struct figure *member = figure->members.first; member; member = member->next)
        if (!is_scalar_figure(member))
            return false;
    return true;
}

/* Trees have a few levels, as readers make them. Figures without groups are on one line. */
static void write_figure_json(const struct figure *figure, int depth, struct str *out) {
    if (figure->kind == FIGURE_TEXT) {
        json_write_text(out, figure->text);
    } else if (figure->kind == FIGURE_NONE) {
        str_add(out, "null");
    } else if (is_scalar_figure(figure)) {
        add_scalar_text(figure, out);
    } else {
        bool one_line = depth > 0 && all_scalar_figures(figure);
        str_add_char(out, figure->kind == FIGURE_LIST ? '[' : '{');
        for (const struct figure *member = figure->members.first; member; member = member->next) {
            str_add(out, one_line ? "" : "\n");
            add_indent(out, one_line ? 0 : depth + 1);
            if (member->name) {
                json_write_text(out, member->name);
                str_add(out, ": ");
            }
            write_figure_json(member, depth + 1, out);
            str_add(out, !member->next ? "" : one_line ? ", " : ",");
        }
        if (!one_line && figure->members.first) {
            str_add_char(out, '\n');
            add_indent(out, depth);
        }
        str_add_char(out, figure->kind == FIGURE_LIST ? ']' : '}');
    }
}

void figures_write_json(const struct figure *root, struct str *out) {
    write_figure_json(root, 0, out);
    str_add_char(out, '\n');
}

/* ---- CSV ---- */

const struct figure *figures_find(const struct figure *parent, const char *name) {
    const struct figure *member = parent->members.first;
    while (member && compare_texts(member->name, name) != 0)
        member = member->next;
    return member;
}

static void add_csv_cell(const struct figure *figure, struct str *out) {
    if (figure->kind == FIGURE_TEXT)
        csv_add_text(out, figure->text);
    else
        add_scalar_text(figure, out);
}

void figures_write_csv(const struct figure *list, struct str *out) {
    const struct figure *first = list->members.first;
    for (const struct figure *member = first ? first->members.first : NULL; member;
         member = member->next)
        if (is_scalar_figure(member))
            str_addf(out, member == first->members.first ? "%s" : ",%s", member->name);
    for (const struct figure *row = first; row; row = row->next) {
        str_add_char(out, '\n');
        for (const struct figure *member = row->members.first; member; member = member->next) {
            if (!is_scalar_figure(member))
                continue;
            if (member != row->members.first)
                str_add_char(out, ',');
            add_csv_cell(member, out);
        }
    }
    if (first)
        str_add_char(out, '\n');
}

/* ---- Tables ---- */

#define MOST_COLUMNS 16
#define CELL_BYTES   64

/* A few digits: tables are for eyes, JSON has every digit. */
static void format_cell(const struct figure *figure, char cell[static CELL_BYTES]) {
    struct str text = {0};
    if (figure->kind == FIGURE_TEXT)
        str_add(&text, figure->text);
    else if (figure->kind == FIGURE_NONE)
        str_add_char(&text, '-');
    else if (figure->kind == FIGURE_REAL)
        str_addf(&text,
                 fabs(figure->real) < 1     ? "%.4g"
                 : fabs(figure->real) < 1e7 ? "%.3f"
                                            : "%.0f",
                 figure->real);
    else
        add_scalar_text(figure, &text);
    for (char *at = text.text; *at; at++)
        if ((unsigned char)*at < 0x20)
            *at = ' '; /* a terminal must not obey a trace */
    size_t length = text.length < CELL_BYTES - 1 ? text.length : CELL_BYTES - 1;
    memcpy(cell, text.text, length);
    cell[length] = '\0';
    str_finish(&text);
}

static void add_padded(struct str *out, const char *text, size_t width, bool left) {
    size_t length = strlen(text);
    if (left)
        str_add(out, text);
    for (; length < width; length++)
        str_add_char(out, ' ');
    if (!left)
        str_add(out, text);
}

static size_t column_widths(const struct figure *list, size_t most_rows,
                            size_t widths[static MOST_COLUMNS]) {
    size_t count = 0, row = 0;
    char cell[CELL_BYTES];
    for (const struct figure *group = list->members.first; group && row < most_rows;
         group = group->next, row++) {
        size_t column = 0;
        for (const struct figure *member = group->members.first; member && column < MOST_COLUMNS;
             member = member->next) {
            if (!is_scalar_figure(member))
                continue;
            format_cell(member, cell);
            if (column == count)
                widths[count++] = strlen(member->name);
            if (strlen(cell) > widths[column])
                widths[column] = strlen(cell);
            column++;
        }
    }
    return count;
}

static void write_figure_row(const struct figure *group, const size_t *widths, bool names,
                             struct str *out) {
    size_t column = 0;
    char cell[CELL_BYTES];
    for (const struct figure *member = group->members.first; member && column < MOST_COLUMNS;
         member = member->next) {
        if (!is_scalar_figure(member))
            continue;
        format_cell(member, cell);
        str_add(out, "  ");
        add_padded(out, names ? member->name : cell, widths[column++], member->kind == FIGURE_TEXT);
    }
    str_add_char(out, '\n');
}

static void write_figure_list(const struct figure *list, size_t most_rows, struct str *out) {
    size_t widths[MOST_COLUMNS], row = 0;
    if (!list->members.first)
        return;
    str_addf(out, "\n%s\n", list->name);
    column_widths(list, most_rows, widths);
    for (const struct figure *group = list->members.first; group; group = group->next, row++) {
        if (row == 0)
            write_figure_row(group, widths, true, out);
        if (row < most_rows)
            write_figure_row(group, widths, false, out);
    }
    if (row > most_rows)
        str_addf(out, "  ... %zu more in the JSON form\n", row - most_rows);
}

static void write_figure_group(const struct figure *group, size_t most_rows, struct str *out) {
    size_t width = 0;
    char cell[CELL_BYTES];
    for (const struct figure *member = group->members.first; member; member = member->next)
        if (is_scalar_figure(member) && strlen(member->name) > width)
            width = strlen(member->name);
    for (const struct figure *member = group->members.first; member; member = member->next) {
        if (!is_scalar_figure(member))
            continue;
        format_cell(member, cell);
        add_padded(out, member->name, width + 2, true);
        str_addf(out, "%s\n", cell);
    }
    for (const struct figure *member = group->members.first; member; member = member->next) {
        if (member->json_only)
            continue;
        if (member->kind == FIGURE_LIST &&
            (!member->members.first || !is_scalar_figure(member->members.first)))
            write_figure_list(member, most_rows, out);
        if (member->kind != FIGURE_GROUP || !member->members.first)
            continue;
        str_addf(out, "\n%s\n", member->name);
        write_figure_group(member, most_rows, out);
    }
}

void figures_write_table(const struct figure *root, size_t most_rows, struct str *out) {
    write_figure_group(root, most_rows, out);
}

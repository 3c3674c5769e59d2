/* Rows of a CSV as structs: see csv_reader.h. */
#include "config/csv_reader.h"

#include "base/numfmt.h"

#include <assert.h>
#include <stdio.h>

static bool may_be_empty(const struct field *column) {
    return !column->required || column->may_be_empty;
}

/* ---- Messages ---- */

/* "1e9" for 1e+09. */
static void add_bound(struct str *out, const struct field *column, double bound) {
    char text[NUMFMT_BYTES];
    snprintf(text, sizeof text, column->type == FIELD_REAL ? "%g" : "%.0f", bound);
    for (const char *at = text; *at; at++)
        if (*at != '+' && (*at != '0' || at < text + 2 || at[-2] != 'e'))
            str_add_char(out, *at);
}

static void add_range(struct str *out, const struct field *column) {
    str_add(out, column->help ? column->help : column->type == FIELD_REAL ? "number" : "integer");
    bool open = column->above_min || column->below_max;
    str_add(out, column->above_min ? " > " : open ? " >= " : " ");
    add_bound(out, column, column->min);
    str_add(out, column->below_max ? " and < " : open ? " and <= " : "..");
    add_bound(out, column, column->max);
}

/* "a, b or c"; with a word more, "a, b, c or empty". A first choice "" is an empty cell. */
static void add_choices(struct str *out, const struct field *column) {
    size_t first = column->choices[0][0] ? 0 : 1;
    for (size_t i = first; column->choices[i]; i++)
        str_addf(out, "%s%s",
                 i == first                                       ? ""
                 : column->choices[i + 1] || may_be_empty(column) ? ", "
                                                                  : " or ",
                 column->choices[i]);
}

static void refuse_value(const struct csv_reader *reader, const struct field *column) {
    struct str expected = {0};
    if (column->type == FIELD_CHOICE)
        add_choices(&expected, column);
    else if (column->type == FIELD_BOOL)
        str_add(&expected, may_be_empty(column) ? "0, 1" : "0 or 1");
    else if (column->type == FIELD_STRING || column->type == FIELD_NODE)
        str_add(&expected, column->help ? column->help : "a name");
    else
        add_range(&expected, column);
    if (column->word)
        str_addf(&expected, ", empty or %s", column->word);
    else if (may_be_empty(column))
        str_add(&expected, " or empty");
    csv_reader_refuse(reader, column->key, expected.text);
    str_finish(&expected);
}

/* ---- The header ---- */

/* Of columns of which the file has one: at the first of them, if it has none or several. */
static void check_alternatives(const struct csv_reader *reader, const struct field *column) {
    size_t found = 0, of = 0;
    for (const struct field *c = reader->columns; c->key; c++) {
        if (!c->unless || strcmp(c->unless, column->unless) != 0)
            continue;
        if (of++ == 0 && c != column)
            return;
        found += reader->at[c - reader->columns] >= 0;
    }
    if (found != 1)
        problems_add(reader->problems,
                     (struct location){.file = csv_where(reader->csv, -1).file, .line = 1}, NULL,
                     "expected one of the columns %s, got %s", column->unless,
                     found == 0 ? "none"
                     : of == 2  ? "both"
                                : "several");
}

static void refuse_others(const struct csv_reader *reader) {
    const char *names[CSV_READER_COLUMNS];
    struct arena arena = {0};
    size_t count = 0;
    for (const struct field *c = reader->columns; c->key; c++)
        names[count++] = c->key;
    for (size_t i = 0; i < csv_column_count(reader->csv); i++) {
        const char *name = csv_column_name(reader->csv, i);
        bool known = strncmp(name, "label.", 6) == 0;
        for (size_t c = 0; c < count; c++)
            known |= reader->at[c] == (int)i;
        if (!known)
            problems_add(reader->problems, (struct location){csv_where(reader->csv, -1).file, 1, 0},
                         NULL, "unknown column \"%.80s\"%s%s; extra columns are named label.*",
                         name, str_suggestion(&arena, name, names, count),
                         csv_list_text(names, count, &arena));
    }
    arena_finish(&arena);
}

static void begin_scan(struct csv_reader *reader);

int csv_reader_open(struct csv_reader *reader, const char *path) {
    struct error error = {0};
    size_t before = reader->problems->count;
    if (csv_open(path, ',', &reader->csv, &error) < 0)
        return problems_say(reader->problems, "%s", error.text);
    for (const struct field *c = reader->columns; c->key; c++) {
        int *at = &reader->at[c - reader->columns];
        assert(c - reader->columns < CSV_READER_COLUMNS);
        *at = c->required && !c->unless ? csv_needed_column(reader->csv, c->key, reader->problems)
                                        : csv_column(reader->csv, c->key);
        if (*at >= 0 && (c->type != FIELD_NODE || c->required))
            reader->read[reader->read_count++] =
                (struct csv_reader_column){c, *at, may_be_empty(c)};
    }
    for (const struct field *c = reader->columns; c->key; c++)
        if (c->unless)
            check_alternatives(reader, c);
    if (reader->closed)
        refuse_others(reader);
    if (reader->row)
        begin_scan(reader);
    return reader->problems->count > before ? ERROR_INPUT : 0;
}

void csv_reader_close(struct csv_reader *reader) {
    csv_close(reader->csv);
    reader->csv = NULL;
    free(reader->scanned);
    free(reader->absent);
}

int csv_reader_load(struct csv_reader *reader, const char *path, void (*read_row)(void *context),
                    void *context) {
    size_t before = reader->problems->count;
    if (csv_reader_open(reader, path) == 0)
        csv_each_row(reader->csv, reader->problems, read_row, context);
    csv_reader_close(reader);
    return reader->problems->count > before ? ERROR_INPUT : 0;
}

/* ---- Rows ---- */

static bool parse_choice(struct slice cell, const char *const *choices, int32_t *value) {
    for (int32_t i = 0; choices[i]; i++)
        if (slice_is(cell, choices[i])) {
            *value = i;
            return true;
        }
    return false;
}

static bool is_in_range(const struct field *column, double value) {
    return (column->below_max ? value < column->max : value <= column->max) &&
           (column->above_min ? value > column->min : value >= column->min);
}

/* A cell that is not empty; false: it is none of the column. */
static bool read_cell(const struct csv_reader *reader, const struct field *column,
                      struct slice cell, void *to) {
    double real;
    int64_t whole;
    switch (column->type) {
    case FIELD_REAL:
        if (!numfmt_parse_real(cell.at, cell.length, &real) || !is_in_range(column, real))
            return false;
        *(double *)to = real;
        return true;
    case FIELD_COUNT:
        if (!slice_parse_whole(cell, &whole) || !is_in_range(column, (double)whole))
            return false;
        *(uint32_t *)to = (uint32_t)whole;
        return true;
    case FIELD_BOOL:
        *(bool *)to = slice_is(cell, "1");
        return slice_is(cell, "1") || slice_is(cell, "0");
    case FIELD_NODE:
        return true;
    case FIELD_CHOICE:
        return parse_choice(cell, column->choices, to);
    default:
        *(const char **)to =
            intern_text(reader->texts, intern(reader->texts, cell.at, cell.length, NULL));
        return true;
    }
}

static void set_defaults(const struct csv_reader *reader, void *row) {
    for (const struct field *c = reader->columns; c->key; c++)
        if (reader->at[c - reader->columns] >= 0 || !c->unless)
            schema_set_default(c, (char *)row + c->offset);
}

bool csv_reader_row(const struct csv_reader *reader, void *row) {
    bool good = true;
    if (reader->has_row)
        return true;
    if (reader->absent)
        memcpy(row, reader->absent, reader->row_bytes);
    else
        set_defaults(reader, row);
    for (size_t i = 0; i < reader->read_count; i++) {
        const struct csv_reader_column *column = &reader->read[i];
        const struct field *c = column->field;
        struct slice cell = csv_field(reader->csv, column->at);
        if (cell.length == 0 ? column->may_be_empty
                             : read_cell(reader, c, cell, (char *)row + c->offset) ||
                                   (c->word && slice_is_word(cell, c->word)))
            continue;
        refuse_value(reader, c);
        good = false;
    }
    return good;
}

/* ---- Rows straight from their lines ---- */

/* A cell that is not empty; returns the byte behind it. NULL: only csv_reader_row can tell. */
static const char *scan_cell(const struct csv_reader *reader, const struct field *column,
                             const char *at, void *to) {
    double value = 0;
    if (column->type == FIELD_REAL || column->type == FIELD_COUNT) {
        at = numfmt_scan_real(at, &value);
        if (!at || !is_in_range(column, value))
            return NULL;
        if (column->type == FIELD_REAL)
            *(double *)to = value;
        else if ((*(uint32_t *)to = (uint32_t)value) != value)
            return NULL;
        return at;
    }
    struct slice cell = {at, 0};
    while ((unsigned char)*at > ',' || (*at == ' ' && at > cell.at)) /* that is no quote */
        at++;
    cell.length = (size_t)(at - cell.at);
    if (cell.length > 0 && at[-1] == ' ')
        return NULL;
    return column->type == FIELD_NODE || read_cell(reader, column, cell, to) ? at : NULL;
}

/* A csv_scan: what ends a cell is a comma, of the last one the end of the line. */
static bool scan_row(void *context, struct slice line, const char **begins) {
    struct csv_reader *reader = context;
    const struct csv_reader_column *column = reader->scanned;
    const struct csv_reader_column *last = column + csv_column_count(reader->csv) - 1;
    const char *at = line.at, *end = line.at + line.length;
    reader->has_row = false;
    memcpy(reader->row, reader->absent, reader->row_bytes);
    for (; column <= last; column++, at++) {
        *begins++ = at;
        if (*at == ',' && column < last && column->may_be_empty)
            continue;
        if (*at != ',' && at != end)
            at = scan_cell(reader, column->field, at, (char *)reader->row + column->field->offset);
        else if (!column->may_be_empty)
            return false;
        if (!at || (column < last && *at != ','))
            return false;
    }
    *begins = at;
    return reader->has_row = at == end + 1;
}

static void begin_scan(struct csv_reader *reader) {
    static const struct field other = {.type = FIELD_NODE};
    size_t count = csv_column_count(reader->csv);
    reader->scanned = mem_zalloc(count, sizeof *reader->scanned);
    reader->absent = mem_zalloc(1, reader->row_bytes);
    set_defaults(reader, reader->absent);
    for (size_t i = 0; i < count; i++)
        reader->scanned[i] = (struct csv_reader_column){&other, (int)i, true};
    for (size_t i = 0; i < reader->read_count; i++)
        reader->scanned[reader->read[i].at] = reader->read[i];
    csv_scan_rows(reader->csv, scan_row, reader);
}

uint32_t csv_reader_line(const struct csv_reader *reader) {
    return csv_where(reader->csv, -1).line;
}

static int column_of(const struct csv_reader *reader, const char *name) {
    const struct field *c = reader->columns;
    while (strcmp(c->key, name) != 0)
        c++;
    return reader->at[c - reader->columns];
}

bool csv_reader_has(const struct csv_reader *reader, const char *name) {
    return column_of(reader, name) >= 0;
}

struct slice csv_reader_cell(const struct csv_reader *reader, const char *name) {
    return csv_field(reader->csv, column_of(reader, name));
}

struct location csv_reader_where(const struct csv_reader *reader, const char *name) {
    return csv_where(reader->csv, column_of(reader, name));
}

void csv_reader_refuse(const struct csv_reader *reader, const char *name, const char *expected) {
    csv_refuse(reader->csv, column_of(reader, name), name, expected, reader->problems);
}

/* Tables of policies: see param_table.h. */
#include "policy/param_table.h"

#include "io/csv.h"

#include <stdlib.h>
#include <string.h>

struct reader {
    const struct binding *binding;
    struct csv *csv;
    const struct easim_column **columns; /* by column of the table */
    int *places;                         /* and where it is in the file */
    void **values;                       /* what has been read of it */
    struct easim_table *table;
    uint32_t *lines;
    uint32_t capacity;
};

static size_t value_size(const struct easim_column *column) {
    return column->type == EASIM_PARAM_TEXT  ? sizeof(const char *)
           : column->type == EASIM_PARAM_INT ? sizeof(int64_t)
                                             : sizeof(double);
}

uint32_t param_table_columns(const struct easim_policy *policy, const char *param) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < policy->column_count; i++)
        count += policy->columns[i].param && strcmp(policy->columns[i].param, param) == 0;
    return count;
}

static void reader_init(struct reader *r, const struct easim_policy *policy, const char *param,
                        const char *path) {
    struct arena *arena = r->binding->arena;
    uint32_t count = param_table_columns(policy, param), at = 0;
    r->columns = arena_alloc(arena, count * sizeof(void *));
    r->places = arena_alloc(arena, count * sizeof *r->places);
    r->values = arena_alloc(arena, count * sizeof *r->values);
    for (uint32_t i = 0; i < policy->column_count; i++)
        if (strcmp(policy->columns[i].param, param) == 0)
            r->columns[at++] = &policy->columns[i];
    r->table = arena_alloc(arena, sizeof *r->table);
    *r->table =
        (struct easim_table){.struct_size = sizeof *r->table, .path = path, .column_count = count};
}

/* --- the header --- */

static int find_table_columns(struct reader *r) {
    int result = 0;
    for (uint32_t c = 0; c < r->table->column_count; c++) {
        r->places[c] = csv_needed_column(r->csv, r->columns[c]->name, r->binding->problems);
        result = r->places[c] < 0 ? ERROR_INPUT : result;
    }
    return result;
}

static void name_unused(const struct reader *r, struct str *unused) {
    for (size_t i = 0; i < csv_column_count(r->csv); i++) {
        uint32_t c = 0;
        while (c < r->table->column_count && (size_t)r->places[c] != i)
            c++;
        if (c == r->table->column_count)
            str_addf(unused, "%s%s", unused->length > 0 ? ", " : "", csv_column_name(r->csv, i));
    }
}

/* --- rows --- */

static void grow(struct reader *r) {
    r->capacity = r->capacity > 0 ? 2 * r->capacity : 256;
    r->lines = mem_realloc(r->lines, r->capacity, sizeof *r->lines);
    for (uint32_t c = 0; c < r->table->column_count; c++)
        r->values[c] = mem_realloc(r->values[c], r->capacity, value_size(r->columns[c]));
}

/* Of text, any that is there; else what the schema takes for a field of that type and range. */
static bool read_table_cell(struct reader *r, uint32_t c, void *out) {
    static const enum field_type types[] = {[EASIM_PARAM_REAL] = FIELD_REAL,
                                            [EASIM_PARAM_DURATION] = FIELD_REAL,
                                            [EASIM_PARAM_INT] = FIELD_INT};
    const struct easim_column *column = r->columns[c];
    struct slice cell = csv_field(r->csv, r->places[c]);
    const char *text =
        arena_strndup(r->binding->arena, cell.length > 0 ? cell.at : "", cell.length);
    if (column->type == EASIM_PARAM_TEXT) {
        if (cell.length == 0)
            csv_refuse(r->csv, r->places[c], column->name, "text", r->binding->problems);
        *(const char **)out = text;
        return cell.length > 0;
    }
    const struct yaml_node node = {.kind = YAML_NODE_SCALAR,
                                   .where = csv_where(r->csv, r->places[c]),
                                   .text = text,
                                   .length = cell.length};
    const struct field field = {
        .type = types[column->type], .min = column->min, .max = column->max};
    return schema_bind_value(r->binding, &field, &node, column->name, out) == 0;
}

static void read_table_row(void *context) {
    struct reader *r = context;
    struct easim_table *table = r->table;
    bool good = true;
    if (table->row_count == r->capacity)
        grow(r);
    for (uint32_t c = 0; c < table->column_count; c++) {
        void *out = (char *)r->values[c] + table->row_count * value_size(r->columns[c]);
        good = read_table_cell(r, c, out) && good;
    }
    r->lines[table->row_count] = csv_where(r->csv, -1).line;
    table->row_count += good;
}

/* --- rows that are told apart by a key --- */

static int compare_cells(const struct reader *r, uint32_t c, uint32_t a, uint32_t b) {
    const void *values = r->values[c];
    if (r->columns[c]->type == EASIM_PARAM_TEXT)
        return strcmp(((const char *const *)values)[a], ((const char *const *)values)[b]);
    if (r->columns[c]->type == EASIM_PARAM_INT) {
        const int64_t *at = values;
        return (at[a] > at[b]) - (at[a] < at[b]);
    }
    const double *at = values;
    return (at[a] > at[b]) - (at[a] < at[b]);
}

/* Also 0 where the table has no key. */
static int compare_keys(const struct reader *r, uint32_t a, uint32_t b) {
    int order = 0;
    for (uint32_t c = 0; c < r->table->column_count && order == 0; c++)
        order = r->columns[c]->key ? compare_cells(r, c, a, b) : 0;
    return order;
}

static int compare_rows(const void *left, const void *right, void *context) {
    THEN(compare_keys(context, *(const uint32_t *)left, *(const uint32_t *)right))
    return by_uint32(left, right);
}

static void refuse_repeats(struct reader *r) {
    struct easim_table *table = r->table;
    struct str names = {0};
    for (uint32_t c = 0; c < table->column_count; c++)
        if (r->columns[c]->key)
            str_addf(&names, "%s%s", names.length > 0 ? ", " : "", r->columns[c]->name);
    uint32_t *order = mem_alloc((table->row_count + 1) * sizeof *order);
    for (uint32_t i = 0; i < table->row_count; i++)
        order[i] = i;
    if (names.length > 0)
        qsort_r(order, table->row_count, sizeof *order, compare_rows, r);
    for (uint32_t i = 1, first = 0; i < table->row_count && names.length > 0; i++) {
        bool again = compare_keys(r, order[first], order[i]) == 0;
        first = again ? first : i;
        if (again)
            problems_add(r->binding->problems,
                         (struct location){table->path, r->lines[order[i]], 1}, NULL,
                         "expected one row for each %s, got one as in line %u", names.text,
                         r->lines[order[first]]);
    }
    free(order);
    str_finish(&names);
}

/* --- the whole --- */

static const void *keep(struct arena *arena, const void *values, size_t bytes) {
    void *own = arena_alloc(arena, bytes);
    memcpy(own, values, bytes);
    return own;
}

static void keep_rows(struct reader *r) {
    struct easim_table *table = r->table;
    struct arena *arena = r->binding->arena;
    const void **columns = arena_alloc(arena, table->column_count * sizeof *columns);
    for (uint32_t c = 0; c < table->column_count; c++)
        columns[c] = keep(arena, r->values[c], table->row_count * value_size(r->columns[c]));
    table->columns = columns;
    table->lines = keep(arena, r->lines, table->row_count * sizeof *r->lines);
}

static void read_rows(struct reader *r) {
    struct problems *problems = r->binding->problems;
    size_t before = problems->count;
    csv_each_row(r->csv, problems, read_table_row, r);
    if (problems->count > before)
        return;
    if (r->table->row_count == 0) {
        problems_add(problems, (struct location){r->table->path, 0, 0}, NULL,
                     "expected rows after the header, got none");
        return;
    }
    refuse_repeats(r);
    if (problems->count == before)
        keep_rows(r);
}

const struct easim_table *param_table_read(const struct easim_policy *policy, const char *param,
                                           const char *path, const struct binding *binding,
                                           struct str *unused) {
    struct reader r = {.binding = binding};
    struct error error = {0};
    size_t before = binding->problems->count;
    reader_init(&r, policy, param, path);
    if (csv_open(path, ',', &r.csv, &error) < 0) {
        problems_say(binding->problems, "%s", error.text);
        return NULL;
    }
    if (find_table_columns(&r) == 0) {
        name_unused(&r, unused);
        read_rows(&r);
    }
    for (uint32_t c = 0; c < r.table->column_count; c++)
        free(r.values[c]);
    free(r.lines);
    csv_close(r.csv);
    return binding->problems->count > before ? NULL : r.table;
}

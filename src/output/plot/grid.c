/* A sweep as a table: points by axes, with the chosen metrics. A cell of a figure is the mean over
   its replications. Each replication is first averaged over axes that the figure does not show, so
   the interval is that of the mean over these points and not of the spread between them. */
#include "output/plot/grid.h"

#include "base/units.h"
#include "io/lines.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- grid_where --- */
/* Values at which axes of a sweep are held: rows of other points are not read. */

struct grid_held {
    const char *axis, *value;
    int column;
    bool seen;            /* some row has the value */
    struct intern values; /* all that the axis has */
};

/* Zero-initialise; release with grid_where_finish. */
struct grid_where {
    struct arena arena;
    ARRAY_OF(struct grid_held) held;
};

static int grid_where_open(struct grid_where *where, const char *const *texts, size_t count,
                           const struct csv *csv, int axes, struct error *reterr) MUST_CHECK;
static int grid_where_check(struct grid_where *where, size_t taken,
                            struct error *reterr) MUST_CHECK;

/* "10kW" is 10000, and "10000 W". */
static bool is_value(struct slice text, const char *value) {
    bool is = slice_is(text, value);
    for (enum dimension d = DIMENSION_NONE; !is && d <= DIMENSION_BANDWIDTH; d++) {
        double left, right;
        is = units_parse(d, text.at, text.length, &left) &&
             units_parse(d, value, strlen(value), &right) && left == right;
    }
    return is;
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

/* texts: "AXIS=VALUE". The axes are the columns 1..axes of the table. ERROR_INPUT: no such
   axis, with a suggestion, or one that is held twice. */
static int grid_where_open(struct grid_where *where, const char *const *texts, size_t count,
                           const struct csv *csv, int axes, struct error *reterr) {
    int r = 0;
    for (size_t i = 0; r == 0 && i < count; i++)
        r = hold_axis(where, texts[i], csv, axes, reterr);
    return r;
}

/* Whether the row belongs to a point that is held there. Numbers are compared as such. */
static bool grid_where_takes(struct grid_where *where, const struct csv *csv) {
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

/* After the last row, of which `taken` were. ERROR_INPUT: an axis without that value, with a
 * suggestion, or no point with all of them. */
static int grid_where_check(struct grid_where *where, size_t taken, struct error *reterr) {
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

static void grid_where_finish(struct grid_where *where) {
    for (size_t i = 0; i < where->held.count; i++)
        intern_finish(&where->held.at[i].values);
    free(where->held.at);
    arena_finish(&where->arena);
}

/* --- grid --- */

/* Columns of sweep.csv after the axes. */
enum { POLICY, REPLICATION, SEED };

static const char *const own_columns[] = {"policy", "replication", "seed", NULL};

struct table_reader {
    struct grid_table *table;
    struct csv *csv;
    int columns[SEED + 1];
    struct intern replicates;
    struct grid_where where;
    const unsigned *metrics;
    int metric_columns[PLOT_MOST_METRICS], warning_column;
};

/* ---- Reading ---- */

static int find_grid_columns(struct table_reader *reader, const char *folder,
                             struct error *reterr) {
    struct grid_table *t = reader->table;
    for (size_t m = 0; m < t->metric_count; m++) {
        const char *name = summary_names[reader->metrics[m]];
        if ((reader->metric_columns[m] = csv_column(reader->csv, name)) < 0)
            return error_set(reterr, ERROR_INPUT, "%s/sweep.csv: expected a column %s", folder,
                             name);
    }
    reader->warning_column = csv_column(reader->csv, "warning"); /* -1: an earlier easim wrote it */
    for (int c = 1; c < reader->columns[POLICY]; c++) {
        struct grid_axis *axis = array_add(&t->axes);
        axis->name = arena_strdup(&t->arena, csv_column_name(reader->csv, (size_t)c));
    }
    return t->axes.count > 0
               ? 0
               : error_set(reterr, ERROR_INPUT,
                           "%s/sweep.csv: expected columns of axes before policy", folder);
}

static int read_grid_row(struct table_reader *reader, struct error *reterr) {
    struct grid_table *t = reader->table;
    if (!grid_where_takes(&reader->where, reader->csv))
        return 0;
    struct grid_row *row = array_add(&t->rows);
    row->places = arena_alloc(&t->arena, t->axes.count * sizeof *row->places);
    for (size_t a = 0; a < t->axes.count; a++) {
        struct slice text = csv_field(reader->csv, (int)a + 1);
        row->places[a] = intern(&t->axes.at[a].texts, text.at, text.length, NULL);
    }
    struct str key = {0};
    for (int c = REPLICATION; c <= SEED; c++) {
        struct slice text = csv_field(reader->csv, reader->columns[c]);
        str_add_bytes(&key, text.at, text.length);
        str_add_char(&key, ',');
    }
    row->replicate = intern(&reader->replicates, key.text, key.length, NULL);
    str_finish(&key);
    int r = 0;
    row->warned =
        reader->warning_column >= 0 && csv_field(reader->csv, reader->warning_column).length > 0;
    for (size_t m = 0; r == 0 && m < t->metric_count; m++)
        r = plot_source_real(reader->csv, reader->metric_columns[m], &row->values[m], reterr);
    return r;
}

/* ---- Axes ---- */

ORDER_BY(compare_values, struct grid_value, ASC(number))

/* Sets the numbers if all values are some, of one kind. Returns their unit: that of the first with
   one, or "". */
static const char *read_numbers(struct grid_axis *axis, struct arena *arena) {
    const char *unit = "";
    for (size_t i = 0; i < axis->count && !unit[0]; i++) {
        const char *text = axis->values[i].text;
        size_t number = units_number_length(text, strlen(text));
        unit = number > 0 ? text + number + strspn(text + number, " ") : "";
    }
    const char *one = arena_printf(arena, "1%s", unit);
    for (enum dimension d = DIMENSION_NONE; d <= DIMENSION_BANDWIDTH && !axis->numeric; d++) {
        double factor;
        axis->numeric = units_parse(d, one, strlen(one), &factor);
        for (size_t i = 0; axis->numeric && i < axis->count; i++) {
            struct grid_value *v = &axis->values[i];
            axis->numeric = units_parse(d, v->text, strlen(v->text), &v->number);
            v->number /= factor;
        }
    }
    return axis->numeric ? unit : "";
}

/* "cluster power cap (W)" of cluster.power_cap_w; a unit that the values have stands for its own.
 */
static const char *label_of(const char *name, const char *unit, struct arena *arena) {
    static const char *const endings[][2] = {{"_per_s", "1/s"},     {"_g_per_kwh", "g/kWh"},
                                             {"_per_mwh", "1/MWh"}, {"_kwh", "kWh"},
                                             {"_mhz", "MHz"},       {"_s", "s"},
                                             {"_h", "h"},           {"_w", "W"},
                                             {"_j", "J"},           {"_frac", ""},
                                             {".name", ""}};
    char *words = arena_strdup(arena, name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char *end = words + strlen(words) - strlen(endings[i][0]);
        if (end > words && strcmp(end, endings[i][0]) == 0) {
            *end = '\0';
            unit = unit[0] ? unit : endings[i][1];
            break;
        }
    }
    for (char *at = words; *at; at++)
        *at = *at == '.' || *at == '_' ? ' ' : *at;
    return unit[0] ? arena_printf(arena, "%s (%s)", words, unit) : words;
}

/* Numbers ascending, other values as they first appear; rows then name places in this order. */
static void order_axis(struct grid_table *table, size_t a) {
    struct grid_axis *axis = &table->axes.at[a];
    axis->count = axis->texts.entries.count;
    axis->values = arena_alloc(&table->arena, axis->count * sizeof *axis->values);
    for (uint32_t i = 0; i < axis->count; i++)
        axis->values[i] = (struct grid_value){.text = intern_text(&axis->texts, i), .before = i};
    const char *unit = read_numbers(axis, &table->arena);
    if (!axis->label)
        axis->label = label_of(axis->name, unit, &table->arena);
    else if (unit[0] && !strchr(axis->label, '('))
        axis->label = arena_printf(&table->arena, "%s (%s)", axis->label, unit);
    if (!axis->numeric || axis->count == 0)
        return;
    sort_array(axis->values, axis->count, compare_values);
    uint32_t *now = mem_zalloc(axis->count, sizeof *now);
    for (uint32_t i = 0; i < axis->count; i++)
        now[axis->values[i].before] = i;
    for (size_t r = 0; r < table->rows.count; r++)
        table->rows.at[r].places[a] = now[table->rows.at[r].places[a]];
    free(now);
}

/* Labels of axes, and points that manifest.json says are not in the table; a sweep without one is
   taken as it is. */
static void read_sweep_manifest(struct grid_table *table, const char *folder) {
    struct lines *lines = NULL;
    struct slice line;
    struct error error = {0};
    struct str text = {0};
    struct arena arena = {0};
    if (lines_open(arena_printf(&arena, "%s/manifest.json", folder), &lines, &error) == 0)
        while (lines_next(lines, &line, &error) == 1)
            str_add_bytes(&text, line.at, line.length);
    cJSON *root = cJSON_ParseWithLength(text.text ? text.text : "", text.length);
    const cJSON *failed = cJSON_GetObjectItemCaseSensitive(root, "failed");
    const cJSON *missing = cJSON_GetObjectItemCaseSensitive(root, "missing");
    const cJSON *labels = cJSON_GetObjectItemCaseSensitive(root, "labels");
    for (size_t a = 0; a < table->axes.count; a++) {
        const cJSON *label = cJSON_GetObjectItemCaseSensitive(labels, table->axes.at[a].name);
        if (cJSON_IsString(label))
            table->axes.at[a].label = arena_strdup(&table->arena, label->valuestring);
    }
    table->failed = cJSON_IsNumber(failed) ? failed->valuedouble : 0;
    table->missing = cJSON_IsNumber(missing) ? missing->valuedouble : 0;
    cJSON_Delete(root);
    str_finish(&text);
    lines_close(lines);
    arena_finish(&arena);
}

static void note_held(struct grid_table *table, const struct grid_where *where) {
    for (size_t i = 0; i < where->held.count; i++) {
        struct grid_axis *axis = &table->axes.at[where->held.at[i].column - 1];
        axis->held = arena_strdup(&table->arena, where->held.at[i].value);
        axis->was_alone = where->held.at[i].values.entries.count == 1;
    }
}

int grid_open(const struct grid_request *request, struct grid_table *table, struct error *reterr) {
    struct table_reader reader = {.table = table, .metrics = request->metrics};
    int got, r = plot_source_table(request->folder, "sweep.csv", own_columns, reader.columns,
                                   &reader.csv, reterr);
    if (r < 0)
        return r;
    table->metric_count = request->metric_count;
    r = find_grid_columns(&reader, request->folder, reterr);
    if (r == 0)
        r = grid_where_open(&reader.where, request->where, request->where_count, reader.csv,
                            reader.columns[POLICY] - 1, reterr);
    while (r == 0 && (got = csv_next(reader.csv, reterr)) != 0)
        r = got < 0 ? got : read_grid_row(&reader, reterr);
    if (r == 0)
        r = grid_where_check(&reader.where, table->rows.count, reterr);
    if (r == 0)
        read_sweep_manifest(table, request->folder);
    for (size_t a = 0; r == 0 && a < table->axes.count; a++)
        order_axis(table, a);
    if (r == 0)
        note_held(table, &reader.where);
    grid_where_finish(&reader.where);
    csv_close(reader.csv);
    intern_finish(&reader.replicates);
    return r;
}

void grid_finish(struct grid_table *table) {
    for (size_t a = 0; a < table->axes.count; a++)
        intern_finish(&table->axes.at[a].texts);
    free(table->axes.at);
    free(table->rows.at);
    arena_finish(&table->arena);
}

size_t grid_find_axis(const struct grid_table *table, const char *name) {
    for (size_t a = 0; a < table->axes.count; a++)
        if (strcmp(table->axes.at[a].name, name) == 0)
            return a;
    return GRID_NO_AXIS;
}

bool grid_is_free(const struct grid_table *table, size_t axis, size_t of) {
    if (of == GRID_NO_AXIS)
        return true;
    uint32_t *seen = mem_zalloc(table->axes.at[of].count, sizeof *seen);
    bool free_of = false;
    for (size_t r = 0; r < table->rows.count; r++) {
        const struct grid_row *row = &table->rows.at[r];
        uint32_t *first = &seen[row->places[of]];
        free_of = free_of || (*first > 0 && *first != row->places[axis] + 1);
        *first = row->places[axis] + 1;
    }
    free(seen);
    return free_of;
}

/* ---- Cells ---- */

/* A row by its cell and replication. */
struct sorted_row {
    uint32_t places[GRID_DIMENSIONS], replicate;
    double value;
    bool warned;
};

static int compare_cells(const struct sorted_row *row, const struct sorted_row *q) {
    for (int d = 0; d < GRID_DIMENSIONS; d++)
        if (row->places[d] != q->places[d])
            return row->places[d] < q->places[d] ? -1 : 1;
    return 0;
}

ORDER_BY(compare_rows, struct sorted_row, THEN(compare_cells(a, b)) ASC(replicate))

/* The mean of each replication in rows[0..count), then the estimate over those. */
static struct estimate estimate_cell(const struct sorted_row *rows, size_t count, double *means) {
    size_t replicates = 0;
    for (size_t i = 0, next; i < count; i = next) {
        double sum = 0;
        for (next = i; next < count && rows[next].replicate == rows[i].replicate; next++)
            sum += rows[next].value;
        means[replicates++] = sum / (double)(next - i);
    }
    return t_interval_of(means, replicates);
}

void grid_add_cells(const struct grid_table *table, const size_t axes[GRID_DIMENSIONS],
                    size_t metric, struct grid_cells *cells) {
    struct sorted_row *rows = mem_zalloc(table->rows.count, sizeof *rows);
    double *means = mem_zalloc(table->rows.count, sizeof *means);
    size_t count = 0;
    for (size_t r = 0; r < table->rows.count; r++) {
        const struct grid_row *row = &table->rows.at[r];
        if (isnan(row->values[metric]))
            continue;
        for (int d = 0; d < GRID_DIMENSIONS; d++)
            rows[count].places[d] = axes[d] == GRID_NO_AXIS ? 0 : row->places[axes[d]];
        rows[count].replicate = row->replicate;
        rows[count].warned = row->warned;
        rows[count++].value = row->values[metric];
    }
    sort_array(rows, count, compare_rows);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i; next < count && compare_cells(&rows[i], &rows[next]) == 0;)
            next++;
        struct grid_cell *cell = array_add(cells);
        memcpy(cell->places, rows[i].places, sizeof cell->places);
        cell->estimate = estimate_cell(rows + i, next - i, means);
        for (size_t row = i; row < next; row++)
            cell->warned = cell->warned || rows[row].warned;
    }
    free(rows);
    free(means);
}

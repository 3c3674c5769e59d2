/* The difference in every world, and its origin: two panels for each policy but the baseline. */
#include "experiment/statistics.h"
#include "output/plot/figures.h"
#include "output/run/run_report.h"

#include <math.h>
#include <stdlib.h>

/* --- world_table --- */
/* worlds.csv as a table: one metric of all policies in the worlds as drawn. */

/* Zero-initialise; release with world_table_finish. */
struct world_table {
    size_t worlds, replications, policies; /* policies: the series of the source */
    struct intern names;                   /* of the worlds, as the file has them */
    double *values;                        /* [policy][world][replication], NAN where missing */
};

static int world_table_read(const struct plot_source *source, unsigned column,
                            struct world_table *table, struct error *reterr) MUST_CHECK;

enum { SET, WORLD, REPLICATION, WORLD_TABLE_POLICY, WORLD_TABLE_METRIC };

struct world_cell {
    size_t policy;
    uint32_t world, replication;
    double value;
};

struct world_reader {
    const struct plot_source *source;
    struct csv *csv;
    int columns[WORLD_TABLE_METRIC + 1];
    struct intern worlds, replications;
    ARRAY_OF(struct world_cell) cells;
};

static uint32_t intern_field(struct world_reader *reader, int column, struct intern *names) {
    struct slice text = csv_field(reader->csv, reader->columns[column]);
    return intern(names, text.at, text.length, NULL);
}

/* Policies that compare.csv does not have are not drawn; of the sets only the first, "0". */
static int read_world_row(struct world_reader *reader, struct error *reterr) {
    struct slice label = csv_field(reader->csv, reader->columns[WORLD_TABLE_POLICY]);
    struct world_cell cell = {.policy = reader->source->series.count};
    for (size_t i = 0; i < reader->source->series.count; i++)
        if (slice_is(label, reader->source->series.at[i].label))
            cell.policy = i;
    if (cell.policy == reader->source->series.count ||
        !slice_is(csv_field(reader->csv, reader->columns[SET]), "0"))
        return 0;
    int r = plot_source_real(reader->csv, reader->columns[WORLD_TABLE_METRIC], &cell.value, reterr);
    cell.world = intern_field(reader, WORLD, &reader->worlds);
    cell.replication = intern_field(reader, REPLICATION, &reader->replications);
    array_push(&reader->cells, cell);
    return r;
}

/* Nearly all cells must be there: a foreign file could ask for any amount of memory. */
static int check_size(const struct world_reader *reader, struct error *reterr) {
    uint64_t expected = (uint64_t)reader->worlds.entries.count *
                        reader->replications.entries.count * reader->source->series.count;
    if (expected / 1000 <= reader->cells.count)
        return 0;
    return error_set(reterr, ERROR_INPUT,
                     "%s/worlds.csv: expected a row for each world, policy and replication, found "
                     "%zu of %llu",
                     reader->source->comparison, reader->cells.count, (unsigned long long)expected);
}

static void fill_table(struct world_reader *reader, struct world_table *table) {
    table->worlds = reader->worlds.entries.count;
    table->replications = reader->replications.entries.count;
    table->policies = reader->source->series.count;
    size_t count = table->policies * table->worlds * table->replications;
    table->values = mem_zalloc(count, sizeof *table->values);
    for (size_t i = 0; i < count; i++)
        table->values[i] = NAN;
    table->names = reader->worlds;
    reader->worlds = (struct intern){0};
    for (size_t i = 0; i < reader->cells.count; i++) {
        const struct world_cell *cell = &reader->cells.at[i];
        table->values[(cell->policy * table->worlds + cell->world) * table->replications +
                      cell->replication] = cell->value;
    }
}

static int world_table_read(const struct plot_source *source, unsigned column,
                            struct world_table *table, struct error *reterr) {
    const char *const names[] = {"set", "world", "replication", "policy", summary_names[column],
                                 NULL};
    struct world_reader reader = {.source = source};
    int got, r = plot_source_table(source->comparison, "worlds.csv", names, reader.columns,
                                   &reader.csv, reterr);
    if (r < 0)
        return r;
    while (r == 0 && (got = csv_next(reader.csv, reterr)) != 0)
        r = got < 0 ? got : read_world_row(&reader, reterr);
    if (r == 0)
        r = check_size(&reader, reterr);
    if (r == 0)
        fill_table(&reader, table);
    csv_close(reader.csv);
    intern_finish(&reader.worlds);
    intern_finish(&reader.replications);
    free(reader.cells.at);
    return r;
}

static void world_table_finish(struct world_table *table) {
    free(table->values);
    intern_finish(&table->names);
    *table = (struct world_table){0};
}

/* A policy's values, [world][replication]. */
static const double *world_table_of(const struct world_table *table, size_t policy) {
    return table->values + policy * table->worlds * table->replications;
}

/* --- worlds_figure --- */

#define MOST_ROWS   8
#define MOST_SHARES 12 /* of a row */

enum verdict { BETTER, WORSE, NOT_CLEAR }; /* as the script numbers its colours */

struct world_difference {
    size_t world; /* its place in the table */
    double mean, ci95;
    enum verdict verdict;
};

/* A row of the figure. */
struct world_row {
    size_t policy; /* series of the source */
    size_t baseline;
    double better, better_low, better_high, sign;
    struct world_difference *differences; /* sorted */
    size_t count;                         /* of worlds in which there is a difference */
};

struct worlds_session {
    const struct plot_source *source;
    unsigned column;
    struct world_table table;
    struct world_row rows[MOST_ROWS];
    size_t row_count;
    bool is_without_baseline; /* of some policy that is shown */
};

/* ---- differences.csv: which policies, against which ---- */

enum { METRIC, POLICY, BASELINE, P_BETTER, P_LOW, P_HIGH, SIGN };

static size_t find_label(const struct plot_source *source, struct slice label) {
    size_t i = 0;
    while (i < source->series.count && !slice_is(label, source->series.at[i].label))
        i++;
    return i;
}

static int read_row(struct worlds_session *s, struct csv *csv, const int *columns,
                    struct plot_figure *figure, struct error *reterr) {
    struct world_row row = {.policy = find_label(s->source, csv_field(csv, columns[POLICY])),
                            .baseline = find_label(s->source, csv_field(csv, columns[BASELINE]))};
    double *const numbers[] = {&row.better, &row.better_low, &row.better_high, &row.sign};
    int r = 0;
    if (!slice_is(csv_field(csv, columns[METRIC]), summary_names[s->column]) ||
        row.policy == s->source->series.count)
        return 0;
    if (row.baseline == s->source->series.count) {
        s->is_without_baseline = true;
        return 0;
    }
    for (int i = 0; r == 0 && i < 4; i++)
        r = plot_source_real(csv, columns[P_BETTER + i], numbers[i], reterr);
    if (s->row_count < MOST_ROWS)
        s->rows[s->row_count++] = row;
    else
        plot_note(figure, "%s is left out: there is room for %d policies",
                  s->source->series.at[row.policy].label, MOST_ROWS);
    return r;
}

static int read_rows(struct worlds_session *s, struct plot_figure *figure, struct error *reterr) {
    static const char *const names[] = {"metric",       "policy",        "baseline",    "p_better",
                                        "p_better_low", "p_better_high", "sign_better", NULL};
    struct csv *csv = NULL;
    int columns[SIGN + 1], got,
        r = plot_source_table(s->source->comparison, "differences.csv", names, columns, &csv,
                              reterr);
    if (r < 0)
        return r;
    while (r == 0 && (got = csv_next(csv, reterr)) != 0)
        r = got < 0 ? got : read_row(s, csv, columns, figure, reterr);
    csv_close(csv);
    return r;
}

/* ---- Differences ---- */

static enum verdict verdict_of(const struct paired *paired, enum metric_better direction) {
    int sign = better_verdict(paired, direction, true);
    return sign > 0 ? BETTER : sign < 0 ? WORSE : NOT_CLEAR;
}

ORDER_BY(compare_differences, struct world_difference, ASC(mean) ASC(world))

static void fill_differences(struct worlds_session *s, struct world_row *row) {
    const struct world_table *t = &s->table;
    const double *values = world_table_of(t, row->policy), *base = world_table_of(t, row->baseline);
    row->differences = mem_zalloc(t->worlds, sizeof *row->differences);
    for (size_t w = 0; w < t->worlds; w++) {
        struct paired p =
            paired_test(values + w * t->replications, base + w * t->replications, t->replications);
        if (p.diff.n > 0)
            row->differences[row->count++] = (struct world_difference){
                w, p.diff.mean, p.diff.ci95, verdict_of(&p, metric_table[s->column].better)};
    }
    sort_array(row->differences, row->count, compare_differences);
}

/* ---- Data ---- */

static void add_cells(struct str *data, size_t row, const char *kind, size_t place, size_t colour) {
    str_add_int(data, (int64_t)row + 1);
    csv_comma_text(data, kind);
    csv_comma_int(data, (int64_t)place);
    csv_comma_int(data, (int64_t)colour);
}

static void add_worlds(const struct worlds_session *s, size_t r, double factor, struct str *data) {
    const struct world_row *row = &s->rows[r];
    for (size_t i = 0; i < row->count; i++) {
        const struct world_difference *d = &row->differences[i];
        double half = isnan(d->ci95) ? 0 : d->ci95;
        add_cells(data, r, "world", i + 1, (size_t)d->verdict);
        csv_comma_real(data, factor * d->mean);
        csv_comma_real(data, factor * (d->mean - half));
        csv_comma_real(data, factor * (d->mean + half));
        csv_comma_text(data, intern_text(&s->table.names, (uint32_t)d->world));
        csv_comma_text(data, s->source->series.at[row->policy].label);
        str_add_char(data, '\n');
    }
}

/* ---- budget.csv: where it comes from ---- */

enum { SHARE_METRIC, SHARE_POLICY, SOURCE, SHARE, CI_LOW, CI_HIGH };

struct share_list {
    const char *names[MOST_SHARES]; /* of sources, in the order of the file */
    size_t count, left_out, drawn;
};

static size_t find_source(struct share_list *list, struct slice name, struct arena *arena) {
    for (size_t i = 0; i < list->count; i++)
        if (slice_is(name, list->names[i]))
            return i;
    if (list->count == MOST_SHARES) {
        list->left_out++;
        return MOST_SHARES;
    }
    list->names[list->count] = arena_strndup(arena, name.at, name.length);
    return list->count++;
}

static bool is_variance(const char *source) {
    return strcmp(source, "physics") == 0 || strcmp(source, "workload") == 0 ||
           strcmp(source, "residual") == 0;
}

/* In per cent. An end that is not known is drawn as none. */
static int add_share(const struct worlds_session *s, struct share_list *list, struct csv *csv,
                     const int *columns, struct plot_figure *figure, struct error *reterr) {
    size_t policy = find_label(s->source, csv_field(csv, columns[SHARE_POLICY])), r = 0;
    double numbers[3]; /* share and its interval */
    if (!slice_is(csv_field(csv, columns[SHARE_METRIC]), summary_names[s->column]))
        return 0;
    while (r < s->row_count && s->rows[r].policy != policy)
        r++;
    for (int i = 0; i < 3; i++)
        if (plot_source_real(csv, columns[SHARE + i], &numbers[i], reterr) < 0)
            return reterr->code;
    size_t place = find_source(list, csv_field(csv, columns[SOURCE]), &figure->arena);
    if (r == s->row_count || place == MOST_SHARES || isnan(numbers[0]))
        return 0;
    add_cells(&figure->data, r, "share", place + 1, is_variance(list->names[place]) ? 3 : 4);
    for (int i = 0; i < 3; i++)
        csv_comma_real(&figure->data, 100 * (isnan(numbers[i]) ? numbers[0] : numbers[i]));
    csv_comma_text(&figure->data, list->names[place]);
    csv_comma_text(&figure->data, s->source->series.at[policy].label);
    str_add_char(&figure->data, '\n');
    list->drawn++;
    return 0;
}

static int add_shares(const struct worlds_session *s, struct share_list *list,
                      struct plot_figure *figure, struct error *reterr) {
    static const char *const names[] = {"metric", "policy",  "source", "share",
                                        "ci_low", "ci_high", NULL};
    struct csv *csv = NULL;
    int columns[CI_HIGH + 1], got,
        r = plot_source_table(s->source->comparison, "budget.csv", names, columns, &csv, reterr);
    if (r < 0)
        return r;
    while (r == 0 && (got = csv_next(csv, reterr)) != 0)
        r = got < 0 ? got : add_share(s, list, csv, columns, figure, reterr);
    csv_close(csv);
    if (list->left_out > 0)
        plot_note(figure, "only the first %d sources of doubt are drawn", MOST_SHARES);
    return r;
}

/* ---- The figure ---- */

/* "better in 70 % of the worlds, clearly in 62 % (50 to 73 %)" */
static const char *row_subtitle(const struct world_row *row, struct plot_figure *figure) {
    if (isnan(row->sign))
        return "";
    const char *sign =
        arena_printf(&figure->arena, "better in %.0f %% of the worlds", 100 * row->sign);
    return isnan(row->better)
               ? sign
               : arena_printf(&figure->arena, "%s, clearly in %.0f %% (%.0f to %.0f %%)", sign,
                              100 * row->better, 100 * row->better_low, 100 * row->better_high);
}

static void set_words(const struct worlds_session *s, const struct share_list *list,
                      const char *unit, struct plot_figure *figure) {
    static const char *const better[] = {"", ", less is better", ", more is better"};
    const char *titles[MOST_ROWS], *subtitles[MOST_ROWS];
    for (size_t r = 0; r < s->row_count; r++) {
        titles[r] = arena_printf(&figure->arena, "%s minus %s",
                                 s->source->series.at[s->rows[r].policy].label,
                                 s->source->series.at[s->rows[r].baseline].label);
        subtitles[r] = row_subtitle(&s->rows[r], figure);
    }
    plot_set_titles(figure, "series", titles, s->row_count);
    plot_set_titles(figure, "subtitles", subtitles, s->row_count);
    if (list->drawn > 0)
        plot_set_names(figure, "sources", list->names, list->count, 24);
    plot_set_number(figure, "name_width", plot_text_width(list->names, list->count) + 16);
    plot_set_number(figure, "shares", list->drawn > 0 ? (double)list->count : 0);
    plot_set_number(figure, "worlds", (double)s->table.worlds);
    const struct metric *metric = &metric_table[s->column];
    const char *difference = arena_printf(&figure->arena, "difference in %s", metric->label);
    plot_set_text(figure, "y_label",
                  arena_printf(&figure->arena, "%s%s", plot_axis_label(figure, difference, unit),
                               better[metric->better]));
    plot_set_text(figure, "note",
                  arena_printf(&figure->arena,
                               "%zu world%s x %zu workload%s; a world: a draw of what is uncertain",
                               s->table.worlds, s->table.worlds == 1 ? "" : "s",
                               s->table.replications, s->table.replications == 1 ? "" : "s"));
}

static int make_worlds(struct worlds_session *s, struct plot_figure *figure, struct error *reterr) {
    struct share_list list = {.count = 0};
    int r = world_table_read(s->source, s->column, &s->table, reterr);
    if (r == 0)
        r = read_rows(s, figure, reterr);
    if (r < 0)
        return r;
    for (size_t i = 0; i < s->row_count; i++)
        fill_differences(s, &s->rows[i]);
    size_t kept = 0;
    for (size_t i = 0; i < s->row_count; i++)
        if (s->rows[i].count > 0)
            s->rows[kept++] = s->rows[i];
        else
            free(s->rows[i].differences);
    s->row_count = kept;
    if (s->row_count == 0 && s->is_without_baseline)
        return plot_not_possible(figure, "the baseline is not among the chosen policies");
    if (s->row_count == 0)
        return plot_not_possible(figure, "%s differs for no policy from the baseline",
                                 summary_names[s->column]);
    struct metric_scale scale = metric_scale(s->column);
    str_add(&figure->data, "row,kind,place,colour,value,low,high,name,policy\n");
    for (size_t i = 0; i < s->row_count; i++)
        add_worlds(s, i, scale.factor, &figure->data);
    r = add_shares(s, &list, figure, reterr);
    if (r == 0)
        set_words(s, &list, scale.unit, figure);
    figure->height = 120 + (int)s->row_count * 220;
    return r;
}

int plot_worlds(const struct plot_source *source, const struct plot_wishes *wishes,
                struct plot_figure *figure, struct error *reterr) {
    struct worlds_session s = {.source = source,
                               .column = wishes->metric_count > 0
                                             ? wishes->metrics[0]
                                             : SUMMARY_COLUMN(energy_per_work_kwh)};
    if (!source->comparison || !plot_source_exists(source->comparison, "worlds.csv"))
        return plot_not_possible(figure, "there is no worlds.csv in %s", source->shown);
    int r = make_worlds(&s, figure, reterr);
    for (size_t i = 0; i < s.row_count; i++)
        free(s.rows[i].differences);
    world_table_finish(&s.table);
    return r;
}

/* Figures of a sweep: lines along one axis, and a map over two. */
#include "output/plot/figures.h"
#include "output/plot/grid.h"
#include "output/run/run_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_LINES  9    /* that are chosen unasked; also panels of a map */
#define MOST_CELLS  4000 /* of a map */
#define LOG_RATIO   50   /* of the ends of an axis that is drawn logarithmically */
#define LOG_COLOURS 1000 /* the same for the values of a map */

static const unsigned usual_metrics[] = {SUMMARY_COLUMN(energy_per_work_kwh),
                                         SUMMARY_COLUMN(jct_restricted_mean_s)};

/* The dimensions of a figure. */
struct roles {
    size_t axes[GRID_DIMENSIONS]; /* panel, y or line, x: the order of the cells */
};

enum { PANEL, LINE, X };

static const unsigned *metrics_of(const struct plot_wishes *wishes, size_t most, size_t *count) {
    *count = wishes->metric_count > 0 ? wishes->metric_count
                                      : sizeof usual_metrics / sizeof *usual_metrics;
    *count = *count > most ? most : *count;
    return wishes->metric_count > 0 ? wishes->metrics : usual_metrics;
}

/* ---- Roles of the axes ---- */

/* The axis that was asked for. 0, or why not. */
static int named_axis(const struct grid_table *table, const char *option, const char *name,
                      bool numeric, size_t *axis, struct plot_figure *figure) {
    *axis = grid_find_axis(table, name);
    if (*axis == GRID_NO_AXIS) {
        struct str list = {0};
        for (size_t a = 0; a < table->axes.count; a++)
            str_addf(&list, "%s%s", a > 0 ? ", " : "", table->axes.at[a].name);
        int r = plot_not_possible(figure, "%s: no axis is named %s; there are %s", option, name,
                                  list.text);
        str_finish(&list);
        return r;
    }
    if (table->axes.at[*axis].held)
        return plot_not_possible(figure, "%s: %s is held at %s", option, name,
                                 table->axes.at[*axis].held);
    if (numeric && !table->axes.at[*axis].numeric)
        return plot_not_possible(figure, "%s: not all values of %s are numbers", option, name);
    return 0;
}

/* Other seeds are other replications: an axis only if asked for. */
static bool is_seed(const struct grid_axis *axis) {
    return strcmp(axis->name, "axis.seed") == 0;
}

/* The axis with most values (numbers if wanted) that varies freely of two others. */
static size_t widest_axis(const struct grid_table *table, bool numeric, size_t most,
                          const size_t *taken, size_t taken_count) {
    size_t best = GRID_NO_AXIS;
    for (size_t a = 0; a < table->axes.count; a++) {
        const struct grid_axis *axis = &table->axes.at[a];
        bool fits =
            axis->numeric == numeric && axis->count >= 2 && axis->count <= most && !is_seed(axis);
        for (size_t i = 0; fits && i < taken_count; i++)
            fits = a != taken[i] && grid_is_free(table, a, taken[i]);
        if (fits && (best == GRID_NO_AXIS || axis->count > table->axes.at[best].count))
            best = a;
    }
    return best;
}

static int find_x(const struct grid_table *table, const struct plot_wishes *wishes,
                  struct plot_figure *figure, size_t *x) {
    if (wishes->x)
        return named_axis(table, "x", wishes->x, true, x, figure);
    *x = widest_axis(table, true, SIZE_MAX, NULL, 0);
    return *x == GRID_NO_AXIS
               ? plot_not_possible(figure, "no axis of the sweep has two values that are numbers")
               : 0;
}

/* Lines or panels: as asked for, or an axis of names, else one of few numbers, else none; lines
   also of many values, which become a band. */
static int find_by(const struct grid_table *table, const struct plot_wishes *wishes, bool numbers,
                   struct roles *roles, int role, struct plot_figure *figure) {
    const size_t taken[] = {roles->axes[X], roles->axes[LINE]};
    size_t count = role == LINE ? 1 : 2;
    if (!wishes->by) {
        roles->axes[role] = widest_axis(table, false, MOST_LINES, taken, count);
        if (roles->axes[role] == GRID_NO_AXIS && numbers)
            roles->axes[role] = widest_axis(table, true, MOST_LINES, taken, count);
        for (int number = 0; number < 2 && numbers && roles->axes[role] == GRID_NO_AXIS; number++)
            roles->axes[role] = widest_axis(table, number, SIZE_MAX, taken, count);
        return 0;
    }
    int r = named_axis(table, "by", wishes->by, false, &roles->axes[role], figure);
    size_t most = role == LINE ? SIZE_MAX : MOST_LINES;
    for (size_t i = 0; r == 0 && i < count; i++)
        if (roles->axes[role] == taken[i])
            r = plot_not_possible(figure, "by: %s is an axis of the figure already", wishes->by);
    if (r == 0 && table->axes.at[roles->axes[role]].count > most)
        r = plot_not_possible(figure, "by: %s has %zu values, at most %zu can be told apart",
                              wishes->by, table->axes.at[roles->axes[role]].count, most);
    return r;
}

/* ---- What the figure says ---- */

/* An axis over which the figure averages. */
static bool is_hidden(const struct grid_table *table, const struct roles *roles, size_t a) {
    bool hidden = table->axes.at[a].count >= 2 && !is_seed(&table->axes.at[a]);
    for (int d = 0; d < GRID_DIMENSIONS; d++)
        if (roles->axes[d] != GRID_NO_AXIS)
            hidden = hidden && roles->axes[d] != a && grid_is_free(table, a, roles->axes[d]);
    return hidden;
}

static void note_axes(const struct grid_table *table, const struct roles *roles,
                      const struct grid_cells *cells, const char *what,
                      struct plot_figure *figure) {
    struct str text = {0};
    size_t most = 0, hidden = 0;
    for (size_t i = 0; i < cells->count; i++)
        most = cells->at[i].estimate.n > most ? cells->at[i].estimate.n : most;
    str_addf(&text, most > 1 ? "means of %zu replications%s" : "one replication", most, what);
    for (size_t a = 0; a < table->axes.count; a++)
        if (is_hidden(table, roles, a)) {
            plot_note(figure, "means over the %zu values of %s", table->axes.at[a].count,
                      table->axes.at[a].name);
            hidden++;
        }
    if (hidden > 0)
        str_addf(&text, ", over %zu more %s", hidden, hidden > 1 ? "axes" : "axis");
    if (table->failed > 0 || table->missing > 0) {
        str_add(&text, "; partial");
        plot_note(figure, "the sweep is partial: %.0f points failed, %.0f are missing",
                  table->failed, table->missing);
    }
    plot_set_text(figure, "note", text.text);
    str_finish(&text);
}

/* The line "AXIS = VALUE, ..." of what is held, with what marks of a warning are, and its height.
 */
static int set_held(const struct grid_table *table, struct plot_figure *figure) {
    struct str text = {0};
    for (size_t a = 0; a < table->axes.count; a++) {
        const struct grid_axis *axis = &table->axes.at[a];
        if (!axis->held)
            continue;
        str_addf(&text, "%s%s = %s", text.length > 0 ? ", " : "", axis->label, axis->held);
        if (axis->was_alone)
            plot_note(figure, "where: %s has no other value than %s, it changes nothing",
                      axis->name, axis->held);
    }
    bool warned = false;
    for (size_t r = 0; r < table->rows.count; r++)
        warned = warned || table->rows.at[r].warned;
    if (warned)
        str_addf(&text, "%sopen or hatched: with a warning", text.length > 0 ? "; " : "");
    int height = text.length > 0 ? 17 : 0;
    plot_set_text(figure, "held", text.length > 0 ? text.text : "");
    plot_set_number(figure, "held_height", height);
    str_finish(&text);
    return height;
}

static bool is_log(const struct grid_axis *axis) {
    return axis->values[0].number > 0 &&
           axis->values[axis->count - 1].number >= LOG_RATIO * axis->values[0].number;
}

static size_t texts_of(const struct grid_axis *axis, const char **texts) {
    for (size_t i = 0; i < axis->count; i++)
        texts[i] = axis->values[i].text;
    return axis->count;
}

/* ---- Lines ---- */

static void add_lines(const struct grid_table *table, const struct roles *roles,
                      const struct grid_cells *cells, size_t panel, struct metric_scale scale,
                      struct str *data) {
    for (size_t i = 0; i < cells->count; i++) {
        const struct grid_cell *cell = &cells->at[i];
        str_add_int(data, (int64_t)panel);
        csv_comma_int(data, cell->places[LINE] + 1);
        csv_comma_real(data, table->axes.at[roles->axes[X]].values[cell->places[X]].number);
        csv_comma_real(data, cell->estimate.mean * scale.factor);
        csv_comma_real(data, isnan(cell->estimate.ci95) ? 0 : cell->estimate.ci95 * scale.factor);
        csv_comma_int(data, (int64_t)cell->estimate.n);
        csv_comma_text(data,
                       roles->axes[LINE] == GRID_NO_AXIS
                           ? ""
                           : table->axes.at[roles->axes[LINE]].values[cell->places[LINE]].text);
        csv_comma_int(data, cell->warned);
        str_add_char(data, '\n');
    }
}

/* At each x the median over the lines, and between what 10 and 90 % of them are. */
static void add_band(const struct grid_axis *x, const struct grid_cells *cells, size_t panel,
                     double factor, const char *label, struct str *data) {
    double *values = mem_zalloc(cells->count, sizeof *values);
    for (size_t place = 0; place < x->count; place++) {
        size_t count = 0;
        for (size_t i = 0; i < cells->count; i++)
            if (cells->at[i].places[X] == place)
                values[count++] = cells->at[i].estimate.mean * factor;
        if (count == 0)
            continue;
        str_addf(data, "%zu,1", panel);
        csv_comma_real(data, x->values[place].number);
        char before[256];
        snprintf(before, sizeof before, ",0,%zu,%s", count, label);
        plot_add_band(data, values, count, before);
    }
    free(values);
}

/* Panels one above the other, one for each metric that is defined. band: its label; NULL: lines.
   Returns how many. */
static size_t add_panels(const struct grid_table *table, const unsigned *metrics,
                         const struct roles *roles, const char *band, struct plot_figure *figure) {
    const char *labels[PLOT_MOST_METRICS];
    size_t panels = 0;
    str_add(&figure->data, band ? "panel,line,x,mean,ci95,n,by,low,high\n"
                                : "panel,line,x,mean,ci95,n,by,warned\n");
    for (size_t m = 0; m < table->metric_count; m++) {
        struct grid_cells cells = {0};
        grid_add_cells(table, roles->axes, m, &cells);
        if (cells.count == 0) {
            plot_note(figure, "%s is left out, it is defined at no point",
                      summary_names[metrics[m]]);
        } else {
            struct metric_scale scale = metric_scale(metrics[m]);
            if (panels == 0)
                note_axes(table, roles, &cells, band ? "" : ", 95 % intervals", figure);
            labels[panels++] = plot_axis_label(figure, metric_table[metrics[m]].label, scale.unit);
            if (band)
                add_band(&table->axes.at[roles->axes[X]], &cells, panels, scale.factor, band,
                         &figure->data);
            else
                add_lines(table, roles, &cells, panels, scale, &figure->data);
        }
        free(cells.at);
    }
    if (panels > 0)
        plot_set_titles(figure, "y_labels", labels, panels);
    return panels;
}

static int make_lines(const struct grid_table *table, const struct plot_wishes *wishes,
                      const unsigned *metrics, struct plot_figure *figure) {
    struct roles roles = {{GRID_NO_AXIS, GRID_NO_AXIS, GRID_NO_AXIS}};
    int r = find_x(table, wishes, figure, &roles.axes[X]);
    if (r == 0)
        r = find_by(table, wishes, true, &roles, LINE, figure);
    if (r != 0)
        return r;
    const struct grid_axis *x = &table->axes.at[roles.axes[X]],
                           *by = roles.axes[LINE] == GRID_NO_AXIS
                                     ? NULL
                                     : &table->axes.at[roles.axes[LINE]];
    const char *lines[PLOT_MOST_LINES + 1] = {"", "10 to 90 %"};
    struct plot_style styles[PLOT_MOST_LINES];
    bool band = by && by->count > PLOT_MOST_LINES;
    size_t count = band || !by ? 1 : texts_of(by, lines);
    if (band)
        lines[0] = plot_band_label(figure, by->count,
                                   arena_printf(&figure->arena, "values of %s", by->name));
    size_t panels = add_panels(table, metrics, &roles, band ? lines[0] : NULL, figure);
    if (panels == 0)
        return plot_not_possible(figure, "none of its metrics is defined");
    plot_set_series(figure, lines, count);
    plot_styles_of_values(lines, count, styles);
    plot_set_styles(figure, styles, count);
    plot_set_number(figure, "band", band);
    plot_set_text(figure, "x_label", x->label);
    plot_set_text(figure, "by", by ? by->label : "");
    plot_set_number(figure, "log_x", is_log(x));
    figure->height = 104 + set_held(table, figure) +
                     plot_set_legend(figure, figure->width - 94, lines, count + band) +
                     (int)panels * 210;
    return 0;
}

/* Makes a figure of the points of a sweep, of at most `most` metrics. */
static int plot_points(const struct plot_source *source, const struct plot_wishes *wishes,
                       size_t most,
                       int (*make)(const struct grid_table *table, const struct plot_wishes *wishes,
                                   const unsigned *metrics, struct plot_figure *figure),
                       struct plot_figure *figure, struct error *reterr) {
    struct grid_table table = {0};
    size_t count;
    const unsigned *metrics = metrics_of(wishes, most, &count);
    if (!source->sweep)
        return plot_not_possible(figure, "there is no sweep.csv in %s", source->shown);
    int r = grid_open(
        &(struct grid_request){source->sweep, metrics, count, wishes->where, wishes->where_count},
        &table, reterr);
    if (r == 0)
        r = make(&table, wishes, metrics, figure);
    grid_finish(&table);
    return r;
}

int plot_lines(const struct plot_source *source, const struct plot_wishes *wishes,
               struct plot_figure *figure, struct error *reterr) {
    return plot_points(source, wishes, PLOT_MOST_METRICS, make_lines, figure, reterr);
}

/* ---- Map ---- */

static int find_map_axes(const struct grid_table *table, const struct plot_wishes *wishes,
                         struct roles *roles, struct plot_figure *figure) {
    int r = find_x(table, wishes, figure, &roles->axes[X]);
    const size_t by = wishes->by ? grid_find_axis(table, wishes->by) : GRID_NO_AXIS;
    const size_t taken[] = {roles->axes[X], by};
    if (r == 0 && wishes->y)
        r = named_axis(table, "y", wishes->y, true, &roles->axes[LINE], figure);
    else if (r == 0)
        roles->axes[LINE] = widest_axis(table, true, SIZE_MAX, taken, by == GRID_NO_AXIS ? 1 : 2);
    if (r == 0 && (roles->axes[LINE] == GRID_NO_AXIS || roles->axes[LINE] == roles->axes[X]))
        r = plot_not_possible(figure, "expected a second axis of numbers next to %s",
                              table->axes.at[roles->axes[X]].name);
    return r == 0 ? find_by(table, wishes, false, roles, PANEL, figure) : r;
}

/* Cells at their places, from 1; text in a cell is in a unit of the colour bar. */
static void add_map(const struct grid_table *table, const struct roles *roles,
                    const struct grid_cells *cells, struct metric_scale scale, struct str *data) {
    str_add(data, "panel,x_place,y_place,mean,ci95,n,x,y,by,warned\n");
    for (size_t i = 0; i < cells->count; i++) {
        const struct grid_cell *cell = &cells->at[i];
        str_add_int(data, cell->places[PANEL] + 1);
        csv_comma_int(data, cell->places[X] + 1);
        csv_comma_int(data, cell->places[LINE] + 1);
        csv_comma_real(data, cell->estimate.mean * scale.factor);
        csv_comma_real(data, isnan(cell->estimate.ci95) ? 0 : cell->estimate.ci95 * scale.factor);
        csv_comma_int(data, (int64_t)cell->estimate.n);
        csv_comma_real(data, table->axes.at[roles->axes[X]].values[cell->places[X]].number);
        csv_comma_real(data, table->axes.at[roles->axes[LINE]].values[cell->places[LINE]].number);
        csv_comma_text(data,
                       roles->axes[PANEL] == GRID_NO_AXIS
                           ? ""
                           : table->axes.at[roles->axes[PANEL]].values[cell->places[PANEL]].text);
        csv_comma_int(data, cell->warned);
        str_add_char(data, '\n');
    }
}

/* Names of the values, short ones, with as many digits as tell them apart. Returns the characters
   of the longest. */
static int set_tics(const struct grid_axis *axis, const char *name, struct plot_figure *figure) {
    const char **texts = arena_alloc(&figure->arena, axis->count * sizeof *texts);
    bool apart = false;
    size_t longest = 0;
    for (int digits = 3; !apart && digits < 16; digits++) {
        apart = true;
        for (size_t i = 0; i < axis->count; i++) {
            texts[i] = plot_short_number(figure, axis->values[i].number, digits);
            apart = apart && (i == 0 || strcmp(texts[i], texts[i - 1]) != 0);
        }
    }
    for (size_t i = 0; i < axis->count; i++)
        longest = strlen(texts[i]) > longest ? strlen(texts[i]) : longest;
    plot_set_titles(figure, name, texts, axis->count);
    return (int)longest;
}

/* Characters of the longest value in a cell. */
static int longest_value(const struct grid_cells *cells, struct metric_scale scale,
                         struct plot_figure *figure) {
    size_t longest = 1;
    for (size_t i = 0; i < cells->count; i++) {
        size_t length =
            strlen(plot_short_number(figure, cells->at[i].estimate.mean * scale.factor, 3));
        longest = length > longest ? length : longest;
    }
    return (int)longest;
}

/* Colours are logarithmic where values are positive and far apart. */
static bool has_log_colours(const struct grid_cells *cells) {
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < cells->count; i++) {
        least = fmin(least, cells->at[i].estimate.mean);
        most = fmax(most, cells->at[i].estimate.mean);
    }
    return least > 0 && most >= LOG_COLOURS * least;
}

/* Maps next to each other, margins for the names of the values, and the height. */
static void lay_out_maps(const struct grid_axis *x, const struct grid_axis *y, size_t count,
                         struct plot_figure *figure) {
    int columns = count == 1 ? 1 : count <= 4 ? 2 : 3, rows = ((int)count + columns - 1) / columns;
    int x_longest = set_tics(x, "x_values", figure), y_longest = set_tics(y, "y_values", figure);
    int left = 44 + 9 * y_longest;
    double span = (figure->width - left - 16.0 - (columns - 1) * 14) / columns;
    /* Upright where only each third value or fewer would have room. */
    bool upright = (double)x->count * (9 * x_longest + 8) > 2 * span;
    int below = upright ? 9 * x_longest - 8 : 0;
    plot_set_number(figure, "columns", columns);
    plot_set_number(figure, "left", left);
    plot_set_number(figure, "upright", upright);
    plot_set_number(figure, "below", below);
    figure->height = 146 + below + rows * (count == 1 ? 300 : 170);
}

static int make_map(const struct grid_table *table, const struct plot_wishes *wishes,
                    const unsigned *metrics, struct plot_figure *figure) {
    struct roles roles = {{GRID_NO_AXIS, GRID_NO_AXIS, GRID_NO_AXIS}};
    struct grid_cells cells = {0};
    int r = find_map_axes(table, wishes, &roles, figure);
    if (r != 0)
        return r;
    const struct grid_axis *x = &table->axes.at[roles.axes[X]],
                           *y = &table->axes.at[roles.axes[LINE]];
    const char *panels[MOST_LINES] = {""};
    size_t count = roles.axes[PANEL] == GRID_NO_AXIS
                       ? 1
                       : texts_of(&table->axes.at[roles.axes[PANEL]], panels);
    size_t room = x->count * y->count * count;
    if (room > MOST_CELLS)
        return plot_not_possible(figure, "%zu x %zu cells are too many", x->count,
                                 y->count * count);
    grid_add_cells(table, roles.axes, 0, &cells);
    if (cells.count == 0 || 2 * cells.count < room) {
        r = plot_not_possible(figure,
                              "only %zu of %zu combinations of %s and %s have a value of %s",
                              cells.count, room, x->name, y->name, summary_names[metrics[0]]);
    } else {
        struct metric_scale scale = metric_scale(metrics[0]);
        add_map(table, &roles, &cells, scale, &figure->data);
        note_axes(table, &roles, &cells, cells.count < room ? ", grey: no value" : "", figure);
        plot_set_text(figure, "z_label",
                      plot_axis_label(figure, metric_table[metrics[0]].label, scale.unit));
        plot_set_text(figure, "x_label", x->label);
        plot_set_text(figure, "y_label", y->label);
        plot_set_number(figure, "cell_characters", longest_value(&cells, scale, figure));
        plot_set_number(figure, "log_z", has_log_colours(&cells));
        plot_set_series(figure, panels, count);
        lay_out_maps(x, y, count, figure);
        figure->height += set_held(table, figure);
    }
    free(cells.at);
    return r;
}

int plot_heatmap(const struct plot_source *source, const struct plot_wishes *wishes,
                 struct plot_figure *figure, struct error *reterr) {
    return plot_points(source, wishes, 1, make_map, figure, reterr);
}

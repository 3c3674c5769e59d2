/* Metered and predicted power, from curves.csv: a panel for each validation, or for a folder of
   easim calibrate power the one that it has. Many readings are drawn as means over equal bins,
   about as wide as a pixel; a bin without readings cuts the lines. */
#include "base/units.h"
#include "config/meter.h"
#include "output/plot/figures.h"

#include <math.h>
#include <stdlib.h>

#define BINS        600
#define MOST_PANELS 8
#define PANEL       150 /* pixels */

enum column { TIME, DURATION, MEASURED, PREDICTED, COLUMN_COUNT };
static const char *const curve_columns[] = {"time_s", "duration_s", "measured_w", "predicted_w",
                                            NULL};

/* The readings of a panel. */
struct panel {
    const char *label;
    ARRAY_OF(struct meter_reading) at;
    ARRAY_OF(double) predicted_w;
};

struct panels {
    struct panel at[MOST_PANELS];
    size_t count, left_out; /* validations beyond the last panel */
    const char *last_left;  /* the one that was left out last */
};

/* ---- Reading ---- */

/* The panel of the row, or NULL: there are too many. Rows of a validation follow each other. */
static struct panel *panel_of(struct panels *panels, struct slice name,
                              struct plot_figure *figure) {
    struct panel *last = panels->count > 0 ? &panels->at[panels->count - 1] : NULL;
    if (last && !panels->last_left && slice_is(name, last->label))
        return last;
    if (panels->last_left && slice_is(name, panels->last_left))
        return NULL;
    const char *label = arena_strndup(&figure->arena, name.at ? name.at : "", name.length);
    if (panels->count == MOST_PANELS) {
        panels->last_left = label;
        panels->left_out++;
        return NULL;
    }
    panels->at[panels->count] = (struct panel){.label = label};
    return &panels->at[panels->count++];
}

static int read_curve_row(const struct csv *csv, const int *columns, struct panel *panel,
                          struct error *reterr) {
    double values[COLUMN_COUNT];
    for (int c = 0; c < COLUMN_COUNT; c++) {
        int r = plot_source_real(csv, columns[c], &values[c], reterr);
        if (r < 0)
            return r;
        struct location at = csv_where(csv, columns[c]);
        if (c != PREDICTED && (isnan(values[c]) || (c == DURATION && values[c] <= 0)))
            return error_set(reterr, ERROR_INPUT, "%s:%u:%u: %s: expected a number%s", at.file,
                             at.line, at.column, curve_columns[c], c == DURATION ? " > 0" : "");
    }
    array_push(&panel->at, ((struct meter_reading){values[TIME] - values[DURATION], values[TIME],
                                                   values[MEASURED]}));
    array_push(&panel->predicted_w, values[PREDICTED]);
    return 0;
}

static int read_panels(const char *folder, struct panels *panels, struct plot_figure *figure,
                       struct error *reterr) {
    struct csv *csv = NULL;
    int columns[COLUMN_COUNT], got;
    int r = plot_source_table(folder, "curves.csv", curve_columns, columns, &csv, reterr);
    if (r < 0)
        return r;
    int name = csv_column(csv, "validation");
    while (r == 0 && (got = csv_next(csv, reterr)) != 0) {
        struct panel *panel = got < 0 ? NULL : panel_of(panels, csv_field(csv, name), figure);
        r = got < 0 ? got : panel ? read_curve_row(csv, columns, panel, reterr) : 0;
    }
    csv_close(csv);
    return r;
}

/* ---- Data ---- */

/* A bin while it fills. */
struct bin {
    double measured_j, predicted_j, measured_s, predicted_s;
};

/* Where the bins of a panel go. */
struct writer {
    struct str *data;
    size_t series;
    double first_s, bin_s;
    double most_kw; /* of all panels so far */
};

static void add_bin(struct writer *w, double number, const struct bin *bin) {
    double measured_kw = bin->measured_s > 0 ? bin->measured_j / bin->measured_s / 1000 : NAN;
    double predicted_kw = bin->predicted_s > 0 ? bin->predicted_j / bin->predicted_s / 1000 : NAN;
    str_add_int(w->data, (int64_t)w->series);
    csv_comma_real(w->data, (w->first_s + (number + 0.5) * w->bin_s) / S_PER_H);
    csv_comma_real(w->data, measured_kw);
    csv_comma_real(w->data, predicted_kw);
    str_add_char(w->data, '\n');
    w->most_kw = fmax(w->most_kw, fmax(measured_kw, predicted_kw));
}

/* A reading is of the bin of its middle; each bin is drawn at its own. */
static void add_panel(struct writer *writer, const struct panel *panel) {
    struct bin bin = {0};
    double number = 0;
    for (size_t i = 0; i <= panel->at.count; i++) {
        bool end = i == panel->at.count;
        const struct meter_reading *r = end ? NULL : &panel->at.at[i];
        double own = end ? number + 1
                         : floor(((r->begin_s + r->end_s) / 2 - writer->first_s) / writer->bin_s);
        if (i > 0 && own != number)
            add_bin(writer, number, &bin);
        if (i > 0 && own > number + 1)
            str_add_char(writer->data, '\n'); /* there gnuplot cuts the lines */
        bin = own != number ? (struct bin){0} : bin;
        number = own;
        if (end)
            break;
        double s = meter_reading_s(r), w = panel->predicted_w.at[i];
        bin.measured_s += s;
        bin.measured_j += s * r->power_w;
        bin.predicted_s += isnan(w) ? 0 : s;
        bin.predicted_j += isnan(w) ? 0 : s * w;
    }
}

/* "surf-lisa: error 2.08 %, energy +0.70 %, all readings": those of a fit, too */
static const char *title_of(const struct panel *panel, struct arena *arena) {
    const struct meter_curves curves = {panel->at.at, panel->predicted_w.at, panel->at.count};
    struct meter_errors e = meter_errors_between(&curves, -INFINITY, INFINITY);
    if (isnan(e.absolute))
        return arena_printf(arena, "%s%s", panel->label,
                            panel->label[0] ? ": no error" : "no error");
    return arena_printf(arena, "%s%serror %.2f %%, energy %+.2f %%, all readings", panel->label,
                        panel->label[0] ? ": " : "", 100 * e.absolute, 100 * e.energy);
}

static void add_panels(const struct panels *panels, struct plot_figure *figure) {
    const char *titles[MOST_PANELS];
    double first_s = INFINITY, last_s = -INFINITY, step_s = INFINITY;
    for (size_t p = 0; p < panels->count; p++) {
        const struct panel *panel = &panels->at[p];
        titles[p] = title_of(panel, &figure->arena);
        first_s = fmin(first_s, panel->at.at[0].begin_s);
        last_s = fmax(last_s, panel->at.at[panel->at.count - 1].end_s);
        for (size_t i = 0; i < panel->at.count; i++)
            step_s = fmin(step_s, meter_reading_s(&panel->at.at[i]));
    }
    struct writer writer = {.data = &figure->data,
                            .first_s = first_s,
                            .bin_s = fmax(step_s, (last_s - first_s) / BINS)};
    bool in_days = last_s - first_s > 5 * 86400;
    str_add(&figure->data, "series,time_h,measured_kw,predicted_kw\n");
    for (size_t p = 0; p < panels->count; p++) {
        writer.series = p + 1;
        add_panel(&writer, &panels->at[p]);
    }
    plot_set_series(figure, titles, panels->count);
    plot_set_titles(figure, "title", titles, panels->count);
    plot_set_text(figure, "x_label", in_days ? "time (days)" : "time (h)");
    plot_set_number(figure, "x_hours", in_days ? 24 : 1);
    plot_set_number(figure, "most", writer.most_kw > 0 ? writer.most_kw : 1);
    plot_set_number(figure, "begin_h", first_s / S_PER_H);
    plot_set_number(figure, "end_h", last_s / S_PER_H);
    figure->height = 100 + (int)panels->count * (PANEL + 24);
}

int plot_meter(const struct plot_source *source, const struct plot_wishes *wishes,
               struct plot_figure *figure, struct error *reterr) {
    struct panels panels = {.count = 0};
    (void)wishes;
    int r = read_panels(source->meters, &panels, figure, reterr);
    if (r == 0 && panels.count == 0)
        r = plot_not_possible(figure, "%s/curves.csv has no rows", source->meters);
    if (r == 0)
        add_panels(&panels, figure);
    if (panels.left_out > 0)
        plot_note(figure, "%zu more validations are left out, there is room for %d",
                  panels.left_out, MOST_PANELS);
    for (size_t p = 0; p < panels.count; p++) {
        free(panels.at[p].at.at);
        free(panels.at[p].predicted_w.at);
    }
    return r;
}

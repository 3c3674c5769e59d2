/* Figures over time, from power.csv of one replication. A row holds until the next one. Few rows
   are drawn as they are; of many, the means over equal bins, about as wide as a pixel, with the
   least and the largest value in each. The last row holds until the end of the run.
 */
#include "base/hash.h"
#include "output/plot/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_EXACT 1200 /* rows of a series */
#define BINS       600

enum quantity {
    POWER,
    CAP,
    ALLOC,
    IDLE,
    FAILED,
    WAITING,
    QUANTITIES,
    TIME = QUANTITIES,
    REPLICATION
};

static const char *const power_columns[] = {"power_w",   "cap_w",       "alloc_gpus",
                                            "idle_gpus", "failed_gpus", "waiting",
                                            "time_s",    "replication", NULL};

struct instant {
    double time_s, values[QUANTITIES];
};

/* Sizes of the rows of a series, found before they are drawn. */
struct extent {
    size_t rows;
    double end_s, most_gpus;
    bool has_cap, has_failed;
};

/* A series while its rows are read: those of the replication, one after the other. */
struct reader {
    struct csv *csv;
    int columns[REPLICATION + 1];
    int64_t replication;
};

static int open_series(const char *folder, int64_t replication, struct reader *reader,
                       struct error *reterr) {
    *reader = (struct reader){.replication = replication};
    return plot_source_table(folder, "power.csv", power_columns, reader->columns, &reader->csv,
                             reterr);
}

/* 1: *row is the next instant; 0: no more. */
static int next_instant(struct reader *reader, struct instant *row, struct error *reterr) {
    for (int got; (got = csv_next(reader->csv, reterr)) != 0;) {
        double replication;
        int r = got < 0 ? got
                        : plot_source_real(reader->csv, reader->columns[REPLICATION], &replication,
                                           reterr);
        if (r < 0)
            return r;
        if (replication != (double)reader->replication)
            continue;
        r = plot_source_real(reader->csv, reader->columns[TIME], &row->time_s, reterr);
        for (int q = 0; r == 0 && q < QUANTITIES; q++)
            r = plot_source_real(reader->csv, reader->columns[q], &row->values[q], reterr);
        if (r == 0 && isnan(row->time_s)) {
            struct location at = csv_where(reader->csv, reader->columns[TIME]);
            r = error_set(reterr, ERROR_INPUT, "%s:%u:%u: time_s: expected a number, got \"\"",
                          at.file, at.line, at.column);
        }
        return r < 0 ? r : 1;
    }
    return 0;
}

/* The measured time: with no warm-up, which the folder does not tell, the end of the run; else
   before it. 0 if it is not known. */
static int measured_time(const char *folder, int64_t replication, double *ret_s,
                         struct error *reterr) {
    static const char *const names[] = {"replication", "sim_s", NULL};
    struct csv *csv = NULL;
    int columns[2], got;
    *ret_s = 0;
    if (!plot_source_exists(folder, "summary.csv"))
        return 0;
    int r = plot_source_table(folder, "summary.csv", names, columns, &csv, reterr);
    while (r == 0 && (got = csv_next(csv, reterr)) != 0) {
        double number, sim_s = 0;
        r = got < 0 ? got : plot_source_real(csv, columns[0], &number, reterr);
        if (r == 0)
            r = plot_source_real(csv, columns[1], &sim_s, reterr);
        if (r == 0 && number == (double)replication)
            *ret_s = sim_s;
    }
    csv_close(csv);
    return r;
}

static int measure_extent(const char *folder, int64_t replication, struct extent *extent,
                          struct error *reterr) {
    struct reader reader;
    struct instant row;
    int r = open_series(folder, replication, &reader, reterr);
    if (r < 0)
        return r;
    *extent = (struct extent){0};
    while ((r = next_instant(&reader, &row, reterr)) == 1) {
        extent->rows++;
        extent->end_s = row.time_s;
        extent->has_cap = extent->has_cap || !isnan(row.values[CAP]);
        extent->has_failed = extent->has_failed || row.values[FAILED] > 0;
        extent->most_gpus =
            fmax(extent->most_gpus, row.values[ALLOC] + row.values[IDLE] + row.values[FAILED]);
    }
    csv_close(reader.csv);
    double measured_s;
    if (r == 0 && extent->rows > 0 &&
        (r = measured_time(folder, replication, &measured_s, reterr)) == 0)
        extent->end_s = fmax(extent->end_s, measured_s);
    return r;
}

/* ---- Rows of the figure ---- */

/* The quantities of a row that a figure draws. */
struct view {
    const char *header;
    enum quantity quantities[3];
    int count;
    bool with_range; /* of the first quantity */
    bool corners;    /* both ends of every step: for areas, and lines along which dashes run */
};

static const struct view power_view = {
    "series,time_h,power_kw,cap_kw,low_kw,high_kw,policy\n", {POWER, CAP}, 2, .with_range = true};
static const struct view occupancy_view = {
    "series,time_h,alloc_gpus,idle_gpus,failed_gpus,policy\n",
    {ALLOC, IDLE, FAILED},
    3,
    .corners = true};
static const struct view queue_view = {
    "series,time_h,waiting,policy\n", {WAITING}, 1, .corners = true};

/* Where the rows of a series go. */
struct writer {
    const struct view *view;
    struct plot_figure *figure;
    size_t series;
    const char *label;
    double end_s;
    double bin_s;              /* 0: every row as it is */
    uint64_t hash;             /* of what is written */
    bool any;                  /* something is written already: */
    double before[QUANTITIES]; /* the last values */
};

static double in_unit(enum quantity quantity, double value) {
    return quantity == POWER || quantity == CAP ? value / 1000 : value;
}

static void add_time_line(struct writer *writer, double time_s, const double *values, double low,
                          double high) {
    struct str *data = &writer->figure->data;
    str_add_int(data, (int64_t)writer->series);
    csv_comma_real(data, time_s / 3600);
    writer->hash = hash_bytes(writer->hash, &time_s, sizeof time_s);
    for (int q = 0; q < writer->view->count; q++) {
        writer->hash =
            hash_bytes(writer->hash, &values[writer->view->quantities[q]], sizeof *values);
        csv_comma_real(data,
                       in_unit(writer->view->quantities[q], values[writer->view->quantities[q]]));
    }
    if (writer->view->with_range) {
        double power_w = values[POWER];
        csv_comma_real(data, in_unit(POWER, writer->bin_s > 0 ? low : power_w));
        csv_comma_real(data, in_unit(POWER, writer->bin_s > 0 ? high : power_w));
    }
    csv_comma_text(data, writer->label);
    str_add_char(data, '\n');
}

static void add_time_row(struct writer *writer, double time_s, const double *values, double low,
                         double high) {
    /* A cap holds up to the moment in which it is lifted. */
    bool lifted = writer->view->quantities[1] == CAP && writer->any && isnan(values[CAP]) &&
                  !isnan(writer->before[CAP]);
    if ((writer->view->corners && writer->any) || lifted)
        add_time_line(writer, time_s, writer->before, low, high);
    add_time_line(writer, time_s, values, low, high);
    memcpy(writer->before, values, sizeof writer->before);
    writer->any = true;
}

/* A bin while it fills: the time from number x bin_s up to the next. */
struct bin {
    double number, integrals[QUANTITIES], weights[QUANTITIES], low, high;
};

static struct bin empty_bin(double number) {
    return (struct bin){.number = number, .low = INFINITY, .high = -INFINITY};
}

static void end_bin(struct writer *writer, const struct bin *bin) {
    double means[QUANTITIES];
    for (int q = 0; q < QUANTITIES; q++)
        means[q] = bin->weights[q] > 0 ? bin->integrals[q] / bin->weights[q] : NAN;
    if (bin->high >= bin->low)
        add_time_row(writer, bin->number * writer->bin_s, means, bin->low, bin->high);
}

/* `held` holds from its time until end_s. */
static void add_to_bins(struct writer *writer, struct bin *bin, const struct instant *held,
                        double end_s) {
    double first = held->values[writer->view->quantities[0]];
    for (double from_s = held->time_s; from_s < end_s;) {
        while (from_s >= (bin->number + 1) * writer->bin_s) {
            end_bin(writer, bin);
            *bin = empty_bin(bin->number + 1);
        }
        double until_s = fmin(end_s, (bin->number + 1) * writer->bin_s);
        for (int q = 0; q < QUANTITIES; q++)
            if (!isnan(held->values[q])) {
                bin->integrals[q] += held->values[q] * (until_s - from_s);
                bin->weights[q] += until_s - from_s;
            }
        bin->low = fmin(bin->low, first);
        bin->high = fmax(bin->high, first);
        from_s = until_s;
    }
}

static int add_series(struct writer *writer, const char *folder, int64_t replication,
                      struct error *reterr) {
    struct reader reader;
    struct instant row, held = {0};
    struct bin bin = empty_bin(0);
    size_t rows = 0;
    int r = open_series(folder, replication, &reader, reterr);
    if (r < 0)
        return r;
    while ((r = next_instant(&reader, &row, reterr)) == 1) {
        double first = row.values[writer->view->quantities[0]];
        if (writer->bin_s == 0)
            add_time_row(writer, row.time_s, row.values, first, first);
        else if (rows > 0)
            add_to_bins(writer, &bin, &held, row.time_s);
        held = row;
        rows++;
    }
    if (r == 0 && rows > 0 && (writer->bin_s > 0 || writer->end_s > held.time_s)) {
        double last = held.values[writer->view->quantities[0]];
        if (writer->bin_s > 0) {
            add_to_bins(writer, &bin, &held, writer->end_s);
            end_bin(writer, &bin);
        }
        add_time_row(writer, writer->end_s, held.values, last, last);
    }
    csv_close(reader.csv);
    return r;
}

/* ---- Figures ---- */

/* The series that a figure shows. */
struct shown {
    size_t places[PLOT_MOST_SERIES], count;
    const char *labels[PLOT_MOST_SERIES];
    double ends_s[PLOT_MOST_SERIES];
    uint64_t hashes[PLOT_MOST_SERIES];
    double end_s, most_gpus;
    size_t most_rows;
    bool has_cap, has_failed;
};

static int find_shown(const struct plot_source *source, int64_t replication,
                      struct plot_figure *figure, struct shown *shown, struct error *reterr) {
    size_t files = 0;
    *shown = (struct shown){0};
    if (source->sweep)
        return plot_not_possible(figure, "a sweep has no power.csv");
    for (size_t i = 0; i < source->series.count; i++) {
        const struct plot_series *s = &source->series.at[i];
        struct extent extent;
        if (!plot_source_exists(s->folder, "power.csv")) {
            plot_note(figure, "%s is left out, %s/power.csv is missing", s->label, s->folder);
            continue;
        }
        int r = measure_extent(s->folder, replication, &extent, reterr);
        if (r < 0)
            return r;
        files++;
        if (extent.rows == 0) {
            plot_note(figure, "%s is left out, it has no replication %lld", s->label,
                      (long long)replication);
            continue;
        }
        shown->labels[shown->count] = s->label;
        shown->ends_s[shown->count] = extent.end_s;
        shown->places[shown->count++] = i;
        shown->end_s = fmax(shown->end_s, extent.end_s);
        shown->most_gpus = fmax(shown->most_gpus, extent.most_gpus);
        shown->most_rows = extent.rows > shown->most_rows ? extent.rows : shown->most_rows;
        shown->has_cap = shown->has_cap || extent.has_cap;
        shown->has_failed = shown->has_failed || extent.has_failed;
    }
    if (files == 0)
        return plot_not_possible(figure, "there is no power.csv in %s", source->shown);
    if (shown->count == 0)
        return plot_not_possible(figure, "there is no replication %lld", (long long)replication);
    return 0;
}

static void set_variables(const struct plot_wishes *wishes, const struct shown *shown, double bin_s,
                          struct plot_figure *figure) {
    const char *note =
        arena_printf(&figure->arena, "replication %lld", (long long)wishes->replication);
    if (bin_s > 0)
        note = arena_printf(&figure->arena, "%s, means over %.3g %s", note,
                            bin_s < 600     ? bin_s
                            : bin_s < 36000 ? bin_s / 60
                                            : bin_s / 3600,
                            bin_s < 600     ? "s"
                            : bin_s < 36000 ? "min"
                                            : "h");
    bool in_days = shown->end_s > 5 * 86400;
    plot_set_text(figure, "note", note);
    plot_set_text(figure, "x_label", in_days ? "time (days)" : "time (h)");
    plot_set_number(figure, "x_hours", in_days ? 24 : 1); /* in a unit of the axis */
    plot_set_number(figure, "end_h", shown->end_s > 0 ? shown->end_s / 3600 : 1);
    plot_set_number(figure, "binned", bin_s > 0);
}

static int make_time_figure(const struct plot_source *source, const struct plot_wishes *wishes,
                            const struct view *view, struct plot_figure *figure,
                            struct shown *shown, struct error *reterr) {
    int r = find_shown(source, wishes->replication, figure, shown, reterr);
    if (r != 0)
        return r;
    double bin_s = shown->most_rows > MOST_EXACT && shown->end_s > 0 ? shown->end_s / BINS : 0;
    str_add(&figure->data, view->header);
    for (size_t s = 0; r == 0 && s < shown->count; s++) {
        const struct plot_series *series = &source->series.at[shown->places[s]];
        struct writer writer = {view,       figure, s + 1, series->label, shown->ends_s[s], bin_s,
                                HASH_START, false,  {0}};
        r = add_series(&writer, series->folder, wishes->replication, reterr);
        shown->hashes[s] = writer.hash;
    }
    if (r == 0)
        plot_name_same(figure, shown->labels, shown->hashes, shown->count);
    set_variables(wishes, shown, bin_s, figure);
    return r;
}

/* A panel for each series, all on one scale: high if there are few. More than four are in two
   columns. */
static void set_panels(const struct shown *shown, struct plot_figure *figure) {
    size_t columns = shown->count > 4 ? 2 : 1, rows = (shown->count + columns - 1) / columns;
    int panel = shown->count == 1 ? 240 : shown->count <= 3 ? 130 : 80;
    plot_set_series(figure, shown->labels, shown->count);
    plot_set_number(figure, "columns", (double)columns);
    figure->height = 118 + (int)rows * (panel + 24);
}

int plot_power(const struct plot_source *source, const struct plot_wishes *wishes,
               struct plot_figure *figure, struct error *reterr) {
    struct shown shown;
    int r = make_time_figure(source, wishes, &power_view, figure, &shown, reterr);
    if (r == 0) {
        plot_set_text(figure, "y_label", "power (kW)");
        plot_set_number(figure, "has_cap", shown.has_cap);
        set_panels(&shown, figure);
    }
    return r;
}

int plot_occupancy(const struct plot_source *source, const struct plot_wishes *wishes,
                   struct plot_figure *figure, struct error *reterr) {
    struct shown shown;
    int r = make_time_figure(source, wishes, &occupancy_view, figure, &shown, reterr);
    if (r == 0) {
        plot_set_text(figure, "y_label", "GPUs");
        plot_set_number(figure, "gpus", shown.most_gpus > 0 ? shown.most_gpus : 1);
        plot_set_number(figure, "has_failed", shown.has_failed);
        set_panels(&shown, figure);
    }
    return r;
}

int plot_queue(const struct plot_source *source, const struct plot_wishes *wishes,
               struct plot_figure *figure, struct error *reterr) {
    struct shown shown;
    int r = make_time_figure(source, wishes, &queue_view, figure, &shown, reterr);
    if (r != 0)
        return r;
    struct plot_style styles[PLOT_MOST_SERIES];
    for (size_t s = 0; s < shown.count; s++)
        styles[s] = source->series.at[shown.places[s]].style;
    figure->height = 340 + plot_set_curves(figure, shown.labels, styles, shown.count,
                                           source->comparison ? "policies" : "runs");
    return 0;
}

/* Figures of metrics per policy: two against each other, and bars. */
#include "output/plot/metric_figures.h"

#include "base/hash.h"
#include "experiment/compare/pareto.h"
#include "metrics/summary.h"
#include "output/metric_scale.h"

#include <math.h>
#include <stdlib.h>

/* Largest mean of a metric, for its unit. */
static double greatest_mean(const struct plot_source *source, unsigned column) {
    double most = 0;
    for (size_t i = 0; i < source->series.count; i++)
        most = fmax(most, fabs(source->series.at[i].estimates[column].mean));
    return most;
}

/* "mean of 10 replications, bars: 95 % intervals" for what is shown of these columns. */
static void note_metrics(const struct plot_source *source, const unsigned *columns, size_t count,
                         struct plot_figure *figure) {
    size_t least = SIZE_MAX, most = 0;
    for (size_t i = 0; i < source->series.count; i++)
        for (size_t c = 0; c < count; c++) {
            size_t n = source->series.at[i].estimates[columns[c]].n;
            least = n > 0 && n < least ? n : least;
            most = n > most ? n : most;
        }
    const char *range = least < most ? arena_printf(&figure->arena, "%zu to %zu", least, most)
                                     : arena_printf(&figure->arena, "%zu", most);
    plot_set_text(figure, "note",
                  most < 2 ? "one replication, no intervals"
                           : arena_printf(&figure->arena,
                                          "means of %s replications with 95 %% intervals", range));
}

/* ---- Pareto ---- */

static int compare_front_points(const void *a, const void *b) {
    double left = ((const struct pareto_point *)a)->at[0],
           right = ((const struct pareto_point *)b)->at[0];
    return (left > right) - (left < right);
}

/* The front, from the best x to the best y: series 0 of the data. Returns how many are on it. */
static size_t add_front(const struct plot_source *source, const unsigned *columns,
                        const struct metric_scale *scales, const size_t *places, size_t count,
                        struct str *data) {
    struct pareto_point points[PLOT_MOST_SERIES], front[PLOT_MOST_SERIES];
    size_t dominators[PLOT_MOST_SERIES], on_front = 0;
    double sign[2]; /* less is better: 1 */
    for (int d = 0; d < 2; d++) {
        enum metric_better better = metric_table[columns[d]].better;
        if (better == METRIC_NEITHER)
            return 0;
        sign[d] = better == METRIC_LESS ? 1 : -1;
        for (size_t i = 0; i < count; i++)
            points[i].at[d] = sign[d] * source->series.at[places[i]].estimates[columns[d]].mean;
    }
    pareto_dominators(points, count, 2, dominators);
    for (size_t i = 0; i < count; i++)
        if (dominators[i] == PARETO_NOBODY)
            front[on_front++] = points[i];
    qsort(front, on_front, sizeof *front, compare_front_points);
    for (size_t i = 0; i < on_front; i++) {
        str_add_char(data, '0');
        for (int d = 0; d < 2; d++)
            csv_comma_real(data, sign[d] * front[i].at[d] * scales[d].factor);
        str_add(data, ",,,front\n");
    }
    return on_front;
}

/* An interval of no known width is drawn as none. */
static void add_interval(struct str *data, double ci95, double factor) {
    csv_comma_real(data, isnan(ci95) ? 0 : ci95 * factor);
}

static uint64_t hash_estimate(uint64_t hash, const struct estimate *estimate) {
    hash = hash_bytes(hash, &estimate->mean, sizeof estimate->mean);
    return hash_bytes(hash, &estimate->ci95, sizeof estimate->ci95);
}

int plot_pareto(const struct plot_source *source, const struct plot_wishes *wishes,
                struct plot_figure *figure, struct error *reterr) {
    (void)reterr;
    const unsigned *columns = wishes->pareto;
    const char *labels[PLOT_MOST_SERIES + 1];
    double styles[PLOT_MOST_SERIES];
    uint64_t hashes[PLOT_MOST_SERIES];
    size_t places[PLOT_MOST_SERIES], count = 0;
    struct metric_scale scales[2];
    if (source->sweep)
        return plot_not_possible(figure, "a sweep has no compare.csv");
    for (size_t i = 0; i < source->series.count; i++) {
        const struct plot_series *s = &source->series.at[i];
        if (isnan(s->estimates[columns[0]].mean) || isnan(s->estimates[columns[1]].mean)) {
            plot_note(figure, "%s is left out, not both metrics are defined", s->label);
            continue;
        }
        labels[count] = s->label;
        styles[count] = (double)i + 1;
        hashes[count] = HASH_START;
        for (int d = 0; d < 2; d++)
            hashes[count] = hash_estimate(hashes[count], &s->estimates[columns[d]]);
        places[count++] = i;
    }
    if (count < 2)
        return plot_not_possible(figure, "expected at least two policies with %s and %s, found %zu",
                                 summary_names[columns[0]], summary_names[columns[1]], count);
    for (int d = 0; d < 2; d++)
        scales[d] = metric_scale_axis(columns[d], greatest_mean(source, columns[d]));
    str_add(&figure->data, "series,x,y,x_ci95,y_ci95,policy\n");
    for (size_t i = 0; i < count; i++) {
        const struct plot_series *s = &source->series.at[places[i]];
        str_add_int(&figure->data, (int64_t)i + 1);
        for (int d = 0; d < 2; d++)
            csv_comma_real(&figure->data, s->estimates[columns[d]].mean * scales[d].factor);
        for (int d = 0; d < 2; d++)
            add_interval(&figure->data, s->estimates[columns[d]].ci95, scales[d].factor);
        csv_comma_text(&figure->data, s->label);
        str_add_char(&figure->data, '\n');
    }
    size_t on_front = add_front(source, columns, scales, places, count, &figure->data);
    plot_name_same(figure, labels, hashes, count);
    plot_set_series(figure, labels, count);
    plot_set_numbers(figure, "style", styles, count);
    plot_set_number(figure, "front", on_front > 1); /* one point is no line */
    for (int d = 0; d < 2; d++)
        plot_set_text(figure, d == 0 ? "x_label" : "y_label",
                      plot_axis_label(figure, metric_table[columns[d]].label, scales[d].unit));
    note_metrics(source, columns, 2, figure);
    labels[count] = "front";
    figure->height =
        350 + plot_set_legend(figure, figure->width - 20, labels, on_front > 1 ? count + 1 : count);
    return 0;
}

/* ---- Bars ---- */

static const unsigned usual_bars[] = {SUMMARY_COLUMN(deadline_miss_rate),
                                      SUMMARY_COLUMN(jain_gpu_s), SUMMARY_COLUMN(jain_slowdown),
                                      SUMMARY_COLUMN(ftf_mean)};

/* Rows of one metric, or false if no policy has it. */
static bool add_panel(const struct plot_source *source, unsigned column, size_t panel,
                      struct str *data) {
    struct metric_scale scale = metric_scale_axis(column, greatest_mean(source, column));
    bool any = false;
    for (size_t i = 0; i < source->series.count; i++) {
        const struct estimate *e = &source->series.at[i].estimates[column];
        if (isnan(e->mean))
            continue;
        any = true;
        str_add_int(data, (int64_t)panel);
        csv_comma_int(data, (int64_t)i + 1);
        csv_comma_real(data, e->mean * scale.factor);
        add_interval(data, e->ci95, scale.factor);
        csv_comma_text(data, summary_names[column]);
        csv_comma_text(data, source->series.at[i].label);
        str_add_char(data, '\n');
    }
    return any;
}

int plot_bars(const struct plot_source *source, const struct plot_wishes *wishes,
              struct plot_figure *figure, struct error *reterr) {
    (void)reterr;
    const unsigned *columns = wishes->metric_count > 0 ? wishes->metrics : usual_bars;
    size_t count =
        wishes->metric_count > 0 ? wishes->metric_count : sizeof usual_bars / sizeof *usual_bars;
    const char *panels[PLOT_MOST_METRICS], *labels[PLOT_MOST_SERIES];
    unsigned shown[PLOT_MOST_METRICS];
    size_t panel = 0;
    if (source->sweep)
        return plot_not_possible(figure, "a sweep has no compare.csv");
    str_add(&figure->data, "panel,series,mean,ci95,metric,policy\n");
    for (size_t c = 0; c < count; c++) {
        if (!add_panel(source, columns[c], panel + 1, &figure->data)) {
            plot_note(figure, "%s is left out, it is defined for no policy",
                      summary_names[columns[c]]);
            continue;
        }
        for (size_t i = 0; i < source->series.count; i++)
            if (isnan(source->series.at[i].estimates[columns[c]].mean))
                plot_note(figure, "%s has no bar of %s, which is not defined for it",
                          source->series.at[i].label, summary_names[columns[c]]);
        const char *unit = metric_scale_axis(columns[c], greatest_mean(source, columns[c])).unit;
        panels[panel] = plot_axis_label(figure, metric_table[columns[c]].label, unit);
        shown[panel++] = columns[c];
    }
    if (panel == 0)
        return plot_not_possible(figure, "none of its metrics is defined");
    for (size_t i = 0; i < source->series.count; i++)
        labels[i] = source->series.at[i].label;
    plot_set_series(figure, labels, source->series.count);
    plot_set_titles(figure, "panels", panels, panel);
    plot_set_number(figure, "name_width", plot_text_width(labels, source->series.count) + 16);
    note_metrics(source, shown, panel, figure);
    size_t rows = panel < 2 ? 1 : (panel + 1) / 2;
    figure->height = 40 + (int)rows * (16 * (int)source->series.count + 64);
    return 0;
}

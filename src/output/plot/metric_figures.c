/* Bars of metrics per policy. */
#include "output/plot/makers.h"

#include "metrics/summary.h"
#include "output/metric_scale.h"

#include <math.h>
#include <stdlib.h>

void plot_note_replications(const struct plot_source *source, const unsigned *columns, size_t count,
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

/* ---- Bars ---- */

static const unsigned usual_bars[] = {SUMMARY_COLUMN(deadline_miss_rate),
                                      SUMMARY_COLUMN(jain_gpu_s), SUMMARY_COLUMN(jain_slowdown),
                                      SUMMARY_COLUMN(ftf_mean)};

/* Rows of one metric, or false if no policy has it. */
static bool add_panel(const struct plot_source *source, unsigned column, size_t panel,
                      struct str *data) {
    struct metric_scale scale = metric_scale(column);
    bool any = false;
    for (size_t i = 0; i < source->series.count; i++) {
        const struct estimate *e = &source->series.at[i].estimates[column];
        if (isnan(e->mean))
            continue;
        any = true;
        str_add_int(data, (int64_t)panel);
        csv_comma_int(data, (int64_t)i + 1);
        csv_comma_real(data, e->mean * scale.factor);
        csv_comma_real(data, isnan(e->ci95) ? 0 : e->ci95 * scale.factor); /* 0: not known */
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
    double styles[PLOT_MOST_SERIES];
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
        panels[panel] =
            plot_axis_label(figure, metric_table[columns[c]].label, metric_scale(columns[c]).unit);
        shown[panel++] = columns[c];
    }
    if (panel == 0)
        return plot_not_possible(figure, "none of its metrics is defined");
    for (size_t i = 0; i < source->series.count; i++) {
        labels[i] = source->series.at[i].label;
        styles[i] = (double)source->series.at[i].style;
    }
    plot_set_numbers(figure, "style", styles, source->series.count);
    plot_set_series(figure, labels, source->series.count);
    plot_set_titles(figure, "panels", panels, panel);
    plot_set_number(figure, "name_width", plot_text_width(labels, source->series.count) + 16);
    plot_note_replications(source, shown, panel, figure);
    size_t rows = panel < 2 ? 1 : (panel + 1) / 2;
    figure->height = 40 + (int)rows * (16 * (int)source->series.count + 64);
    return 0;
}

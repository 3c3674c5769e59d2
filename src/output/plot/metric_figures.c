/* Bars of metrics per policy, and the distribution of job completion times. */
#include "base/hash.h"
#include "metrics/summary.h"
#include "output/plot/figures.h"
#include "output/run/run_report.h"

#include <gsl/gsl_sort.h>
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
    struct plot_style styles[PLOT_MOST_SERIES];
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
        styles[i] = source->series.at[i].style;
    }
    plot_set_styles(figure, styles, source->series.count);
    plot_set_series(figure, labels, source->series.count);
    plot_set_titles(figure, "panels", panels, panel);
    plot_set_number(figure, "name_width", plot_text_width(labels, source->series.count) + 16);
    plot_note_replications(source, shown, panel, figure);
    size_t rows = panel < 2 ? 1 : (panel + 1) / 2;
    figure->height = 40 + (int)rows * (16 * (int)source->series.count + 64);
    return 0;
}

/* --- jct_figure --- */
/* Over all measured jobs: one that did not finish never lifts the curve, so what a policy leaves
   undone shows. */

#define MOST_STEPS \
    1000 /* of a curve; of more jobs every n-th order statistic is kept, each exact */

enum { JCT, STATUS };

static const char *const job_columns[] = {"jct_s", "status", NULL};

struct times {
    ARRAY_OF(double) at; /* of the jobs that finished, in hours, ascending */
    size_t submitted;
};

static int read_times(const char *folder, struct times *times, struct error *reterr) {
    struct plot_jobs jobs = {.csv = NULL};
    int columns[STATUS + 1], got;
    int r = plot_jobs_open(&jobs, folder, job_columns, columns, reterr);
    while (r == 0 && (got = plot_jobs_next(&jobs, reterr)) != 0) {
        double jct;
        r = got < 0 ? got : plot_source_real(jobs.csv, columns[JCT], &jct, reterr);
        if (r < 0 || jobs.is_left_out)
            continue;
        times->submitted++;
        if (slice_is(csv_field(jobs.csv, columns[STATUS]), "finished") && !isnan(jct))
            array_push(&times->at, jct / 3600);
    }
    plot_jobs_close(&jobs);
    gsl_sort(times->at.at, 1, times->at.count);
    return r;
}

static void add_step(struct str *data, size_t series, double time_h, double share,
                     const char *label) {
    str_add_int(data, (int64_t)series);
    csv_comma_real(data, time_h);
    csv_comma_real(data, 100 * share);
    csv_comma_text(data, label);
    str_add_char(data, '\n');
}

/* The curve with both ends of every step, one line of which dashes run along; up to the time at
   which all curves end. */
static void add_curve(const struct times *times, size_t series, double end_h, const char *label,
                      struct str *data) {
    size_t count = times->at.count, every = (count + MOST_STEPS - 1) / MOST_STEPS;
    double share = 0;
    for (size_t i = 0; i < count; i++)
        if ((i + 1) % every == 0 || i + 1 == count) {
            add_step(data, series, times->at.at[i], share, label);
            share = (double)(i + 1) / (double)times->submitted;
            add_step(data, series, times->at.at[i], share, label);
        }
    if (count > 0 && times->at.at[count - 1] < end_h)
        add_step(data, series, end_h, (double)count / (double)times->submitted, label);
}

/* Over two decades, the longest ones left out: a logarithmic axis. */
static bool is_wide(const struct times *times, size_t count) {
    double low = INFINITY, high = 0;
    for (size_t s = 0; s < count; s++)
        if (times[s].at.count > 0) {
            low = fmin(low, times[s].at.at[times[s].at.count / 50]);
            high = fmax(high, times[s].at.at[times[s].at.count - 1 - times[s].at.count / 50]);
        }
    return low > 0 && high > 100 * low;
}

static void draw_jct(const struct plot_source *source, const size_t *places,
                     const struct times *times, size_t count, struct plot_figure *figure) {
    const char *labels[PLOT_MOST_SERIES];
    struct plot_style styles[PLOT_MOST_SERIES];
    double end_h = 0;
    uint64_t hashes[PLOT_MOST_SERIES];
    for (size_t s = 0; s < count; s++)
        if (times[s].at.count > 0)
            end_h = fmax(end_h, times[s].at.at[times[s].at.count - 1]);
    str_add(&figure->data, "series,jct_h,share_percent,policy\n");
    for (size_t s = 0; s < count; s++) {
        labels[s] = source->series.at[places[s]].label;
        styles[s] = source->series.at[places[s]].style;
        add_curve(&times[s], s + 1, end_h, labels[s], &figure->data);
        hashes[s] = hash_bytes(HASH_START, &times[s].submitted, sizeof times[s].submitted);
        if (times[s].at.count > 0)
            hashes[s] =
                hash_bytes(hashes[s], times[s].at.at, times[s].at.count * sizeof *times[s].at.at);
    }
    plot_name_same(figure, labels, hashes, count);
    plot_set_number(figure, "log_x", is_wide(times, count));
    figure->height = 340 + plot_set_curves(figure, labels, styles, count,
                                           source->comparison ? "policies" : "runs");
}

int plot_jct(const struct plot_source *source, const struct plot_wishes *wishes,
             struct plot_figure *figure, struct error *reterr) {
    struct times times[PLOT_MOST_SERIES] = {0};
    size_t places[PLOT_MOST_SERIES], count = 0, finished = 0;
    int r = 0;
    (void)wishes;
    if (source->sweep)
        return plot_not_possible(figure, "a sweep has no jobs.csv");
    for (size_t i = 0; r == 0 && i < source->series.count; i++) {
        const struct plot_series *s = &source->series.at[i];
        if (!plot_source_exists(s->folder, "jobs.csv")) {
            plot_note(figure, "%s is left out, %s/jobs.csv is missing", s->label, s->folder);
            continue;
        }
        r = read_times(s->folder, &times[count], reterr);
        finished += times[count].at.count;
        places[count++] = i;
    }
    if (r == 0 && count == 0)
        r = plot_not_possible(figure, "there is no jobs.csv in %s", source->shown);
    else if (r == 0 && finished == 0)
        r = plot_not_possible(figure, "no job finished");
    if (r == 0)
        draw_jct(source, places, times, count, figure);
    for (size_t s = 0; s < count; s++)
        free(times[s].at.at);
    return r;
}

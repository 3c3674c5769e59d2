/* A figure before it is drawn: its data, as CSV, and the variables of its gnuplot script. */
#ifndef EASIM_OUTPUT_PLOT_FIGURE_H
#define EASIM_OUTPUT_PLOT_FIGURE_H

#include "output/plot/source.h"

#include <stdbool.h>
#include <stddef.h>

/* --- axis_range --- */
/* The range of an axis with few points: outliers and wide intervals do not squeeze the others. */

enum plot_scale { PLOT_SCALE_AUTO, PLOT_SCALE_LINEAR, PLOT_SCALE_LOG };

struct plot_range {
    double least, most; /* of the axis */
    bool log;
    bool cut; /* intervals end outside */
};

/* `count` >= 1 means with half intervals (NAN: none). AUTO: at most a third of the values is left
   outside. A value is, if the others take less than a fifth of the range with it, and it is more
   than three times as large or as small as the nearest of them. If the rest is positive and spans
   more than a factor of 20, the axis is logarithmic. Intervals widen the axis on each side by at
   most 60 % of the range of the values. false: LOG, and not all values are positive. */
bool plot_range_find(const double *means, const double *halves, size_t count, enum plot_scale scale,
                     struct plot_range *range);
/* The place of a value along the axis, 0..1; one outside is at the end. */
double plot_range_place(const struct plot_range *range, double value);
/* The value is outside the axis. */
bool plot_range_leaves_out(const struct plot_range *range, double value);

/* --- figure --- */

#define PLOT_WIDTH \
    480 /* usual size in pixels of 1/96 inch: readable when reduced to a column of 8.5 cm */
#define PLOT_MOST_LINES   12 /* more of them are a band */
#define PLOT_NOT_POSSIBLE 1  /* of a plot_maker: the results do not allow it */

/* Options of the user that differ from the defaults. Text is borrowed. */
struct plot_wishes {
    int width, height; /* 0: as each figure needs */
    int64_t replication;
    unsigned pareto[2];
    bool pareto_chosen;                  /* by the user */
    unsigned metrics[PLOT_MOST_METRICS]; /* none: each figure's own */
    unsigned metric_count;
    const char *x, *y, *by;   /* axes of a sweep; NULL: chosen */
    enum plot_scale scale;    /* of the axes of the Pareto figure */
    const char *const *where; /* "AXIS=VALUE" */
    size_t where_count;
};

/* Zero-initialise; release with plot_figure_finish. */
struct plot_figure {
    struct arena arena;
    struct str variables;         /* gnuplot assignments */
    struct str data;              /* CSV; the script reads it */
    int width, height;            /* of the picture, in pixels */
    const char *reason;           /* why it is not possible */
    ARRAY_OF(const char *) notes; /* what is left out of it */
};

void plot_figure_finish(struct plot_figure *figure);

/* 0, PLOT_NOT_POSSIBLE, or negative for results that cannot be read. */
typedef int plot_maker(const struct plot_source *source, const struct plot_wishes *wishes,
                       struct plot_figure *figure, struct error *reterr);

/* ---- For the kinds ---- */

int plot_not_possible(struct plot_figure *figure, const char *format, ...) PRINTF_LIKE(2, 3);
void plot_note(struct plot_figure *figure, const char *format, ...) PRINTF_LIKE(2, 3);
/* `name = value`; text is quoted so that gnuplot takes it as it is, whatever is in it. */
void plot_set_text(struct plot_figure *figure, const char *name, const char *text);
void plot_set_number(struct plot_figure *figure, const char *name, double value);
/* The array series: names of lines or panels, cut to what fits a legend. */
void plot_set_series(struct plot_figure *figure, const char *const *texts, size_t count);
/* Another array of names, cut to `most` characters. */
void plot_set_names(struct plot_figure *figure, const char *name, const char *const *texts,
                    size_t count, size_t most);
/* An array of titles, cut to the width of a figure. */
void plot_set_titles(struct plot_figure *figure, const char *name, const char *const *texts,
                     size_t count);
void plot_set_numbers(struct plot_figure *figure, const char *name, const double *values,
                      size_t count);
/* The array style: color, marker and dash of each series. */
void plot_set_styles(struct plot_figure *figure, const struct plot_style *styles, size_t count);
/* --- many lines: a band --- */

/* "median of 13 policies", and the note that there is a band. */
const char *plot_band_label(struct plot_figure *figure, size_t count, const char *what);
/* The cells median, before_label, and what 10 and 90 % of the values are; sorts these. */
void plot_add_band(struct str *data, double *values, size_t count, const char *before_label);
/* Sets series, styles and legend, whose height it returns, of curves whose data are rows
   "series,x,y,name" of steps. More than PLOT_MOST_LINES, 13 "policies", become a band. */
int plot_set_curves(struct plot_figure *figure, const char *const *labels,
                    const struct plot_style *styles, size_t count, const char *what);
/* Pixels that the longest of the texts needs. */
int plot_text_width(const char *const *texts, size_t count);
/* The legend below: sets key_columns and its height, legend, in pixels, which it returns. room: its
 * width. */
int plot_set_legend(struct plot_figure *figure, int room, const char *const *texts, size_t count);
/* Series of the same values hide each other: the later ones are named "LATER (as FIRST)". hashes:
 * of the values. */
void plot_name_same(struct plot_figure *figure, const char **texts, const uint64_t *hashes,
                    size_t count);
/* A number with these digits, a large one as 25k, 1.2M or 3G, in the arena of the figure. */
const char *plot_short_number(struct plot_figure *figure, double value, int digits);
/* "quantity (unit)" in the arena of the figure. */
const char *plot_axis_label(struct plot_figure *figure, const char *quantity, const char *unit);

/* --- label_places: names next to the points of a figure, none over another name or point --- */

/* A box in pixels, upwards and to the right. */
struct plot_box {
    double left, bottom, right, top;
};

/* A point with its name. */
struct plot_named_point {
    double x, y;
    double arms[2];      /* of its intervals, to both sides and up and down */
    double width;        /* of the name */
    struct plot_box box; /* of the name, when it has a place */
    bool far;            /* so far that a line has to join them */
};

/* Gives every name a place inside `area`, the nearest that is free, in the order of the points:
   free of intervals too if there is one, for names only have to keep off names and points. false:
   there is not enough room. */
bool plot_place_names(struct plot_named_point *points, size_t count, struct plot_box area);

/* --- bound_region --- */
/* The region that a comparison's schedules cannot reach, by the bounds in its folder if any. */

#define BOUND_REGION_FILE "bounds.csv"

struct bound_region {
    bool has_file;
    bool horizon;                /* there is none: energy is bounded for each policy's work */
    double least[SUMMARY_COUNT]; /* in the units of summary.csv; NAN: not bounded */
    const char *reasons[SUMMARY_COUNT];    /* why not; NULL: the file does not have the metric */
    const char *excuses[PLOT_MOST_SERIES]; /* by series: why it is not held to it; NULL: it is */
};

/* Texts are in the arena. A comparison without the file has no region, and that is no error. */
int bound_region_read(const struct plot_source *source, struct arena *arena,
                      struct bound_region *ret_region, struct error *reterr) MUST_CHECK;

#endif

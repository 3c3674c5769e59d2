/* A figure before it is drawn: its data, as CSV, and the variables that its gnuplot script begins
 * with. */
#ifndef EASIM_OUTPUT_PLOT_FIGURE_H
#define EASIM_OUTPUT_PLOT_FIGURE_H

#include "output/plot/axis_range.h"
#include "output/plot/source.h"

#define PLOT_WIDTH \
    480 /* usual size in pixels of 1/96 inch: readable when reduced to a column of 8.5 cm */
#define PLOT_NOT_POSSIBLE 1 /* what a figure's make returns if the results do not allow it */

/* What the user asks for beyond the defaults. Text is borrowed. */
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

/* ---- For the kinds ---- */

int plot_not_possible(struct plot_figure *figure, const char *format, ...) PRINTF_LIKE(2, 3);
void plot_note(struct plot_figure *figure, const char *format, ...) PRINTF_LIKE(2, 3);
/* `name = value`; text is quoted so that gnuplot takes it as it is, whatever is in it. */
void plot_set_text(struct plot_figure *figure, const char *name, const char *text);
void plot_set_number(struct plot_figure *figure, const char *name, double value);
/* The array series: names of lines or panels, cut to what fits a legend. */
void plot_set_series(struct plot_figure *figure, const char *const *texts, size_t count);
/* Another array of names, cut to so many characters. */
void plot_set_names(struct plot_figure *figure, const char *name, const char *const *texts,
                    size_t count, size_t most);
/* An array of titles, cut to the width of a figure. */
void plot_set_titles(struct plot_figure *figure, const char *name, const char *const *texts,
                     size_t count);
void plot_set_numbers(struct plot_figure *figure, const char *name, const double *values,
                      size_t count);
/* Pixels that the longest of the texts needs. */
int plot_text_width(const char *const *texts, size_t count);
/* The legend below: sets key_columns and its height, legend, in pixels, which it returns. room: its
 * width. */
int plot_set_legend(struct plot_figure *figure, int room, const char *const *texts, size_t count);
/* Series of the same values hide each other: the later ones are named "LATER (as FIRST)". hashes:
 * of the values. */
void plot_name_same(struct plot_figure *figure, const char **texts, const uint64_t *hashes,
                    size_t count);
/* A number with so many digits, a large one as 25k, 1.2M or 3G, in the arena of the figure. */
const char *plot_short_number(struct plot_figure *figure, double value, int digits);
/* "quantity (unit)" in the arena of the figure. */
const char *plot_axis_label(struct plot_figure *figure, const char *quantity, const char *unit);

#endif

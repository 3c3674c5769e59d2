/* The folder of the figures. They are drawn in a folder inside it and put in place at the end. */
#ifndef EASIM_OUTPUT_PLOT_DIR_H
#define EASIM_OUTPUT_PLOT_DIR_H

#include "output/plot/figure.h"

/* --- kinds: the kinds of figures, and the gnuplot scripts that draw them --- */

struct plot_kind {
    const char *name; /* of the files too */
    const char *summary;
    const char *script; /* the plotting part, src/output/plot/scripts/NAME.gp */
    plot_maker *make;
    enum plot_sort sort; /* of results that it is of */
    /* of easim plot that only some figures use: "x by" */
    const char *options;
};

extern const struct plot_kind plot_kinds[]; /* ends with a NULL name */

/* --- dir --- */

struct plot_dir; /* opaque */

/* Makes the folder (and its parents). */
int plot_dir_open(const char *path, struct plot_dir **ret_dir, struct error *reterr) MUST_CHECK;
/* Writes NAME.gp and NAME.csv and lets gnuplot draw NAME.FORMAT for each of the formats ("svg
   png"). Messages of gnuplot are appended to warnings. ERROR_RUN if it is not there or fails,
   ERROR_CANCELLED if it was interrupted. */
int plot_dir_draw(struct plot_dir *dir, const struct plot_kind *kind,
                  const struct plot_figure *figure, const char *formats, struct str *warnings,
                  struct error *reterr) MUST_CHECK;
/* Puts all figures in place, removes those of the same name in other formats. Frees dir. */
int plot_dir_commit(struct plot_dir *dir, struct error *reterr) MUST_CHECK;
void plot_dir_abort(struct plot_dir *dir); /* leaves at most an empty folder; accepts NULL */

#endif

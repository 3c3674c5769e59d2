/* The kinds of figures, and the gnuplot scripts that draw them. */
#ifndef EASIM_OUTPUT_PLOT_KINDS_H
#define EASIM_OUTPUT_PLOT_KINDS_H

#include "output/plot/figure.h"

struct plot_kind {
    const char *name; /* of the files too */
    const char *summary;
    const char *script; /* the plotting part, src/output/plot/scripts/NAME.gp */
    /* 0, PLOT_NOT_POSSIBLE, or negative for results that cannot be read. */
    int (*make)(const struct plot_source *source, const struct plot_wishes *wishes,
                struct plot_figure *figure, struct error *reterr);
    enum plot_sort sort; /* of results that it is of */
    const char *options; /* of easim plot that it uses, beside those of all figures: "x by" */
};

extern const struct plot_kind plot_kinds[]; /* ends with a NULL name */

/* The whole script of a made figure, which draws `formats` ("svg png"). */
void plot_script(const struct plot_kind *kind, const struct plot_figure *figure,
                 const char *formats, struct str *out);

#endif

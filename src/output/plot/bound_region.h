/* What no schedule of a comparison's jobs reaches: the bounds beside it, if it has any. */
#ifndef EASIM_OUTPUT_PLOT_BOUND_REGION_H
#define EASIM_OUTPUT_PLOT_BOUND_REGION_H

#include "output/plot/source.h"

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

/* Values at which axes of a sweep are held: rows of other points are not read. */
#ifndef EASIM_OUTPUT_PLOT_GRID_WHERE_H
#define EASIM_OUTPUT_PLOT_GRID_WHERE_H

#include "base/array.h"
#include "base/intern.h"
#include "io/csv.h"

struct grid_held {
    const char *axis, *value;
    int column;
    bool seen;            /* some row has the value */
    struct intern values; /* all that the axis has */
};

/* Zero-initialise; release with grid_where_finish. */
struct grid_where {
    struct arena arena;
    ARRAY_OF(struct grid_held) held;
};

/* texts: "AXIS=VALUE". The axes are the columns 1..axes of the table. ERROR_INPUT: no such
   axis, with a suggestion, or one that is held twice. */
int grid_where_open(struct grid_where *where, const char *const *texts, size_t count,
                    const struct csv *csv, int axes, struct error *reterr) MUST_CHECK;
/* Whether the row belongs to a point that is held there. Numbers are compared as such. */
bool grid_where_takes(struct grid_where *where, const struct csv *csv);
/* After the last row, of which `taken` were. ERROR_INPUT: an axis without that value, with a
 * suggestion, or no point with all of them. */
int grid_where_check(struct grid_where *where, size_t taken, struct error *reterr) MUST_CHECK;
void grid_where_finish(struct grid_where *where);

#endif

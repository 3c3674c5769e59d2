/* sweep.csv as a table, and means over the replications of its cells. */
#ifndef EASIM_OUTPUT_PLOT_GRID_H
#define EASIM_OUTPUT_PLOT_GRID_H

#include "base/array.h"
#include "base/intern.h"
#include "io/csv.h"
#include "output/plot/source.h"

#define GRID_DIMENSIONS 3 /* x, y (or lines), panels */
#define GRID_NO_AXIS    ((size_t)-1)

struct grid_value {
    const char *text;
    double number;   /* of a numeric axis, in the unit of its label */
    uint32_t before; /* its number in the order of first appearance */
};

struct grid_axis {
    const char *name;
    const char *label; /* in words, with the unit: from manifest.json, or made of the name */
    const char *held;  /* the value to which it is held; NULL: it is not */
    bool was_alone;    /* it is held, and had no other value */
    bool numeric;      /* all values are numbers, perhaps with units; they ascend */
    struct grid_value *values; /* distinct */
    size_t count;
    struct intern texts;
};

/* A replication of a point. */
struct grid_row {
    uint32_t *places;   /* by axis: which of its values */
    uint32_t replicate; /* rows of one seed and replication have one number */
    double values[PLOT_MOST_METRICS];
    bool warned; /* its point has a warning */
};

/* Zero-initialise; release with grid_finish. */
struct grid_table {
    struct arena arena;
    ARRAY_OF(struct grid_axis) axes;
    ARRAY_OF(struct grid_row) rows;
    size_t metric_count;
    double failed, missing; /* points that are not in the table */
};

struct grid_cell {
    uint32_t places[GRID_DIMENSIONS];
    struct estimate estimate;
    bool warned; /* some of its rows are */
};

struct grid_cells {
    struct grid_cell *at;
    size_t count, capacity;
};

/* The part of a sweep: at most PLOT_MOST_METRICS columns of the summary, for points at which axes
   have these values ("AXIS=VALUE"). */
struct grid_request {
    const char *folder;
    const unsigned *metrics;
    size_t metric_count;
    const char *const *where;
    size_t where_count;
};

int grid_open(const struct grid_request *request, struct grid_table *table,
              struct error *reterr) MUST_CHECK;
void grid_finish(struct grid_table *table);
size_t grid_find_axis(const struct grid_table *table, const char *name);
/* The axis has several values where `of` has one: not the same axis by another name. */
bool grid_is_free(const struct grid_table *table, size_t axis, size_t of);
/* Appends the cells in which the metric is defined, ordered by place along the axes, the first
   foremost. An axis GRID_NO_AXIS has one place. */
void grid_add_cells(const struct grid_table *table, const size_t axes[GRID_DIMENSIONS],
                    size_t metric, struct grid_cells *cells);

#endif

/* worlds.csv as a table: one metric of all policies in the worlds as drawn. */
#ifndef EASIM_OUTPUT_PLOT_WORLD_TABLE_H
#define EASIM_OUTPUT_PLOT_WORLD_TABLE_H

#include "base/intern.h"
#include "output/plot/source.h"

/* Zero-initialise; release with world_table_finish. */
struct world_table {
    size_t worlds, replications, policies; /* policies: the series of the source */
    struct intern names;                   /* of the worlds, as the file has them */
    double *values;                        /* [policy][world][replication], NAN where missing */
};

int world_table_read(const struct plot_source *source, unsigned column, struct world_table *table,
                     struct error *reterr) MUST_CHECK;
void world_table_finish(struct world_table *table);

/* A policy's values, [world][replication]. */
const double *world_table_of(const struct world_table *table, size_t policy);

#endif

/* What easim models wrote, read for figures: models.csv, and measured.csv beside it. */
#ifndef EASIM_OUTPUT_PLOT_MODEL_TABLE_H
#define EASIM_OUTPUT_PLOT_MODEL_TABLE_H

#include "output/plot/figure.h"

/* A configuration that a job may have, or a measured one, without a power limit. */
struct model_place {
    size_t model, type; /* by number in the names */
    double k, b, rate, goodput, energy_j;
    bool across;
    bool best; /* no batch on these k GPUs has a higher goodput */
};

struct model_places {
    ARRAY_OF(struct model_place) list;
};

/* Zero-initialise; release with model_table_finish. */
struct model_table {
    struct arena arena;
    ARRAY_OF(const char *) models;
    ARRAY_OF(const char *) types;
    const char *unit;         /* of work; NULL: not all models have the same */
    struct model_places said; /* by the models: one span each, in one node if that is possible */
    struct model_places measured;
    size_t infeasible, limited, later; /* rows that are left out; of phases behind the first */
};

int model_table_open(struct model_table *table, const char *folder,
                     struct error *reterr) MUST_CHECK;
void model_table_finish(struct model_table *table);

/* Two batches, or two k, but for rounding. */
bool model_table_same(double a, double b);

#endif

/* Which parameters a fit of power has, and which columns of the load share them. Semantics 22. */
#ifndef EASIM_CALIBRATE_METERED_POWER_PLAN_H
#define EASIM_CALIBRATE_METERED_POWER_PLAN_H

#include "calibrate/metered/load.h"

enum power_detail { POWER_CONSTANT, POWER_COUNT, POWER_FULL };

#define POWER_LEAST_SHARE \
    0.01 /* of the busy GPU time: groups with less have no power of their own */

/* What became of a column of the load. */
enum power_source {
    POWER_OWN,      /* has a power of its own */
    POWER_POOLED,   /* with other groups of its type that have too little time */
    POWER_AS_OTHER, /* as another column: too little time, none, or always used together */
    POWER_NOT_TOLD  /* no time, or follows from others: 0 */
};

/* The power of a column, W for each of its units: the sum of some parameters. */
struct power_column {
    enum power_source source;
    uint32_t parts[2], part_count;
    uint32_t as; /* of POWER_AS_OTHER: that column */
    double value;
};

struct power_plan {
    const struct load *load; /* borrowed */
    enum power_detail detail;
    double *sums;                 /* of the columns over the time of the fit, in unit seconds */
    struct power_column *columns; /* as those of the load */
    size_t size;                  /* parameters; the first is the constant's */
    double recorded_use;          /* mean use of the GPU time where it is recorded; NAN: nowhere */
};

/* load, detail, sums and zeroed columns are given. */
void power_plan_make(struct power_plan *plan);
/* The column gets the parameters of another one. */
void power_plan_take(struct power_plan *plan, uint32_t column, uint32_t as);
/* Parameter `from` becomes `to`, which is before it, or (LOAD_NONE) 0; those behind it move up. */
void power_plan_drop(struct power_plan *plan, uint32_t from, uint32_t to);
/* The first column that has this parameter alone, or LOAD_NONE. */
uint32_t power_plan_column(const struct power_plan *plan, uint32_t part);

#endif

/* What jobs use in each interval of a meter: the exact means of the columns that a power is fitted
   to. Semantics 22. */
#ifndef EASIM_CALIBRATE_METERED_LOAD_H
#define EASIM_CALIBRATE_METERED_LOAD_H

#include "calibrate/metered/metered_jobs.h"
#include "config/meter.h"

enum load_kind {
    LOAD_CONSTANT,   /* 1 */
    LOAD_BUSY,       /* GPUs of a type that jobs of a group hold */
    LOAD_UNRECORDED, /* those of them whose use is not recorded, in groups where some is */
    LOAD_USE,        /* GPUs times use, where recorded, of a type */
};

struct load_column {
    enum load_kind kind;
    uint32_t type, group; /* group: of LOAD_BUSY */
    bool has_use;         /* of LOAD_BUSY: of some of these jobs the use is recorded */
};

/* Release with load_finish. */
struct load {
    ARRAY_OF(struct load_column) columns; /* the constant first, then busy, unrecorded, use */
    const struct meter_reading *at;       /* borrowed */
    size_t readings;
    double *means; /* readings x columns */
};

/* Of readings that are ascending and apart. */
void load_make(struct load *load, const struct metered_jobs *jobs, const struct meter_reading *at,
               size_t readings);
void load_finish(struct load *load);
/* The row of reading i. */
const double *load_row(const struct load *load, size_t i);
/* Place of a column, or LOAD_NONE. */
uint32_t load_find(const struct load *load, enum load_kind kind, uint32_t type, uint32_t group);

#define LOAD_NONE UINT32_MAX

#endif

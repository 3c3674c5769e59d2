/* Measured times of collective operations inside nodes: a CSV (docs/calibration.md). */
#ifndef EASIM_CALIBRATE_COLLECTIVES_COLLECTIVE_ROWS_H
#define EASIM_CALIBRATE_COLLECTIVES_COLLECTIVE_ROWS_H

#include "base/array.h"
#include "config/schema.h"

enum collective { ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, ALLTOALL, SEND_RECV, COLLECTIVES };

extern const char *const collective_names[COLLECTIVES]; /* as columns have them */

struct collective_row {
    uint32_t line;
    const char *gpu; /* or the system, interned: equal names are one pointer */
    enum collective collective;
    uint32_t gpus;
    double bytes; /* of the whole message */
    double time_s;
};

/* Zero-initialise; release with collective_rows_finish. */
struct collective_rows {
    ARRAY_OF(struct collective_row) rows; /* by GPU as they first appear, collective, GPUs, bytes */
    size_t across;                        /* rows over several nodes, left out */
    uint32_t first_across;                /* the line of the first of them */
};

/* Reads columns gpu or system, collective, gpus, bytes or message_elements (of 2 bytes each),
   median_ms, and where there is one gpus_per_node. Names live in the arena of the binding. Negative
   after adding problems. */
int collective_rows_load(struct collective_rows *rows, const char *path,
                         const struct binding *binding) MUST_CHECK;
void collective_rows_finish(struct collective_rows *rows);

#endif

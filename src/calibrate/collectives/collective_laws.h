/* Ring and tree, the two straight laws of a collective's time over its bytes
   (docs/explanation/calibration.md, Collectives). The data cannot tell a tree from a protocol of
   short messages, so the name is only the usual one. */
#ifndef EASIM_CALIBRATE_COLLECTIVES_COLLECTIVE_LAWS_H
#define EASIM_CALIBRATE_COLLECTIVES_COLLECTIVE_LAWS_H

#include "base/array.h"
#include "config/schema.h"

/* --- collective_rows: measured times of collective operations inside nodes: a CSV --- */

enum collective { ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, ALLTOALL, SEND_RECV, COLLECTIVES };

extern const char *const collective_names[]; /* as columns have them; NULL-terminated */

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

/* --- collective_laws --- */

#define COLLECTIVE_LEAST_SIZES 3 /* of a law */

enum collective_algorithm { TREE, RING, ALGORITHMS };

extern const char *const algorithm_names[ALGORITHMS];

/* Time = steps x alpha_s + moved bytes / bytes_s. */
struct collective_law {
    uint32_t steps;
    double alpha_s;
    double bytes_s; /* "bus" bandwidth; INFINITY: no growth was seen */
};

/* Of one collective on k GPUs of a type: the faster of its laws. */
struct collective_fit {
    size_t first, count; /* of the rows */
    size_t sizes;        /* different ones */
    bool has_tree;       /* without: one law, the ring, explains them as well */
    struct collective_law laws[ALGORITHMS];
    double median_error;   /* of the rows, a fraction */
    double left_out_error; /* median; each size predicted from the others. NAN: too few */
    double most_left_out;
};

struct collective_error {
    double predicted_s, error; /* predicted / measured - 1 */
    double left_out;           /* of the laws without this size; NAN: they would be of too few */
};

/* Zero-initialise; release with collective_fits_finish. */
struct collective_fits {
    ARRAY_OF(struct collective_fit) fits;
    ARRAY_OF(struct collective_fit) too_few; /* rows of fewer than 3 sizes: no laws */
    struct collective_error *errors;         /* one a row; of those with too few NAN */
};

/* What data-parallel models call alpha_s and beta_s: s(k) = alpha + beta (k - 2). */
struct collective_sync {
    size_t points; /* numbers of GPUs that were measured; below 2 there is no fit */
    double alpha_s, beta_s;
    double most_error;
};

/* Share of a message's bytes that each GPU moves: all-reduce 2(k-1)/k, send_recv 1, others (k-1)/k
   (NCCL's bus bandwidth). */
double collective_moved(enum collective collective, uint32_t gpus);

/* Seconds of a message of so many bytes. */
double collective_time_s(const struct collective_fit *fit, const struct collective_row *of,
                         double bytes);

/* Fits every group of rows. */
void collective_fit_all(struct collective_fits *fits, const struct collective_rows *rows);
/* From the all-reduces of a GPU type, each of so many bytes. */
struct collective_sync collective_sync_of(const struct collective_fits *fits,
                                          const struct collective_rows *rows, const char *gpu,
                                          double bytes);
void collective_fits_finish(struct collective_fits *fits);

#endif

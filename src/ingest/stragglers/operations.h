/* Times of the operations of a pipeline-parallel training job: the same operations for each
   data-parallel rank in each step, checked for being so. */
#ifndef EASIM_INGEST_STRAGGLERS_OPERATIONS_H
#define EASIM_INGEST_STRAGGLERS_OPERATIONS_H

#include "base/array.h"
#include "base/error.h"
#include "base/str.h"

#include <stdbool.h>

/* In the order of their names. */
#define OPERATION_TYPES(X) \
    X(BACKWARD_COMPUTE, "backward-compute"), X(BACKWARD_RECV, "backward-recv"), \
        X(BACKWARD_SEND, "backward-send"), X(EMBEDDING_GRADS, "embedding-grads-all-reduce"), \
        X(FORWARD_COMPUTE, "forward-compute"), X(FORWARD_RECV, "forward-recv"), \
        X(FORWARD_SEND, "forward-send"), X(GC, "gc"), X(REDUCE_SCATTER, "grads-reduce-scatter"), \
        X(LAYERNORM_GRADS, "layernorm-grads-all-reduce"), X(OPTIMIZER, "optimizer"), \
        X(OPTIMIZER_CLIP, "optimizer-clip-main-grad"), X(ALL_GATHER, "params-all-gather")
enum operation_type { OPERATION_TYPES(ENUM_OF), OPERATION_TYPE_COUNT };
extern const char *const operation_type_names[]; /* ends with NULL */

/* A send or receive. */
static inline bool operation_is_transfer(uint32_t type) {
    return type == FORWARD_SEND || type == FORWARD_RECV || type == BACKWARD_SEND ||
           type == BACKWARD_RECV;
}

/* One operation of every data-parallel rank and step. */
struct operation {
    uint32_t stage, type, seq;
};

/* Cells are by operation, then rank, then step. */
struct operation_cell {
    double start_s, duration_s;
    int32_t chunk, microbatch; /* -1: none */
};

/* Zero-initialise; release with operations_finish. */
struct operations {
    ARRAY_OF(struct operation) all; /* by stage, type and seq_id */
    ARRAY_OF(uint32_t) steps;       /* their numbers, ascending */
    uint32_t dp_count, stage_count;
    size_t lanes; /* dp_count times steps */
    struct operation_cell *cells;
    uint32_t *ranks; /* numbers of the workers, by stage, then rank */
};

/* Negative after adding every problem of the file. */
int operations_load(struct operations *operations, const char *path,
                    struct problems *problems) MUST_CHECK;
/* The place of an operation in `all`, or SIZE_MAX. */
size_t operations_find(const struct operations *operations, uint32_t stage, uint32_t type,
                       uint32_t seq);

struct operation_name {
    char text[80];
};

/* "forward-compute 3 of stage 1" */
struct operation_name operation_name(const struct operation *operation);
void operations_finish(struct operations *operations);

/* --- replay --- */
/* The dependencies of the operations of a step, the same for each data-parallel rank and step, and
   replays of all steps at once. */

/* Operations that end together: they have no member in common. */
struct replay_group {
    size_t first, count; /* members */
    bool has_partners;   /* else one operation, which waits for nobody */
    bool over_ranks;     /* every data-parallel rank takes part */
};

struct replay_edge {
    uint32_t before, after; /* operations */
};

/* Zero-initialise; release with replay_finish. */
struct replay {
    const struct operations *operations;  /* borrowed */
    ARRAY_OF(struct replay_edge) edges;   /* once prepared by `after` */
    size_t *first_edge;                   /* of each operation, and one behind all */
    ARRAY_OF(struct replay_group) groups; /* once prepared each behind those that it waits for */
    ARRAY_OF(uint32_t) members;
    double *own_s;                        /* by cell */
    double ideal_s[OPERATION_TYPE_COUNT]; /* NAN: the table has none */
    double *starts_s, *ends_s;            /* by cell, of the replay at work */
};

/* Own times of operations of these types and workers (by stage, then rank), else ideal ones. */
struct replay_choice {
    bool types[OPERATION_TYPE_COUNT];
    bool *workers;
};

/* Negative after problems: an operation without its partner, or a circle. */
int replay_prepare(struct replay *replay, const struct operations *operations, const char *path,
                   struct problems *problems) MUST_CHECK;
/* The length of each step. */
void replay_run(struct replay *replay, const struct replay_choice *choice, double *ret_steps_s);
void replay_finish(struct replay *replay);

#endif

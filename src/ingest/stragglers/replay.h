/* The dependencies of the operations of a step, the same for each data-parallel rank and step, and
   replays of all steps at once. */
#ifndef EASIM_INGEST_STRAGGLERS_REPLAY_H
#define EASIM_INGEST_STRAGGLERS_REPLAY_H

#include "ingest/stragglers/operations.h"

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

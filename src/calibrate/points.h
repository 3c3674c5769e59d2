/* The rows of a profile that a model on one GPU type is fitted to. */
#ifndef EASIM_CALIBRATE_POINTS_H
#define EASIM_CALIBRATE_POINTS_H

#include "base/array.h"
#include "calibrate/form.h"
#include "calibrate/profile_table.h"

#define MOST_ROUNDS 32 /* of one model on one GPU type */
#define NO_FOLD     UINT32_MAX

struct point {
    struct place at;
    double rate;            /* samples/s of one GPU */
    double power_w;         /* of one GPU; NAN: not measured */
    uint32_t configuration; /* equal for equal places; 0, 1, ... */
    uint32_t fold;          /* the part with which it is left out; NO_FOLD: with none */
    uint32_t size;          /* by size: number of its k from the least, 0, 1, ... */
    uint32_t round;         /* index of points->rounds */
    const struct profile_point *row;
};

/* By size: a row less than half as fast as one with no fewer GPUs and no larger steps is of
 * software that has nothing to do with the others'. */
struct set_aside {
    const struct profile_point *row, *faster;
};

/* Points to calibrate on, by span, k, batch, line. Zero-initialise; release by points_finish. */
struct points {
    ARRAY_OF(struct point) at;
    uint32_t configurations;
    uint32_t folds; /* parts of which each is left out in turn */
    size_t powers;  /* points with power */
    uint32_t power_configurations;
    bool one_node, across_nodes; /* some with several GPUs are so placed */
    bool no_single;              /* none has one GPU, some have several */
    /* Rows of many systems, which name the round of their software: the parts are system sizes, a
       round is a factor of the speed, rows far from the others count less, and what grows with the
       number of nodes does so by its doublings. */
    bool by_size;
    uint32_t sizes;                  /* different k */
    const char *rounds[MOST_ROUNDS]; /* from the oldest; "": not said */
    uint32_t round_rows[MOST_ROUNDS];
    uint32_t round_count;
    bool rounds_lost;       /* there are more: their rows count with those of the oldest here */
    uint32_t gpus_per_node; /* of most rows across nodes, or at most of one node */
    ARRAY_OF(struct set_aside) set_aside; /* rows that are no points */
    enum profile_scope scope;             /* of power_w */
    size_t other_scopes; /* points with a power of another scope, which is left out */
};

/* Each configuration is a part of its own until points_set_folds says otherwise; by size, each k
   but the least and the largest is. */
void points_of_group(struct points *points, const struct profile_group *group);
/* As many parts as there are configurations (by size: inner sizes), but at most most_points /
   points and at least 10. */
void points_set_folds(struct points *points, size_t most_points);
/* The largest batch of one step, per GPU. */
double points_most_step(const struct points *points);
/* The round whose level is 1: the newest with three rows or more, else the newest, by the numbers
   of rows that count. */
uint32_t points_reference_round(const struct points *points,
                                const uint32_t rows[static MOST_ROUNDS]);
void points_finish(struct points *points);

#endif

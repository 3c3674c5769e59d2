/* Statements that a sweep tests: claims, each the sign of the difference between two values of an
   axis, and targets, each a figure that some points should give. A reading is a point of the
   remaining axes, with one of the metrics if the statement can be read with several. */
#ifndef EASIM_EXPERIMENT_SWEEP_CLAIMS_H
#define EASIM_EXPERIMENT_SWEEP_CLAIMS_H

#include "experiment/sweep/sweep.h"

enum claim_sign { CLAIM_LESS, CLAIM_MORE, CLAIM_NO_LESS, CLAIM_NO_MORE };

/* A column of sweep.csv, or the ratio of two of the same replication. */
struct claims_metric {
    const char *name, *divisor; /* NULL: none */
};

/* One of the ways to read a metric. */
struct claims_scope {
    const char *label; /* NULL: the only one */
    size_t metric;     /* place in struct claims */
};

/* A value of an axis. */
struct claims_pick {
    size_t axis, place;
};

struct claims_picks {
    struct claims_pick *at;
    size_t count;
};

/* Members that claims and targets share. */
struct claims_subject {
    struct location where;
    const char *name;
    const struct claims_scope *scopes;
    size_t scope_count;
    struct claims_picks of;   /* one value of each axis that the statement is about */
    struct claims_picks only; /* of each axis named here one of the values named */
};

struct claim {
    struct claims_subject subject;
    struct claims_picks against; /* the axes of `of`, in that order */
    int32_t sign;                /* enum claim_sign: of subject - against */
};

struct target {
    struct claims_subject
        subject;          /* of a joint one: scopes of any of its targets, the rest of the first */
    double value, within; /* |mean / value - 1| <= within */
    const size_t *all;    /* joint: targets before this one */
    size_t all_count;     /* 0: not joint */
};

struct claims {
    const struct sweep *sweep;
    struct claim *claims;
    struct target *targets;
    size_t claim_count, target_count;
    ARRAY_OF(struct claims_metric) metrics;
};

/* Binds the sections claims and targets of a loaded sweep, in whose arena all is. Negative if
   problems were added. claims_finish in any case. */
int claims_load(struct claims *claims, struct sweep *sweep, struct problems *problems) MUST_CHECK;
void claims_finish(struct claims *claims);

/* The points of a subject in order: the first from `point` on, or sweep->count. */
size_t claims_next_point(const struct claims *claims, const struct claims_subject *subject,
                         size_t point);
/* The point that differs from `point` by these values alone. */
size_t claims_counterpart(const struct claims *claims, size_t point,
                          const struct claims_picks *picks);
bool claims_picks_axis(const struct claims_picks *picks, size_t axis);

extern const struct field claims_fields[]; /* of the sections claims and targets */
#endif

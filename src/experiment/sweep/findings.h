/* Results of a sweep for its claims and targets. Differences are taken replication by replication:
   points that differ only in the axes of a claim have met the same jobs. */
#ifndef EASIM_EXPERIMENT_SWEEP_FINDINGS_H
#define EASIM_EXPERIMENT_SWEEP_FINDINGS_H

#include "experiment/sweep/claims.h"
#include "io/csv.h"

/* The metrics of every replication, put in while results are read. Release with figures_finish. */
struct figures {
    const struct claims *claims;
    struct point_figures {
        ARRAY_OF(double) values; /* all metrics of replication 1, then of 2, ... */
    } * points;
};

void figures_init(struct figures *figures, const struct claims *claims);
void figures_finish(struct figures *figures);
/* The next replication of a point, a row with the columns of sweep.csv. */
void figures_add(struct figures *figures, size_t point, const struct csv *row);

enum claim_verdict {
    CLAIM_MISSING, /* a side has not been run, or its metric is not defined */
    CLAIM_UNCLEAR,
    CLAIM_CLEAR,    /* the 95 % interval of the difference leaves out 0, on the side of the sign */
    CLAIM_OPPOSITE, /* on the other side */
};

struct claim_reading {
    size_t scope, point; /* the point of `of` */
    enum claim_verdict verdict;
    bool as_claimed; /* the mean difference has the sign */
    size_t n;        /* pairs */
    double mean, against_mean, diff, ci95;
};

struct target_reading {
    size_t scope, point; /* of a joint target: the point of its first one */
    bool missing, within;
    size_t n;
    double mean, ci95;
    double deviation; /* |mean / value - 1|; of a joint target the largest of them */
};

struct claim_finding {
    struct claim_reading *readings; /* by scope, then point */
    size_t count;
};

struct target_finding {
    struct target_reading *readings;
    size_t count;
};

struct findings {
    const struct claims *claims;
    struct claim_finding *of_claims;
    struct target_finding *of_targets;
};

void findings_find(struct findings *findings, const struct figures *figures);
void findings_finish(struct findings *findings);

/* Numbers of readings of a claim, by result. */
struct claim_tally {
    size_t readings, missing, as_claimed, clear, opposite;
};

/* A part of the readings that are there; NAN if none is. */
double findings_share(const struct claim_tally *tally, size_t part);

/* Some of the readings of a claim: all, those of one way to read the metric, or those with one
 * value of an axis. */
struct readings_slice {
    size_t axis;       /* or SLICE_ALL, SLICE_METRIC */
    const char *label; /* of the metric or the value */
};

#define SLICE_ALL    ((size_t)-1)
#define SLICE_METRIC ((size_t)-2)

/* The slices of a claim, all first, then in the order of scopes and axes. Axes of the claim and
   samples have none. The caller frees them. */
struct readings_slice *findings_slices(const struct claims *claims, size_t claim,
                                       size_t *ret_count);
/* The name of the axis of a slice in tables; NULL: all. */
const char *findings_slice_axis(const struct claims *claims, const struct readings_slice *slice);
/* For a slice, even of another claim: 0 readings if this one has none of them. */
struct claim_tally findings_tally(const struct findings *findings, size_t claim,
                                  const struct readings_slice *slice);

/* The reading of a target with the least deviation; NULL if all are missing. */
const struct target_reading *findings_nearest(const struct target_finding *finding);
size_t findings_within(const struct target_finding *finding, size_t *ret_missing);

#endif

/* The cost of one job for all others: every replication with it and without it (semantics 28). */
#ifndef EASIM_EXPERIMENT_REGRET_EXTERNALITY_H
#define EASIM_EXPERIMENT_REGRET_EXTERNALITY_H

#include "base/array.h"
#include "experiment/regret/base_run.h"

/* A job in the run with the job that is asked about, [0], and in the one without it, [1]. */
struct imposed_row {
    uint32_t replication;    /* from 1 */
    size_t job, model, user; /* texts */
    int64_t submit_ns;
    int64_t finish_ns[2];         /* -1: not finished; TIME_NONE_NS: it was not there */
    double energy_j[2], jct_s[2]; /* up to the end of the run, where it is not finished */
    bool missed[2];
};

struct imposed_replication {
    struct run_figures of[2];
    bool known;
};

/* Fill in the first part and zero the rest; release with externality_finish. */
struct externality {
    const struct study *study;
    const struct replicate_options *how;
    const char *job;

    ARRAY_OF(struct imposed_row) rows; /* by replication; the job itself first, then the others */
    struct str texts;
    struct imposed_replication *replications; /* from 0 */
    uint32_t count, known;
};

/* Negative: an error; after ERROR_CANCELLED finished replications are kept. ERROR_INPUT: no such
   job, or one that is rejected and imposes nothing. */
int externality_run(struct externality *externality, struct error *reterr) MUST_CHECK;
void externality_finish(struct externality *externality);

#endif

/* How much a policy loses by its decisions: at some of its decision points all that it could have
   done instead is simulated to the end (semantics 28). */
#ifndef EASIM_EXPERIMENT_REGRET_REGRET_H
#define EASIM_EXPERIMENT_REGRET_REGRET_H

#include "experiment/regret/trunk.h"

#define REGRET_USUAL_SAMPLE 100

/* Of a replication. */
struct regret_replication {
    struct trunk_end end; /* reached: of hindsight; all of it zero where none of its points was
                             looked at */
    struct run_figures own;
    uint32_t points; /* accepted starts */
};

/* Fill in the first part and zero the rest; release with regret_finish. */
struct regret {
    const struct study *study;
    const struct replicate_options *how; /* processes: copies at a time; check: also copies what was
                                            chosen; done: counts decision points */
    enum regret_metric by;
    uint64_t sample; /* decision points, of all replications together */
    const char *job; /* those of this job instead, in the replication `only`; NULL: no */
    uint32_t only;   /* from 1; 0: all */
    const struct trunk_wish *wish; /* NULL: everything that is possible */
    bool hindsight;                /* all points, in order, and the best action of each is taken */
    void (*expect)(void *context, uint64_t points); /* how many points will be looked at; or NULL */
    void *context;

    struct regret_replication *replications; /* by replication, from 0 */
    uint32_t count;
    uint64_t points, wanted, looked_at; /* decision points in all; to be looked at; that were */
    struct regret_rows rows;            /* by replication and point */
    size_t failed;                      /* rows of which nothing is known */
    const char *failure;                /* of the first of them */
};

/* Negative: an error; after ERROR_CANCELLED what has been looked at is kept. Failures of single
   copies are in the rows, and no error. */
int regret_run(struct regret *regret, struct error *reterr) MUST_CHECK;
void regret_finish(struct regret *regret);

#endif

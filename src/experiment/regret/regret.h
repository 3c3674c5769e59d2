/* The loss of a policy by its decisions: at some of its decision points all that it could have done
   instead is simulated to the end (semantics 28). */
#ifndef EASIM_EXPERIMENT_REGRET_REGRET_H
#define EASIM_EXPERIMENT_REGRET_REGRET_H

#include "experiment/regret/internal.h"

/* Results of one replication. */
struct regret_replication {
    struct decision_end end; /* reached: of hindsight; all of it zero where none of its points was
                             looked at */
    struct run_figures own;
    uint32_t points; /* accepted starts */
};

/* Fill in the first part and zero the rest; release with regret_finish. */
struct regret {
    const struct study *study;
    /* processes: copies at a time; check: also copies the chosen action. done: decision points. */
    const struct replicate_options *how;
    enum regret_metric by;
    uint64_t sample; /* decision points, of all replications together */
    const char *job; /* those of this job instead, in the replication `only`; NULL: no */
    uint32_t only;   /* from 1; 0: all */
    const struct decision_wish *wish; /* NULL: everything that is possible */
    bool hindsight; /* all points, in order, and the best action of each is taken */
    void (*expect)(void *context, uint64_t points); /* how many points will be looked at; or NULL */
    void *context;

    struct regret_replication *replications; /* by replication, from 0 */
    uint32_t count;
    uint64_t points, wanted, looked_at; /* decision points: all, to be looked at, looked at */
    struct regret_rows rows;            /* by replication and point */
    size_t failed;                      /* rows of which nothing is known */
    const char *failure;                /* of the first of them */
};

/* Negative: an error; after ERROR_CANCELLED what has been looked at is kept. Failures of single
   copies are in the rows, and no error. */
int regret_run(struct regret *regret, struct error *reterr) MUST_CHECK;
void regret_finish(struct regret *regret);

/* --- summary of regret: what the rows of a regret say together: how large it is, and where --- */

/* A decision point with what is known of it. */
struct regret_point {
    size_t first, count; /* its rows: the chosen action first */
    size_t best;         /* row */
    double regret; /* the chosen value minus the best one, in the unit of the metric; 0 if none
                      is better by more than rounding (1e-9 of it) */
};

/* Points that have something in common. */
struct regret_group {
    uint64_t key; /* k, the number of the GPU type, or the least number of waiting jobs */
    size_t points, best;
    double sum; /* of their regrets */
};

enum regret_grouping { REGRET_BY_K, REGRET_BY_TYPE, REGRET_BY_WAITING, REGRET_GROUPINGS };

struct regret_summary {
    ARRAY_OF(struct regret_point) points;
    ARRAY_OF(struct regret_point) worst; /* by regret, most first; those without are not in it */
    size_t best;                         /* points at which the chosen action was best */
    size_t waits;                        /* at which waiting was better than every start */
    double mean, median, p90, most;
    ARRAY_OF(struct regret_group) groups[REGRET_GROUPINGS]; /* by key, ascending */
};

/* A key of 0 by k stands for parts of a GPU; jobs waiting go by powers of two. */
void regret_summary_init(struct regret_summary *summary, const struct regret *regret);
void regret_summary_finish(struct regret_summary *summary);

#endif

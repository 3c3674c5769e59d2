/* Declarations shared by the files of src/experiment/regret, for this folder alone. */
#ifndef EASIM_EXPERIMENT_REGRET_INTERNAL_H
#define EASIM_EXPERIMENT_REGRET_INTERNAL_H

#include "experiment/regret/forks.h"

/* --- decision points --- */
/* A run that is copied at its decision points, a copy for each thing that its policy could have
   done instead; each copy goes on to the end by the same policy and random numbers (semantics
   28). */

/* Actions to try; zero GPUs: only waiting. */
struct decision_wish {
    bool waits;
    uint32_t k, gpu_type;
};

/* The task for one replication. */
struct decision_task {
    const struct study *study;
    const struct replicate_options *how; /* processes: copies at a time */
    uint32_t replication;                /* from 0 */
    const uint32_t *points;              /* the decision points to look at, ascending, from 1; */
    size_t point_count;
    const char *job;                  /* NULL, or those of this job instead; */
    bool every;                       /* or all of them */
    const struct decision_wish *wish; /* NULL: everything that is possible there */
    bool improves;                    /* takes the best action at each, and goes on from there */
    bool checks;                      /* copies what was chosen, too: it must end the same way */
    enum regret_metric by;
};

/* Results of a replication. */
struct decision_end {
    struct run_figures own, reached; /* by its policy; by the actions that were taken */
    uint32_t points, looked_at;
    bool cut_short;
    struct error error;
};

/* In a process of its own: fills in the rows of points that were looked at wholly. */
void decision_points_run(const struct decision_task *task, struct crash_context *crash,
                         struct regret_rows *rows, struct decision_end *ret_end);

/* Whether a value is better than another by more than rounding. */
bool regret_is_better(double value, double other);

#endif

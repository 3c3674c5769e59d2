/* Tuning: the parameters of a policy, and values of the scenario, that are best for one metric,
   searched on training replications. */
#ifndef EASIM_EXPERIMENT_TUNE_TUNE_H
#define EASIM_EXPERIMENT_TUNE_TUNE_H

#include "experiment/t_interval.h"
#include "experiment/tune/search.h"
#include "study/replicate.h"

/* A bound on the change of a metric from the start, as a fraction of its mean. */
struct tune_constraint {
    unsigned column;
    bool at_least; /* else at most */
    double change;
};

/* What is known of a trial beside its point and score; the same places as search.trials. */
struct tune_trial {
    struct replicate_result runs;
    struct estimate objective;
    double *constrained; /* mean of the metric of each constraint */
    char *failure;       /* why it has no result; else NULL */
};

/* What an axis sets. */
struct tune_target {
    const char *path; /* of a number in the scenario; NULL: a parameter of the policy */
    size_t param;     /* its index */
    double start;     /* what the scenario has at the path */
};

/* The caller fills in the first part, and releases all with tune_finish. */
struct tune {
    struct study *study; /* on the training seed; what is tuned is changed */
    const struct tune_target *targets;
    const struct search_axis *axes;
    size_t count;
    unsigned objective; /* a column; more or less of it is better by metric_table */
    const struct tune_constraint *constraints;
    size_t constraint_count;
    const struct replicate_options *options;
    size_t most_trials;
    /* NULL, or told how many trials there will be at most, as far as is known. */
    void (*expect)(void *context, size_t trials);
    /* Loads a study anew with each "path=value"; what a failure leaves can only be loaded anew.
       Only called if a target is a path. */
    int (*reload)(void *context, struct study *study, const char *const *sets, size_t count,
                  struct error *reterr);
    void *context;

    ARRAY_OF(struct tune_trial) trials;
    struct search search;
    struct error error; /* if the search was ended by one */
};

/* Searches from the parameters that the study has, and leaves its scenario as it was. Negative only
   if that start fails, on interruption, or if the scenario cannot be loaded any more. */
int tune_run(struct tune *tune, struct error *reterr) MUST_CHECK;
void tune_finish(struct tune *tune);

/* Sets a study's parameters to a point; its scenario stays. */
void tune_apply_params(const struct tune *tune, const double *point, struct study *study);
/* Sets all to a point. Negative where the scenario cannot have the values: the study is lost then.
 */
int tune_apply(const struct tune *tune, const double *point, struct study *study,
               struct error *reterr) MUST_CHECK;
/* Gives a study its scenario back. */
int tune_restore(const struct tune *tune, struct study *study, struct error *reterr) MUST_CHECK;
/* Whether the best trial keeps all constraints and is better than the start. */
bool tune_found(const struct tune *tune);
/* How many trials have failed, and why the first of them did; NULL: none. */
size_t tune_failed(const struct tune *tune, const char **ret_first);
bool tune_keeps_constraints(const struct tune *tune, size_t trial);

#endif

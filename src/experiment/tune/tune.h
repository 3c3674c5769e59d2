/* Tuning: the parameters of a policy, and values of the scenario, that are best for one metric,
   searched on training replications. */
#ifndef EASIM_EXPERIMENT_TUNE_TUNE_H
#define EASIM_EXPERIMENT_TUNE_TUNE_H

#include "experiment/statistics.h"
#include "experiment/tune/search.h"
#include "study/replicate.h"

/* A bound on a metric's mean, or on its change from the start as a fraction of that mean. */
struct tune_constraint {
    unsigned column; /* of the metric; of services, once the scenario is loaded */
    bool at_least;   /* else at most */
    bool absolute;
    double limit;
    const char *name; /* of the metric, as it was given */
};

/* Results of a trial, in addition to its point and score, in the order of search.trials. */
struct tune_trial {
    struct replicate_result runs;
    struct estimate objective;
    double *constrained; /* mean of the metric of each constraint */
    char *failure;       /* why it has no result; else NULL */
};

/* The target of an axis: a parameter of the policy, a value of the scenario, or the policy. */
struct tune_target {
    const char *name; /* as tables have it */
    const char *path; /* of a value of the scenario; NULL: a parameter of the policy, or that */
    bool is_policy;
    size_t param; /* the parameter's index */
    /* The policy that may be chosen, if this value is a parameter of it; otherwise NULL. */
    struct policy_params *chosen;
    const char *const *texts; /* what the whole numbers of the axis stand for; NULL: themselves */
    const double *numbers;    /* numbers of a parameter, in the same way */
    /* In the study. Below 0 with texts or numbers: none of them; NAN: the scenario has no value. */
    double start;
    const char *start_text; /* what it has instead of a text; NULL: nothing */
    double start_number;    /* the same for a parameter */
};

/* The caller fills in the first part, and releases all with tune_finish. */
struct tune {
    struct study *study;              /* on the training seed; what is tuned is changed */
    const struct metric_set *metrics; /* as it is before */
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
    /* Loads a study again with a policy (NULL: its own) and each "path=value". After a failure the
       study can only be loaded again. Called only if a target is a path or the policy. */
    int (*reload)(void *context, struct study *study, const char *policy, const char *const *sets,
                  size_t count, struct error *reterr);
    void *context;

    ARRAY_OF(struct tune_trial) trials;
    struct search search;
    struct error error; /* if the search was ended by one */
};

/* Runs a study, which a trial may have given other services than were asked of: then the figures of
   single ones are left out. */
int tune_replicate(const struct study *study, const struct metric_set *asked,
                   const struct replicate_options *options, struct replicate_result *result,
                   struct error *reterr) MUST_CHECK;
/* Searches from the parameters that the study has, and leaves its scenario as it was. Negative only
   if that start fails, on interruption, or if the scenario cannot be loaded any more. */
int tune_run(struct tune *tune, struct error *reterr) MUST_CHECK;
void tune_finish(struct tune *tune);

/* The value of a target at a point as it is set; nothing where the scenario does not state it. */
void tune_add_value(const struct tune_target *target, double place,
                    const struct policy_params *params, struct str *out);
/* Whether the policy is tuned. */
bool tune_chooses_policy(const struct tune *tune);
/* Sets a study's parameters to a point; its scenario stays. */
void tune_apply_params(const struct tune *tune, const double *point, struct study *study);
/* Sets all to a point. Negative if the scenario cannot have the values: the study is lost then. */
int tune_apply(const struct tune *tune, const double *point, struct study *study,
               struct error *reterr) MUST_CHECK;
/* Gives a study its scenario back. */
int tune_restore(const struct tune *tune, struct study *study, struct error *reterr) MUST_CHECK;
/* Whether the best trial keeps all constraints and is better than the start. */
bool tune_found(const struct tune *tune);
/* Number of failed trials, and why the first of them failed; NULL: none. */
size_t tune_failed(const struct tune *tune, const char **ret_first);
bool tune_keeps_constraints(const struct tune *tune, size_t trial);

/* --- tune_check --- */
/* Whether the bounds of a search hold on other workloads than it was made on. Pure functions over
   finished replications; undefined values are NAN. */

enum tune_verdict { TUNE_KEPT, TUNE_BROKEN, TUNE_UNKNOWN };

/* One bound. Excess: value - (1 + limit) start of each pair, or value - limit, negated where at
   least is asked for: kept is at most 0. */
struct tune_checked {
    double start, tuned; /* means */
    double value; /* what the limit is of: the change as a fraction of |start|, or the mean */
    double ci95;  /* half of its 95 % interval, from the pairs */
    enum tune_verdict mean;  /* of the mean excess */
    enum tune_verdict limit; /* of the upper end of its 95 % interval; unknown of one run */
};

/* Replication n of both has the same workload. Unknown where a run does not define the metric. */
struct tune_checked tune_check(const struct tune_constraint *constraint,
                               const struct summary *start, const struct summary *tuned,
                               size_t count);
/* For the best trial, on average over the search's own runs. */
enum tune_verdict tune_verdict_of_training(const struct tune *tune, size_t constraint);
const char *tune_verdict_name(enum tune_verdict verdict); /* kept, broken, unknown */

/* Whether all replications that both studies have are the same jobs at the same times, as of a
   recorded log. Negative if they cannot be drawn. */
int tune_compare_workloads(const struct study *training, const struct study *check, bool *ret_same,
                           struct error *reterr) MUST_CHECK;

#endif

/* One simulation of a replication, measured: as its policy has it, or with other starts. */
#ifndef EASIM_EXPERIMENT_REGRET_BASE_RUN_H
#define EASIM_EXPERIMENT_REGRET_BASE_RUN_H

#include "metrics/metrics.h"
#include "study/replicate.h"

/* Metrics of regret; less of each is better. */
enum regret_metric { REGRET_ENERGY, REGRET_JCT, REGRET_MISSES, REGRET_METRICS };

/* Results of a run, for all measured jobs together. */
struct run_figures {
    double of[REGRET_METRICS]; /* kWh, s, number of missed deadlines */
    double deadlines;          /* jobs that have one that is due */
    double rejected;           /* jobs */
    uint64_t digest; /* of all metrics and of what became of every job: equal for runs that
                        went the same way */
};

/* Fill in the first part; it stays where it is until base_run_finish. */
struct base_run {
    const struct study *study;
    const struct workload *workload;
    uint32_t replication;                /* from 0 */
    const struct replicate_options *how; /* check, cancel, events */
    struct crash_context *crash;         /* of this process */
    const struct start_changer *changer; /* or NULL */
    const struct observer *observer;     /* or NULL */
    /* refuses a policy with processes or threads of its own, because a copy would lack them */
    bool alone;

    struct metrics metrics;
    struct observer watch;
    const struct observer *observers[4];
    struct sim sim;
};

/* The metric that stands for the completion time of all jobs in this scenario. */
const char *regret_metric_name(enum regret_metric metric, const struct scenario *scenario);

/* From t = 0 to the end. base_run_finish in any case. */
int base_run_simulate(struct base_run *base, struct error *reterr) MUST_CHECK;
/* In a copy of the process in the middle of a decision: from here on it is another task. calling:
   of the old crash context before the copy was made; the process it comes from goes on and changes
   it. */
void base_run_rename(struct base_run *base, struct crash_context *crash, const char *calling);
/* After it was run. */
struct run_figures base_run_figures(const struct base_run *base);
void base_run_finish(struct base_run *base);

#endif

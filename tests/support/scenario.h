/* Runs a scenario given as YAML text inside the test's process, with the invariants checked after
   every event, and keeps what came out. Files go to the present directory: use temp_dir_enter and
   temp_dir_leave around a test. */
#ifndef EASIM_TESTS_SCENARIO_H
#define EASIM_TESTS_SCENARIO_H

#include "study/replicate.h"

/* A job at the end of replication 1. Times are -1 where the engine knows none. */
struct trial_job {
    char id[32], reason[160]; /* why it was rejected, else "" */
    uint32_t state;           /* enum easim_job_state */
    int64_t submit_ns, start_ns, finish_ns, deadline_ns;
    double batch;                /* of the last configuration */
    uint32_t gpu_type, k, nodes; /* last configuration; k = 0: it never ran */
    uint32_t preemptions, resizes, user;
    double work, energy_j, lost_j, exec_s, gpu_s, lost_s;
};

struct trial_options {
    const char *jobs;   /* text of jobs.csv, or NULL */
    const char *models; /* text of models.yaml, or NULL */
    const char *policy; /* in place of the policy section, or NULL */
    uint32_t processes; /* 0: all in this one; else only summaries and jobs.csv come back */
    bool strict;
    bool decisions; /* keeps decisions.csv */
    bool unchecked; /* leaves the invariants alone, for figures that do not depend on them */
    /* Called while the simulation of a replication is still there, in its process; may be NULL. */
    void (*look)(void *context, const struct replication *replication);
    void *context;
    const struct observer *watch; /* of all replications, one after the other; may be NULL */
};

/* Release with trial_finish. */
struct trial {
    int status;         /* 0, or the negative code of loading or running */
    char failure[1100]; /* the error of the run, or all problems of loading, one a line */
    struct study study;
    struct summary *summaries;
    uint32_t count;
    struct trial_job *jobs; /* of replication 1, in order of submission */
    size_t job_count;
    struct str jobs_csv;             /* of replication 1, with its header */
    struct str decisions_csv;        /* of replication 1, if wanted */
    struct str summary_csv;          /* rows of all replications */
    uint64_t refused[REFUSAL_COUNT]; /* of replication 1 */
    struct observer power_watch;
    struct tally counted;              /* by the policy, in all replications */
    struct metrics_copy {              /* of replication 1 */
        ARRAY_OF(struct power_row) at; /* power.csv */
    } power;
    const struct trial_options *options;
};

/* Loads and runs the scenario `format` makes. Look at status before anything else. */
void trial_run(struct trial *trial, const struct trial_options *options, const char *format, ...)
    PRINTF_LIKE(3, 4);
/* The two halves, to load several before any runs. trial_execute does nothing if loading failed. */
void trial_load(struct trial *trial, const struct trial_options *options, const char *yaml);
void trial_execute(struct trial *trial);
void trial_finish(struct trial *trial);

/* Loads a scenario, which must succeed, and makes the table of configurations of its models, still
   empty. Release with trial_finish_table. */
void trial_load_table(struct trial *trial, struct config_table *table,
                      const struct trial_options *options, const char *yaml);
void trial_finish_table(struct trial *trial, struct config_table *table);

/* Fails the test, with the failure as message, if the trial failed. */
void trial_must_succeed(const struct trial *trial);
const struct trial_job *trial_find(const struct trial *trial,
                                   const char *id); /* fails the test if there is none */
/* The number in a cell of jobs.csv; NAN if the cell is empty. Fails the test if there is no such
 * job or column. */
double trial_cell(const struct trial *trial, const char *job, const char *column);

/* One cluster of one node, enough for most scenarios by hand: GPU type "g", `gpus` GPUs. */
#define TRIAL_CLUSTER(gpus) \
    "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: [{gpu: g, gpus: " #gpus \
    "}]}\n"
#define TRIAL_JOBS "workload: {kind: trace, file: jobs.csv}\n"

#endif

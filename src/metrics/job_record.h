/* The outcome of a job, read off the engine here alone, for jobs.csv, statistics and tests. */
#ifndef EASIM_METRICS_JOB_RECORD_H
#define EASIM_METRICS_JOB_RECORD_H

#include "engine/observer.h"
#include "engine/sim.h"

#include <stdbool.h>
#include <stdint.h>

/* --- deadline: whether a job has kept its deadline, and whose deadlines a run can judge --- */

enum deadline {
    DEADLINE_NONE,   /* the job has none */
    DEADLINE_OPEN,   /* not due in this run, and the job has not finished */
    DEADLINE_KEPT,   /* finished at it or before */
    DEADLINE_MISSED, /* finished after it, or it was due and the job has not finished */
};

/* Whether a deadline is at or before the horizon. TIME_NONE_NS as horizon, a drained run: all are;
   as deadline, there is none: false. Rates count the deadlines that are due and no others, since of
   the later ones a run sees only those that were kept. */
bool deadline_is_due(int64_t deadline_ns, int64_t horizon_ns);
/* finish_ns is negative if the job did not finish. */
enum deadline deadline_judge(int64_t deadline_ns, int64_t finish_ns, int64_t horizon_ns);

/* --- job_record --- */

/* Of the time up to now, which is the end of the run unless somebody looks earlier. Times that
   there are not are -1. Pointers are borrowed from the simulation. */
struct job_record {
    const struct job_spec *spec;       /* who, when, how much, and the deadline */
    const char *reject_reason;         /* NULL unless rejected */
    const struct easim_config *config; /* the last one: k, b, h; NULL if it never started */
    uint32_t state;                    /* enum easim_job_state */
    uint32_t nodes, span;              /* of the last configuration */
    uint32_t preemptions, resizes;
    enum deadline deadline;
    bool deadline_is_due;
    int64_t start_ns, finish_ns; /* first start */
    int64_t wait_ns, jct_ns;     /* from submission to start_ns and to finish_ns */
    int64_t predicted_finish_ns; /* at its first start */
    int64_t exec_ns;             /* held GPUs, over all its starts */
    int64_t lost_ns;             /* computing time whose work was lost */
    int128 energy, lost_energy;  /* 1e-18 J, drawn by its GPUs while it held them */
    double energy_j;             /* energy in J */
    int128 gpu_ps, lost_gpu_ps;  /* GPU time, 1e-12 GPU s */
    /* Computing time lost by waiting for others on the network, and on storage. */
    double network_slowed_s, storage_slowed_s;
    /* Because of power limits (engine/limits.h). */
    int64_t throttled_ns, broken_ns;
    double limit_lost_s;
};

/* Of a job that has been submitted. */
struct job_record job_record_of(const struct sim *sim, uint32_t job);

/* "finished" and so on of an enum easim_job_state, as in jobs.csv. */
const char *job_record_status_name(uint32_t state);
/* Energy x completion time; NAN unless finished. */
double job_record_edp_js(const struct job_record *record);

/* --- rows: what a run leaves to be written beside its summary: a row of each of its tables --- */

/* Of power.csv: the state from time_ns on. */
struct power_row {
    int64_t time_ns;
    int64_t power_nw;
    uint32_t allocated, idle, waiting, failed; /* GPUs; allocated: in whole or in part */
    uint64_t shared_free_milli;                /* thousandths of the allocated ones that are free */
    double cap_w;                              /* INFINITY if none */
    uint64_t throttled;                        /* GPUs that compute below their wish */
};

struct power_row power_row_of(const struct sim *sim); /* of now */

/* Of decisions.csv. */
struct decision_row {
    int64_t time_ns;
    struct action_record action;
};

/* Of users.csv: the measured jobs of one user. */
struct user_row {
    uint32_t jobs;
    double gpu_s, demand_gpu_s, energy_kwh, jct_mean_s, slowdown_mean;
};

/* Of types.csv: one GPU type. */
struct type_row {
    double alloc_gpu_h, compute_gpu_h, energy_kwh;
    uint32_t jobs; /* finished, by last configuration */
};

#endif

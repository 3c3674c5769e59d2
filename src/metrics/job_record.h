/* What became of a job: the one place that reads it off the engine. jobs.csv, the statistics over
   jobs and tests are made of these records. */
#ifndef EASIM_METRICS_JOB_RECORD_H
#define EASIM_METRICS_JOB_RECORD_H

#include "engine/sim.h"
#include "metrics/deadline.h"

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
};

/* Of a job that has been submitted. */
struct job_record job_record_of(const struct sim *sim, uint32_t job);

/* "finished" and so on of an enum easim_job_state, as in jobs.csv. */
const char *job_record_status_name(uint32_t state);
/* Energy x completion time; NAN unless finished. */
double job_record_edp_js(const struct job_record *record);

#endif

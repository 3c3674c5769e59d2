/* A folder that was written with `record` (docs/reference/outputs.md), read back: first what all of
   its runs share, then one run (a policy and a replication) at a time, so that memory is that of
   one. Needs nothing but the folder. Times are int64 nanoseconds since the start of the run,
   energies int128 in 1e-18 J (power_j gives J), both exact. Jobs, GPU types and nodes have the
   numbers that the engine gave them. */
#ifndef EASIM_INSIGHT_RECORDED_RUN_H
#define EASIM_INSIGHT_RECORDED_RUN_H

#include "config/scenario.h"
#include "engine/observer.h"
#include "io/sha256.h"
#include "metrics/gpu_tracker.h"
#include "metrics/job_record.h"
#include "metrics/summary.h"
#include "workload/source.h"
#include "workload/workload.h"

/* ---- The folder ---- */

struct recorded_policy {
    const char *name;
    struct config_extras
        extras;     /* configurations that its jobs could have in addition to the plain ones */
    bool keeps_cap; /* it declares POWER_CAP */
};

/* Cap, price and carbon intensity from time_ns on, until the next one. */
struct recorded_step {
    int64_t time_ns;
    double cap_w;                           /* INFINITY: none */
    double price_per_mwh, carbon_g_per_kwh; /* NAN: not given */
};

/* Rows of one run in a file: bytes after the header, and the first line. */
struct recorded_rows {
    uint64_t from, bytes;
    uint32_t line;
};

/* The place of one run, and its data that are known without reading it. */
struct recorded_part {
    uint32_t policy;         /* index in the folder's policies */
    uint32_t replication;    /* from 1 */
    int64_t end_ns;          /* the end of the run; the start of measuring is workload.warmup_ns */
    uint32_t jobs_submitted; /* jobs below this index; the others come after the end */
    size_t segment_count, rest_count; /* rows */
    int128 energy;                    /* of the whole cluster from 0 to end_ns, 1e-18 J */
    struct recorded_rows segments, gpus, workload; /* for recorded_run_load */
};

/* Zero-initialise; release with recorded_folder_finish. All pointers are borrowed from it. */
struct recorded_folder {
    const char *path;                  /* as given */
    const char *command;               /* "run", "compare" */
    char manifest_sha256[SHA256_TEXT]; /* of manifest.json: what derived files say they are made of
                                        */
    struct scenario scenario;          /* as resolved: scenario.yaml */
    struct cluster cluster;
    struct model_set models; /* models.yaml: with model_overrides */
    ARRAY_OF(struct recorded_policy) policies;
    ARRAY_OF(struct recorded_part) parts; /* in the order of the files: by policy, replication */
    ARRAY_OF(struct recorded_step) steps; /* the first at 0; up to the longest end_ns */
    struct workload_source source;        /* its keys: warm-up and costs of rigid jobs */
    struct yaml_doc model_doc;
    struct arena arena;
};

/* Checks the folder against its manifest first. ERROR_INPUT names what is damaged, or what a folder
   that was not recorded lacks. */
int recorded_folder_open(struct recorded_folder *folder, const char *path,
                         struct error *reterr) MUST_CHECK;
/* Of one that recorded_check has passed. */
int recorded_folder_open_checked(struct recorded_folder *folder, const char *path,
                                 struct error *reterr) MUST_CHECK;
void recorded_folder_finish(struct recorded_folder *folder);
/* The part of that policy (NULL: the first) and replication (0: the first that there is); NULL: it
   is not in the folder. */
const struct recorded_part *recorded_folder_find(const struct recorded_folder *folder,
                                                 const char *policy, uint32_t replication);
/* Number of replications of the part's policy. */
size_t recorded_folder_replications(const struct recorded_folder *folder,
                                    const struct recorded_part *part);
/* The folder of the part's policy, with its manifest and scenario: of a run the folder itself, of a
   comparison one in it. In the arena. */
const char *recorded_folder_of_policy(const struct recorded_folder *folder,
                                      const struct recorded_part *part, struct arena *arena);

/* ---- One run ---- */

/* The activity of a job from one instant to another (engine/observer.h). The segments of a job
   follow each other without gaps from its submission to its finish or the end of the run. Some are
   empty (start_ns = end_ns; then perhaps without GPUs). A run has several segments if its phase,
   its power or the fate of its work changes. */
struct recorded_segment {
    int64_t start_ns, end_ns;
    int128 energy; /* of its GPUs, 1e-18 J; the power is constant over the segment, unless a cap is
                      enforced */
    double work;   /* done, in reference samples (rigid jobs: seconds): kept; of SEGMENT_LOST:
                      lost */
    uint32_t job;  /* of workload.jobs */
    uint32_t config; /* held: of workload.table.configs; EASIM_NONE: it waits */
    uint32_t gpus;   /* place of its first GPUs in the run's gpus; */
    uint32_t gpus_count;
    uint8_t kind;         /* enum segment_kind, never NONE */
    uint8_t began, ended; /* enum segment_cause */
    uint8_t phase;        /* of its model, from 0 */
    uint8_t span;         /* enum easim_span of config; queued: 0 */
};

/* The end or the beginning of a segment. */
struct segment_event {
    int64_t time_ns;
    uint32_t segment; /* of the run's segments */
    bool begins;
};

/* How power limits slowed a segment under an enforced cap; all 0 if it did not compute, or on a
   part of a GPU. wish_w: power of its GPUs at the wish. */
struct recorded_limit {
    int64_t throttled_ns;
    double lost_s, wish_w;
};

/* The result of a job: as in jobs.csv, from its segments, exactly. Missing times are -1. */
struct recorded_job {
    uint32_t segments;      /* place of its first one in the run's segments; in order of time */
    uint32_t segment_count; /* 0: rejected at submission, or not submitted */
    uint8_t state;          /* enum easim_job_state at the end of the run; PENDING: not submitted */
    uint32_t config;        /* the last that it held, or EASIM_NONE */
    uint32_t preemptions, resizes, failures;
    int64_t start_ns, finish_ns; /* first start */
    int64_t exec_ns, lost_ns;    /* held GPUs; computed in vain */
    int128 energy, lost_energy;  /* 1e-18 J */
    int128 gpu_ps, lost_gpu_ps;  /* GPU time, 1e-12 GPU s: power_gpu_s */
    double work_kept, work_lost;
};

/* A service of the scenario. */
struct recorded_service {
    const struct service *spec;    /* without its demand, which is not in the folder */
    const char *name;              /* as the files have it */
    uint32_t set, user;            /* of its replicas */
    const char *const *labels;     /* of its replicas, by workload.label_names */
    double slo_share, j_per_token; /* of services.csv; NAN: not there, or not defined */
};

/* The replica that a job after those of workload.csv is. */
struct recorded_replica {
    uint32_t service, number;
};

/* Zero-initialise; release with recorded_run_finish. */
struct recorded_run {
    const struct recorded_folder *folder;
    const struct recorded_part *part;
    struct workload workload; /* with its table of configurations, as policies knew it: goodput and
                                 power of each k, b, h, limit, by span */
    struct k_choice *allowed_k; /* by model: of the jobs that there are; of the table */
    struct recorded_job *jobs;  /* by index in workload.jobs */
    /* Jobs from first_replica on are replicas of services (internal.h). */
    uint32_t first_replica, service_count;
    struct recorded_service *services;
    ARRAY_OF(struct recorded_replica) replicas; /* of the job at first_replica on */
    ARRAY_OF(struct recorded_segment) segments; /* by job, then time */
    ARRAY_OF(struct segment_event)
    events;                                 /* of all segments but empty ones, by time: ends come
                                               before beginnings, each in the order of segments */
    ARRAY_OF(struct recorded_limit) limits; /* by segment; empty: no cap is enforced */
    ARRAY_OF(struct recorded_gpus) gpus;
    ARRAY_OF(struct recorded_rest) rests; /* in order of end_ns */
    struct summary summary;               /* its row of summary.csv; measured after the warm-up */
};

/* ERROR_INPUT names file and line of what does not fit together. */
int recorded_run_load(struct recorded_run *run, const struct recorded_folder *folder,
                      const struct recorded_part *part, struct error *reterr) MUST_CHECK;
void recorded_run_finish(struct recorded_run *run);

/* The row of a replication in summary.csv; NAN: not there. */
int recorded_summary_load(const struct recorded_folder *folder, const struct recorded_part *part,
                          struct summary *summary, struct error *reterr) MUST_CHECK;

static inline bool recorded_run_is_replica(const struct recorded_run *run, uint32_t job) {
    return job >= run->first_replica;
}
/* Whether the figures of summary.csv count a job: it is submitted after the warm-up. */
static inline bool recorded_run_measures(const struct recorded_run *run, uint32_t job) {
    return run->workload.jobs.at[job].submit_ns >= run->workload.warmup_ns;
}
/* Without GPUs: a job in the queue, or a replica that waits for its GPUs. */
static inline bool recorded_segment_waits(const struct recorded_segment *segment) {
    return segment->kind == SEGMENT_QUEUED || segment->kind == SEGMENT_RESERVED;
}

/* NULL: it waits. */
static inline const struct easim_config *
recorded_run_config(const struct recorded_run *run, const struct recorded_segment *segment) {
    return segment->config == EASIM_NONE ? NULL : &run->workload.table.configs.at[segment->config];
}
/* Whether a power cap is enforced: jobs may compute below their wish. */
static inline bool recorded_folder_enforces(const struct recorded_folder *folder) {
    return folder->cluster.cap_rules.enforce != ENFORCE_NONE;
}
/* Zeros if no cap is enforced. */
static inline struct recorded_limit recorded_run_limit(const struct recorded_run *run,
                                                       const struct recorded_segment *segment) {
    return run->limits.count > 0 ? run->limits.at[segment - run->segments.at]
                                 : (struct recorded_limit){0};
}
/* The segments of a job, job->segment_count of them. */
static inline const struct recorded_segment *recorded_run_segments(const struct recorded_run *run,
                                                                   const struct recorded_job *job) {
    return &run->segments.at[job->segments];
}
/* When a rejected job was: at submission, or by the policy while it was queued. */
static inline int64_t recorded_run_rejected_ns(const struct recorded_run *run, uint32_t job) {
    const struct recorded_job *j = &run->jobs[job];
    return j->segment_count > 0 ? recorded_run_segments(run, j)[j->segment_count - 1].end_ns
                                : run->workload.jobs.at[job].submit_ns;
}
/* Thousandths of GPUs that a segment holds: 1000 k, or a part of one; queued: 0. */
int64_t recorded_run_milli(const struct recorded_run *run, const struct recorded_segment *segment);
/* GPU time of a segment, 1e-12 GPU s. */
int128 recorded_run_gpu_ps(const struct recorded_run *run, const struct recorded_segment *segment);
/* Index of a job by its id, or EASIM_NONE. */
uint32_t recorded_run_find_job(const struct recorded_run *run, const char *id);

#endif

/* One simulation: cluster, jobs and a policy in simulated time. Fields are for the engine's own
   files and, read-only, for observers. Two simulations in one process do not notice each other. */
#ifndef EASIM_ENGINE_SIM_H
#define EASIM_ENGINE_SIM_H

#include "cluster/placement.h"
#include "cluster/power_meter.h"
#include "config/scenario.h"
#include "engine/cluster_changes.h"
#include "engine/eventq.h"
#include "engine/failures.h"
#include "engine/nodes.h"
#include "engine/observer.h"
#include "engine/view.h"
#include "policy/list/list.h"
#include "policy/module.h"
#include "policy/params.h"
#include "workload/workload.h"

#include <stdatomic.h>

enum event_kind {
    EVENT_CLUSTER,   /* payload enum cluster_change: power cap, price or carbon intensity */
    EVENT_MEASURE,   /* end of the warm-up; causes no decision */
    EVENT_COMPUTING, /* payload job: set-up is over; causes no decision */
    EVENT_FINISH,    /* payload job */
    EVENT_RELEASE,   /* payload job: its checkpoint is written */
    EVENT_ARRIVAL,   /* payload job */
    EVENT_TIMER,
    EVENT_FAILURE, /* payload node */
    EVENT_REPAIR,  /* payload node */
    EVENT_SLEEP,   /* payload node: free GPUs of it fall asleep; causes no decision */
};

enum job_phase { PHASE_NONE, PHASE_SETUP, PHASE_COMPUTING, PHASE_CHECKPOINT };

/* How fast a job truly is (progress.h). */
struct progress {
    double noise;        /* true speed / predicted speed, over its life */
    double factor;       /* likewise, in the present stretch: noise and neighbours */
    double stretch_work; /* done in this segment when the stretch began */
    double kept_work;    /* and at the last periodic checkpoint before that */
    int64_t stretch_ns;  /* computing time at which the stretch began */
};

/* Work that a checkpoint on demand is to keep while it is being written: what a failure then takes
 * away. */
struct unsaved {
    int64_t until_ns;            /* the checkpoint is complete after it; 0: none is being written */
    int64_t computing_ns;        /* that the work took */
    int64_t power_nw;            /* of the GPUs that did it */
    int64_t milli;               /* thousandths of GPUs */
    double remaining, predicted; /* the job's remaining work without it, true and in the view */
};

/* What the engine knows of a job beyond its spec and its view. Times are -1 until they are known.
 */
struct job_run {
    struct allocation allocation;
    double remaining; /* true work left when the present segment began (or when it was queued) */
    int64_t phase_start_ns;   /* of the present phase */
    int64_t segment_start_ns; /* when it got its present GPUs */
    int64_t first_start_ns, finish_ns;
    int64_t first_predicted_ns; /* predicted finish at its first start */
    int64_t awake_ns;           /* when all GPUs that it got last are awake */
    int64_t held_ns;            /* holding GPUs, finished segments */
    int64_t lost_ns;            /* computing time whose work was lost */
    int128 energy, lost_energy; /* 1e-18 J, up to phase_start_ns */
    int128 gpu_ps;              /* GPU time held, finished segments, 1e-12 GPU s */
    int128 lost_gpu_ps;
    int128 jobs_ns;  /* sim->jobs_ns at submission; once it has finished: over its life */
    uint32_t event;  /* its pending event, or EVENT_NONE */
    uint32_t config; /* last configuration, or EASIM_NONE */
    uint32_t span;
    uint32_t node_count; /* nodes of the last configuration */
    uint16_t vain_stops; /* in a row: stopped without having kept any work */
    uint8_t phase;       /* enum job_phase */
    bool resizing;       /* has GPUs of another configuration in the present plan */
};

/* Jobs that are over, passed once by the invariant checker: all with an index below `jobs`. */
struct check_past {
    uint32_t jobs, finished, rejected;
    int128 energy;
    int64_t power_nw, time_ns; /* of the last check, */
    int128 integral;           /* and the energy up to then */
    uint64_t events;           /* since all jobs were summed up */
};

struct sim_options {
    int64_t horizon_ns; /* TIME_NONE_NS: until the last job is done */
    struct engine_options engine;
    struct energy_prices prices;
    struct model_noise noise;
    uint64_t seed;
    uint32_t replication;
    bool check;  /* invariants after every event, a guarded view, kept answers asked again */
    bool strict; /* a refused action ends the run */
    bool time_decisions;       /* measure decide_ns */
    const atomic_bool *cancel; /* NULL, or set from outside to give up */
    atomic_ulong *progress;    /* NULL, or counts events for somebody outside */
    const char **calling; /* NULL, or tells which callback of the policy is running; NULL: none */
};

struct sim {
    const struct cluster *cluster;
    const struct workload *workload;
    const struct policy_module *module;
    const struct policy_params *params;
    struct sim_options options;

    int64_t now_ns;
    struct eventq events;
    struct placement placement;
    struct power_meter meter;
    struct nodes nodes;
    struct failures failures;
    uint32_t
        background; /* pending events that do not help a waiting job: failures, repairs, sleep */
    int64_t committed_nw; /* power if every allocated GPU drew the higher of ctx_w and its computing
                             power */
    struct view view;
    struct cluster_changes changes;
    struct job_run *runs;
    struct unsaved *unsaved;   /* by job; apart, since most jobs never touch theirs */
    struct progress *progress; /* by job; NULL: every job is as fast as predicted */
    uint32_t next_arrival;     /* first job that has not been submitted */
    uint32_t running, waiting, checkpointing, finished, rejected;
    const char **reject_reasons; /* by job; NULL unless rejected */
    bool *over_cap; /* by config: over a constant cap that the policy keeps, on the empty cluster;
                       or NULL */
    int128 jobs_ns; /* number of jobs in the system x time, job-nanoseconds */
    uint32_t *waiting_for; /* by GPU type: waiting jobs with a configuration there */
    gsl_rng *policy_rng;
    void *policy_state;
    struct list list;
    struct arena scratch;

    const struct observer *const *observers; /* NULL-terminated */
    uint64_t event_total, decision_total;
    uint64_t start_total,
        extrapolated_starts;   /* starts, restarts and resizes; outside of the measured range */
    uint64_t *extrapolated_by; /* those by model and GPU type: model * types + type */
    uint64_t decide_ns;        /* processor time of the policy and its plans */
    uint64_t refused[REFUSAL_COUNT];
    bool decide_pending, instant_pending;
    struct check_past past; /* of the invariant checker */
    struct error error;     /* code < 0: the run has failed */
};

/* Runs from 0 to the end. The sim is left as it was at the end, for observers' last look;
 * sim_finish in any case.
 */
int sim_run(struct sim *sim, struct error *reterr) MUST_CHECK;
/* Sets up a zeroed sim whose five first members and observers are filled in. */
int sim_init(struct sim *sim, struct error *reterr) MUST_CHECK;
void sim_finish(struct sim *sim);

/* Records the first failure. */
void sim_fail(struct sim *sim, int code, const char *format, ...) PRINTF_LIKE(3, 4);
/* Events counted by sim->background. */
uint32_t sim_push_background(struct sim *sim, int64_t time_ns, enum event_kind kind, uint32_t node);
void sim_cancel_background(struct sim *sim, uint32_t event);
void sim_notify(struct sim *sim, uint32_t job, enum job_change change);

/* Work a job has done so far of its spec's work, lost work not counted. */
double sim_work_done(const struct sim *sim, uint32_t job);
/* Energy a job's GPUs have drawn so far while it held them, 1e-18 J; likewise GPU time, 1e-12 GPU
 * s, and time. */
int128 sim_job_energy(const struct sim *sim, uint32_t job);
int128 sim_job_gpu_ps(const struct sim *sim, uint32_t job);
int64_t sim_job_held_ns(const struct sim *sim, uint32_t job);

#endif

/* The data of one simulation: cluster, jobs and a policy in simulated time; and what every part of
   the engine does with it: to fail, to tell observers, to add events. Fields are for the engine's
   own files and, read-only, for observers. Two simulations in one process do not notice each other.
   loop.h runs it. */
#ifndef EASIM_ENGINE_SIM_H
#define EASIM_ENGINE_SIM_H

#include "base/tally.h"
#include "cluster/placement.h"
#include "cluster/power_meter.h"
#include "config/scenario.h"
#include "engine/cluster_state.h"
#include "engine/event_order.h"
#include "engine/eventq.h"
#include "engine/job_state.h"
#include "engine/service_state.h"
#include "engine/view.h"
#include "policy/list/list.h"
#include "policy/module.h"
#include "policy/params.h"
#include "workload/workload.h"

#include <stdatomic.h>

/* What the invariant checker has summed up: all jobs with an index below `jobs`, which are
   over. */
struct check_past {
    uint32_t jobs, finished, rejected;
    int128 energy;
    int64_t power_nw, time_ns; /* of the last check, */
    int128 integral;           /* and the energy up to then */
    uint64_t events;           /* since all jobs were summed up */
};

struct sim;
struct action;

/* A start that a policy asks for, and gets. */
struct start_offer {
    uint32_t job, config;
    bool can_wait; /* if it is refused, something else is to come within the run */
};

/* Who may change starts: for runs that go another way than their policy. */
struct start_changer {
    void *context;
    /* The configuration that is started instead, one that fits and that no cap forbids; EASIM_NONE:
       the policy is told that nothing fits. It may copy this process. */
    uint32_t (*change)(void *context, struct sim *sim, const struct start_offer *offer);
};

struct sim_options {
    int64_t horizon_ns; /* TIME_NONE_NS: until the last job is done */
    struct engine_options engine;
    struct energy_prices prices;
    struct model_noise noise;
    struct forecast_options forecast;
    uint64_t seed;
    uint32_t replication;
    bool check;  /* invariants after every event, a guarded view, kept answers asked again */
    bool strict; /* a refused action ends the run */
    bool time_decisions;       /* measure decide_ns */
    const atomic_bool *cancel; /* NULL, or set from outside to give up */
    atomic_ulong *progress;    /* NULL, or counts events for somebody outside */
    /* NULL, or false in copies of this process that a policy has forked: they end */
    const volatile bool *original;
    const struct start_changer *changer; /* NULL: every start is the policy's; else the view is not
                                            guarded, for a guarded one is shared by copies */
    const char **calling; /* NULL, or tells which callback of the policy is running; NULL: none */
};

/* Jobs that are due as they requested (due_jobs.h). */
struct due_job {
    uint32_t job;
    uint64_t place; /* among the events of the instant */
};

struct due_jobs {
    bool is_used;
    int64_t looked_ns;              /* the last instant of which all events were looked at */
    ARRAY_OF(struct due_job) added; /* with an event of this instant, since then */
};

struct sim {
    const struct cluster *cluster;
    const struct workload *workload;
    const struct policy_module *module;
    const struct policy_params *params;
    struct sim_options options;

    int64_t now_ns;
    struct eventq events;
    struct due_jobs due;
    struct placement placement;
    struct power_meter meter;
    struct nodes nodes;
    struct convoys convoys;
    struct failures failures;
    uint32_t
        background; /* pending events that do not help a waiting job: failures, repairs, sleep */
    int64_t committed_nw; /* power if every allocated GPU drew the higher of ctx_w and its computing
                             power */
    struct view view;
    struct cluster_changes changes;
    struct forecasts forecasts;
    struct services services;
    struct job_run *runs;
    int64_t *computing_nw;         /* by config and span; of a rigid job at its mean utilization */
    struct unsaved *unsaved;       /* by job; not in runs, since few jobs ever use it */
    struct moved *moved;           /* likewise */
    struct lost *lost;             /* likewise; NULL: nobody has lost any work */
    struct progress *progress;     /* by job; NULL: every job is as fast as predicted */
    struct use *uses;              /* by job; NULL: the power of no job changes with its progress */
    struct contention *contention; /* NULL: jobs share neither network nor storage */
    uint32_t next_arrival;         /* first job that has not been submitted */
    uint32_t running, waiting, checkpointing, finished, rejected;
    const char **reject_reasons;   /* by job; NULL unless rejected */
    ARRAY_OF(char *) reject_words; /* of the policy's rejections */
    bool *over_cap; /* by config: over a constant cap that the policy keeps, on the empty cluster;
                       or NULL */
    int128 jobs_ns; /* number of jobs in the system x time, job-nanoseconds */
    uint32_t *waiting_for; /* by GPU type: waiting jobs with a configuration there */
    gsl_rng *policy_rng;
    void *policy_state;
    char *job_memory; /* of the policy, by job; NULL: it declares none */
    size_t job_memory_stride;
    int128 decided_energy; /* of everything, up to the last decision, 1e-18 J */
    struct list list;
    struct arena scratch;
    struct action *spare_actions; /* memory of the last plan, for the next one */
    size_t spare_capacity;

    const struct observer *const *observers; /* NULL-terminated */
    bool tells_events, tells_segments; /* whether one wants events or decisions; or segments */
    uint64_t event_total, decision_total;
    uint64_t start_total,
        extrapolated_starts;   /* starts, restarts and resizes; outside of the measured range */
    uint64_t *extrapolated_by; /* those by model and GPU type: model * types + type */
    uint64_t decide_ns;        /* processor time of the policy and its plans */
    uint64_t refused[REFUSAL_COUNT];
    struct tally counted;                        /* by the policy (host->count) */
    bool decide_pending, instant_pending, ended; /* ended: finish of the policy has been called */
    struct check_past past;                      /* of the invariant checker */
    struct error error;                          /* code < 0: the run has failed */
};

/* enum easim_job_state of a job, which the view has only until the job is over. */
static inline uint32_t sim_job_state(const struct sim *sim, uint32_t job) {
    uint32_t fate = sim->runs[job].fate;
    return fate ? fate : sim->view.jobs[job].state;
}

/* Records the first failure, which ends the run. */
void sim_fail(struct sim *sim, int code, const char *format, ...) PRINTF_LIKE(3, 4);
/* Tells observers of a job. */
void sim_notify(struct sim *sim, uint32_t job, enum job_change change);

/* Adds an event, in its place among those of the same instant; returns its id for
   eventq_cancel. */
uint32_t sim_push(struct sim *sim, int64_t time_ns, enum event_kind kind, uint32_t payload);
/* Events counted by sim->background. */
uint32_t sim_push_background(struct sim *sim, int64_t time_ns, enum event_kind kind, uint32_t node);
void sim_cancel_background(struct sim *sim, uint32_t event);

#endif

/* The data of one simulation: cluster, jobs and a policy in simulated time; and what every part of
   the engine does with it: to fail, to tell observers, to add events. Fields are for the engine's
   own files and, read-only, for observers. Simulations in one process are independent. loop.h runs
   it. */
#ifndef EASIM_ENGINE_SIM_H
#define EASIM_ENGINE_SIM_H

#include "base/array.h"
#include "base/tally.h"
#include "base/timeheap.h"
#include "cluster/placement.h"
#include "cluster/power_meter.h"
#include "cluster/sleep.h"
#include "config/scenario.h"
#include "config/series.h"
#include "engine/eventq.h"
#include "engine/observer.h"
#include "engine/service_flow.h"
#include "engine/view.h"
#include "policy/fault.h"
#include "policy/list/list.h"
#include "policy/module.h"
#include "policy/params.h"
#include "workload/workload.h"

#include <gsl/gsl_rng.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* --- features --- */
/* What most runs lack is asked for by SIM_HAS, which is false throughout lean.c: is_lean (lean.c)
   says for which runs that holds. lean.c inlines what a FUSED function calls, except RARE ones. */

#define SIM_HAS(sim, what) (HAS_FEATURES && (sim)->what)
#define RARE               __attribute__((cold, noinline))
#ifndef FUSED
#define FUSED
#endif

/* --- job_state: the state of a job beyond its spec and its view: data of struct sim --- */

/* The true speed of a job (segments.h). */
struct progress {
    double noise;        /* true speed / predicted speed, over its life */
    double factor;       /* the same in the present stretch: noise, neighbours, contention */
    double stretch_work; /* done in this run when the stretch began */
    double kept_work;    /* and at the last periodic checkpoint before that */
    int64_t began_ns;    /* when the run began, in whatever phase */
    int64_t stretch_ns;  /* computing time at which the stretch began */
    int64_t power_ns;    /* and at which the present power began; not before it */
    int128 stretch_energy, kept_energy; /* of power_ns as the two of work of stretch_ns; 1e-18 J */
};

/* The place of a job in the steps of its utilization, while it computes (gpus.h). */
struct use {
    uint32_t step;
    uint32_t event; /* its next one, or EVENT_NONE */
};

/* Work that a checkpoint on demand is to keep while it is being written: what a failure then takes
   away (segments.h). */
struct unsaved {
    int64_t until_ns;            /* the checkpoint is complete after it; 0: none is being written */
    int64_t computing_ns;        /* that the work took */
    int128 energy;               /* and drew, 1e-18 J */
    int64_t milli;               /* thousandths of GPUs */
    double remaining, predicted; /* the job's remaining work without it, true and in the view */
};

/* Computing whose work was lost. */
struct lost {
    int64_t ns;
    int128 energy; /* 1e-18 J */
    int128 gpu_ps; /* 1e-12 GPU s */
};

/* Number of times that a job was stopped or moved. */
struct moved {
    uint32_t preemptions, resizes;
};

/* Times are -1 until they are known. There are as many as jobs: what few jobs have is elsewhere,
   and the order leaves no gaps. */
struct job_run {
    struct allocation allocation;
    double remaining; /* true work left when it got its present GPUs (or when it was queued) */
    int64_t segment_start_ns; /* of the present segment */
    int64_t held_since_ns;    /* when it got its present GPUs */
    int64_t first_start_ns, finish_ns;
    int64_t first_predicted_ns; /* predicted finish at its first start */
    int64_t held_ns;            /* holding GPUs, those that it holds no more */
    uint16_t vain_stops;        /* in a row: stopped without having kept any work */
    uint8_t segment;            /* enum segment_kind: what it is doing */
    uint8_t cause;              /* enum segment_cause: why the present segment began */
    uint8_t phase;              /* of its model, from 0 */
    uint8_t segment_phase;      /* when the present segment began */
    uint8_t span;
    bool resizing : 1;   /* has GPUs of another configuration in the present plan */
    uint8_t fate : 7;    /* enum easim_job_state: FINISHED, REJECTED; 0: it is not over */
    int128 energy;       /* 1e-18 J, up to segment_start_ns */
    int128 gpu_ps;       /* GPU time held, of GPUs that it holds no more, 1e-12 GPU s */
    int128 jobs_ns;      /* sim->jobs_ns at submission; once it has finished: over its life */
    uint32_t event;      /* its pending event, or EVENT_NONE */
    uint32_t config;     /* last configuration, or EASIM_NONE */
    uint32_t start;      /* by which it got its present GPUs, of all starts, restarts and resizes */
    uint32_t node_count; /* nodes of the last configuration */
};

/* Whether the job uses GPUs, or the part of one that it got. */
static inline bool job_run_uses_gpus(const struct job_run *run) {
    return run->segment > SEGMENT_QUEUED;
}

/* --- cluster_state --- */
/* The state of the cluster, except free GPUs and power: data of struct sim. */

/* An event of the power cap (cluster_signals.h). */
struct cap_event_run {
    double baseline_w; /* mean power before the notice; NAN: not known yet, or none */
    double target_w;   /* NAN: not known yet */
    int128 energy;     /* of that time so far, 1e-18 J */
    bool is_noticed;
};

struct cap_event_state {
    struct cap_event_run *runs; /* by event; NULL: there are none */
    int64_t look_ns;            /* until then no event is to be noticed or measured before it */
    uint32_t noticed;           /* how many are */
    uint32_t present, step;     /* EASIM_NONE: none; of its ramp, CAP_EVENT_STEPS at most */
    double cap_w;               /* of the present one; INFINITY: none */
};

/* Changes of power cap, price and carbon intensity (cluster_signals.h). */
struct cluster_changes {
    struct series_cursor cursors[SIGNALS];
    uint32_t pending; /* events of changes in the event set */
    int64_t round_ns; /* all repeated series together come again after it; 0: none is repeated */
    int64_t idle_since_ns; /* last event that was not a change of a repeated series */
    /* Last event that was no wake-up of the policy, either; wake-ups that have come since. */
    int64_t alone_since_ns;
    uint32_t timers_alone;
    const struct series
        *end; /* of the series of price and carbon, the one that ends first; NULL: none ends */
    struct cap_event_state events;
};

/* Wake-ups that the policy has asked for (cluster_signals.h). */
struct wake_ups {
    ARRAY_OF(int64_t) times; /* a heap */
    int64_t last_ns;         /* of them, added last; -1: it has come */
    uint32_t event;          /* of the earliest, while pending */
    bool pending;
    /* Decisions in a row that only wake-ups caused, and when the last of them were: a ring. */
    uint64_t woken;
    int64_t *woken_ns;
};

/* The forecast of one series (cluster_signals.h). Arrays are rings: hour n is at n % hours. */
struct forecast_series {
    struct series_cursor cursor; /* at the first hour that is not in `values` yet */
    double *values;              /* of the present hour and those after it: what comes */
    double *shocks;              /* standard normal, by the same index; NULL: exact */
    gsl_rng *stream;
};

/* Forecasts of cap, price and carbon intensity (cluster_signals.h). */
struct forecasts {
    uint32_t hours; /* 0: none are shown */
    int64_t hour;   /* the present one, counted from t = 0, of which they are shown; -1: none yet */
    uint32_t noticed; /* events of the cap that are shown in them */
    struct forecast_series series[SIGNALS];
    struct forecasts_past *past; /* of internal.h; NULL: the run is not checked */
};

/* Failures and repairs (internal.h). */
struct failures {
    gsl_rng **streams; /* by node, NULL if it never fails; NULL as a whole: none does by chance */
    size_t *next;      /* by node: its next recorded outage, or the one that it is in; NULL: nothing
                          is recorded */
    uint32_t nodes, gpus; /* failed now */
    uint32_t gone;        /* of these nodes: never repaired */
    uint64_t count;       /* so far */
};

struct node_jobs {
    ARRAY_OF(uint32_t) list; /* that hold GPUs of the node; order is arbitrary but reproducible */
};

/* Jobs and sleeping GPUs of nodes (nodes.h). */
struct nodes {
    struct node_jobs *jobs; /* by node; NULL: not needed */
    struct sleep sleep;
    int64_t *awake_ns; /* by job: when all GPUs that it got last are awake; NULL: none sleeps */
    uint32_t *sleep_events; /* by node: the pending event, or EVENT_NONE */
    bool *is_changed;       /* by node; NULL: neither interference nor sleep */
    ARRAY_OF(uint32_t)
    changed; /* nodes whose jobs or free GPUs are others than when they last settled (loop.h) */
};

/* Jobs of one node whose speeds change together (nodes.h). Arrays go by place in the batch. */
struct node_batch {
    ARRAY_OF(uint32_t) members;
    ARRAY_OF(double) work; /* done in their present runs up to rated_ns */
    ARRAY_OF(double) goodput;
    ARRAY_OF(double) noise;
    double slowdown; /* since rated_ns */
    int64_t rated_ns;
    ARRAY_OF(uint32_t) others; /* jobs of this node alone that are not members */
    uint32_t spread;           /* jobs of other nodes, too; the batch then is empty */
};

struct batch_job {
    int64_t wake_ns;      /* of a member: when to look whether it ends soon */
    uint32_t place;       /* in the batch + 1, or 0 */
    uint32_t other_place; /* among the others + 1, or 0 */
    uint32_t list_place;  /* in the list of its node, if it is on no other */
};

struct node_batches {
    struct node_batch *nodes; /* by node; NULL: not in use */
    struct batch_job *jobs;
    uint32_t members;      /* of all of them: their ends are to come, though they have no events */
    struct timeheap wakes; /* of members, in nanoseconds, and of such as were */
};

/* --- service_state: services and their replicas while a run goes on: data of struct sim --- */

enum replica_phase {
    REPLICA_GONE,     /* a free place in services->replicas */
    REPLICA_RESERVED, /* holds free GPUs of one node, of which it has not enough yet */
    REPLICA_LOADING,
    REPLICA_READY,
};

/* Demand of a stretch of time. */
struct demand_stretch {
    double per_s;
    int64_t end_ns; /* INT64_MAX: it has not ended */
};

struct replica {
    struct allocation allocation; /* in one node; reserved: what it has so far, perhaps nothing */
    uint32_t service, number;     /* its name is SERVICE#NUMBER, numbers from 1 */
    uint32_t config;              /* of those of the service */
    uint32_t node;
    uint32_t event;             /* it is ready, or EVENT_NONE */
    uint8_t phase;              /* enum replica_phase */
    int64_t since_ns, awake_ns; /* since when in this phase; when all its GPUs are awake */
    int64_t spare_since_ns;     /* semantics 33.3; TIME_NONE_NS: it is not */
};

/* The replicas of a service in one configuration: those that are ready run alike. */
struct replica_group {
    uint32_t ready, loading;
    double running, latency_ms;              /* requests of each ready one, and its latency, now */
    int64_t ready_nw;                        /* power of each ready one, all its GPUs */
    int64_t loading_nw;                      /* of each that loads */
    int64_t most_nw;                         /* that each counts against the power cap */
    uint32_t ready_metered, loading_metered; /* of which the meter knows */
};

/* A service, as of settled_ns. */
struct service_run {
    struct series_cursor demand;
    double demand_per_s, capacity_per_s; /* capacity: of the ready replicas together */
    double backlog;                      /* tokens */
    double demanded, served, dropped;    /* tokens so far */
    int64_t settled_ns;
    enum service_flow flow;
    bool over_wait;                  /* what comes in waits longer than wait_s */
    struct service_flow_change next; /* of the flow, by itself */
    int64_t next_ns;                 /* of that; TIME_NONE_NS: none */
    uint32_t event;                  /* its event, or EVENT_NONE */
    int128 energy, gpu_ps;           /* of its replicas so far, 1e-18 J and 1e-12 GPU s */
    int64_t nw, milli;               /* of all its replicas now */
    struct replica_group *groups;    /* by configuration */
    ARRAY_OF(uint32_t) replicas;     /* in services->replicas, in order of start */
    uint32_t ready, loading, reserved;
    uint32_t last_number; /* of a replica */
    uint64_t scale_ups;   /* replicas after those of t = 0 */
    uint64_t preemptions; /* of jobs, for its replicas */
    /* Scaling: past demands that are above all later ones, the greatest first; the next tick
       (TIME_NONE_NS: none would change anything), and the last one. */
    ARRAY_OF(struct demand_stretch) window;
    size_t window_first;
    int64_t tick_ns, last_tick_ns;
    double lasting_backlog; /* above it, all replicas and reservations stay for ever */
    bool only_grows;        /* it has been */
};

struct services {
    struct service_run *runs; /* by service; NULL: there is none */
    uint32_t count;
    ARRAY_OF(struct replica) replicas;
    ARRAY_OF(uint32_t) gone;          /* places there that are free */
    uint32_t pending;                 /* events of services in the event set */
    uint32_t reserved, reserved_gpus; /* of all services */
    uint32_t tick_event;              /* of the earliest tick_ns, or EVENT_NONE */
    bool in_tick;                     /* that event is being applied */
    bool by_policy;                   /* the policy scales them: there are no ticks */
    /* For services whose replicas may still be released. */
    int64_t round_ns; /* all repeated demands together come again after it; 0: none is
                         repeated */
    int64_t after_ns; /* longest down_after */
};

/* --- event_order --- */
/* The kinds of events, and their order in one instant (docs/reference/semantics.md, 1.2). */

/* The subject of an event: its payload. */
enum event_subject {
    OF_CLUSTER, /* a signal, or EASIM_NONE */
    OF_NODE,    /* a node; events that go on for ever and do not help a waiting job by themselves */
    OF_SERVICE, /* a service, a replica or EASIM_NONE; it causes a decision only of policies that
                   declare SERVICES, or where GPUs came free */
    OF_JOB,     /* a job that holds GPUs */
    OF_WORKLOAD, /* a job that comes, or EASIM_NONE */
};

/* Classes of one instant, the first first. */
enum event_rank {
    RANK_CHANGE,
    RANK_FAILURE,
    RANK_MEASURE,
    RANK_SLEEP,
    RANK_COMPUTING,
    RANK_FINISH,
    RANK_PHASE,
    RANK_BACKLOG,
    RANK_REPLICA,
    RANK_ARRIVAL,
    RANK_LATE_FINISH, /* those of RANK_FINISH, where arrivals come first */
    RANK_SCALING,
    RANK_TIMER
};

/* ROW(kind, rank, subject, whether it causes a decision, name in traces, what loop.c does), the
   first first where rank and number are equal. */
#define EVENT_KINDS(ROW) \
    ROW(CLUSTER, CHANGE, CLUSTER, true, NULL, change_signal) \
    ROW(DEMAND, CHANGE, SERVICE, false, "demand", change_demand) \
    ROW(FAILURE, FAILURE, NODE, true, "node_failure", fail_node) \
    ROW(REPAIR, FAILURE, NODE, true, "node_repair", repair_node) \
    ROW(MEASURE, MEASURE, WORKLOAD, false, "measure", end_warmup) \
    ROW(SLEEP, SLEEP, NODE, false, "sleep", nodes_fall_asleep) \
    ROW(LIMIT, SLEEP, NODE, false, "limit", segments_change_limits) \
    ROW(COMPUTING, COMPUTING, JOB, false, "compute", segments_begin_run) \
    ROW(FINISH, FINISH, JOB, true, NULL, finish_job) \
    ROW(REQUESTED_FINISH, FINISH, JOB, false, NULL, finish_as_requested) \
    ROW(RELEASE, FINISH, JOB, true, "release", release_gpus) \
    ROW(PHASE, PHASE, JOB, false, "phase", job_phase_enter) \
    ROW(UTILIZATION, PHASE, JOB, false, "utilization", segments_change_utilization) \
    ROW(BACKLOG, BACKLOG, SERVICE, false, "backlog", change_flow) \
    ROW(REPLICA, REPLICA, SERVICE, false, "replica_ready", begin_serving) \
    ROW(ARRIVAL, ARRIVAL, WORKLOAD, true, NULL, take_arrival) \
    ROW(TOLD_FINISH, LATE_FINISH, JOB, true, NULL, tell_finish) \
    ROW(SCALING, SCALING, SERVICE, false, "scaling", scale_services) \
    ROW(TIMER, TIMER, CLUSTER, true, "timer", pass_timer)

#define KIND(kind, rank, subject, decides, name, apply) EVENT_##kind,
enum event_kind { EVENT_KINDS(KIND) };
#undef KIND

struct event_row {
    const char *name; /* NULL: traces tell it otherwise */
    uint8_t rank, subject;
    bool decides;
};

extern const struct event_row event_rows[];

/* Rank of a kind among the events of one instant, for eventq_order: the least comes first.
   arrivals_first: arrivals before finishes, except those as requested, and before checkpoints that
   are written. */
uint32_t event_order_rank(enum event_kind kind, bool arrivals_first);

/* Events of one kind and instant have numbers below it. */
#define EVENT_NUMBERS (1u << EVENTQ_NUMBER_BITS)

/* --- sim --- */

/* Sums of the invariant checker: all jobs with an index below `jobs`, which are over. */
struct check_past {
    uint32_t jobs, finished, rejected;
    int128 energy;
    int64_t power_nw, time_ns; /* of the last check, */
    int128 integral;           /* and the energy up to then */
    uint64_t events;           /* since all jobs were summed up */
    bool is_settled;           /* the instant is over */
    uint64_t instants;         /* that were */
    struct limit_past *limits; /* by job, for limits_check; or NULL */
};

struct sim;
struct action;

/* A start that a policy asks for, and gets. */
struct start_offer {
    uint32_t job, config;
    bool can_wait; /* if it is refused, something else is to come within the run */
};

/* For runs that depart from their policy: changes the configurations of starts. */
struct start_changer {
    void *context;
    /* Returns the configuration to start instead, which must fit and be within the cap. EASIM_NONE:
       the host tells the policy that nothing fits. It may copy this process. */
    uint32_t (*change)(void *context, struct sim *sim, const struct start_offer *offer);
};

struct sim_options {
    int64_t horizon_ns; /* TIME_NONE_NS: until the last job is done */
    struct engine_options engine;
    const struct series *signals; /* SIGNALS of them */
    double wue_l_per_kwh;
    struct model_noise noise;
    struct forecast_options forecast;
    uint64_t seed;
    uint32_t replication;
    bool check;      /* invariants after every event, a guarded view, the hint of list policies */
    bool plain;      /* the host calls all callbacks of a list policy again at each decision */
    uint32_t grown;  /* parts of the view that are as in a later host (view.h) */
    int64_t stop_ns; /* > 0: the run is over once time goes beyond it */
    bool strict;     /* a refused action ends the run */
    bool time_decisions;  /* measure decide_ns */
    bool past_is_dropped; /* nobody needs runs and moved of jobs after observers heard of `past` */
    const atomic_bool *cancel; /* NULL, or set from outside to give up */
    atomic_ulong *progress;    /* NULL, or counts events for somebody outside */
    /* NULL, or false in copies of this process that a policy has forked: they end */
    const volatile bool *original;
    const struct start_changer *changer; /* NULL: every start is the policy's; else the view is not
                                            guarded, for a guarded one is shared by copies */
    struct calling *calling; /* NULL, or tells which callback of the policy is running */
};

struct sim {
    const struct cluster *cluster;
    const struct workload *workload;
    const struct policy_module *module;
    const struct policy_params *params;
    struct sim_options options;
    bool keeps_cap; /* the policy has POWER_CAP */
    bool is_lean;   /* lean.c runs it */

    int64_t now_ns;
    struct eventq events;
    struct placement placement;
    struct power_meter meter;
    struct nodes nodes;
    struct node_batches node_batches;
    struct failures failures;
    uint32_t
        background; /* pending events that do not help a waiting job: failures, repairs, sleep */
    int64_t committed_nw; /* power if every allocated GPU drew the higher of ctx_w and its computing
                             power */
    struct view view;
    /* As policies see them; a mixture of two policies has those of both. */
    const void *extensions[2 * EASIM_MOST_EXTENSIONS];
    struct cluster_changes changes;
    struct wake_ups wake_ups;
    struct forecasts forecasts;
    struct services services;
    struct job_run *runs;
    int64_t *computing_nw;   /* by config and span; of a rigid job at its mean utilization */
    struct unsaved *unsaved; /* by job; not in runs, since few jobs ever use it */
    struct moved *moved;     /* by job */
    struct mem_blocks run_blocks, moved_blocks;
    uint32_t dropped;              /* of the jobs below it, runs and moved read as zero */
    struct lost *lost;             /* by job; NULL: no job has lost any work */
    struct progress *progress;     /* by job; NULL: every job is as fast as predicted */
    struct use *uses;              /* by job; NULL: the power of no job changes with its progress */
    struct contention *contention; /* NULL: jobs share neither network nor storage */
    struct limits *limits;         /* NULL: no power limit changes while a job runs (limits.h) */
    struct cap_state *cap;         /* NULL: the cap is not enforced (power_cap.h) */
    uint32_t next_arrival;         /* first job that has not been submitted */
    uint32_t running, waiting, checkpointing, finished, rejected;
    const char **reject_reasons;   /* by job; NULL unless rejected */
    ARRAY_OF(char *) reject_words; /* of the policy's rejections */
    bool *over_cap; /* by config: over a constant cap that binds the policy, on the empty cluster;
                       or NULL */
    int64_t *most_entry_nw; /* by config, with over_cap of an enforced cap (power_cap.h) */
    int128 jobs_ns;         /* number of jobs in the system x time, job-nanoseconds */
    uint32_t *waiting_for;  /* by GPU type: waiting jobs with a configuration there */
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
    uint32_t told; /* the job whose reasons one wants of the policy; EASIM_NONE */
    uint64_t event_total, decision_total;
    uint64_t look_out_at; /* event_total at which the loop looks whether it is cancelled */
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

/* A callback of the policy, or what it asks for, begins; NULL: it has ended. */
static inline void sim_note_call(const struct sim *sim, const char *name) {
    if (sim->options.calling)
        calling_note(sim->options.calling, name);
}

/* Records the first failure, which ends the run with ERROR_RUN. */
void sim_fail(struct sim *sim, const char *format, ...) PRINTF_LIKE(2, 3);
/* Tells observers of a job. */
void sim_notify(struct sim *sim, uint32_t job, enum job_change change);

/* Adds an event in its place in its instant; returns its id for eventq_cancel. */
uint32_t sim_push(struct sim *sim, int64_t time_ns, enum event_kind kind, uint32_t payload);
/* Events counted by sim->background. */
uint32_t sim_push_background(struct sim *sim, int64_t time_ns, enum event_kind kind, uint32_t node);
void sim_cancel_background(struct sim *sim, uint32_t event);

#endif

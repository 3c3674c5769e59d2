/* easim/types.h: the structs of the view that a policy gets.

   The view is made of constant arrays that the host owns. They are valid until the callback
   returns. Walk them with the inline functions at the end, which know the host's strides.

   Units are in the names: _s seconds, _ns nanoseconds, _w watts, _j joules, _js joule seconds, _gib
   GiB. Work is counted in reference samples (statistically useful ones; Pollux, OSDI'21):
   `remaining` falls at the goodput of the configuration. */
#ifndef EASIM_TYPES_H
#define EASIM_TYPES_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define EASIM_NONE UINT32_MAX /* "no such index" */

/* Answers to the actions of a plan. */
enum easim_answer {
    EASIM_OK = 0,     /* in the plan; the view already shows it */
    EASIM_NOFIT = -1, /* not enough free GPUs of that type */
    /* No such job or configuration, wrong state of the job, undeclared capability, or bad time. */
    EASIM_INVAL = -2,
    EASIM_CAP = -3, /* would exceed the power cap (with POWER_CAP) */
};

/* A part of an exchange: what happens to one job. */
enum easim_part_action {
    EASIM_PART_START = 0, /* starts a waiting job in config */
    EASIM_PART_PREEMPT,   /* PREEMPT: preempts a running job, at_once or not */
    EASIM_PART_RESIZE,    /* RESIZE: moves a running job to config */
};
struct easim_part {
    uint32_t action, job, config; /* action: enum easim_part_action */
    bool at_once;
};

/* Placement of a configuration, also an index: inside one node, or across several. If the cluster
   has a network, spans 1, 2 .. are its tiers, from the lowest up: one switch of that tier holds the
   job. EASIM_ACROSS_NODES is then the lowest of several spans across nodes. span_count and
   span_names of the view have their number and names. */
enum easim_span { EASIM_ONE_NODE = 0, EASIM_ACROSS_NODES = 1 };
#define EASIM_MOST_SPANS 8

/* One way to run a job. Speed and power are arrays by span with span_count entries; later entries
   are 0. easim never places a job in a span for which its lookup table has no row. */
struct easim_config {
    double batch;        /* samples per GPU and iteration, may be a fraction; 0 for a rigid job */
    uint32_t k;          /* GPUs, >= 1: policies see no jobs without GPUs */
    uint32_t gpu_type;   /* index of a struct easim_gpu_type */
    uint32_t empty_span; /* enum easim_span on the empty cluster */
    /* 1..999: the job holds this many thousandths of a GPU that others may share, and k is 1. 0: it
       holds k whole GPUs. */
    uint32_t milli;
    uint32_t span_count; /* that of the view */
    bool extrapolated;   /* outside the measured range of the model */
    /* For one GPU, < tdp_w; INFINITY: none. Only policies with FREQUENCY get limits. */
    double power_limit_w;
    /* Reference samples/s: r * eff(k*b). 0: not known in this span. */
    double goodput[EASIM_MOST_SPANS];
    /* Power of one GPU that computes: min(tdp_w, p0 + e*r/k). If not known, that of another
       span. */
    double power_w[EASIM_MOST_SPANS];
};

/* A GPU type at one site. */
struct easim_gpu_type {
    const char *name;
    /* All GPUs, and those free of jobs now, including GPUs of nodes that are off. */
    uint32_t gpus, free;
    /* GPUs of the largest node; most free GPUs of one node now. */
    uint32_t node_gpus_max, node_free_max;
    /* Power of one GPU that is free, that is held but not computing (set-up, checkpoint), and at
       most. */
    double idle_w, ctx_w, tdp_w;
    double memory_gib;
    /* GPUs on failed nodes, part of `gpus`; sleeping GPUs, part of `free`, which start later by
       their wake time. */
    uint32_t failed, asleep;
    /* GPUs that jobs hold in part, which are not in `free`: their free thousandths together, their
       number, and the most free thousandths on one of them. */
    uint64_t shared_free_milli;
    uint32_t shared, shared_free_max_milli;
    /* By span: GPUs of the largest node or switch of the tier, and most free GPUs of one of them
       now. The first entries are node_gpus_max and node_free_max, the last are gpus and free. */
    uint32_t span_gpus_max[EASIM_MOST_SPANS], span_free_max[EASIM_MOST_SPANS];
};

struct easim_node {
    uint32_t gpu_type, gpus, free; /* free: 0 while it has failed */
    bool failed;
};

/* GPUs that a job holds on one node (host->job_nodes). This struct never grows. */
struct easim_job_node {
    uint32_t node, gpus; /* 1 for a part of a GPU */
};

struct easim_user {
    const char *name;
    double weight; /* > 0 */
    /* GPU-seconds held up to as_of_s; easim_user_usage_s adds those since then. */
    double gpu_s, as_of_s;
    uint32_t allocated_gpus; /* whole GPUs held now */
    uint64_t shared_milli;   /* thousandths held now of shared GPUs */
};

enum easim_job_state {
    EASIM_JOB_PENDING = 0, /* not submitted yet: a policy never sees one */
    EASIM_JOB_WAITING,
    EASIM_JOB_RUNNING,
    EASIM_JOB_CHECKPOINTING, /* preempted, still holds its GPUs, at ctx_w */
    EASIM_JOB_FINISHED,
    EASIM_JOB_REJECTED,
};

/* A job. Its index is its place in the order of submission; jobs submitted at the same time keep
   the order of the workload. */
struct easim_job {
    const char *id;        /* as in the workload; for messages */
    uint32_t index, state; /* state: enum easim_job_state */
    /* index of the next job in the queue, in submission order, or EASIM_NONE */
    uint32_t next_waiting;
    /* Its allowed and feasible configurations now: config_count rows of the view's table, from
       first_config on. They are sorted by gpu_type, k and batch, ascending, then by limit,
       falling. */
    uint32_t first_config;
    uint32_t config_count; /* number of these rows */
    uint32_t best_config;  /* the configuration of time_best_s (ties: semantics 5.1) */
    /* Running or writing a checkpoint: its configuration and enum easim_span; otherwise
       EASIM_NONE. */
    uint32_t config, span;
    uint32_t running_slot; /* index in view->running, or in view->checkpointing */
    uint32_t user;         /* index of a struct easim_user */
    /* Opaque number, equal for jobs of one model. EASIM_NONE: a rigid job with a recorded run
       time. */
    uint32_t model;
    uint32_t preemptions, resizes; /* so far */
    bool preemptible, sla;         /* sla: its class is sla, not best_effort */
    bool started_before;           /* its next start costs restart_s, not start_s */
    bool here;                     /* waits, runs or writes a checkpoint: use easim_view_job */
    uint32_t group;                /* number of its group; EASIM_NONE: it has none */
    int64_t submit_ns;
    double submit_s;
    double deadline_s; /* absolute; INFINITY: none */
    /* Reference samples (rigid jobs: predicted seconds) that were left when it last started or
       queued, or at rate_s. */
    double remaining;
    double setup_s; /* set-up of its next start; of the present one if it runs */
    /* T*: least predicted time of its configurations without power limit, on the empty cluster. */
    double time_best_s;
    double edp_best_js;       /* EDP*: least predicted energy-delay product of the same */
    double start_s;           /* time at which it got its present GPUs, if it holds any */
    double resized_s;         /* time of its last resize; -INFINITY: never */
    int64_t predicted_end_ns; /* Running: as predicted at its start; see easim_predicted_end_ns. */
    /* Costs of stopping it: set-up of a later start, time of a checkpoint on demand, and computing
       time between periodic checkpoints (0: it writes them on demand). */
    double restart_s, checkpoint_s, checkpoint_interval_s;
    double true_time_s; /* ORACLE only: true T of a rigid job; otherwise NAN */
    /* Resized while it computed: time at which the checkpoint for that is written; otherwise 0. */
    double saved_at_s;
    /* Its present phase if its model has phases (semantics 15), otherwise 0. Its configurations are
       those of the phase; while it runs, its own may be one that is not among them. */
    uint32_t phase;
    /* Running: reference samples/s, and power of one GPU, under the present power limit; otherwise
       0. */
    double goodput_now, power_now_w;
    /* rate_s: running: time at which another phase or power limit last changed its configuration on
       its present GPUs, 0 if never; `remaining` is as of then. unsaved_work: work of the run before
       rate_s, since its last periodic checkpoint. */
    double rate_s, unsaved_work;
    /* GPU-seconds held so far, including set-up and lost work, then computing time whose work was
       kept, and its GPU-seconds. While a job holds GPUs, these end when it got them: use
       easim_job_held_gpu_s, easim_job_kept_s and easim_job_kept_gpu_s. */
    double held_gpu_s, kept_s, kept_gpu_s;
};

/* A running job in short, for fast loops. The order is arbitrary but reproducible. */
struct easim_running {
    uint32_t job, gpu_type, k, milli; /* milli: that of the configuration */
    int64_t predicted_end_ns;         /* may be in the past: the job overruns its request */
};

/* A job that was preempted and writes a checkpoint. The order is arbitrary but reproducible. */
struct easim_checkpointing {
    uint32_t job, gpu_type, k, milli; /* that it still holds; milli: that of the configuration */
    /* Its GPUs come free then. If it is now_ns, this plan has taken the GPUs and they are free. */
    int64_t end_ns;
};

enum easim_event_kind {
    EASIM_EVENT_CAP = 0, /* the power cap changed */
    EASIM_EVENT_PRICE,   /* price or carbon intensity changed */
    EASIM_EVENT_FAILURE, /* a node failed; its jobs are in the queue again */
    EASIM_EVENT_REPAIR,
    EASIM_EVENT_FINISH, /* a job finished, or released its GPUs after a checkpoint */
    EASIM_EVENT_ARRIVAL,
    EASIM_EVENT_TIMER,   /* from plan_wake_at */
    EASIM_EVENT_SERVICE, /* easim.services: demand or backlog of a service, or a replica is ready */
};

/* An event since the last decision. */
struct easim_event {
    uint32_t kind, job, node; /* kind: enum easim_event_kind; job, node: index or EASIM_NONE */
};

/* The state of the cluster at a decision. Walk the arrays with the inline functions below, by the
   host's strides. `jobs` has a place for each job, and easim_view_job returns those that concern a
   policy now. */
struct easim_view {
    size_t struct_size; /* of the host's struct easim_view */
    int64_t now_ns;
    double now_s;
    /* Power of GPUs and nodes now, including this plan. Allocated GPUs count at the higher of ctx_w
       and P. */
    double power_w;
    double power_cap_w; /* INFINITY: none */
    /* Now; NAN: not given. With several sites: means, weighted by GPUs x tdp_w. */
    double price_per_mwh, carbon_g_per_kwh;
    double usage_half_life_s; /* INFINITY: usage does not fade */
    /* True: only free GPUs decide what fits, and easim_fit is enough. False: a power cap also
       decides, because the policy has POWER_CAP. easim_fits is right in both cases. */
    bool fit_is_exact;
    uint32_t gpus, free_gpus; /* of all types together */
    uint32_t gpu_type_count, node_count, user_count, config_count;
    /* all jobs, including those not submitted yet; jobs in the queue */
    uint32_t job_count, waiting_count;
    /* First job of the queue, whose next_waiting continues it, in submission order; or
       EASIM_NONE. */
    uint32_t first_waiting;
    uint32_t running_count, event_count; /* events: 1, unless those of one instant are coalesced */
    size_t gpu_type_stride, node_stride, user_stride, config_stride, job_stride, running_stride,
        event_stride;
    const void *gpu_types, *nodes, *users, *configs, *jobs, *running, *events;
    uint64_t shared_free_milli; /* free thousandths of shared GPUs, all types */
    /* Preempted jobs that are not in the queue yet, including those of this plan. */
    uint32_t checkpointing_count;
    /* Phase changes of all jobs so far. If it grows, some jobs have other configurations. */
    uint64_t phase_changes;
    size_t checkpointing_stride;
    const void *checkpointing; /* checkpointing_count of them */
    /* Energy of GPUs and nodes since the last decision, in the first since 0, in finish up to the
       end. */
    double energy_j;
    uint32_t span_count;           /* 2, or the number of tiers of the network + 1 */
    const char *const *span_names; /* "one_node", then names of tiers or "across_nodes" */
    /* Nodes in one place of a span: 1, then the nodes below one switch, and last node_count. Node n
       is in place n / span_nodes[span]. */
    const uint32_t *span_nodes;
    /* Power limits change in place: a resize that changes nothing else costs nothing. */
    bool limits_in_place;
    /* The host enforces the cap: power_w is what it lets jobs draw, and only try_config says what
       may start. */
    bool cap_is_enforced;
};

/* Defines a function that returns an element of an array of `holder`: the view or the struct of an
   extension. */
#define EASIM_ACCESSOR(holder, type, name, array, stride) \
    static inline const struct type *name(const struct holder *from, uint32_t index) { \
        return (const struct type *)((const char *)from->array + index * from->stride); \
    }
#define EASIM_OF_VIEW(type, name, array, stride) \
    EASIM_ACCESSOR(easim_view, type, name, array, stride)
EASIM_OF_VIEW(easim_gpu_type, easim_view_gpu_type, gpu_types, gpu_type_stride)
EASIM_OF_VIEW(easim_node, easim_view_node, nodes, node_stride)
EASIM_OF_VIEW(easim_user, easim_view_user, users, user_stride)
EASIM_OF_VIEW(easim_config, easim_view_config, configs, config_stride)
EASIM_OF_VIEW(easim_running, easim_view_running, running, running_stride)
EASIM_OF_VIEW(easim_checkpointing, easim_view_checkpointing, checkpointing, checkpointing_stride)
EASIM_OF_VIEW(easim_event, easim_view_event, events, event_stride)

static inline bool easim_view_has_event_of(const struct easim_view *view, uint32_t job) {
    uint32_t i = 0;
    while (i < view->event_count && easim_view_event(view, i)->job != job)
        i++;
    return i < view->event_count;
}

/* A job that waits, runs or writes a checkpoint, or that an event of this decision names. NULL: a
   job that is not submitted yet or is over, or no such job. */
static inline const struct easim_job *easim_view_job(const struct easim_view *view,
                                                     uint32_t index) {
    if (index >= view->job_count)
        return NULL;
    const struct easim_job *job =
        (const struct easim_job *)((const char *)view->jobs + index * view->job_stride);
    return job->here || easim_view_has_event_of(view, index) ? job : NULL;
}

#ifdef __cplusplus
}
#endif

#endif

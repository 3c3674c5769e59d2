/* easim/types.h: what the view of a policy is made of.

   The view is constant arrays owned by the host, valid until the callback returns. Walk them with
   the inline functions at the end, which know the host's strides.

   Units are in the names: _s seconds, _ns nanoseconds, _w watts, _j joules, _js joule seconds, _gib
   GiB. Work is in reference samples (statistically useful ones; Pollux, OSDI'21): `remaining` falls
   at the configuration's goodput. */
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
    /* No such job or configuration, wrong job state, capability not declared, bad time. */
    EASIM_INVAL = -2,
    EASIM_CAP = -3, /* would exceed the power cap (with EASIM_CAPABILITY_POWER_CAP) */
};

/* A part of an exchange: what becomes of one job. */
enum easim_part_action {
    EASIM_PART_START = 0, /* of a waiting job, in config */
    EASIM_PART_PREEMPT,   /* PREEMPT: of a running job, at_once or not */
    EASIM_PART_RESIZE,    /* RESIZE: of a running job, to config */
};
struct easim_part {
    uint32_t action, job, config; /* action: enum easim_part_action */
    bool at_once;
};

/* Placement of a configuration: inside one node, or spread over several. Also an index. Where the
   cluster has a network, 1, 2 .. are its tiers, from the lowest up, one switch of which holds the
   job; so EASIM_ACROSS_NODES is then the lowest of several spans across nodes. The view has their
   number and names. */
enum easim_span { EASIM_ONE_NODE = 0, EASIM_ACROSS_NODES = 1 };
#define EASIM_MOST_SPANS 8

/* One way to run a job. Speed and power are by span, below span_count; it is never placed in a span
   that its lookup table does not know. Entries from span_count on are 0. */
struct easim_config {
    double batch;        /* samples per GPU and iteration, also a fraction; 0 for a rigid job */
    uint32_t k;          /* GPUs, >= 1: policies see no jobs without GPUs */
    uint32_t gpu_type;   /* index of a struct easim_gpu_type */
    uint32_t empty_span; /* enum easim_span it would get on the empty cluster */
    /* 1..999: thousandths held of a GPU that others may share; k is 1. 0: k whole GPUs. */
    uint32_t milli;
    uint32_t span_count;  /* that of the view */
    bool extrapolated;    /* outside the range in which the model was measured */
    double power_limit_w; /* of one GPU, < tdp_w; INFINITY: none. Limited only with FREQUENCY */
    /* Reference samples/s: r * eff(k*b); 0: not known in this span. */
    double goodput[EASIM_MOST_SPANS];
    /* Of one GPU computing: min(tdp_w, p0 + e*r/k); not known: as in another span. */
    double power_w[EASIM_MOST_SPANS];
};

/* A type at one site. */
struct easim_gpu_type {
    const char *name;
    uint32_t gpus, free; /* all; of them not held by any job now, those of nodes that are off too */
    /* GPUs of the largest node; most free GPUs of any one node now. */
    uint32_t node_gpus_max, node_free_max;
    /* One GPU: free; held but not computing (set-up, checkpoint); at most. */
    double idle_w, ctx_w, tdp_w;
    double memory_gib;
    /* Of `gpus`: on failed nodes; of `free`: asleep, slower to start by wake time. */
    uint32_t failed, asleep;
    /* GPUs held in part, none of them in `free`: thousandths that nobody holds; the number of such
       GPUs; most thousandths free on one of them. */
    uint64_t shared_free_milli;
    uint32_t shared, shared_free_max_milli;
    /* By span: GPUs of the largest node, or switch of the tier; most free ones of any one now. The
       first are node_gpus_max and node_free_max, the last gpus and free. */
    uint32_t span_gpus_max[EASIM_MOST_SPANS], span_free_max[EASIM_MOST_SPANS];
};

struct easim_node {
    uint32_t gpu_type, gpus, free; /* free: 0 while it has failed */
    bool failed;
};

/* GPUs of a node that a job holds (host->job_nodes); this struct never grows. */
struct easim_job_node {
    uint32_t node, gpus; /* of a part of a GPU: 1 */
};

struct easim_user {
    const char *name;
    double weight; /* > 0 */
    /* GPU-seconds held up to as_of_s; easim_user_usage_s adds what runs now. */
    double gpu_s, as_of_s;
    uint32_t allocated_gpus; /* whole GPUs held now */
    uint64_t shared_milli;   /* thousandths held now of GPUs that others may share */
};

enum easim_job_state {
    EASIM_JOB_PENDING = 0, /* not submitted yet: a policy never sees one */
    EASIM_JOB_WAITING,
    EASIM_JOB_RUNNING,
    EASIM_JOB_CHECKPOINTING, /* preempted, still holds its GPUs at ctx_w */
    EASIM_JOB_FINISHED,
    EASIM_JOB_REJECTED,
};

/* A job. Its index is its place in the order of submission (equal times: order of the workload). */
struct easim_job {
    const char *id;        /* as in the workload; for messages */
    uint32_t index, state; /* state: enum easim_job_state */
    uint32_t next_waiting; /* index of the next waiting job in submission order, or EASIM_NONE */
    uint32_t first_config; /* its allowed, feasible configurations now are first_config .. +
                              config_count - 1 of */
    uint32_t config_count; /*   the view's table, by gpu_type, k, batch, each ascending, then limit
                              falling */
    uint32_t best_config;  /* the configuration of time_best_s (ties: semantics 5.1) */
    /* Running or writing a checkpoint: its configuration and enum easim_span; else EASIM_NONE. */
    uint32_t config, span;
    uint32_t running_slot; /* its place in view->running, or in view->checkpointing */
    uint32_t user;         /* index of a struct easim_user */
    uint32_t model; /* opaque number, equal for jobs of one model; EASIM_NONE: rigid, recorded run
                       time */
    uint32_t preemptions, resizes; /* so far */
    bool preemptible, sla;         /* sla: its class is sla, not best_effort */
    bool started_before;           /* pays restart_s instead of start_s */
    bool here;                     /* waits, runs or writes a checkpoint: use easim_view_job */
    uint32_t group;                /* of jobs that belong together; EASIM_NONE: of none */
    int64_t submit_ns;
    double submit_s;
    double deadline_s;  /* absolute; INFINITY if none */
    double remaining;   /* reference samples (rigid jobs: predicted seconds) left when it last
                           started or queued, or at rate_s */
    double setup_s;     /* set-up its next start pays (running: the one it paid) */
    double time_best_s; /* T*: least predicted time over its configurations without limit, cluster
                           empty */
    double edp_best_js; /* EDP*: least predicted energy-delay product, likewise */
    double start_s;     /* holding GPUs: when it got its present ones */
    double resized_s;   /* when it was resized last; -INFINITY: never */
    int64_t predicted_end_ns; /* running: from the prediction at its start; see
                                 easim_predicted_end_ns */
    /* What stopping it costs: set-up of a later start; time of a checkpoint on demand; computing
       time between periodic checkpoints (0: on demand). */
    double restart_s, checkpoint_s, checkpoint_interval_s;
    double true_time_s; /* ORACLE only: true T of a rigid job; NAN otherwise */
    double saved_at_s;  /* resized while it computed: when the checkpoint on demand of that is
                           written; else 0 */
    /* Where its model has phases (semantics 15), else 0. The present one; its configurations are
       those of the phase, and while it runs it may be in one that is not among them. */
    uint32_t phase;
    /* Running: reference samples/s and power of one GPU, at the power that it is held to; else 0.
     */
    double goodput_now, power_now_w;
    /* Running: when another phase or power limit last changed its configuration on its present
       GPUs, 0: never; `remaining` is as of then. Work done in the run before that, since its last
       periodic checkpoint. */
    double rate_s, unsaved_work;
    /* GPU-seconds held so far, set-up and lost work too; computing time whose work was kept, and
       GPU-seconds of that. Of a job that holds GPUs up to when it got them: use
       easim_job_held_gpu_s and the like. */
    double held_gpu_s, kept_s, kept_gpu_s;
};

/* A running job in short, for scans. Order is arbitrary but reproducible. */
struct easim_running {
    uint32_t job, gpu_type, k, milli; /* milli: as of the configuration */
    int64_t predicted_end_ns;         /* may lie in the past: the job overruns its request */
};

/* A job that was preempted and writes a checkpoint. Order is arbitrary but reproducible. */
struct easim_checkpointing {
    uint32_t job, gpu_type, k, milli; /* that it still holds; milli: as of the configuration */
    int64_t end_ns; /* its GPUs come free then; now_ns: this plan has taken them, they are free */
};

enum easim_event_kind {
    EASIM_EVENT_CAP = 0, /* another power cap */
    EASIM_EVENT_PRICE,   /* another price or carbon intensity */
    EASIM_EVENT_FAILURE, /* of a node: its jobs are in the queue again */
    EASIM_EVENT_REPAIR,
    EASIM_EVENT_FINISH, /* a job finished, or gave its GPUs back after a checkpoint */
    EASIM_EVENT_ARRIVAL,
    EASIM_EVENT_TIMER,   /* from plan_wake_at */
    EASIM_EVENT_SERVICE, /* easim.services: demand or backlog of a service, or a replica is ready */
};

/* What happened since the last decision. */
struct easim_event {
    uint32_t kind, job, node; /* enum easim_event_kind; indices or EASIM_NONE */
};

/* Walk the arrays with the inline functions below, by the host's strides. `jobs` has places for all
 * jobs, of which easim_view_job answers for those that concern a policy now. */
struct easim_view {
    size_t struct_size; /* of the host's struct easim_view */
    int64_t now_ns;
    double now_s;
    double power_w; /* GPUs and nodes now, with this plan, allocated GPUs at the higher of ctx_w and
                       P */
    double power_cap_w; /* INFINITY if none */
    /* Now; NAN if not given. Of several sites: means by GPUs x tdp_w. */
    double price_per_mwh, carbon_g_per_kwh;
    double usage_half_life_s; /* INFINITY: usage does not fade */
    /* GPUs alone decide what fits: easim_fit is enough. False under a power cap that binds the
       policy (POWER_CAP): more is asked for. Use easim_fits. */
    bool fit_is_exact;
    uint32_t gpus, free_gpus; /* of all types together */
    uint32_t gpu_type_count, node_count, user_count, config_count;
    uint32_t job_count, waiting_count; /* all, those not submitted yet included; in the queue */
    uint32_t first_waiting; /* head of the list linked by next_waiting, in submission order, or
                               EASIM_NONE */
    uint32_t running_count, event_count; /* events: 1 unless those of one instant are coalesced */
    size_t gpu_type_stride, node_stride, user_stride, config_stride, job_stride, running_stride,
        event_stride;
    const void *gpu_types, *nodes, *users, *configs, *jobs, *running, *events;
    uint64_t shared_free_milli;   /* thousandths free of GPUs held in part, of all types together */
    uint32_t checkpointing_count; /* preempted jobs that are not in the queue yet, those of this
                                     plan too */
    uint64_t phase_changes; /* so far, of all jobs: the configurations of some may be others now */
    size_t checkpointing_stride;
    const void *checkpointing; /* checkpointing_count of them */
    double energy_j; /* that GPUs and nodes have drawn since the last decision; the first: since 0;
                        in finish: up to the end */
    uint32_t span_count;           /* 2, or 1 more than the network has tiers */
    const char *const *span_names; /* "one_node", then the tiers' or "across_nodes" */
    /* Nodes in one place of a span: 1, then below a switch, the last node_count. Node n is in place
       n / span_nodes[span]. */
    const uint32_t *span_nodes;
};

/* An element of an array that `holder`, the view or the struct of an extension, points to. */
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

/* A job that waits, runs or writes a checkpoint, or that an event of this decision names. NULL:
   another, which may not be in the view at all (not submitted yet, or over), or no such job. */
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

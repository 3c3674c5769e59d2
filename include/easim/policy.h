/* easim/policy.h: everything a scheduling policy sees of the simulator, and everything it may do.

   A policy is a shared object that exports one constant, `easim_policy`, needs no symbol of easim
   and is compiled against this header alone. A list policy fills in `list`: a key that orders the
   waiting jobs and an objective that chooses each job's configuration; the host does the rest
   (policies/zeus.c). A free policy fills in `decide` and starts jobs itself (policies/easy.c).

   Units are in the names: _s seconds, _ns nanoseconds, _w watts, _j joules, _js joule seconds, _gib
   GiB. Work is in reference samples (statistically useful ones; Pollux, OSDI'21): `remaining` falls
   at the configuration's goodput. A policy uses no clock, no rand(), no files, no threads and no
   static variables: its memory is `state`, its random numbers come from the host. The same run must
   give the same decisions, whatever else runs beside it. */
#ifndef EASIM_POLICY_H
#define EASIM_POLICY_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A policy is loaded if abi_major is the host's and abi_minor not above it: structs only grow at
 * their end. */
#define EASIM_ABI_MAJOR 2u
#define EASIM_ABI_MINOR 2u
#define EASIM_NONE      UINT32_MAX /* "no such index" */

/* What a policy may do beyond starting jobs. Unknown bits are refused on loading, undeclared
 * actions when tried. */
#define EASIM_CAPABILITY_PREEMPT (1u << 0) /* plan_preempt */
#define EASIM_CAPABILITY_RESIZE  (1u << 1) /* plan_resize */
#define EASIM_CAPABILITY_MIGRATE (1u << 2) /* reserved: move a running job to other GPUs */
#define EASIM_CAPABILITY_POWER_CAP \
    (1u << 3) /* starts over the power cap are refused with EASIM_CAP */
#define EASIM_CAPABILITY_FREQUENCY \
    (1u << 4) /* power-limit levels, if its parameter power_limits is true */
#define EASIM_CAPABILITY_FRACTIONAL_GPU (1u << 5) /* configurations with milli: jobs share GPUs */
#define EASIM_CAPABILITY_TICK           (1u << 6) /* plan_wake_at */
#define EASIM_CAPABILITY_ORACLE         (1u << 7) /* sees true run times; named in the output */

/* Answers to the actions of a plan. */
enum easim_answer {
    EASIM_OK = 0,     /* in the plan; the view already shows it */
    EASIM_NOFIT = -1, /* not enough free GPUs of that type */
    EASIM_INVAL =
        -2, /* no such job or configuration, wrong job state, capability not declared, bad time */
    EASIM_CAP = -3, /* would exceed the power cap (with EASIM_CAPABILITY_POWER_CAP) */
};

/* --- the view: constant arrays owned by the host, valid until the callback returns --- */

/* Placement of a configuration: inside one node, or spread over several. Also an index. */
enum easim_span { EASIM_ONE_NODE = 0, EASIM_ACROSS_NODES = 1 };

/* One way to run a job, by enum easim_span; never placed in a span that its lookup table does not
 * know. */
struct easim_config {
    uint32_t k;          /* GPUs, >= 1 */
    uint32_t batch;      /* samples per GPU and iteration; 0 for a rigid job */
    uint32_t gpu_type;   /* index of a struct easim_gpu_type */
    uint32_t empty_span; /* enum easim_span it would get on the empty cluster */
    double goodput[2];   /* reference samples/s: r * eff(k*b); 0: not known in this span */
    double power_w[2];   /* of one GPU computing: min(tdp_w, p0 + e*r/k); not known: as in the other
                            span */
    bool extrapolated;   /* outside the range in which the model was measured */
    double
        power_limit_w; /* of one GPU, < tdp_w; INFINITY: none. Limited ones only with FREQUENCY */
    uint32_t milli; /* 1..999: thousandths held of a GPU that others may share; k is 1. 0: k whole
                       GPUs */
};

struct easim_gpu_type {
    const char *name;
    uint32_t gpus, free; /* in the whole cluster; of them not held by any job now */
    uint32_t node_gpus_max,
        node_free_max; /* GPUs of the largest node; most free GPUs of any one node now */
    double idle_w, ctx_w,
        tdp_w; /* one GPU: free; held but not computing (set-up, checkpoint); at most */
    double memory_gib;
    uint32_t failed,
        asleep; /* of `gpus`: on failed nodes; of `free`: asleep, slower to start by wake time */
    uint64_t shared_free_milli; /* GPUs held in part, none of them in `free`: thousandths that
                                   nobody holds */
    uint32_t shared,
        shared_free_max_milli; /* the number of such GPUs; most thousandths free on one of them */
};

struct easim_node {
    uint32_t gpu_type, gpus, free; /* free: 0 while it has failed */
    bool failed;
};

struct easim_user {
    const char *name;
    double weight; /* > 0 */
    double gpu_s,
        as_of_s; /* GPU-seconds held up to as_of_s; easim_user_usage_s adds what runs now */
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
    uint32_t first_config; /* its allowed, feasible configurations are first_config .. +
                              config_count - 1 of */
    uint32_t config_count; /*   the view's table, by gpu_type, k, batch, each ascending, then limit
                              falling */
    uint32_t best_config;  /* the configuration of time_best_s (ties: semantics 5.1) */
    uint32_t config, span; /* running: its configuration and enum easim_span; else EASIM_NONE */
    uint32_t running_slot; /* running: its place in view->running */
    uint32_t user;         /* index of a struct easim_user */
    uint32_t model; /* opaque number, equal for jobs of one model; EASIM_NONE: rigid, recorded run
                       time */
    uint32_t preemptions, resizes; /* so far */
    bool preemptible, sla;         /* sla: its class is sla, not best_effort */
    bool started_before;           /* pays restart_s instead of start_s */
    int64_t submit_ns;
    double submit_s;
    double deadline_s; /* absolute; INFINITY if none */
    double remaining; /* reference samples (rigid jobs: predicted seconds) left when it last started
                         or queued */
    double setup_s;   /* set-up its next start pays (running: the one it paid) */
    double time_best_s; /* T*: least predicted time over its configurations without limit, cluster
                           empty */
    double edp_best_js; /* EDP*: least predicted energy-delay product, likewise */
    double start_s;     /* running: when it got its present GPUs */
    double resized_s;   /* when it was resized last; -INFINITY: never */
    int64_t predicted_end_ns; /* running: from the prediction at its start; see
                                 easim_predicted_end_ns */
    /* What stopping it costs: set-up of a later start; time of a checkpoint on demand; computing
       time between periodic checkpoints (0: on demand). */
    double restart_s, checkpoint_s, checkpoint_interval_s;
    double true_time_s; /* ORACLE only: true T of a rigid job; NAN otherwise */
    double saved_at_s;  /* resized while it computed: when the checkpoint on demand of that is
                           written; else 0 */
};

/* A running job in short, for scans. Order is arbitrary but reproducible. */
struct easim_running {
    uint32_t job, gpu_type, k, milli; /* milli: as of the configuration */
    int64_t predicted_end_ns;         /* may lie in the past: the job overruns its request */
};

enum easim_event_kind {
    EASIM_EVENT_CLUSTER = 0, /* power cap, price, carbon intensity, failure or repair */
    EASIM_EVENT_FINISH,      /* a job finished, or gave its GPUs back after a checkpoint */
    EASIM_EVENT_ARRIVAL,
    EASIM_EVENT_TIMER, /* from plan_wake_at */
};

/* What happened since the last decision. */
struct easim_event {
    uint32_t kind, job; /* enum easim_event_kind; index or EASIM_NONE */
};

/* Walk the arrays with the inline functions below, by the host's strides. */
struct easim_view {
    size_t struct_size; /* of the host's struct easim_view */
    int64_t now_ns;
    double now_s;
    double power_w; /* GPUs and nodes now, with this plan, allocated GPUs at the higher of ctx_w and
                       P */
    double power_cap_w;                     /* INFINITY if none */
    double price_per_mwh, carbon_g_per_kwh; /* now; NAN if not given */
    double usage_half_life_s;               /* INFINITY: usage does not fade */
    uint32_t gpus, free_gpus;               /* of all types together */
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
};

#define EASIM_ACCESSOR(type, name, array, stride) \
    static inline const struct type *name(const struct easim_view *view, uint32_t index) { \
        return (const struct type *)((const char *)view->array + index * view->stride); \
    }
EASIM_ACCESSOR(easim_gpu_type, easim_view_gpu_type, gpu_types, gpu_type_stride)
EASIM_ACCESSOR(easim_node, easim_view_node, nodes, node_stride)
EASIM_ACCESSOR(easim_user, easim_view_user, users, user_stride)
EASIM_ACCESSOR(easim_config, easim_view_config, configs, config_stride)
EASIM_ACCESSOR(easim_job, easim_view_job, jobs, job_stride)
EASIM_ACCESSOR(easim_running, easim_view_running, running, running_stride)
EASIM_ACCESSOR(easim_event, easim_view_event, events, event_stride)

/* GPU-seconds a user has held (semantics 5.3), set-up and lost work too; with a half-life older
 * ones count less. */
static inline double easim_user_usage_s(const struct easim_view *view, uint32_t user) {
    const struct easim_user *u = easim_view_user(view, user);
    double since_s = view->now_s - u->as_of_s, fade = exp2(-since_s / view->usage_half_life_s);
    double held = u->allocated_gpus + (double)u->shared_milli / 1000;
    if (view->usage_half_life_s == INFINITY)
        return u->gpu_s + held * since_s;
    return u->gpu_s * fade +
           held * (1 - fade) * view->usage_half_life_s / 0.69314718055994531; /* ln 2 */
}
static inline double easim_job_age_s(const struct easim_view *view, const struct easim_job *job) {
    return view->now_s - job->submit_s;
}

/* Of a running job: seconds it has computed on its GPUs; work still to do; computing time lost if
 * it stops now. */
static inline double easim_job_computing_s(const struct easim_view *view,
                                           const struct easim_job *job) {
    return fmax(0, view->now_s - job->start_s - job->setup_s);
}
static inline double easim_job_remaining(const struct easim_view *view,
                                         const struct easim_job *job) {
    double goodput = easim_view_config(view, job->config)->goodput[job->span];
    return fmax(0, job->remaining - easim_job_computing_s(view, job) * goodput);
}
static inline double easim_job_lost_s(const struct easim_view *view, const struct easim_job *job,
                                      bool at_once) {
    double computing_s = easim_job_computing_s(view, job), interval_s = job->checkpoint_interval_s;
    return interval_s > 0 ? fmod(computing_s, interval_s) : at_once ? computing_s : 0;
}
/* How long it holds its GPUs if preempted now, not at once: for a checkpoint, or the rest of that
 * of a resize. */
static inline double easim_job_writes_s(const struct easim_view *view,
                                        const struct easim_job *job) {
    double new_s = easim_job_computing_s(view, job) > 0 ? job->checkpoint_s : 0;
    return job->checkpoint_interval_s > 0 ? 0 : fmax(new_s, job->saved_at_s - view->now_s);
}

/* When a running job is expected to end: as predicted, or now + 1 ns if it overruns that. */
static inline int64_t easim_predicted_end_ns(const struct easim_view *view,
                                             int64_t predicted_end_ns) {
    return predicted_end_ns > view->now_ns ? predicted_end_ns : view->now_ns + 1;
}

/* --- predictions (semantics 4) --- */
/* A configuration for a job with what it would cost. */
struct easim_choice {
    uint32_t config, span; /* index in the view's table; enum easim_span it was judged with */
    uint32_t k, gpu_type, batch;
    double power_w, ctx_w, idle_w; /* of one such GPU: computing; in set-up; if it stayed free */
    double setup_s;
    double time_s;                /* T = set-up + remaining / goodput */
    double energy_j;              /* E = gpus * (ctx_w * set-up + power_w * remaining / goodput) */
    double edp_js, power_limit_w; /* E * T; as of the configuration */
    double gpus;                  /* held: k, or a part of one */
};

/* GPUs that a job in this configuration holds: k, or a part of one. */
static inline double easim_config_gpus(const struct easim_config *config) {
    return config->milli ? config->milli / 1000.0 : config->k;
}

/* Placement a configuration would get now: EASIM_ONE_NODE, EASIM_ACROSS_NODES, or EASIM_NOFIT. */
static inline int easim_fit(const struct easim_view *view, const struct easim_config *config) {
    const struct easim_gpu_type *type = easim_view_gpu_type(view, config->gpu_type);
    bool one = config->k <= type->node_free_max ||
               (config->milli && config->milli <= type->shared_free_max_milli);
    int span = one ? EASIM_ONE_NODE : EASIM_ACROSS_NODES;
    return (one || config->k <= type->free) && config->goodput[span] > 0 ? span : (int)EASIM_NOFIT;
}

/* Prediction for some work after some set-up in configuration `config` (an index) placed as `span`.
 */
static inline struct easim_choice easim_predict_work(const struct easim_view *view,
                                                     double remaining, double setup_s,
                                                     uint32_t config, uint32_t span) {
    const struct easim_config *c = easim_view_config(view, config);
    const struct easim_gpu_type *type = easim_view_gpu_type(view, c->gpu_type);
    double computing_s = remaining / c->goodput[span];
    struct easim_choice choice = {config,      span,         c->k,
                                  c->gpu_type, c->batch,     c->power_w[span],
                                  type->ctx_w, type->idle_w, .setup_s = setup_s};
    choice.time_s = setup_s + computing_s;
    choice.gpus = easim_config_gpus(c);
    choice.energy_j = choice.gpus * (type->ctx_w * setup_s + choice.power_w * computing_s);
    choice.edp_js = choice.energy_j * choice.time_s;
    choice.power_limit_w = c->power_limit_w;
    return choice;
}

/* For a waiting job; for a running one as it is; after a resize now: restart_s, checkpoint and lost
 * work on top. */
static inline struct easim_choice easim_predict(const struct easim_view *view,
                                                const struct easim_job *job, uint32_t config,
                                                uint32_t span) {
    return easim_predict_work(view, job->remaining, job->setup_s, config, span);
}
static inline struct easim_choice easim_predict_running(const struct easim_view *view,
                                                        const struct easim_job *job) {
    double setup_s = fmax(0, job->start_s + job->setup_s - view->now_s);
    return easim_predict_work(view, easim_job_remaining(view, job), setup_s, job->config,
                              job->span);
}
static inline struct easim_choice easim_predict_resized(const struct easim_view *view,
                                                        const struct easim_job *job,
                                                        uint32_t config, uint32_t span) {
    double lost = easim_job_lost_s(view, job, false) *
                  easim_view_config(view, job->config)->goodput[job->span];
    double writes_s = fmin(job->checkpoint_s, easim_job_writes_s(view, job));
    return easim_predict_work(view, easim_job_remaining(view, job) + lost,
                              job->restart_s + writes_s, config, span);
}

/* E * T^exponent; with `marginal` E counts only power above idle. */
static inline double easim_choice_edp(const struct easim_choice *choice, double exponent,
                                      bool marginal) {
    double energy_j =
        choice->energy_j - (marginal ? choice->gpus * choice->idle_w * choice->time_s : 0);
    return energy_j * (exponent == 1 ? choice->time_s : pow(choice->time_s, exponent));
}

struct easim_plan; /* the host's; one per decision */
/* Host functions. An action is tried at once and, if EASIM_OK, shows in the view before the
   function returns; all accepted actions take effect together when the decision ends. Every refused
   action is counted. */
struct easim_host {
    size_t struct_size;
    /* Starts a waiting job in a configuration of its own range; its place: semantics 8. */
    int (*plan_start)(struct easim_plan *plan, uint32_t job, uint32_t config);
    /* PREEMPT: takes a running job's GPUs away; it queues with its submit time, less work lost. Its
       GPUs come free easim_job_writes_s later, an event, or if that is 0 or at_once now, which is
       none: ask for a wake-up. */
    int (*plan_preempt)(struct easim_plan *plan, uint32_t job, bool at_once);
    /* Moves a running job to another configuration of its range, on its own GPUs and free ones;
       costs as in easim_predict_resized, all of it on the new GPUs. RESIZE. */
    int (*plan_resize)(struct easim_plan *plan, uint32_t job, uint32_t config);
    /* Placement and view->power_w if a waiting job were started, or a running one resized, in
       config now: enum easim_span, or EASIM_NOFIT. power_w may be NULL. */
    int (*try_config)(struct easim_plan *plan, uint32_t job, uint32_t config, double *power_w);
    /* Asks for a decision once now_s is not below time_s, which is > now_s, whatever happens until
     * then. TICK. */
    int (*plan_wake_at)(struct easim_plan *plan, double time_s);
    void *(*scratch)(struct easim_plan *plan,
                     size_t bytes);             /* zeroed, until the decision ends; never NULL */
    double (*uniform)(struct easim_plan *plan); /* random, [0, 1), from the run's `policy` stream */
    /* Says why a callback is about to return a negative number. */
    void (*fail)(struct easim_plan *plan, const char *message);
};

/* The arguments of every callback. In init and finish no job is waiting. */
struct easim_pass {
    const struct easim_view *view;
    const struct easim_host *host;
    struct easim_plan *plan;
    const void *params; /* the policy's parameter struct, filled in from the configuration */
    void *state;        /* state_size bytes, zeroed before init; one per run */
};

enum easim_param_type {
    EASIM_PARAM_REAL,     /* double */
    EASIM_PARAM_DURATION, /* double, in seconds; the configuration may say 10min */
    EASIM_PARAM_INT,      /* int64_t */
    EASIM_PARAM_BOOL,     /* bool */
    EASIM_PARAM_CHOICE,   /* int32_t, index in `choices` */
    EASIM_PARAM_TEXT,     /* const char *, lives as long as the run; default "" */
};
#define EASIM_OFF INFINITY /* value of a REAL or DURATION parameter that says `off`, if it may */

/* One parameter: the host parses, checks, converts and documents it from this entry. */
struct easim_param {
    const char *name; /* [a-z][a-z0-9_]* */
    const char *unit; /* "" if none */
    const char *help; /* one line */
    enum easim_param_type type;
    size_t offset; /* in the parameter struct; aligned, and no two values overlap */
    double min, max, default_value; /* inclusive; bool 0 or 1; choice: an index */
    bool may_be_off;
    const char *const *choices; /* CHOICE: NULL-terminated names */
};

/* What a list policy says of a waiting job. Members that are 0 say nothing. */
struct easim_key {
    int32_t tier; /* lower goes first */
    double value; /* lower goes first within a tier: value / (1 + age / ageing_s) * user_factor */
    double ageing_s;    /* > 0: value falls with age, and must be >= 0; 0: it stays */
    double ask_again_s; /* absolute: from then on the host asks for a new key at every pass; 0:
                           never */
    double finish_by_s; /* absolute; the job is urgent and admits only now + T <= finish_by_s; 0: it
                           is not */
    double objective_max; /* admits only configurations of at most this objective:
                             policies/README.md */
};

/* The host visits waiting jobs by tier, value and submission, chooses for each the admitted
   configuration of least objective that fits the free GPUs now (ties: fewer GPUs, lower k * P,
   earlier GPU type, smaller batch, higher limit), starts it and goes on. Every list policy has
   parameters of the host's: see `easim policies NAME`. */
struct easim_list {
    size_t struct_size;
    bool strict; /* default of the parameter `strict`: stop at the first job that cannot start */
    /* Asked when the job is queued and from ask_again_s on; may depend on the job, the parameters,
       and by way of ask_again_s the time. `best`: its least objective on the empty cluster. NULL:
       order of submission. */
    struct easim_key (*key)(const struct easim_pass *pass, const struct easim_job *job,
                            double best);
    /* What to minimise; INFINITY: never this configuration; not NaN. A function of parameters, the
       job's model, remaining work and set-up, and the choice; a resize that does not pay must not
       pay with less work left either. NULL: T, and a resize must save more than restart_s. */
    double (*objective)(const struct easim_pass *pass, const struct easim_job *job,
                        const struct easim_choice *choice);
    /* All below may be NULL. Another objective for urgent jobs. */
    double (*urgent_objective)(const struct easim_pass *pass, const struct easim_job *job,
                               const struct easim_choice *choice);
    /* Multiplies the values of all jobs of a user in this pass; > 0. */
    double (*user_factor)(const struct easim_pass *pass, uint32_t user);
    /* Whether job may get config now. Of a waiting job, only configuration and cluster may matter.
     */
    bool (*allow)(const struct easim_pass *pass, const struct easim_job *job, uint32_t config);
    /* Before the first job is visited, even if none waits. */
    void (*begin)(const struct easim_pass *pass);
    /* For an urgent job that found no admitted configuration: may preempt others; true: try the job
     * once more. */
    bool (*make_room)(const struct easim_pass *pass, const struct easim_job *job);
    /* What a resize must save at least, in units of the objective, beside resize_gain; NULL: 0. */
    double (*resize_least)(const struct easim_pass *pass, const struct easim_job *job);
};

/* What a policy module exports: `const struct easim_policy easim_policy = {EASIM_POLICY_ABI, .name
   = ...};` Exactly one of list and decide is set. All text is UTF-8 and lives as long as the
   module. */
struct easim_policy {
    uint32_t abi_major, abi_minor; /* EASIM_POLICY_ABI fills in these three */
    size_t struct_size;
    const char *name;    /* [a-z][a-z0-9_]*, the name users type */
    const char *version; /* "1.0"; change it when decisions change */
    const char *summary; /* one line */
    const char *help;    /* paragraphs with formulas and their sources; may be NULL */
    uint32_t capabilities;
    size_t state_size;
    size_t params_size;
    const struct easim_param *params;
    uint32_t param_count;
    const struct easim_list *list;
    /* Once per decision; negative ends the run as failed (say why with host->fail). Optional:
       before the first decision, with the cluster empty, negative refuses to run; and after the
       run. */
    int (*decide)(const struct easim_pass *pass);
    int (*init)(const struct easim_pass *pass);
    void (*finish)(const struct easim_pass *pass);
};

#define EASIM_POLICY_ABI \
    .abi_major = EASIM_ABI_MAJOR, .abi_minor = EASIM_ABI_MINOR, \
    .struct_size = sizeof(struct easim_policy)

/* Marks the one exported symbol; the rest of a policy is hidden by -fvisibility=hidden. */
#define EASIM_EXPORT __attribute__((visibility("default")))
extern EASIM_EXPORT const struct easim_policy
    easim_policy; /* so that one of another type does not compile */

#endif

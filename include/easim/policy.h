/* easim/policy.h: what a scheduling policy exports, and everything it may do.

   A policy is a shared object that exports one constant, `easim_policy`, and needs no symbol of
   easim. Compile it against this header and those of the extensions that it lists (forecast.h,
   services.h, power.h). This header includes types.h (what a policy sees of the simulator),
   predict.h (what follows from it), list.h and params.h. A list policy fills in `list` (list.h,
   policies/zeus.c). A free policy fills in `decide` and starts jobs itself (policies/easy.c).

   A policy uses no clock, no rand(), no files, no threads and no static variables. Its memory is
   `state`, and its random numbers come from the host. The same run must give the same decisions,
   even if other runs use the same process. */
#ifndef EASIM_POLICY_H
#define EASIM_POLICY_H

#include <easim/list.h>
#include <easim/params.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. easim loads a policy if its major number is the host's and its
   minor number is not above the host's: within a major version structs only grow at their end.
   Until 3.0 is released (draft 0), every other change raises the draft number, which must be the
   host's, too. docs/reference/c-policy.md lists the changes. */
#define EASIM_ABI_MAJOR 3u
#define EASIM_ABI_MINOR 0u
#define EASIM_ABI_DRAFT 13u

/* Actions of a policy other than starting jobs; extensions allow more. easim refuses unknown bits
   when it loads the policy, and an undeclared action when the policy tries it. */
#define EASIM_CAPABILITY_PREEMPT (1u << 0) /* plan_preempt */
#define EASIM_CAPABILITY_RESIZE  (1u << 1) /* plan_resize */
#define EASIM_CAPABILITY_POWER_CAP \
    (1u << 3) /* starts over the power cap are refused with EASIM_CAP */
#define EASIM_CAPABILITY_FREQUENCY \
    (1u << 4) /* power-limit levels, if its parameter power_limits is true; power.h */
#define EASIM_CAPABILITY_FRACTIONAL_GPU (1u << 5) /* configurations with milli: jobs share GPUs */
#define EASIM_CAPABILITY_TICK           (1u << 6) /* plan_wake_at */
#define EASIM_CAPABILITY_ORACLE         (1u << 7) /* sees true run times; named in the output */
/* Repeats recorded decisions of one workload, so `--policies all` leaves it out. */
#define EASIM_CAPABILITY_RECORDED (1u << 8)
#define EASIM_CAPABILITY_REJECT   (1u << 9) /* plan_reject */

#define EASIM_MOST_JOB_MEMORY 65536

/* Inputs that may change a policy's decisions with some values of its parameters. easim refuses
   unknown bits when it loads the policy. 0: not declared. Two things do not count: the instants at
   which a series changes, because easim calls all policies then, and options that the host adds to
   list policies (`resize` and `round_s` compare predicted run times), unless they are on by
   default. */
#define EASIM_READS_CARBON    (1u << 0) /* carbon intensity, now or forecast */
#define EASIM_READS_PRICE     (1u << 1) /* price of energy, now or forecast */
#define EASIM_READS_DEADLINES (1u << 2) /* deadlines and classes of jobs */
#define EASIM_READS_USERS     (1u << 3) /* whose a job is, their weights and usage */
#define EASIM_READS_FORECASTS \
    (1u << 4)                            /* what is forecast of later hours; needs easim.forecast \
                                          */
#define EASIM_READS_RUN_TIMES (1u << 5)  /* predicted run times (T) of rigid jobs: requested_s */
#define EASIM_READS_NOTHING   (1u << 31) /* alone: none of these */
/* Limits that a policy observes. */
#define EASIM_KEEPS_CAP (1u << 0) /* the power cap, as far as starts and preemption can */

struct easim_plan; /* the host's; one per decision */
/* Functions of the host. The host tries an action at once. If the answer is EASIM_OK, the view
   shows the action before the function returns, and all accepted actions take effect together when
   the decision ends. Reasons to refuse are tested in the order EASIM_INVAL, EASIM_NOFIT, EASIM_CAP,
   and each refusal is counted. GPUs that come free at once are free for later actions of the same
   plan. */
struct easim_host {
    size_t struct_size;
    /* Starts a waiting job in one of its own configurations. semantics 8 says on which GPUs. */
    int (*plan_start)(struct easim_plan *plan, uint32_t job, uint32_t config);
    /* PREEMPT: takes away the GPUs of a running job. It queues again with its submit time, without
       the work that it loses. Its GPUs come free easim_job_writes_s later, which is an event. If
       that is 0, or with at_once, they come free now, which is no event: ask for a wake-up. */
    int (*plan_preempt)(struct easim_plan *plan, uint32_t job, bool at_once);
    /* RESIZE: moves a running job to another of its configurations, on its own GPUs and free ones.
       Costs are those of easim_predict_resized, all on the new GPUs. If only the power limit
       changes and view->limits_in_place, it keeps its GPUs and goes on computing; the limit
       holds after the delay of its GPU type. If the lost work takes the job back to an earlier
       phase, it takes the batch of that phase: look at its config. With its present configuration
       the answer is EASIM_OK, and nothing happens or is counted. */
    int (*plan_resize)(struct easim_plan *plan, uint32_t job, uint32_t config);
    /* REJECT: refuses a waiting job for good, even one that ran before. The job leaves the queue
       and counts as rejected. `reason` is for results: the same text for all jobs of its kind, or
       NULL. A list policy may call it in begin or in key. */
    int (*plan_reject)(struct easim_plan *plan, uint32_t job, const char *reason);
    /* Plans a set of starts, preemptions and resizes, each job once: all of them, or none. First
       all GPUs change hands that come free now, by preemptions without a checkpoint and by resizes.
       Then resizes and starts get theirs, in their order. The cap applies to the whole set. A
       refused set is one refusal: the answer is that of the part that caused it, with its index in
       ret_part (EASIM_NONE: the whole set), which may be NULL. Use easim_plan_exchange. */
    int (*plan_exchange)(struct easim_plan *plan, const struct easim_part *parts, uint32_t count,
                         size_t part_bytes, uint32_t *ret_part);
    /* TICK: wake-ups are a set of instants. Each causes a decision when now_s reaches it, even if
       other events come first. plan_wake_at adds time_s > now_s, without effect if it is in the
       set; plan_wake_clear empties the set. */
    int (*plan_wake_at)(struct easim_plan *plan, double time_s);
    int (*plan_wake_clear)(struct easim_plan *plan);
    /* Returns the placement (enum easim_span) that plan_start of a waiting job or plan_resize of a
       running one would get now, or the code of the refusal. If it fits, even over the cap, power_w
       (which may be NULL) gets what view->power_w would become. Nothing is counted. */
    int (*try_config)(struct easim_plan *plan, uint32_t job, uint32_t config, double *power_w);
    /* Returns the answer that plan_exchange would give, and sets power_w in the same way; both
       pointers may be NULL. */
    int (*try_exchange)(struct easim_plan *plan, const struct easim_part *parts, uint32_t count,
                        size_t part_bytes, uint32_t *ret_part, double *power_w);
    /* Nodes of a job that holds GPUs, ascending: writes the first `most` into ret, which may be
       NULL if `most` is 0. Returns their number, which is 0 for other jobs. */
    uint32_t (*job_nodes)(struct easim_plan *plan, uint32_t job, struct easim_job_node *ret,
                          uint32_t most);
    /* Work that a job has left now, in the unit of its `remaining`. For a job with a model it is
       measured, at the speed that the job really had. The length of a rigid job is unknown, so it
       gives easim_job_remaining. Work that a stop now would lose counts as done. NAN:
       easim_view_job does not show this job. */
    double (*remaining)(struct easim_plan *plan, uint32_t job);
    void *(*scratch)(struct easim_plan *plan,
                     size_t bytes);             /* zeroed, until the decision ends; never NULL */
    double (*uniform)(struct easim_plan *plan); /* random, [0, 1), from the run's `policy` stream */
    /* Call this before a callback returns a negative number: `message` is the reason, the last one
       counts, and NULL is none. If it contains strerror's words for a fault of the machine (EAGAIN,
       EMFILE ...) or "out of memory", easim tries the run again. */
    void (*fail)(struct easim_plan *plan, const char *message);
    /* Counts one thing that the user should know; allowed in every callback. `what` is a sentence,
       the same for all of its kind ("rows of finished jobs are dropped"). `name` is the name of
       this one (a job's id), or NULL. Results show the number and the first names. */
    void (*count)(struct easim_plan *plan, const char *what, const char *name);
    /* NULL unless the user asks for the story of a job (easim explain): use easim_told. Gives the
       reason why this job still waits after this decision, or why it starts in it. The last reason
       in a decision counts; NULL or "" is none. It changes no decision. The text is one plain
       phrase ("job X is first, reserved for [14700 s]"). Write times in brackets, in seconds since
       the start of the run: the story shows them in its own format. */
    void (*reason)(struct easim_plan *plan, uint32_t job, const char *text);
};

/* The arguments of every callback. In init and finish no job is waiting. */
struct easim_pass {
    size_t struct_size;
    const struct easim_view *view;
    const struct easim_host *host;
    struct easim_plan *plan;
    const void *params; /* the policy's parameter struct, filled in from the configuration */
    void *state;        /* state_size bytes, zeroed before init; one per run */
    /* job_memory_size bytes for each job: use easim_job_memory. NULL if the policy has none. */
    void *job_memory;
    size_t job_memory_stride;
    uint32_t level; /* of a list policy: its present level; 0 if it has none */
    uint32_t told;  /* index of the job of the story; undefined if host->reason is NULL */
    /* The struct of each extension that the policy lists, in its order: use easim_forecast_of,
       easim_services_of or easim_power_of. NULL: it is optional, and this host does not have it. */
    const void *const *extensions;
};

/* An extension that a policy uses: data and actions that most policies do not need. Its header has
   the struct that the pass points to, and a macro that fills in this row. The host reads the rows
   before any function of the policy runs. It has the extension if it knows name and version and its
   struct is not shorter than the policy's, because within a version a struct grows at its end. The
   pointer of an optional extension that the host does not have is NULL in every pass. The host
   refuses a policy with any other such row, or with a row twice. */
struct easim_extension {
    const char *name; /* [a-z][a-z0-9_.]*, "easim.forecast" */
    uint32_t version; /* >= 1 */
    uint32_t bytes;   /* sizeof its struct, where the policy was compiled */
    bool optional;
};
#define EASIM_MOST_EXTENSIONS 16u

/* Whether host->reason may be called for this job. If not, there is no need to make a text. */
static inline bool easim_told(const struct easim_pass *pass, uint32_t job) {
    return pass->host->reason && pass->told == job;
}
/* The job of the story if it waits, else NULL. */
static inline const struct easim_job *easim_told_waiting(const struct easim_pass *pass) {
    const struct easim_job *job =
        pass->host->reason ? easim_view_job(pass->view, pass->told) : NULL;
    return job && job->state == EASIM_JOB_WAITING ? job : NULL;
}

/* The policy's own memory of a job: job_memory_size bytes, aligned for any type. It is zeroed when
   the job is submitted and keeps its content until the run ends. NULL: the job is not submitted yet
   or does not exist, or the policy declares no memory. */
static inline void *easim_job_memory(const struct easim_pass *pass, uint32_t job) {
    const struct easim_view *view = pass->view;
    if (job >= view->job_count || !pass->job_memory)
        return NULL;
    const struct easim_job *at =
        (const struct easim_job *)((const char *)view->jobs + job * view->job_stride);
    return at->state == EASIM_JOB_PENDING
               ? NULL
               : (void *)((char *)pass->job_memory + job * pass->job_memory_stride);
}

static inline int easim_plan_exchange(const struct easim_pass *pass, const struct easim_part *parts,
                                      uint32_t count, uint32_t *ret_part) {
    return pass->host->plan_exchange(pass->plan, parts, count, sizeof *parts, ret_part);
}
static inline int easim_try_exchange(const struct easim_pass *pass, const struct easim_part *parts,
                                     uint32_t count, uint32_t *ret_part, double *power_w) {
    return pass->host->try_exchange(pass->plan, parts, count, sizeof *parts, ret_part, power_w);
}

/* The placement that a job would get now in one of its configurations, or the code of the
   refusal. */
static inline int easim_fits(const struct easim_pass *pass, const struct easim_job *job,
                             uint32_t config) {
    const struct easim_view *view = pass->view;
    if (view->fit_is_exact && job->state == EASIM_JOB_WAITING)
        return easim_fit(view, easim_view_config(view, config));
    return pass->host->try_config(pass->plan, job->index, config, NULL);
}

/* The constant that a policy exports: `const struct easim_policy easim_policy = {EASIM_POLICY_ABI,
   .name = ...};` Set exactly one of list and decide. All text is UTF-8 without control characters
   (except newlines in help), and lives as long as the module. */
struct easim_policy {
    /* EASIM_POLICY_ABI fills in these five: the version, and the sizes of two structs in it. */
    uint32_t abi_major, abi_minor, abi_draft;
    uint32_t param_bytes;
    size_t struct_size;
    const char *name;    /* [a-z][a-z0-9_]*, the name users type */
    const char *version; /* "1.0"; change it when decisions change */
    const char *summary; /* one line */
    const char *help;    /* paragraphs with formulas and their sources; may be NULL */
    uint32_t capabilities;
    uint32_t reads, keeps; /* bits EASIM_READS_*, EASIM_KEEPS_* */
    size_t state_size;
    size_t params_size;
    const struct easim_param *params;
    uint32_t param_count;
    const struct easim_list *list;
    /* decide runs once per decision. It returns 0, or a negative number, which ends the run as
       failed (give the reason with host->fail); a positive number is an error. init is optional: it
       runs before the first decision, with the cluster empty, and returns the same. finish is
       optional: it runs after the run. */
    int (*decide)(const struct easim_pass *pass);
    int (*init)(const struct easim_pass *pass);
    void (*finish)(const struct easim_pass *pass);
    /* Columns of its TABLE parameters; may be NULL. column_bytes: sizeof(struct easim_column). */
    const struct easim_column *columns;
    uint32_t column_count, column_bytes;
    /* Bytes of memory for each job (easim_job_memory), at most EASIM_MOST_JOB_MEMORY. */
    size_t job_memory_size;
    /* Its extensions; may be NULL. extension_bytes: sizeof(struct easim_extension). */
    const struct easim_extension *extensions;
    uint32_t extension_count, extension_bytes;
};

/* The first five members of a struct easim_policy. */
#define EASIM_POLICY_ABI \
    .abi_major = EASIM_ABI_MAJOR, .abi_minor = EASIM_ABI_MINOR, .abi_draft = EASIM_ABI_DRAFT, \
    .param_bytes = (uint32_t)sizeof(struct easim_param), \
    .struct_size = sizeof(struct easim_policy)

/* Marks the one exported symbol; the rest of a policy is hidden by -fvisibility=hidden. */
#ifdef __cplusplus
#define EASIM_EXPORT /* the declaration below has the attribute */
#else
#define EASIM_EXPORT __attribute__((visibility("default")))
#endif
extern __attribute__((visibility("default")))
const struct easim_policy easim_policy; /* a constant of another type does not compile */

#ifdef __cplusplus
}
#endif

#endif

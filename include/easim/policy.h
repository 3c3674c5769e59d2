/* easim/policy.h: what a scheduling policy exports, and everything it may do.

   A policy is a shared object that exports one constant, `easim_policy`, needs no symbol of easim
   and is compiled against this header, which includes types.h, what it sees of the simulator,
   predict.h, what follows from that, list.h and params.h, and against those of the extensions that
   it lists: forecast.h, services.h. A list policy fills in `list` (list.h, policies/zeus.c), a free
   policy fills in `decide` and starts jobs itself (policies/easy.c).

   A policy uses no clock, no rand(), no files, no threads and no static variables: its memory is
   `state`, its random numbers come from the host. The same run must give the same decisions,
   whatever else runs beside it. */
#ifndef EASIM_POLICY_H
#define EASIM_POLICY_H

#include <easim/list.h>
#include <easim/params.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. A policy is loaded if its major number is the host's and its minor
   number not above it: within a major version structs only grow at their end. Until 3.0 is released
   every change that is not such growth raises the draft number, which must be the host's, too; 0:
   released. What has changed: docs/reference/c-policy.md. */
#define EASIM_ABI_MAJOR 3u
#define EASIM_ABI_MINOR 0u
#define EASIM_ABI_DRAFT 11u

/* What a policy may do beyond starting jobs; extensions let it do more. Unknown bits are refused on
 * loading, undeclared actions when tried. */
#define EASIM_CAPABILITY_PREEMPT (1u << 0) /* plan_preempt */
#define EASIM_CAPABILITY_RESIZE  (1u << 1) /* plan_resize */
#define EASIM_CAPABILITY_POWER_CAP \
    (1u << 3) /* starts over the power cap are refused with EASIM_CAP */
#define EASIM_CAPABILITY_FREQUENCY \
    (1u << 4) /* power-limit levels, if its parameter power_limits is true */
#define EASIM_CAPABILITY_FRACTIONAL_GPU (1u << 5) /* configurations with milli: jobs share GPUs */
#define EASIM_CAPABILITY_TICK           (1u << 6) /* plan_wake_at */
#define EASIM_CAPABILITY_ORACLE         (1u << 7) /* sees true run times; named in the output */
/* Repeats what somebody has decided, for one workload: `--policies all` leaves it out. */
#define EASIM_CAPABILITY_RECORDED (1u << 8)
#define EASIM_CAPABILITY_REJECT   (1u << 9) /* plan_reject */

#define EASIM_MOST_JOB_MEMORY 65536

/* What a policy reads: other values of it may change its decisions, under some of its parameters.
   Unknown bits are refused on loading; 0: not declared. Not meant: instants at which a series
   changes, for all policies are asked then; options that the host adds to list policies (`resize`
   and `round_s` compare predicted run times), unless they are on by default. */
#define EASIM_READS_CARBON    (1u << 0) /* carbon intensity, now or forecast */
#define EASIM_READS_PRICE     (1u << 1) /* price of energy, now or forecast */
#define EASIM_READS_DEADLINES (1u << 2) /* deadlines and classes of jobs */
#define EASIM_READS_USERS     (1u << 3) /* whose a job is, their weights and usage */
#define EASIM_READS_FORECASTS \
    (1u << 4)                            /* what is forecast of later hours; needs easim.forecast \
                                          */
#define EASIM_READS_RUN_TIMES (1u << 5)  /* predicted run times (T) of rigid jobs: requested_s */
#define EASIM_READS_NOTHING   (1u << 31) /* alone: none of these */
/* What a policy keeps. */
#define EASIM_KEEPS_CAP (1u << 0) /* the power cap, as far as starts and preemption can */

struct easim_plan; /* the host's; one per decision */
/* Host functions. An action is tried at once and, if EASIM_OK, shows in the view before the
   function returns; all accepted actions take effect together when the decision ends. An action is
   refused with EASIM_INVAL first, then EASIM_NOFIT, then EASIM_CAP; every refused one is counted.
   GPUs that come free at once are free for later actions of the same plan. */
struct easim_host {
    size_t struct_size;
    /* Starts a waiting job in a configuration of its own range; its place: semantics 8. */
    int (*plan_start)(struct easim_plan *plan, uint32_t job, uint32_t config);
    /* PREEMPT: takes a running job's GPUs away; it queues with its submit time, less work lost. Its
       GPUs come free easim_job_writes_s later, an event, or if that is 0 or at_once now, which is
       none: ask for a wake-up. */
    int (*plan_preempt)(struct easim_plan *plan, uint32_t job, bool at_once);
    /* Moves a running job to another configuration of its range, on its own GPUs and free ones;
       costs as in easim_predict_resized, all of it on the new GPUs, also where only the power limit
       is another. If the work it loses takes its phase back, it takes the batch of that phase: look
       at its config. To the configuration that it has: EASIM_OK, nothing happens or is counted.
       RESIZE. */
    int (*plan_resize)(struct easim_plan *plan, uint32_t job, uint32_t config);
    /* Refuses a waiting job for good, also one that ran before: it leaves the queue and is counted
       as rejected, for `reason` in results, the same text for all jobs of its kind; NULL: none.
       List policies: in begin, or in key. REJECT. */
    int (*plan_reject)(struct easim_plan *plan, uint32_t job, const char *reason);
    /* A set of starts, preemptions and resizes, each job once, that are all in the plan then, or
       none. First all GPUs change hands that come free now, of preemptions without a checkpoint and
       of resizes; then resizes and starts get theirs, in their order; the cap counts for the whole.
       Refused, which is one refusal: the answer of the part that is to blame, and its number
       (EASIM_NONE: of the set); ret_part may be NULL. Use easim_plan_exchange. */
    int (*plan_exchange)(struct easim_plan *plan, const struct easim_part *parts, uint32_t count,
                         size_t part_bytes, uint32_t *ret_part);
    /* Wake-ups are a set of instants, each a decision once now_s is not below it, whatever happens
       until then. Adds time_s > now_s, without effect if it is there; empties the set. TICK. */
    int (*plan_wake_at)(struct easim_plan *plan, double time_s);
    int (*plan_wake_clear)(struct easim_plan *plan);
    /* What plan_start of a waiting job, or plan_resize of a running one, would be refused with now;
       else its placement (enum easim_span). If it fits, also over the cap, view->power_w with it;
       power_w may be NULL. Nothing is counted. */
    int (*try_config)(struct easim_plan *plan, uint32_t job, uint32_t config, double *power_w);
    /* What plan_exchange would be answered, and view->power_w with it, likewise; both pointers may
       be NULL. */
    int (*try_exchange)(struct easim_plan *plan, const struct easim_part *parts, uint32_t count,
                        size_t part_bytes, uint32_t *ret_part, double *power_w);
    /* The nodes of a job that holds GPUs, ascending: the first `most` into ret, which may be NULL
       if that is 0. Returns how many they are, 0 of other jobs. */
    uint32_t (*job_nodes)(struct easim_plan *plan, uint32_t job, struct easim_job_node *ret,
                          uint32_t most);
    /* Work that a job has left as of now, in the unit of its `remaining`: measured, at the speed it
       has really had, of a job with a model; of a rigid job, whose length nobody knows, as
       easim_job_remaining. What a stop now would lose is not in it. NAN: no job that
       easim_view_job shows. */
    double (*remaining)(struct easim_plan *plan, uint32_t job);
    void *(*scratch)(struct easim_plan *plan,
                     size_t bytes);             /* zeroed, until the decision ends; never NULL */
    double (*uniform)(struct easim_plan *plan); /* random, [0, 1), from the run's `policy` stream */
    /* Says why a callback is about to return a negative number; the last reason counts. NULL: none.
       If it has strerror's words of a fault of the machine (EAGAIN, EMFILE ...), or "out of
       memory", the run is tried again. */
    void (*fail)(struct easim_plan *plan, const char *message);
    /* Counts one thing of which the user is to be told, in every callback: `what`, a sentence that
       is the same for all of its kind ("rows of finished jobs are dropped"), and the `name` of this
       one (a job's id), or NULL. Results tell the number and the first names. */
    void (*count)(struct easim_plan *plan, const char *what, const char *name);
    /* NULL unless somebody asks for the story of a job (easim explain): use easim_told. Says why
       that job waits on after this decision, or is started in it; the last reason of a decision
       counts, NULL or "": none. It changes no decision. The text is one plain phrase ("job X is
       first, reserved for [14700 s]"), a time in it seconds since the start of the run, in
       brackets, which the story shows as it shows its own times. */
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
    /* job_memory_size bytes of each job: use easim_job_memory. NULL if that is 0. */
    void *job_memory;
    size_t job_memory_stride;
    uint32_t level; /* of a list policy: the present one of its levels; 0 if it has none */
    uint32_t told;  /* the job whose story is told; nothing where host->reason is NULL */
    /* The struct of each extension that the policy lists, in its order: use easim_forecast_of and
       the like. NULL: an optional one that this host lacks. */
    const void *const *extensions;
};

/* An extension that a policy uses: things to see and to do that most policies need not know. Its
   header has the struct, whose pointer the pass has, and a macro that fills in this row. The host
   reads the rows before any function of the policy runs. It has the extension if it knows name and
   version and its struct is not shorter: within a version a struct grows at its end. An optional
   one that it lacks is NULL in every pass; any other is refused, as a row that is there twice. */
struct easim_extension {
    const char *name; /* [a-z][a-z0-9_.]*, "easim.forecast" */
    uint32_t version; /* >= 1 */
    uint32_t bytes;   /* sizeof its struct, where the policy was compiled */
    bool optional;
};
#define EASIM_MOST_EXTENSIONS 16u

/* Whether host->reason is asked of this job: only then is it worth while to make a text. */
static inline bool easim_told(const struct easim_pass *pass, uint32_t job) {
    return pass->host->reason && pass->told == job;
}
/* The job whose story is told, if it waits; else NULL. */
static inline const struct easim_job *easim_told_waiting(const struct easim_pass *pass) {
    const struct easim_job *job =
        pass->host->reason ? easim_view_job(pass->view, pass->told) : NULL;
    return job && job->state == EASIM_JOB_WAITING ? job : NULL;
}

/* The policy's own memory of a job, job_memory_size bytes aligned for any type: zeroed when it is
   submitted, its last content until the run ends. NULL: not submitted yet, no such job, or none is
   declared. */
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

/* Placement that a job would get now in a configuration of its range, or why it gets none. */
static inline int easim_fits(const struct easim_pass *pass, const struct easim_job *job,
                             uint32_t config) {
    const struct easim_view *view = pass->view;
    if (view->fit_is_exact && job->state == EASIM_JOB_WAITING)
        return easim_fit(view, easim_view_config(view, config));
    return pass->host->try_config(pass->plan, job->index, config, NULL);
}

/* What a policy module exports: `const struct easim_policy easim_policy = {EASIM_POLICY_ABI, .name
   = ...};` Exactly one of list and decide is set. All text is UTF-8 without control
   characters (help: but for newlines) and lives as long as the module. */
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
    /* Once per decision: 0, or negative, which ends the run as failed (say why with host->fail);
       positive is an error. Optional: before the first decision, with the cluster empty, likewise;
       and after the run. */
    int (*decide)(const struct easim_pass *pass);
    int (*init)(const struct easim_pass *pass);
    void (*finish)(const struct easim_pass *pass);
    /* Of its TABLE parameters; may be NULL. column_bytes: sizeof(struct easim_column). */
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
#define EASIM_EXPORT /* the declaration below says it */
#else
#define EASIM_EXPORT __attribute__((visibility("default")))
#endif
extern __attribute__((visibility("default")))
const struct easim_policy easim_policy; /* so that one of another type does not compile */

#ifdef __cplusplus
}
#endif

#endif

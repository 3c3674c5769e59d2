/* easim/list.h: what a list policy fills in: a key that orders the waiting jobs, an objective that
   chooses each job's configuration, and what else it may say; the host does the rest. */
#ifndef EASIM_LIST_H
#define EASIM_LIST_H

#include <easim/predict.h>

#ifdef __cplusplus
extern "C" {
#endif

struct easim_pass; /* easim/policy.h */

/* What a list policy says of a waiting job. Members that are 0 say nothing; all are when it is
 * asked. */
struct easim_key {
    size_t struct_size; /* of the host's struct easim_key */
    int32_t tier;       /* lower goes first */
    double value; /* lower goes first within a tier: value / (1 + age / ageing_s) * user_factor */
    double ageing_s;    /* > 0: value falls with age, and must be >= 0; 0: it stays */
    double ask_again_s; /* absolute: from then on the host asks for a new key at every pass; 0:
                           never */
    double finish_by_s; /* absolute; the job is urgent and admits only now + T <= finish_by_s; 0: it
                           is not */
    double objective_max; /* admits only configurations of at most this objective:
                             policies/README.md */
    /* The job is not urgent, but room is made for it, too, if nothing fits, unless there was none
       for such a job earlier in this pass: let the order be one in which those who follow would
       get no room either. */
    bool may_displace;
    /* Absolute; of an urgent job: the host makes no room for it before. 0: at any time. */
    double room_from_s;
};

/* What the host minimises over the configurations of a job. Members that are 0 say nothing; all are
 * when it asks. */
enum easim_minimise {
    EASIM_MINIMISE_TIME, /* T; a resize must then save more than restart_s */
    EASIM_MINIMISE_EDP,  /* E * T^exponent, as easim_choice_edp has it */
    EASIM_MINIMISE_OWN,  /* what `objective` gives */
};
struct easim_objective {
    size_t struct_size; /* of the host's struct easim_objective */
    uint32_t kind;      /* enum easim_minimise */
    bool marginal;      /* EDP: of the energy, only what exceeds idle_w counts */
    double exponent;    /* EDP: a finite number >= 0 */
    /* OWN: the host asks it of every choice. INFINITY: never this configuration; not NaN. A
       function of parameters, the job's model, remaining work and set-up, the choice, and
       pass->level; a resize that does not pay must not pay with less work left either. */
    double (*objective)(const struct easim_pass *pass, const struct easim_job *job,
                        const struct easim_choice *choice);
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
    void (*key)(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret);
    /* What to minimise. The host asks once for each level, after init: it depends on parameters, on
       what init has put into the state, and on pass->level. NULL: T. */
    void (*minimise)(const struct easim_pass *pass, struct easim_objective *ret);
    /* All below may be NULL. The same for urgent jobs; NULL: as for the others. */
    void (*minimise_urgent)(const struct easim_pass *pass, struct easim_objective *ret);
    /* Multiplies the values of all jobs of a user in this pass; > 0. */
    double (*user_factor)(const struct easim_pass *pass, uint32_t user);
    /* Whether a waiting job may start in config now: only configuration and cluster may matter, for
       one answer holds for all jobs that wait for the same. The power cap needs no test: with
       POWER_CAP, a start or resize over it does not fit. */
    bool (*allow_start)(const struct easim_pass *pass, const struct easim_job *job,
                        uint32_t config);
    /* Whether a running job may be moved to config now. */
    bool (*allow_resize)(const struct easim_pass *pass, const struct easim_job *job,
                         uint32_t config);
    /* Before the first job is visited, even if none waits. May preempt: GPUs that come free at once
       serve this pass. */
    void (*begin)(const struct easim_pass *pass);
    /* For a job that is urgent or may displace and found no admitted configuration: may preempt
       others; true: try the job once more. */
    bool (*make_room)(const struct easim_pass *pass, const struct easim_job *job);
    /* What a resize must save at least, in units of the objective, beside resize_gain; NULL: 0, of
       T restart_s. */
    double (*resize_least)(const struct easim_pass *pass, const struct easim_job *job);
    /* Default of the parameter `round_s`, which list policies without allow_start, allow_resize,
       make_room, displace, levels and POWER_CAP have: decisions every so many seconds, running jobs
       compete anew (semantics 5.5); key is then asked of those too, shown as if they waited with
       what is left of their work and set-up. 0: off. */
    double round_s;
    /* Defaults of the host's parameters of these names; 0: the host's own. */
    bool resize, shrink;
    double resize_gain, resize_interval_s;
    /* What may depend on the queue and the cluster: minimise, objectives and objective_max may
       depend on pass->level, too, which `level` gives, below `levels` (at most EASIM_MOST_LEVELS),
       from the view, before the first visit and after each action. All else in a key may not. Jobs
       that run grow at level 0. A policy with levels has no rounds. 0: it has none. */
    uint32_t levels;
    uint32_t (*level)(const struct easim_pass *pass);
    /* In place of make_room, with PREEMPT: how gladly `other`, which runs, gives way to the job; 0:
       not at all. Of the first GPU type where that helps the host preempts the most willing until a
       configuration that is admitted fits. While their checkpoints are written nobody else is
       displaced. Never asked of jobs that share a GPU, may not be preempted, or got their GPUs at
       this very instant. */
    double (*displace)(const struct easim_pass *pass, const struct easim_job *job,
                       const struct easim_job *other);
    /* A hint, which --check verifies: user_factor depends on weight and usage alone, and no value
       times it falls with more usage. Decisions then cost the same with 10,000 users as with ten.
     */
    bool factor_grows;
    /* With make_room: the most GPUs of a type, those free now included, that the host may ask it
       for now: it asks for no job of which every admitted configuration that is in time needs more.
       NULL: no bound. */
    uint32_t (*room_most)(const struct easim_pass *pass, uint32_t gpu_type);
};
#define EASIM_MOST_LEVELS 16u

#ifdef __cplusplus
}
#endif

#endif

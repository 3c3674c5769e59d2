/* easim/list.h: what a list policy fills in. Its key orders the waiting jobs, and its objective
   chooses the configuration of each job. The host does the rest. */
#ifndef EASIM_LIST_H
#define EASIM_LIST_H

#include <easim/predict.h>

#ifdef __cplusplus
extern "C" {
#endif

struct easim_pass; /* easim/policy.h */

/* The answer of a list policy for one waiting job. The host sets all members to 0 before it asks,
   and a member that stays 0 has no effect. */
struct easim_key {
    size_t struct_size; /* of the host's struct easim_key */
    int32_t tier;       /* jobs of a lower tier go first */
    /* Within a tier the job with the lowest value / (1 + age / ageing_s) * user_factor goes
       first. */
    double value;
    double ageing_s; /* s; > 0: `value` falls with age, and must be >= 0; 0: it does not */
    /* absolute, s: from then on the host asks for a new key at every pass; 0: never */
    double ask_again_s;
    /* Absolute, s. The job is urgent, and only configurations with now + T <= finish_by_s are
       admitted. 0: the job is not urgent. */
    double finish_by_s;
    /* Only configurations with at most this objective are admitted (policies/README.md). 0: all
       are. */
    double objective_max;
    /* If nothing fits, the host makes room for this job, although it is not urgent. It does not if
       such a job found no room earlier in this pass, so order the jobs such that the later ones
       would find none either. */
    bool may_displace;
    /* If the job is urgent: the host makes no room for it before this time (absolute, s). 0: at any
       time. */
    double room_from_s;
};

/* The objective: the host chooses the configuration of a job that minimizes it. The host sets all
   members to 0 before it asks, and a member that stays 0 has no effect. */
enum easim_minimise {
    EASIM_MINIMISE_TIME, /* T; a resize must save more than restart_s */
    EASIM_MINIMISE_EDP,  /* E * T^exponent (easim_choice_edp) */
    EASIM_MINIMISE_OWN,  /* the value of `objective` */
};
struct easim_objective {
    size_t struct_size; /* of the host's struct easim_objective */
    uint32_t kind;      /* enum easim_minimise */
    bool marginal;      /* EDP: only energy above idle_w counts */
    double exponent;    /* EDP: a finite number >= 0 */
    /* OWN: the host calls it for every choice. It returns the objective, INFINITY to exclude the
       configuration, and never NaN. It may depend on parameters, on the job's model, remaining work
       and set-up, on the choice, and on pass->level. If a resize does not pay, it must not pay with
       less work left either. */
    double (*objective)(const struct easim_pass *pass, const struct easim_job *job,
                        const struct easim_choice *choice);
};

/* The host visits waiting jobs by tier, value and submission. For each it chooses, among the
   admitted configurations that fit the free GPUs now, the one with the least objective. Ties go to
   fewer GPUs, then lower k * P, earlier GPU type, smaller batch and higher limit. The host starts
   the job and goes on. It adds parameters of its own to every list policy: see `easim policies
   NAME`. */
struct easim_list {
    size_t struct_size;
    bool strict; /* default of the parameter `strict`: stop at the first job that cannot start */
    /* The host calls it when the job is queued and from ask_again_s on. It may depend on the job,
       the parameters and, through ask_again_s, on the time. `best` is the job's least objective on
       the empty cluster. NULL: jobs go in order of submission. */
    void (*key)(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret);
    /* Sets the objective. The host calls it once for each level, after init, so it may depend only
       on parameters, on what init has put into the state, and on pass->level. NULL: T. */
    void (*minimise)(const struct easim_pass *pass, struct easim_objective *ret);
    /* This and all members below may be NULL. Sets the objective of urgent jobs; NULL: that of the
       others. */
    void (*minimise_urgent)(const struct easim_pass *pass, struct easim_objective *ret);
    /* Multiplies the values of all jobs of a user in this pass; must be > 0. */
    double (*user_factor)(const struct easim_pass *pass, uint32_t user);
    /* Whether a waiting job may start in `config` now. One answer holds for all jobs that wait for
       the same, so it may depend only on the configuration and the cluster. Do not test the power
       cap: with POWER_CAP the host starts or resizes nothing that would exceed it. */
    bool (*allow_start)(const struct easim_pass *pass, const struct easim_job *job,
                        uint32_t config);
    /* Whether a running job may be moved to `config` now. */
    bool (*allow_resize)(const struct easim_pass *pass, const struct easim_job *job,
                         uint32_t config);
    /* The host calls it before the first job is visited, even if none waits. It may preempt jobs,
       and GPUs that come free at once can be used in this pass. */
    void (*begin)(const struct easim_pass *pass);
    /* The host calls it for a job that is urgent or may displace and found no admitted
       configuration. It may preempt other jobs. It returns true if the host should try the job once
       more. */
    bool (*make_room)(const struct easim_pass *pass, const struct easim_job *job);
    /* Least saving of a resize, in units of the objective; resize_gain applies in addition. NULL:
       0, and restart_s if the objective is T. */
    double (*resize_least)(const struct easim_pass *pass, const struct easim_job *job);
    /* Default of the parameter `round_s`, in s: the time between rounds, in which running jobs
       compete again with the waiting ones (semantics 5.5); 0: no rounds. The host also calls `key`
       for running jobs then, and shows them as if they waited with the rest of their work and
       set-up. The parameter exists for list policies without allow_start, allow_resize, make_room,
       displace, levels and POWER_CAP. */
    double round_s;
    /* Defaults of the host's parameters of these names; 0: the default of the host. */
    bool resize, shrink;
    double resize_gain, resize_interval_s;
    /* Number of levels, at most EASIM_MOST_LEVELS. `level` returns the present one, below `levels`,
       from the view. The host calls it before the first visit and after each action. Through
       pass->level, and in no other way, minimise, objectives and objective_max may depend on the
       queue and the cluster; other members of a key may not. Running jobs grow at level 0. A policy
       with levels has no rounds. 0: it has no levels. */
    uint32_t levels;
    uint32_t (*level)(const struct easim_pass *pass);
    /* In place of make_room, with PREEMPT: how willingly `other`, which runs, gives way to the job;
       0: not at all. The host takes the first GPU type on which this helps, and preempts the most
       willing jobs until an admitted configuration fits. It displaces no other jobs while they
       write their checkpoints. It never asks about jobs that share a GPU, may not be preempted, or
       got their GPUs at this instant. */
    double (*displace)(const struct easim_pass *pass, const struct easim_job *job,
                       const struct easim_job *other);
    /* A hint that --check verifies: user_factor depends on weight and usage alone, and value times
       factor never falls if usage grows. Decisions then cost the same with 10,000 users as with
       ten. */
    bool factor_grows;
    /* With make_room: the most GPUs of a type, including those free now, that make_room can
       provide. The host does not call make_room for a job if every admitted configuration that is
       in time needs more. NULL: no bound. */
    uint32_t (*room_most)(const struct easim_pass *pass, uint32_t gpu_type);
    /* The host calls it at the end of a pass, after running jobs have grown: jobs that wait now
       could not start. It may change the power limits of running jobs (plan_resize). */
    void (*end)(const struct easim_pass *pass);
};
#define EASIM_MOST_LEVELS 16u

#ifdef __cplusplus
}
#endif

#endif

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
    int32_t tier; /* lower goes first */
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
    /* Absolute; of an urgent job: no room is made for it before. 0: at any time. */
    double room_from_s;
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
    /* For a job that is urgent or may displace and found no admitted configuration: may preempt
       others; true: try the job once more. */
    bool (*make_room)(const struct easim_pass *pass, const struct easim_job *job);
    /* What a resize must save at least, in units of the objective, beside resize_gain; NULL: 0. */
    double (*resize_least)(const struct easim_pass *pass, const struct easim_job *job);
    /* Default of the parameter `round_s`, which list policies without allow, make_room,
       displace, levels and POWER_CAP have: decisions every so many seconds, running jobs compete
       anew (semantics 5.5); key is then asked of those too, shown as if they waited with what is
       left of their work and set-up. 0: off. */
    double round_s;
    /* Defaults of the host's parameters of these names; 0: the host's own. */
    bool resize, shrink;
    double resize_gain, resize_interval_s;
    /* What may depend on the queue and the cluster: objectives and objective_max may depend on
       pass->level, too, which `level` gives, below `levels` (at most EASIM_MOST_LEVELS), from the
       view, before the first visit and after each action. All else in a key may not. Jobs that run
       grow at level 0. A policy with levels has no rounds. 0: it has none. */
    uint32_t levels;
    uint32_t (*level)(const struct easim_pass *pass);
    /* In place of make_room, with PREEMPT: how gladly `other`, which runs, gives way to the job; 0:
       not at all. Of the first GPU type where that helps the host preempts the most willing until a
       configuration that is admitted fits. While their checkpoints are written nobody else is
       displaced. Never asked of jobs that share a GPU, may not be preempted, or got their GPUs at
       this very instant. */
    double (*displace)(const struct easim_pass *pass, const struct easim_job *job,
                       const struct easim_job *other);
    /* user_factor depends on weight and usage alone, and no value times it falls with more usage.
     */
    bool factor_grows;
    /* `allow` is true of every waiting job: it is asked of those that run only. */
    bool allow_resizes_only;
    /* With POWER_CAP: `allow` is false of every start that the cap forbids. It is then not asked
       for a start of which that is certain. */
    bool allow_keeps_cap;
    /* With make_room: the most GPUs of a type, those free now included, that it could have free for
       any job now. Who waits for more of each type, in time, is not asked for. NULL: no bound. */
    uint32_t (*room_most)(const struct easim_pass *pass, uint32_t gpu_type);
    /* Whether, with the parameters that there are, objective and urgent_objective are as
       energy_j * pow(time_s, n) with n >= 0: of two choices that with more time and more energy has
       more by as large a share, and nothing else of them matters.
       They are then not asked about choices that cannot be the least. NULL: they may not. */
    bool (*objective_rises)(const struct easim_pass *pass);
    /* Objective and urgent objective are below INFINITY for every choice: a key without
       objective_max admits all that end in time. */
    bool objective_is_finite;
    /* The least objective of a waiting job, where the policy has it from the view (time_best_s,
       edp_best_js), bit for bit; NAN: the host asks for all. It counts no power limits, and is not
       called where there may be some. */
    double (*best)(const struct easim_pass *pass, const struct easim_job *job);
    /* Whether the objective of a choice is certainly above `most`, where that is cheaper to say. */
    bool (*exceeds)(const struct easim_pass *pass, const struct easim_job *job,
                    const struct easim_choice *choice, double most);
};
#define EASIM_MOST_LEVELS 16u

#ifdef __cplusplus
}
#endif

#endif

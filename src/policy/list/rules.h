/* The rules of a list policy: its callbacks and the options that go with them, what they say of a
   job and a choice, and the words in which a callback fails. Nothing here changes anything. */
#ifndef EASIM_POLICY_LIST_RULES_H
#define EASIM_POLICY_LIST_RULES_H

#include "easim/policy.h"
#include "easim/power.h"
#include "policy/list/groups.h"
#include "policy/params.h"

/* What a policy minimises at a level. */
struct minimised {
    struct easim_objective ordinary, urgent;
};

struct rules {
    const struct easim_list *ops;
    const struct list_options *options;
    const struct easim_power *cap; /* NULL: none is enforced */
    bool keeps_cap;                /* the policy declares POWER_CAP, or a cap is enforced */
    bool has_limits;               /* some configurations may have a power limit */
    bool plain;                    /* every callback is asked anew, and nothing else is known */
    struct group_sets *sets;       /* NULL: nothing is kept of any */
    struct minimised *minimised;   /* by level, once rules_ask_minimise has asked */
};

/* Asks what the policy minimises at each of its levels, for as many entries of `ret`. Negative
   after host->fail: it gives what is no objective. */
int rules_ask_minimise(const struct easim_list *ops, const struct easim_pass *pass,
                       struct minimised *ret);
static inline const struct easim_objective *
rules_minimised(const struct rules *rules, const struct easim_pass *pass, bool urgent) {
    const struct minimised *at = &rules->minimised[pass->level];
    return urgent ? &at->urgent : &at->ordinary;
}

/* The objective of a choice for a job that is, or is not, urgent; NaN if the callback gives it. */
double rules_objective(const struct rules *rules, const struct easim_pass *pass,
                       const struct easim_job *job, const struct easim_choice *choice, bool urgent);
/* The same, or INFINITY if it is certainly above `most`. */
double rules_objective_up_to(const struct rules *rules, const struct easim_pass *pass,
                             const struct easim_job *job, const struct easim_choice *choice,
                             bool urgent, double most);
/* Whether it is the predicted time of the choice. */
static inline bool rules_objective_is_time(const struct rules *rules, const struct easim_pass *pass,
                                           bool urgent) {
    return rules_minimised(rules, pass, urgent)->kind == EASIM_MINIMISE_TIME;
}
/* The configurations of a job among which that of its least objective is, for any that needs the
   same free GPUs and the same admission. */
struct known_choice rules_front(const struct rules *rules, const struct easim_pass *pass,
                                const struct easim_job *job, bool urgent);
/* Least objective of a job that is not urgent over all its configurations on the empty cluster; NaN
   if one of them is. */
double rules_best_objective(const struct rules *rules, const struct easim_pass *pass,
                            const struct easim_job *job);
/* The key of a job, checked; zero without a callback. best: its least objective, as above. Negative
 * after host->fail. */
int rules_key(const struct rules *rules, const struct easim_pass *pass, const struct easim_job *job,
              double best, struct easim_key *ret_key);
/* Whether a key admits all that ends in time, whatever the objective. */
bool rules_admit_all(const struct rules *rules, const struct easim_pass *pass,
                     const struct easim_key *key);
/* What a resize has to save at least: 0 of an objective without resize_least, restart_s of T. */
double rules_resize_least(const struct rules *rules, const struct easim_pass *pass,
                          const struct easim_job *job);
/* An urgent job has a time to finish by: only configurations that end by then are admitted. */
static inline bool rules_is_urgent(const struct easim_key *key) {
    return key->finish_by_s != 0;
}
/* Whether room may be made for an urgent job yet. */
static inline bool rules_may_ask(const struct easim_pass *pass, const struct easim_key *key) {
    return key->room_from_s == 0 || pass->view->now_s >= key->room_from_s;
}
/* Whether the policy ever makes room for a job that found nothing. */
static inline bool rules_make_room(const struct easim_list *ops) {
    return ops->make_room || ops->displace;
}
/* Whether what a user's jobs are worth never falls while they wait, but for ageing. */
static inline bool rules_factor_grows(const struct rules *rules) {
    return rules->ops->key && rules->ops->user_factor && rules->ops->factor_grows &&
           rules->options->half_life_s == INFINITY;
}
/* The number of levels of the policy, at least 1. */
static inline uint32_t rules_level_count(const struct easim_list *ops) {
    return ops->level && ops->levels > 1 ? ops->levels : 1;
}
/* Negative after host->fail: the factor of a user is not a positive, finite number. */
int rules_check_factor(const struct easim_pass *pass, uint32_t user, double factor);
/* The present level; negative, after host->fail, if the policy gives one that it does not have. */
int rules_level(const struct rules *rules, const struct easim_pass *pass);
/* Whether the key admits a choice of that objective; the first ignores whether it ends in time. */
bool rules_admit_objective(const struct easim_key *key, double objective);
bool rules_admit(const struct easim_pass *pass, const struct easim_key *key,
                 const struct easim_choice *choice, double objective);
/* Whether a waiting job may be refused what its key admits, by the policy or the power cap. */
static inline bool rules_limit_starts(const struct rules *rules) {
    return rules->ops->allow_start || rules->keeps_cap;
}
/* Whether a waiting job may have a configuration that fits now, by the policy and the power cap; or
   a running one, of which try_config has said that it fits the cap. */
bool rules_allow(const struct rules *rules, const struct easim_pass *pass,
                 const struct easim_job *job, uint32_t config);

/* Gives host->reason what the tests of the policy say of a job that waits on after a pass. Key and
   allow_start are asked twice, in a pass in which no action is accepted: nothing changes, and a
   reason of their own counts more. */
void rules_tell(const struct rules *rules, const struct easim_pass *pass,
                const struct easim_job *job);

/* Each ends a callback as failed and returns -1: it says which value of which job is not a number,
 * or what else is wrong with it. */
int rules_fail(const struct easim_pass *pass, const char *what, const struct easim_job *job);
int rules_fail_as(const struct easim_pass *pass, const char *what, const struct easim_job *job,
                  const char *problem);
int rules_fail_objective(const struct rules *rules, const struct easim_pass *pass,
                         const struct easim_job *job, bool urgent);

/* --- displace: room for a job that found nothing, by running jobs that give way (semantics 5.4)
 * --- */

/* One per run; zero-initialise. */
struct displace {
    int64_t quiet_until_ns; /* GPUs of displaced jobs come free then: nobody is displaced before */
};

/* Preempts for a waiting job, whose key is given, as the policy's `displace` says. 1: its GPUs are
   free; 0: not now; negative, after host->fail: a callback gave what is not a number. */
int displace_for(struct displace *displace, const struct rules *rules,
                 const struct easim_pass *pass, const struct easim_job *job,
                 const struct easim_key *key);

#endif

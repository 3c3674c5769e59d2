/* The rules of a list policy: its callbacks and the options that go with them, what they say of a
   job and a choice, and the words in which a callback fails. Nothing here changes anything. */
#ifndef EASIM_POLICY_LIST_RULES_H
#define EASIM_POLICY_LIST_RULES_H

#include "easim/policy.h"
#include "policy/list/groups.h"
#include "policy/params.h"

struct rules {
    const struct easim_list *ops;
    const struct list_options *options;
    bool keeps_cap;          /* the policy declares POWER_CAP */
    struct group_sets *sets; /* NULL: nothing is kept of any */
    bool has_limits;         /* some configurations may have a power limit */
    bool asks_all;           /* what the policy says without its objective is not believed */
};

/* The objective of a choice for a job that is, or is not, urgent; NaN if the callback gives it. */
double rules_objective(const struct rules *rules, const struct easim_pass *pass,
                       const struct easim_job *job, const struct easim_choice *choice, bool urgent);
/* The same, or INFINITY if it is not urgent and certainly above `most`. */
double rules_objective_up_to(const struct rules *rules, const struct easim_pass *pass,
                             const struct easim_job *job, const struct easim_choice *choice,
                             bool urgent, double most);
/* Whether it is the predicted time of the choice. */
static inline bool rules_objective_is_time(const struct rules *rules, bool urgent) {
    return !rules->ops->objective && !(urgent && rules->ops->urgent_objective);
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
static inline bool rules_admit_all(const struct rules *rules, const struct easim_key *key) {
    bool finite = rules->ops->objective_is_finite || rules_objective_is_time(rules, true);
    return finite && key->objective_max == 0 && !rules->asks_all;
}
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
static inline uint32_t rules_level_count(const struct rules *rules) {
    return rules->ops->level && rules->ops->levels > 1 ? rules->ops->levels : 1;
}
/* The present level; negative, after host->fail, if the policy gives one that it does not have. */
int rules_level(const struct rules *rules, const struct easim_pass *pass);
/* Whether the key admits a choice of that objective; the first ignores whether it ends in time. */
bool rules_admit_objective(const struct easim_key *key, double objective);
bool rules_admit(const struct easim_pass *pass, const struct easim_key *key,
                 const struct easim_choice *choice, double objective);
/* Whether `allow` may refuse a waiting job what its key admits. */
static inline bool rules_limit_starts(const struct easim_list *ops) {
    return ops->allow && !ops->allow_resizes_only;
}
/* Whether it refuses every start that the power cap forbids. */
static inline bool rules_starts_keep_cap(const struct rules *rules) {
    return rules->keeps_cap && rules_limit_starts(rules->ops) && rules->ops->allow_keeps_cap;
}
/* Whether the policy's `allow`, if it has one, lets the job have the configuration now. */
static inline bool rules_allow(const struct rules *rules, const struct easim_pass *pass,
                               const struct easim_job *job, uint32_t config) {
    const struct easim_list *ops = rules->ops;
    bool asks = job->state == EASIM_JOB_RUNNING ? ops->allow != NULL : rules_limit_starts(ops);
    return !asks || ops->allow(pass, job, config);
}

/* Gives host->reason what the tests of the policy say of a job that waits on after a pass. Key and
   `allow` are asked twice, in a pass in which no action is accepted: nothing changes, and a reason
   of their own counts more. */
void rules_tell(const struct rules *rules, const struct easim_pass *pass,
                const struct easim_job *job);

/* Each ends a callback as failed and returns -1: it says which value of which job is not a number,
 * or what else is wrong with it. */
int rules_fail(const struct easim_pass *pass, const char *what, const struct easim_job *job);
int rules_fail_as(const struct easim_pass *pass, const char *what, const struct easim_job *job,
                  const char *problem);
int rules_fail_objective(const struct rules *rules, const struct easim_pass *pass,
                         const struct easim_job *job, bool urgent);

#endif

/* The start of one waiting job in its best configuration. */
#ifndef EASIM_POLICY_LIST_START_H
#define EASIM_POLICY_LIST_START_H

#include "easim/policy.h"
#include "policy/list/rules.h"

/* GPUs that a job may have. */
struct start_limit {
    uint32_t gpu_type, k;
};

/* Starts a waiting job in the admitted configuration of least objective that fits the free GPUs
   now, and the limit unless that is NULL. 1: started; 0: nothing that fits is admitted, or the host
   refused; negative, after host->fail: an objective is NaN. */
int start_try(const struct rules *rules, const struct easim_pass *pass, const struct easim_job *job,
              const struct easim_key *key, const struct start_limit *limit);

/* Power that an enforced cap leaves for starts; INT64_MAX: any. */
int64_t start_room_nw(const struct rules *rules);
/* Power below that cap that a job needs in config, which a running one may have already. */
int64_t start_need_nw(const struct rules *rules, const struct easim_pass *pass,
                      const struct easim_job *job, uint32_t config);

/* A possible start: once so many GPUs of a configuration's type are free, after some time, and so
   much power. */
struct start_hope {
    uint32_t config, gpus;
    double wait_s;
    int64_t nw;
};

/* Whether a waiting job could start so, in one node only if that is certain; allow_start is not
   asked. 1: it could, and *ret is what it would get; 0; negative, after host->fail: its objective
   is NaN.
 */
int start_could(const struct rules *rules, const struct easim_pass *pass,
                const struct easim_job *job, const struct easim_key *key,
                const struct start_hope *hope, struct easim_choice *ret);

/* --- choice --- */
/* The best of several choices for one job: the least objective, among equals the first in the order
   of model/config_speeds.h. */

/* The best of the choices seen so far. */
struct choice_best {
    struct easim_choice choice; /* config EASIM_NONE: none yet */
    double objective;
};

#define CHOICE_NONE_YET ((struct choice_best){{.config = EASIM_NONE}, INFINITY})

/* Keeps the choice if it is better. INFINITY never is. The objective is not NaN. */
void choice_keep_better(struct choice_best *best, const struct easim_choice *choice,
                        double objective);

#endif

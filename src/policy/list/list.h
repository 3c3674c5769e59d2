/* The host's half of a list policy (semantics 5.1): visits waiting jobs by key and starts each in
 * its best configuration.
 */
#ifndef EASIM_POLICY_LIST_LIST_H
#define EASIM_POLICY_LIST_LIST_H

#include "policy/list/grow.h"
#include "policy/list/index.h"
#include "policy/params.h"

/* The first job of a queue, which the pass may visit next. */
struct list_head {
    struct index_rank rank;
    uint32_t queue;
};

/* The first job in the order of a pass that the pass has left waiting. */
struct list_left {
    uint32_t job; /* EASIM_NONE: nobody waits */
    struct easim_key key;
};

/* One per run. Zero-initialise by list_init; release with list_finish. */
struct list {
    const struct easim_list *ops;
    const struct list_options *options;
    bool keeps_cap;     /* the policy declares POWER_CAP */
    struct index index; /* of all waiting jobs, unless they are visited in the order of the queue
                           (strict, no key) */
    /* Of a pass. */
    ARRAY_OF(struct list_head) heads; /* heap of the queues that have something to start */
    ARRAY_OF(uint32_t) closed;        /* the other queues */
    ARRAY_OF(struct index_place)
    aside;          /* jobs that were visited or passed over: back into the index at the end */
    uint64_t stamp; /* another one whenever the cluster may have changed */
    struct list_left first_left; /* only with `shrink` */
    struct grow resize;
    bool recheck, recheck_all; /* answers that are kept are asked for again (recheck.h); all of them
                                  in the next pass */
};

void list_init(struct list *list, const struct policy_params *params, uint32_t job_count);
void list_finish(struct list *list); /* accepts a zeroed one */
/* A job has joined the queue, with new remaining work or set-up, or has left it. Nothing happens to
 * a zeroed list.
 */
void list_enter(struct list *list, uint32_t job);
void list_leave(struct list *list, uint32_t job);

/* One pass. Negative, after host->fail, if a callback gave NaN. */
int list_decide(struct list *list, const struct easim_pass *pass);

/* Starts a waiting job in its best configuration. 1: started; 0: nothing that fits is admitted;
 * negative: failed.
 */
int list_try_start(struct list *list, const struct easim_pass *pass, const struct easim_job *job,
                   const struct easim_key *key);
/* Whether a job that is being submitted, which no pass has seen yet, will ever be admitted to a
   configuration on the empty cluster but those that ruled_out (by config of the view) names. In
   doubt, since its key may change or is not a number, yes. */
bool list_may_admit(struct list *list, const struct easim_pass *pass, const struct easim_job *job,
                    const bool *ruled_out);
/* Whether a GPU is free, in whole or in part. */
bool list_has_room(const struct easim_view *view);
/* The best of the choices seen so far. */
struct list_best {
    struct easim_choice choice; /* config EASIM_NONE: none yet */
    double objective;
};

#define LIST_BEST_NONE ((struct list_best){{.config = EASIM_NONE}, INFINITY})

/* Keeps the choice if its objective is lower, or equal and list_choice_before; INFINITY never is
 * kept. */
void list_keep_better(struct list_best *best, const struct easim_choice *choice, double objective);
/* The tie-break (semantics 5.1) between two choices of equal objective: fewer GPUs, lower k * P,
   earlier GPU type, smaller batch, higher limit. True if a goes before b. */
bool list_choice_before(const struct easim_choice *a, const struct easim_choice *b);
/* The objective of a choice for a job that is, or is not, urgent. */
double list_objective(const struct list *list, const struct easim_pass *pass,
                      const struct easim_job *job, const struct easim_choice *choice, bool urgent);
/* An urgent job has a time to finish by, and only where it makes it a configuration is admitted. */
bool list_is_urgent(const struct easim_key *key);
/* Whether the key admits a choice of that objective; the first leaves aside whether it ends in
 * time. */
bool list_admits_objective(const struct easim_key *key, double objective);
bool list_admits(const struct easim_pass *pass, const struct easim_key *key,
                 const struct easim_choice *choice, double objective);
/* Ends a callback as failed: says which value of which job is not a number, or what else is wrong
 * with it. */
int list_fail(const struct easim_pass *pass, const char *what, const struct easim_job *job);
int list_fail_objective(const struct list *list, const struct easim_pass *pass,
                        const struct easim_job *job, bool urgent);
int list_fail_as(const struct easim_pass *pass, const char *what, const struct easim_job *job,
                 const char *problem);

#endif

/* The host's half of a list policy (semantics 5.1): visits waiting jobs by key and starts each
   in its best configuration; then jobs that run may shrink or grow. */
#ifndef EASIM_POLICY_LIST_LIST_H
#define EASIM_POLICY_LIST_LIST_H

#include "policy/interface.h"
#include "policy/list/grow.h"
#include "policy/list/index.h"
#include "policy/list/plain.h"
#include "policy/list/rounds.h"
#include "policy/list/rules.h"
#include "policy/list/shrink.h"

/* The first job of a queue, which the pass may visit next. */
struct list_head {
    struct index_rank rank;
    uint32_t queue;
    bool is_bound; /* the first job is not before that rank; else it has it */
};

/* One per run. Initialise by list_init, or zero for a policy without a list; release with
 * list_finish. It must stay where it is. */
struct list {
    struct rules rules;
    bool has_asked;    /* what the policy minimises */
    bool may_idle;     /* a pass does nothing but visit those who wait */
    bool by_head;      /* and no longer than it starts the first of the queue */
    bool asks_nothing; /* and it calls no function of the policy */
    struct group_sets sets;
    struct index index; /* of all waiting jobs, unless they are visited in the order of the queue,
                           or decisions are plain */
    struct plain plain;
    struct grow grow;
    struct shrink shrink;
    struct displace displace;
    struct rounds rounds; /* in rounds index and grow stay empty */
    bool check;           /* the hint factor_grows is verified */
    bool drew;            /* a callback that is asked about jobs has drawn a random number */
    bool draws;           /* while such callbacks run */
    /* Of a pass. */
    struct easim_pass pass;           /* as callbacks get it: its level follows the cluster */
    bool room_refused;                /* to a job that is not urgent */
    bool knows_level;                 /* what jobs admit at the level of `pass` */
    ARRAY_OF(struct list_head) heads; /* heap of the queues that have something to start */
    ARRAY_OF(uint32_t) closed;        /* the other queues */
    ARRAY_OF(struct index_place)
    aside;          /* jobs that were visited or passed over: back into the index at the end */
    uint64_t stamp; /* number of the state of the cluster: goes up whenever it may have changed */
};

/* plain: every callback is asked anew at each decision, which costs as much as there are jobs. cap:
   NULL: none is enforced. */
void list_init(struct list *list, const struct policy_params *params, uint32_t job_count,
               bool plain, const struct easim_power *cap);
void list_finish(struct list *list); /* accepts a zeroed one */
/* Whether decisions are at the multiples of round_s only; not those of a zeroed list. */
static inline bool list_in_rounds(const struct list *list) {
    return list->rounds.round_ns > 0;
}
/* A job has joined the queue, with new remaining work or set-up; has left it; has got GPUs. Nothing
 * happens to a zeroed list. */
void list_enter(struct list *list, uint32_t job);
void list_leave(struct list *list, uint32_t job);
void list_note_start(struct list *list, uint32_t job);
/* A job runs no more, or has got other GPUs by a resize. */
void list_note_change(struct list *list, uint32_t job);

/* Whether a GPU is free, in whole or in part. */
static inline bool list_has_room(const struct easim_view *view) {
    return view->free_gpus > 0 || view->shared_free_milli > 0;
}
/* Whether the first of the queue fits now, in any configuration. */
static inline bool list_head_fits(const struct easim_view *view) {
    const struct easim_job *job = host_job(view, view->first_waiting);
    uint32_t c = job->first_config, end = c + job->config_count;
    while (c < end && easim_fit(view, easim_view_config(view, c)) < 0)
        c++;
    return c < end;
}
/* Whether a pass now would call nothing of the policy and change nothing: nobody waits or
   no GPU is free for those who do, and nothing else is due in each pass. */
static inline bool list_is_idle(const struct list *list, const struct easim_view *view) {
    bool makes_room = rules_make_room(list->rules.ops);
    return list->may_idle && !list->index.failed &&
           (view->waiting_count == 0 || (!makes_room && !list_has_room(view)) ||
            (list->by_head && !list_head_fits(view)));
}
/* One pass. Negative, after host->fail, if a callback gave what it may not. */
int list_decide(struct list *list, const struct easim_pass *pass);

/* Of a job that is being submitted, which no pass has seen yet: whether its key admits, on the
   empty cluster and with the work and set-up that it has now, a configuration that is not ruled_out
   (by config of the view). Where that is not certain, because the key will be asked for again or a
   callback gives what is not a number: true. */
bool list_may_admit(struct list *list, const struct easim_pass *pass, const struct easim_job *job,
                    const bool *ruled_out);

#endif

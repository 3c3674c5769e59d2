/* The index of a list policy: the waiting jobs in queues by (group, tier, ageing, and user unless
   rules_factor_grows), so that a pass looks at the first job of each queue that has something to
   start, and at no other. Jobs whose order never changes while they wait are all in one line, with
   their queues as kinds (static_order.h). The order is that of the plain pass, bit for bit: tier,
   value, submission. */
#ifndef EASIM_POLICY_LIST_INDEX_H
#define EASIM_POLICY_LIST_INDEX_H

#include "base/timeheap.h"
#include "policy/list/kinetic_queue.h"
#include "policy/list/rules.h"
#include "policy/list/static_order.h"

/* A waiting job. */
struct index_job {
    double best;    /* least objective on the empty cluster, at `level`; NAN: not known yet */
    uint32_t queue; /* EASIM_NONE: in none */
    uint32_t level;
    union {
        struct {
            uint32_t slot, member; /* in its queue, of its queue */
        };
        double value; /* in line */
    };
};

struct index_queue {
    struct user_heap jobs;
    double ageing_s;
    uint32_t group;
    uint32_t user; /* of all its jobs; EASIM_NONE: they are of any */
    int32_t tier;
    bool urgent, may_displace;
    bool asks;      /* urgent, and room may be made for its jobs */
    bool in_line;   /* its jobs are in line, not in `jobs` */
    uint32_t place; /* in `busy` */
    uint32_t alone; /* the member, where all its jobs are of one; EASIM_NONE: not known yet */
    double factor;  /* of its user in this pass */
};

/* Where a job belongs in the index, for one that is taken out of it for a while. */
struct index_place {
    double value; /* of its key */
    uint32_t job, queue;
};

/* Initialise by index_init; release with index_finish. */
struct index {
    const struct rules *rules;
    struct index_job *jobs; /* by job; NULL: there is no index */
    struct groups groups;
    struct intern names; /* what a queue holds -> its number */
    ARRAY_OF(struct index_queue) queues;
    struct intern member_names; /* (queue, user) -> number of a member */
    ARRAY_OF(struct user_queue) members;
    struct order_waits waits;
    struct static_order line; /* a kind is a queue */
    bool has_line;            /* no factor of users, test of starts or cap keeps jobs out of it */
    /* Levels that were seen: of the first known_levels groups tell what is admitted. */
    ARRAY_OF(uint32_t) levels;
    size_t known_levels;
    bool has_compared_levels;
    uint64_t pass;              /* number of the present one */
    bool failed;                /* host->fail has been told why */
    ARRAY_OF(uint32_t) busy;    /* queues that are not empty */
    ARRAY_OF(uint32_t) entered; /* jobs that came since the last pass */
    struct timeheap asks;       /* jobs by when to ask for their keys again */
    ARRAY_OF(uint32_t) due;     /* those of them that are, during index_update */
};

/* There is no index, and jobs stays NULL, where jobs are visited in the order of the queue: strict,
 * without a key. The rules must outlive it. */
void index_init(struct index *index, const struct rules *rules, uint32_t job_count);
void index_finish(struct index *index);
/* A job has joined the queue, with new remaining work or set-up, or has left it. */
void index_enter(struct index *index, uint32_t job);
void index_leave(struct index *index, uint32_t job);

/* At the start of a pass: brings new jobs in and asks for due keys. Negative after host->fail. */
int index_update(struct index *index, const struct easim_pass *pass);
/* The key of a waiting job, checked. Negative after host->fail. */
int index_ask(struct index *index, const struct easim_pass *pass, uint32_t job,
              struct easim_key *ret_key);
/* The same of a job that has not joined the queue yet. */
int index_ask_early(struct index *index, const struct easim_pass *pass, uint32_t job,
                    struct easim_key *ret_key);
/* Takes a job out of its queue for a while, and puts it back. */
struct index_place index_take(struct index *index, uint32_t job);
void index_put(struct index *index, const struct easim_pass *pass, const struct index_place *place);
/* The first job of a queue that is not empty, at the time of the pass and with the factors of users
   in it. Sets `failed` after host->fail: one of them is none. */
struct index_rank index_first(struct index *index, const struct easim_pass *pass, uint32_t queue);
/* The same, or a rank that its first job is not before, for less; *ret_exact tells which. */
struct index_rank index_bound(struct index *index, const struct easim_pass *pass, uint32_t queue,
                              bool *ret_exact);
/* The first job in line behind `after`, or of all if that is NULL, with one of the traits in mask
   (NULL: any); false: there is none. */
bool index_next_in_line(const struct index *index, const struct index_rank *after,
                        const uint64_t *mask, struct index_rank *ret_rank, uint32_t *ret_queue);
/* A visit has found that an urgent job in line cannot start: it stands for no way any more that
   ends too late. Negative after host->fail. */
int index_narrow(struct index *index, const struct easim_pass *pass, uint32_t job);
/* Whether groups tell what jobs admit at the level of the pass; else from the next pass on. */
bool index_knows_level(struct index *index, uint32_t level);
/* Some job of a queue that is not empty. */
uint32_t index_any(const struct index *index, uint32_t queue);
/* Whether the factor of a user is one; if not, after host->fail, `failed` is set. */
bool index_check_factor(struct index *index, const struct easim_pass *pass, uint32_t user,
                        double factor);
/* Whether values of users only grow, where the policy says so; if not, after host->fail, `failed`
   is set. */
bool index_check_grown(struct index *index, const struct easim_pass *pass);
static inline bool index_is_empty(const struct index *index, uint32_t queue) {
    return index->queues.at[queue].jobs.heap.count == 0;
}
#endif

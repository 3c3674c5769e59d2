/* The host's half of a list policy (SPEC 6): visits waiting jobs by key and starts each in its best configuration.
 */
#ifndef EASIM_POLICY_LIST_H
#define EASIM_POLICY_LIST_H

#include "policy/params.h"
#include "policy/resize.h"

struct list_rank {
    struct easim_key key;
    double value; /* key.value, aged, by the user's factor */
    uint32_t job;
};

/* One per run. Zero-initialise by list_init; release with list_finish. */
struct list {
    const struct easim_list *ops;
    const struct list_options *options;
    double *best;            /* by job: least objective on the empty cluster; NAN: not known yet */
    struct list_rank *ranks; /* heap of the waiting jobs of a pass */
    size_t rank_capacity;
    struct list_rank first_left; /* first job of this pass, in key order, that could not start; job EASIM_NONE */
    struct resize resize;
};

void list_init(struct list *list, const struct policy_params *params, uint32_t job_count);
void list_finish(struct list *list);
/* The job's remaining work or set-up has changed: its best objective is no longer known. */
void list_forget(struct list *list, uint32_t job);

/* One pass. Negative, after host->fail, if a key or objective is NaN. */
int list_decide(struct list *list, const struct easim_pass *pass);

/* Starts a waiting job in its best configuration. 1: started; 0: nothing that fits is admitted; negative: failed.
 */
int list_try_start(struct list *list, const struct easim_pass *pass, const struct easim_job *job,
                   const struct easim_key *key);
/* Whether the key admits a choice of that objective. */
bool list_admits(const struct easim_pass *pass, const struct easim_key *key, const struct easim_choice *choice,
                 double objective);
/* Whether a key is that of an urgent job. */
bool list_is_urgent(const struct easim_key *key);
/* The tie-break of SPEC 6 between two choices of equal objective: fewer GPUs, lower k * P, earlier GPU type,
   smaller batch. True if a goes before b. */
bool list_choice_before(const struct easim_choice *a, const struct easim_choice *b);
/* The objective of a choice for a job that is, or is not, urgent. */
double list_objective(const struct list *list, const struct easim_pass *pass, const struct easim_job *job,
                      const struct easim_choice *choice, bool urgent);
/* Ends a callback as failed: says which value of which job is not a number. */
int list_fail(const struct easim_pass *pass, const char *what, const struct easim_job *job);

#endif

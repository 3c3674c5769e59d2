/* Plain decisions: the order of a pass with every callback asked again. Nothing is kept of what a
   policy has answered before, except that the next sort begins with the last order, so decisions
   that differ from those of the index show that a callback looks at what it may not. */
#ifndef EASIM_POLICY_LIST_PLAIN_H
#define EASIM_POLICY_LIST_PLAIN_H

#include "base/array.h"
#include "policy/list/rules.h"
#include "policy/list/static_order.h"

/* The least objective that the host has computed of a job, and of what. It is no answer of the
   policy: an objective of the policy's own is asked again. */
struct plain_job {
    double best, remaining, setup_s, exponent;
    uint32_t kind, first_config;
    bool marginal, is_known, is_listed; /* is_listed: in the order */
};

/* Initialise by plain_init; release with plain_finish. */
struct plain {
    const struct rules *rules;
    struct plain_job *jobs;            /* by job; NULL: decisions are not plain */
    ARRAY_OF(struct index_rank) order; /* waiting jobs in the order of the pass */
};

/* The rules must outlive it. */
void plain_init(struct plain *plain, const struct rules *rules, uint32_t job_count);
void plain_finish(struct plain *plain); /* accepts a zeroed one */

/* The key of a waiting job, checked. Negative after host->fail. */
int plain_ask(struct plain *plain, const struct easim_pass *pass, uint32_t job,
              struct easim_key *ret_key);
/* At the start of a pass: asks for all keys and factors, and sorts. Negative after host->fail. */
int plain_sort(struct plain *plain, const struct easim_pass *pass);
/* The first of them that still waits; else the first in the queue. */
uint32_t plain_first_left(const struct plain *plain, const struct easim_pass *pass);

#endif

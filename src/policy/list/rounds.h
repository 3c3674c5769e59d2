/* Decisions in rounds (semantics 5.5): at the multiples of round_s all jobs, waiting or running,
   compete anew for the GPUs; in between nothing is given to anybody. */
#ifndef EASIM_POLICY_LIST_ROUNDS_H
#define EASIM_POLICY_LIST_ROUNDS_H

#include "base/array.h"
#include "easim/power.h"
#include "policy/list/index.h"
#include "policy/list/start.h"

/* A job that competes. */
struct round_job {
    struct index_rank rank;
    struct easim_key key;
    struct start_limit chosen; /* k = 0: it gets nothing */
    uint32_t config;           /* in that */
    bool runs, keeps;          /* keeps: in its present configuration */
};

/* Initialise by rounds_init; release with rounds_finish. */
struct rounds {
    const struct rules *rules;
    int64_t round_ns;      /* 0: there are no rounds */
    int64_t number, asked; /* of the last round decided, of the last asked for; -1: none */
    /* Who competes, in the order of the visit; after that those who are to start and have not. */
    ARRAY_OF(struct round_job) jobs;
    ARRAY_OF(struct easim_part) parts; /* what they do, as far as it is decided */
};

/* The rules must outlive it. */
void rounds_init(struct rounds *rounds, const struct rules *rules);
void rounds_finish(struct rounds *rounds);

/* One decision. Negative, after host->fail, if a callback gave what is not a number. */
int rounds_decide(struct rounds *rounds, const struct easim_pass *pass);

#endif

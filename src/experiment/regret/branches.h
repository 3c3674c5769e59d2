/* Copies of this process that go on in another way, so many at a time. A fault of the machine in
   one of them, or none to be had, ends this process (machine.h): without it nothing is known. */
#ifndef EASIM_EXPERIMENT_REGRET_BRANCHES_H
#define EASIM_EXPERIMENT_REGRET_BRANCHES_H

#include "study/worker_pool.h"

#include <stdatomic.h>

struct branch {
    struct forked forked;
    size_t number; /* the caller's */
};

/* Fill in the first part and zero the rest; release with branches_finish. */
struct branches {
    unsigned most; /* at a time */
    const atomic_bool *cancel;
    void *context;
    /* One has ended. failure: NULL, or how it ended before it had handed a result in. */
    void (*ended)(void *context, size_t number, struct slice result, const char *failure);

    struct branch *at;
    struct trail *trails;
    unsigned running;
    const struct branch
        *self; /* in a copy: which it is; NULL: this is the process they come from */
};

void branches_init(struct branches *branches);
/* Waits for a place. Returns twice: 1 in the copy, 0 here; here also when all are given up. */
int branches_fork(struct branches *branches, size_t number) MUST_CHECK;
/* Until all have ended. Negative: they are given up, since the command is cancelled. */
int branches_wait(struct branches *branches);
void branches_finish(struct branches *branches);

#endif

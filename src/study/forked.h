/* A copy of this process that hands a result in: a task of a crew (isolate.h), or a simulation that
   goes another way from here on. Whatever happens in it, its parent goes on. */
#ifndef EASIM_STUDY_FORKED_H
#define EASIM_STUDY_FORKED_H

#include "study/trail.h"

struct forked {
    pid_t pid;  /* 0: none */
    int ended;  /* child_watch */
    int result; /* a file in memory */
    double began_s;
    /* The caller's, from mem_shared, and kept when the process is forgotten. conveyor: open, or
     * NULL. */
    struct trail *trail;
    struct conveyor *conveyor;
};

/* By a clock that only goes on. */
double forked_clock_s(void);
/* Returns twice: 1 in the copy, which has no descriptors but those of messages, its result and the
   bell of its conveyor (its standard output is standard error) and ends by forked_hand_in or _exit
   alone; 0 in the caller. Negative: there is none, errno tells why. */
int forked_start(struct forked *forked) MUST_CHECK;
/* In the copy. */
_Noreturn void forked_hand_in(const struct forked *forked, const struct str *result);
/* With what its policy may have started. */
void forked_kill(const struct forked *forked);
/* Waits for its end; the rest of its process group, if there is any, ends too. */
int forked_wait(const struct forked *forked);
/* What it has handed in, unless it was cut or changed since: then it is empty, and why is added.
   Nobody can change what is mapped: release with forked_close_result. */
struct slice forked_open_result(const struct forked *forked, struct str *failure);
void forked_close_result(struct slice result);
/* Closes its descriptors: no process any more. */
void forked_forget(struct forked *forked);

#endif

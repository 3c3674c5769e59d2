/* Work in a forked child with limits: whatever a plug-in does there, the parent goes on. */
#ifndef EASIM_BASE_CHILD_H
#define EASIM_BASE_CHILD_H

#include "base/str.h"

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

enum child_end { CHILD_DONE, CHILD_TIMED_OUT, CHILD_KILLED, CHILD_EXITED, CHILD_NO_MEMORY };

struct child_result {
    enum child_end end;
    int detail; /* CHILD_KILLED: the signal; CHILD_EXITED: the exit status */
};

/* Calls function(context) in a child with limit_s of processor time and four times that of
   wall-clock time. What it wants to hand back it writes into memory from mem_shared. Where no
   process can be started the command ends, as it does without memory. */
struct child_result child_run(void (*function)(void *context), void *context, double limit_s);
/* "was ended by signal 9, Killed" and the like: how a child that was not done ended. */
void child_explain(const struct child_result *result, double limit_s, struct str *out);

/* fork, tried again a few times where there is no process or no memory for one. */
pid_t child_fork(void);
#define CHILD_ATTEMPTS 4 /* after the first */
/* Sleeps before attempt number 0, 1, ...: 20 ms, and four times as long each time. */
void child_wait_before(unsigned attempt);

/* In a child just forked, before code of a plug-in runs: it ends with its parent, heads a process
   group of its own, to be killed with all that it starts, and leaves no core file. */
void child_begin(pid_t parent);

/* For child_poll, readable once the child has ended: a descriptor to close, or ~pid if the system
   gives none (Linux before 5.3, a filter of system calls, valgrind). */
int child_watch(pid_t pid);
/* poll, also of children without a descriptor. */
int child_poll(struct pollfd *events, nfds_t count, int timeout_ms);

/* A page that a process and all that it forks have each for itself: 1 in this process from now on,
   0 in copies that are forked later, by whatever call. NULL where the system has no such pages. */
const volatile bool *child_original(void);

/* --- signals --- */
/* Signals by which somebody ends a command, held back while a file is put in place. */

/* Holds SIGINT, SIGTERM and SIGHUP back in this thread. */
void signals_hold(sigset_t *ret_before);
/* What came meanwhile comes now. */
void signals_release(const sigset_t *before);
/* Lets them through, held or not: where a command may have to wait. */
void signals_let_through(void);

#endif

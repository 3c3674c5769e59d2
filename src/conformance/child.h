/* Work in a forked child with limits: whatever a plug-in does there, the parent goes on. */
#ifndef EASIM_CONFORMANCE_CHILD_H
#define EASIM_CONFORMANCE_CHILD_H

enum child_end { CHILD_DONE, CHILD_TIMED_OUT, CHILD_KILLED, CHILD_EXITED, CHILD_NOT_STARTED };

struct child_result {
    enum child_end end;
    int detail; /* CHILD_KILLED: the signal; CHILD_EXITED: the exit status */
};

/* Calls function(context) in a child with limit_s of processor time and four times that of wall-clock time. What it
   wants to hand back it writes into memory from mem_shared. */
struct child_result child_run(void (*function)(void *context), void *context, double limit_s);

#endif

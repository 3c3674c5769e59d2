/* The compact form of the exec protocol, for programs that learn: one action at a time, answered by
   numbers of a fixed size (docs/reference/program-policy.md, "Step by step"). */
#ifndef EASIM_EXEC_STEPS_H
#define EASIM_EXEC_STEPS_H

#include "menu.h"
#include "message.h"
#include "process.h"

#include <cjson/cJSON.h>
#include <easim/policy.h>

/* Zero-initialise; release with steps_finish. On while frame is not NULL. */
struct steps {
    uint32_t jobs, configs; /* room: of the queue, and of each of its jobs */
    double wake_s;          /* a wait lasts at most so long; 0: until something happens */
    double *frame;          /* what is sent: doubles, then a byte for each configuration */
    size_t bytes;
    double decisions;    /* so far */
    bool adds_wakes;     /* protocol 2: what a wait has asked for stays when it ends earlier */
    struct menu menu;    /* instead of the queue and its configurations, if asked for */
    const char *problem; /* why the last function has failed */
};

/* Reads {"jobs": N, "configs": M, "wake_s": S} and makes room. Negative on failure. */
int steps_begin(struct steps *steps, const cJSON *asked, const struct easim_pass *pass);
/* One decision: frames and actions in turn, until the program waits. Negative: process->problem or
   steps->problem says why. */
int steps_decide(struct steps *steps, const struct easim_pass *pass, struct process *process,
                 double timeout_s);
/* The last frame, of the end of the run. */
void steps_end(struct steps *steps, const struct easim_pass *pass);
void steps_finish(struct steps *steps);

#endif

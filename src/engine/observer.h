/* Who watches a run: callbacks in the order of simulated time. Observers read the simulation and change nothing. */
#ifndef EASIM_ENGINE_OBSERVER_H
#define EASIM_ENGINE_OBSERVER_H

#include <stdint.h>

struct sim;

enum job_change {
    JOB_SUBMITTED,
    JOB_REJECTED,
    JOB_STARTED,
    JOB_STOPPED, /* preempted: its GPUs are taken, or it begins its checkpoint */
    JOB_FINISHED,
};

/* Every callback may be NULL. */
struct observer {
    void *context;
    /* State was constant from from_ns to to_ns > from_ns; the meter already includes that time. */
    void (*advance)(void *context, const struct sim *sim, int64_t from_ns, int64_t to_ns);
    /* All events and decisions of an instant are done. */
    void (*instant)(void *context, const struct sim *sim);
    void (*job)(void *context, const struct sim *sim, uint32_t job, enum job_change change);
    /* The end of the warm-up: measuring begins. */
    void (*measure)(void *context, const struct sim *sim);
};

#endif

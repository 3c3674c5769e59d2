/* Points of a sweep, each with all its replications in one process. */
#ifndef EASIM_EXPERIMENT_SWEEP_RUN_H
#define EASIM_EXPERIMENT_SWEEP_RUN_H

#include "experiment/sweep/sweep.h"
#include "study/replicate.h"

/* Where results go. */
struct sweep_sink {
    void *context;
    /* In any order: a finished point, or one that failed (study and result NULL). A negative value
       ends the sweep. */
    int (*emit)(void *context, size_t point, const struct study *study,
                const struct replicate_result *result, const char *failure, struct error *reterr);
    /* The two halves of emit: as bytes in the process of the point, whose folder, umask and limits
       its policy may have changed, and into place in this one. */
    void (*render)(void *context, size_t point, const struct study *study,
                   const struct replicate_result *result, const char *failure, struct str *out);
    int (*keep)(void *context, size_t point, struct slice rendered, struct error *reterr);
};

struct sweep_run {
    const struct sweep *sweep;
    const size_t *points; /* to be run */
    size_t count;
    const struct trace_reader *const *readers;
    struct replicate_options how; /* processes: points at a time; limit_s: of one. done: points */
    struct sweep_sink sink;
    /* In this process, of a point for which there was no memory, tried twice: it stays missing. */
    void (*lost)(void *context, size_t point, const char *failure);
};

/* Whether a point has a policy that its trust does not open, which is a problem then. In a process
   that may be lost. */
bool sweep_is_foreign(const struct sweep *sweep, struct problems *problems);
/* Loads the scenario of a point, which the caller finishes in any case. Negative if problems were
   added; ERROR_MACHINE: it is not the point, but a file that has changed or cannot be read. */
int sweep_study(const struct sweep *sweep, size_t point, const struct trace_reader *const *readers,
                struct study *study, struct problems *problems) MUST_CHECK;
/* A point that fails or crashes is told to the sink and does not stop the others. Negative:
   interrupted, or results cannot be written. */
int sweep_run(const struct sweep_run *run, struct error *reterr) MUST_CHECK;

#endif

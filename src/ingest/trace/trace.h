/* PyTorch-profiler traces of one job beyond `easim profile kineto`: its bound, where time goes, and
   gains of changes. docs/reference/traces.md defines each figure. */
#ifndef EASIM_INGEST_TRACE_TRACE_H
#define EASIM_INGEST_TRACE_TRACE_H

#include "ingest/profile.h"

/* Texts are borrowed; NULL: not given. */
struct trace_request {
    struct profile_options reading; /* steps, iteration, communication, strict, peaks */
    const char *loading_pattern;    /* of ranges that load data */
    const char *what_if;            /* "communication=2x,input=0" */
    const char *telemetry;          /* file with the SM clocks of the GPUs */
    char *const *before;            /* other traces to compare kernels with */
    size_t before_count;
};

/* Zero-initialise all but notes.dashes; release with trace_report_finish. */
struct trace_report {
    struct arena arena;
    struct figure *figures;  /* trace.json */
    struct str screen;       /* one screen for people */
    struct profile *profile; /* gets rows; NULL: none are wanted */
    struct problems notes;
    bool damaged; /* some input ended early or had unreadable stretches: the rest counts */
};

/* Reads the ranks of one job, one file each. 0, or negative with every problem listed. */
int trace_analyze(char *const *paths, size_t count, const struct trace_request *options,
                  struct trace_report *report, struct problems *problems) MUST_CHECK;
void trace_report_finish(struct trace_report *report);

#endif

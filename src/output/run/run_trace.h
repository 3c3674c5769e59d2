/* The trace of a replication: every event and decision as a line of JSON (docs/trace.md). */
#ifndef EASIM_OUTPUT_RUN_RUN_TRACE_H
#define EASIM_OUTPUT_RUN_RUN_TRACE_H

#include "study/replicate.h"

struct run_trace; /* opaque */

/* Of replication `number`, from 1; the file appears at path with run_trace_close. One that cannot
 * be written is told there: a run goes on without it. */
struct run_trace *run_trace_open(const char *path, const struct study *study, uint32_t number);
/* The one who writes the lines. */
const struct observer *run_trace_observer(const struct run_trace *trace);
/* The last line; the file is complete. Frees the trace in any case. */
int run_trace_close(struct run_trace *trace, const struct sim *sim,
                    struct error *reterr) MUST_CHECK;
void run_trace_abort(struct run_trace *trace); /* leaves no file; accepts NULL */

#endif

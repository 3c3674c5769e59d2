/* The trace of a replication: every event and decision as a line of JSON
   (docs/reference/trace.md). */
#ifndef EASIM_OUTPUT_RUN_RUN_TRACE_H
#define EASIM_OUTPUT_RUN_RUN_TRACE_H

#include "base/arena.h"
#include "base/error.h"
#include "study/replicate.h"

struct run_trace; /* opaque */

/* For replication `number`, from 1. The file appears at path with run_trace_close, which also
   reports a file that cannot be written: a run goes on without it. */
struct run_trace *run_trace_open(const char *path, const struct study *study, uint32_t number);
/* The one who writes the lines. */
const struct observer *run_trace_observer(const struct run_trace *trace);
/* The last line; the file is complete. Frees the trace in any case. */
int run_trace_close(struct run_trace *trace, const struct sim *sim,
                    struct error *reterr) MUST_CHECK;
void run_trace_abort(struct run_trace *trace); /* leaves no file; accepts NULL */

/* --- trace_files: the traces of a run, one file a replication, with its other results --- */

struct trace_files; /* opaque */

/* folder: of the results, which exists. Traces are made in a folder of their own in it, so that
 * those of replications that are given up are found again. */
int trace_files_open(const char *folder, const char *name, uint32_t replications,
                     struct trace_files **ret_files, struct error *reterr) MUST_CHECK;
/* Where the trace of a replication is made; in the memory of files. */
const char *trace_files_path(struct trace_files *files, uint32_t number);
/* The trace of a replication is complete and wanted. */
void trace_files_keep(struct trace_files *files, uint32_t number);
/* Puts those that are wanted in place, under the name itself if there is one replication, else with
   -NUMBER in front of the last suffix. Files of an earlier run with one of these names are removed.
   Frees files in any case. *ret_names: of those in place, in the arena; ends with NULL. */
int trace_files_commit(struct trace_files *files, struct arena *arena, const char ***ret_names,
                       struct error *reterr) MUST_CHECK;
/* Leaves no trace; accepts NULL. */
void trace_files_abort(struct trace_files *files);

#endif

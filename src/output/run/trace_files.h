/* The traces of a run, one file a replication, beside its other results. */
#ifndef EASIM_OUTPUT_RUN_TRACE_FILES_H
#define EASIM_OUTPUT_RUN_TRACE_FILES_H

#include "base/arena.h"
#include "base/error.h"

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
   -NUMBER in front of the last suffix. What an earlier run has left there under one of these names
   is removed. Frees files in any case. *ret_names: of those in place, in the arena; ends with NULL.
 */
int trace_files_commit(struct trace_files *files, struct arena *arena, const char ***ret_names,
                       struct error *reterr) MUST_CHECK;
/* Leaves no trace; accepts NULL. */
void trace_files_abort(struct trace_files *files);

#endif

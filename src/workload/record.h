/* A workload as a recorded log: what `easim gen` writes, and how to run it again. */
#ifndef EASIM_WORKLOAD_RECORD_H
#define EASIM_WORKLOAD_RECORD_H

#include "workload/source.h"

/* Why the jobs of the source cannot stand in one log (streams with different limits); NULL if they
 * can. */
const char *record_obstacle(const struct workload_source *source);
/* Appends the jobs to an empty trace; text stays that of the workload. */
void record_jobs(const struct workload_source *source, const struct workload *workload,
                 struct trace *trace);
/* The workload section that runs the log `file` as the source would, as one line of YAML. */
void record_section(const struct workload_source *source, const char *file, struct str *out);

#endif

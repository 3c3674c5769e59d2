/* A workload as a recorded log: what `easim gen` writes, and how to run it again. */
#ifndef EASIM_WORKLOAD_RECORD_H
#define EASIM_WORKLOAD_RECORD_H

#include "io/yaml_doc.h"
#include "workload/source.h"
#include "workload/stream.h"

/* Why one log cannot hold the source's jobs (streams with different limits); NULL if it can. */
const char *record_obstacle(const struct workload_source *source);
/* Appends the jobs to an empty trace; text stays that of the workload. */
void record_jobs(const struct workload_source *source, const struct workload *workload,
                 struct trace *trace);
/* The workload section that runs the log `file` as the source would, as one line of YAML. */
void record_section(const struct workload_source *source, const char *file, struct str *out);

/* --- trace_assign --- */
/* Models, batches, users and deadlines that a recorded log lacks, drawn once from a seed and
   written with it: the draws of a scenario's first replication with this seed and keys. */

/* Zero-initialise; release with trace_assignment_finish. */
struct trace_assignment {
    struct yaml_doc doc;
    struct stream stream; /* users, deadlines and assign alone are set */
};

/* A YAML file with the keys users, deadlines and assign of a trace stream. Negative after adding
 * problems. */
int trace_assignment_load(struct trace_assignment *assignment, const char *path,
                          struct problems *problems) MUST_CHECK;
void trace_assignment_finish(struct trace_assignment *assignment);

/* Deadlines are submit + U(slack) x duration_s; rows without duration_s get none. */
void trace_assign(struct trace *trace, const struct trace_assignment *assignment, uint64_t seed);

#endif

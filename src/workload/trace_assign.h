/* Models, batches, users and deadlines that a recorded log lacks, drawn once from a seed and
   written with it. The draws are those of a scenario's first replication with the same seed and the
   same keys. */
#ifndef EASIM_WORKLOAD_TRACE_ASSIGN_H
#define EASIM_WORKLOAD_TRACE_ASSIGN_H

#include "io/yaml_doc.h"
#include "workload/stream.h"

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

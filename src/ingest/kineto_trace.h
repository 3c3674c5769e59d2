/* What easim keeps of one Kineto trace: GPU work, steps, and what the file says of itself. */
#ifndef EASIM_INGEST_KINETO_TRACE_H
#define EASIM_INGEST_KINETO_TRACE_H

#include "base/array.h"
#include "base/error.h"
#include "base/intern.h"

#include <regex.h>

enum kineto_class { KINETO_COMPUTE = 1, KINETO_COMMUNICATION = 2, KINETO_MEMORY = 4 }; /* bits, for sets of them */

#define KINETO_NO_STEP UINT32_MAX

/* GPU work. 24 bytes, and its launch 8: that is all that grows with the trace. */
struct kineto_event {
    int64_t start_ns, end_ns; /* as in the file, microseconds times 1000 */
    uint32_t correlation;     /* 0: none; once steps are assigned, the index of the step or KINETO_NO_STEP */
    uint32_t kind;            /* index into kinds */
};

/* What events have in common. Only communication has more than class, device and stream. */
struct kineto_kind {
    enum kineto_class class;
    int64_t device, stream; /* -1: not given */
    const char *name;       /* of the kernel, up to its arguments */
    const char *collective; /* "allreduce"; NULL: the trace does not say */
    const char *group;      /* process group and its ranks; " ": not given */
    int64_t group_size;     /* 0: not given */
    double bytes;           /* of the larger of message in and message out; NAN: not given */
};

struct kineto_step {
    int64_t number; /* of ProfilerStep#, or counted from 0 */
    int64_t start_ns, end_ns;
    uint32_t order; /* in the file */
};

struct kineto_launch {
    uint32_t correlation;
    int32_t at_us; /* since the trace's origin */
};

struct kineto_copy { /* of one name, as "Memcpy HtoD" */
    double bytes;
    uint64_t count;
};

/* How a trace is to be read. */
struct kineto_patterns {
    regex_t communication;
    regex_t iteration;
    bool has_iteration; /* else: steps are ProfilerStep#N */
    bool strict;
};

/* Zero-initialise; release with kineto_trace_finish. */
struct kineto_trace {
    const char *path; /* borrowed */
    struct arena arena;
    int64_t rank, world_size;  /* -1: not given */
    const char *backend, *gpu; /* NULL: not given */
    double gpu_memory_bytes;
    int64_t base_ns; /* baseTimeNanoseconds; to be added to times for the wall clock */
    bool has_base;
    uint64_t bytes; /* decoded */
    uint64_t records, no_duration, negative, unreadable, repairs;
    const char *truncation; /* "truncated at byte N", or NULL */

    ARRAY_OF(struct kineto_event) events; /* once prepared by start */
    ARRAY_OF(struct kineto_kind) kinds;
    struct intern kind_keys, groups;
    ARRAY_OF(struct kineto_step) steps; /* once prepared by number, none twice */
    ARRAY_OF(struct kineto_launch) launches;
    ARRAY_OF(struct kineto_copy) copies;
    struct intern copy_names;
    int64_t origin_ns;                                /* the first launch */
    double peak_allocated_bytes, peak_reserved_bytes; /* of GPU memory; 0: not recorded */
};

/* Reads the file; trace is filled as far as it got. Negative: unreadable, no trace, or damaged under strict. */
int kineto_trace_read(const char *path, const struct kineto_patterns *patterns, struct kineto_trace *trace,
                      struct error *reterr) MUST_CHECK;
void kineto_trace_finish(struct kineto_trace *trace);

#endif

/* easim's part of one Kineto trace: GPU work, steps, and the description in the file. */
#ifndef EASIM_INGEST_KINETO_KINETO_TRACE_H
#define EASIM_INGEST_KINETO_KINETO_TRACE_H

#include "base/error.h"
#include "ingest/foreign.h"
#include "ingest/kineto/kineto_kinds.h"
#include "io/json_stream.h"
#include "io/json_text.h"

#define KINETO_NO_STEP    UINT32_MAX
#define KINETO_MOST_STEPS 262144

/* Names of NCCL of all versions, RCCL and HCCL. */
#define KINETO_COMMUNICATION_PATTERN "^nccl|ncclKernel|ncclDevKernel|^rccl|^hccl"

/* How events begin that merging adds (trace_merge): the first of a rank, then a member of its file
   each. */
#define KINETO_MERGED  "{\"ph\":\"M\",\"name\":\"easim_"
#define KINETO_SECTION KINETO_MERGED "rank\""
#define KINETO_MEMBER  KINETO_MERGED "member\""

/* GPU work. 24 bytes, and its launch 8: that is all that grows with the trace. */
struct kineto_event {
    int64_t start_ns, end_ns; /* as in the file, microseconds times 1000 */
    uint32_t
        correlation; /* 0: none; once steps are assigned, the index of the step or KINETO_NO_STEP */
    uint32_t kind;   /* number in the table of kinds */
};

struct kineto_step {
    int64_t number; /* of ProfilerStep#, or counted from 0 */
    int64_t start_ns, end_ns;
    uint32_t order; /* in the file */
};

struct kineto_launch {
    uint32_t correlation;
    int32_t at; /* since the trace's origin, in units of 2^launch_shift ns */
};

struct kineto_copy { /* of one name, as "Memcpy HtoD" */
    double bytes;
    uint64_t count;
};

enum kineto_category {
    KINETO_OTHER,
    KINETO_KERNEL,
    KINETO_COPY,
    KINETO_CALL, /* of the CUDA or HIP runtime or driver */
    KINETO_OPERATOR,
    KINETO_ANNOTATION,
    KINETO_FRAME,   /* of Python */
    KINETO_INSTANT, /* of memory */
    KINETO_SIMULATED
};

/* An event as the file has it; texts are valid until the next one. */
struct kineto_span {
    enum kineto_category category;
    enum kineto_class class; /* of GPU work, as is kind */
    struct slice name, process, thread, arguments;
    struct slice grid; /* of a kernel */
    double bytes;      /* of a copy; NAN: not given */
    int64_t start_ns, end_ns;
    uint32_t kind, correlation; /* 0: not given */
};

/* It sees all events, not only GPU work. watcher: that of the trace. */
struct kineto_watch {
    void (*span)(void *watcher, const struct kineto_span *span);
    /* A member of the object around the events. */
    void (*member)(void *watcher, struct slice key, struct slice text);
};

/* Options for reading traces. */
struct kineto_reading {
    const struct name_pattern *communication;
    const struct name_pattern *iteration; /* NULL: steps are ProfilerStep#N */
    bool strict;
    bool has_steps;
    int64_t first_step, last_step; /* both included */
    /* kernel_wait: shorter gaps after a kernel whose successor was launched */
    int64_t kernel_delay_ns;
    uint32_t section;                 /* of a merged trace: which rank, from 0 on */
    struct kineto_kinds *kinds;       /* common to all traces */
    const struct kineto_watch *watch; /* NULL: GPU work and steps alone are looked at */
};

/* Zero-initialise; release with kineto_trace_finish. */
struct kineto_trace {
    const char *path; /* borrowed */
    void *watcher;    /* borrowed: context of the watch */
    uint64_t spans;   /* that it was shown */
    struct arena arena;
    int64_t rank, world_size;  /* -1: not given */
    const char *backend, *gpu; /* NULL: not given */
    double gpu_memory_bytes;
    int64_t base_ns; /* baseTimeNanoseconds; to be added to times for the wall clock */
    bool has_base;
    uint32_t sections; /* ranks of a merged trace; else 0 */
    uint64_t bytes;    /* decoded */
    uint64_t records, no_duration, negative, unreadable;
    struct json_losses losses;
    uint64_t unjudged; /* names that a pattern has too many ways to match: taken for no match */
    uint64_t crowded;  /* GPU events not told apart: too many kinds or streams */
    uint64_t more_steps,
        unlaunched;         /* steps and launches left out: too many, or launches hours away */
    const char *truncation; /* "truncated at byte N", or NULL */

    ARRAY_OF(struct kineto_event) events; /* once prepared by start */
    const struct kineto_kinds *kinds;     /* borrowed */
    ARRAY_OF(struct kineto_step) steps;   /* once prepared by number, none twice */
    ARRAY_OF(struct kineto_launch) launches;
    ARRAY_OF(struct kineto_copy) copies;
    struct intern copy_names;
    int64_t origin_ns; /* the first launch */
    unsigned launch_shift;
    struct kineto_gpus gpus;                          /* of a timeline of easim, else none */
    double peak_allocated_bytes, peak_reserved_bytes; /* of GPU memory; 0: not recorded */
};

/* Fills trace as far as it reads. Negative: unreadable, no trace, or damaged under strict. */
int kineto_trace_read(const char *path, const struct kineto_reading *reading,
                      struct kineto_trace *trace, struct error *reterr) MUST_CHECK;
/* Drops all events except communication. */
void kineto_trace_keep_communication(struct kineto_trace *trace);
/* Events and stretches of the file that cannot be read. */
uint64_t kineto_trace_damages(const struct kineto_trace *trace);
void kineto_trace_finish(struct kineto_trace *trace);

/* --- kineto_events: what an event is --- */

/* Members of an event as written, texts without quotes except of id, process and thread. */
struct kineto_fields {
    enum kineto_category category; /* other until it is known */
    struct slice phase, category_text, name, start, duration, process, thread, id, arguments;
};

enum kineto_category kineto_category_of(struct slice text);
/* Takes over one more member. */
static inline void kineto_take_field(struct kineto_fields *fields, struct slice key,
                                     struct slice value) {
    if (slice_is(key, "ph"))
        fields->phase = json_string(value);
    else if (slice_is(key, "cat"))
        fields->category = kineto_category_of(fields->category_text = json_string(value));
    else if (slice_is(key, "name"))
        fields->name = json_string(value);
    else if (slice_is(key, "ts"))
        fields->start = value;
    else if (slice_is(key, "dur"))
        fields->duration = value;
    else if (slice_is(key, "tid"))
        fields->thread = value;
    else if (slice_is(key, "pid"))
        fields->process = value;
    else if (slice_is(key, "id"))
        fields->id = value;
    else if (slice_is(key, "args"))
        fields->arguments = value;
}
/* Whether a step may be marked by events of the category. */
bool kineto_may_be_step(enum kineto_category category);
/* Whether a runtime call of that name launches GPU work. */
bool kineto_is_launch(struct slice name);
/* Of ProfilerStep#N. */
bool kineto_step_number(struct slice name, int64_t *number);
extern const char *const kineto_event_keys[]; /* for json_stream_open */

#endif

/* Declarations that the files of src/ingest/trace share; for this folder alone. Times are
   nanoseconds of the file unless said otherwise. */
#ifndef EASIM_INGEST_TRACE_INTERNAL_H
#define EASIM_INGEST_TRACE_INTERNAL_H

#include "base/array.h"
#include "base/intern.h"
#include "ingest/figures.h"
#include "ingest/kineto/kineto_job.h"

#define TRACE_NONE        UINT32_MAX
#define TRACE_MOST_NAMES  262144
#define TRACE_MOST_EXTENT 16383
#define TRACE_SHAPE_END   '\x1f' /* after sizes and types in the text of a shape: in no JSON */

/* --- events: all that is kept of one rank --- */

/* GPU work, by start. 32 bytes. */
struct trace_gpu {
    int64_t start_ns, end_ns;
    uint32_t name : 18;   /* TRACE_MOST_NAMES of them */
    uint32_t extent : 14; /* kernels: blocks, or that many and more; copies: 1 + number of its size;
                             0: not given */
    uint32_t kind;
    uint32_t call; /* its launch, or TRACE_NONE; while the file is read, its correlation */
    uint32_t op;   /* around the launch, or TRACE_NONE */
};

enum trace_call_type {
    CALL_OTHER,
    CALL_LAUNCH,
    CALL_COPY,     /* it waits if its own copy ends inside of it */
    CALL_BLOCKING, /* a copy that always waits */
    CALL_ALLOCATE, /* cudaMalloc */
    CALL_FREE,     /* cudaFree, which waits */
    CALL_SYNC,
    CALL_WAIT_EVENT
};

/* A call of the runtime or driver, by start. 24 bytes. */
struct trace_call {
    int64_t start_ns, end_ns;
    uint32_t correlation; /* 0: launches nothing */
    uint16_t thread;
    uint8_t type;
    bool nested; /* inside another call of its thread */
};

/* An operator, annotation or Python frame, by thread and start. 32 bytes. */
struct trace_op {
    int64_t start_ns, end_ns;
    uint32_t name, shape; /* number in the table of shapes, or TRACE_NONE */
    uint32_t parent;      /* the one around it, or TRACE_NONE */
    uint16_t thread;
    uint8_t category; /* enum kineto_category */
    bool is_loading;  /* data */
};

/* Memory of a GPU that was allocated (bytes > 0) or freed, by time. */
struct trace_memory {
    int64_t time_ns, bytes;
    int64_t allocated, reserved; /* after it; -1: not given */
    uint64_t address;            /* 0: not given */
    uint32_t order;              /* in the file */
    uint16_t thread, device;
};

struct trace_span {
    int64_t start_ns, end_ns;
};

/* The part of a span that those before it, which begin no later, have not covered; *until: their
   end. */
static inline int64_t trace_cover(int64_t *until, int64_t start_ns, int64_t end_ns) {
    int64_t from = start_ns > *until ? start_ns : *until;
    *until = end_ns > *until ? end_ns : *until;
    return end_ns > from ? end_ns - from : 0;
}

struct trace_group {
    char *name, *description, *ranks; /* NULL: not given */
};

struct trace_tally {
    uint64_t window, file; /* in the window; in the whole file */
};

/* Zero-initialise; release with trace_rank_finish. */
struct trace_rank {
    const struct kineto_kinds *kinds;
    const struct name_pattern *loading;
    ARRAY_OF(struct trace_gpu) gpu;
    ARRAY_OF(struct trace_call) calls;
    ARRAY_OF(struct trace_op) ops;
    ARRAY_OF(struct trace_memory) memory;
    ARRAY_OF(struct trace_group) groups, configured; /* of kernels; of pg_config */
    ARRAY_OF(uint32_t) group_of_kind;                /* 1 + its number; 0: none */
    ARRAY_OF(uint8_t)
    loads; /* by name: 1, whether it matches the pattern of data loading; 2: not */
    struct intern names, shapes, threads;
    struct intern copy_sizes; /* int64_t, in bytes */
    size_t name_bytes, shape_bytes;
    char *device_name;
    int64_t multiprocessors; /* 0: not given */
    int64_t device;          /* number of its GPU; -1: not given */
    bool many_devices;       /* and events of other ones */
    bool is_chakra;
    uint64_t crowded;     /* names, shapes or threads not told apart */
    uint64_t doubled;     /* correlation ids of two launches */
    uint64_t overlapping; /* GPU events that begin before the event before them has ended */
    struct trace_tally early, unlaunched; /* GPU events before their launch; without one */
    struct trace_span window;             /* to the end of the GPU work that its steps launched */
    int64_t steps_end_ns;
    const struct kineto_trace *trace; /* once read */

    /* predecessors, by trace_links_init */
    uint32_t *gpu_before, *gpu_other;    /* of its stream; of another one, by StreamWaitEvent */
    uint32_t *call_before, *call_wait;   /* the call; the GPU event that it waits for */
    uint32_t *gpu_by_end, *calls_by_end; /* indices */
    size_t outer_calls;                  /* those of calls_by_end */
};

extern const struct kineto_watch trace_watch; /* its watcher is a struct trace_rank */
/* Orders all events and finds the launch and the operator of GPU work. */
void trace_rank_join(struct trace_rank *rank, const struct kineto_trace *trace);
/* The innermost event of that thread that lasts at that instant, or TRACE_NONE. */
uint32_t trace_op_at(const struct trace_rank *rank, uint16_t thread, int64_t time_ns);
/* Part of the span that the thread loads data. */
int64_t trace_loading_ns(const struct trace_rank *rank, uint16_t thread, struct trace_span span);
enum kineto_class trace_class(const struct trace_rank *rank, const struct trace_gpu *gpu);
uint32_t trace_track(const struct trace_rank *rank, const struct trace_gpu *gpu);
/* Whether the steps of the window, or earlier ones, launched it before the window ended. */
bool trace_in_window(const struct trace_rank *rank, const struct trace_gpu *gpu);
/* Whether the steps of the window launched it. */
bool trace_of_steps(const struct trace_rank *rank, const struct trace_gpu *gpu);
void trace_rank_finish(struct trace_rank *rank);

/* --- states: time by state of the GPU --- */

#define TRACE_STATES(X) \
    X(STATE_COMPUTE, "compute"), X(STATE_COMMUNICATION, "communication"), X(STATE_COPY, "copy"), \
        X(STATE_INPUT, "input"), X(STATE_SYNC, "sync"), X(STATE_HOST, "host"), \
        X(STATE_DISPATCH, "dispatch"), X(STATE_BLOCKED, "blocked"), X(STATE_UNKNOWN, "unknown")
enum trace_state { TRACE_STATES(ENUM_OF), STATE_COUNT };
extern const char *const trace_state_names[STATE_COUNT];

#define TRACE_DISPATCH_NS 50000

/* Their sum is the length of the window. */
void trace_states(const struct trace_rank *rank, int64_t ret_ns[STATE_COUNT]);

/* --- links: predecessors --- */

struct trace_link {
    bool is_call;
    uint32_t index;  /* TRACE_NONE: there is none */
    int64_t time_ns; /* when it let the event begin */
};

void trace_links_init(struct trace_rank *rank);
/* The predecessors of GPU work; how many of the three there are. */
size_t trace_links_of(const struct trace_rank *rank, uint32_t gpu, struct trace_link links[3]);
/* The event that ended last in the window. */
struct trace_link trace_links_end(const struct trace_rank *rank);
/* The thread of the last call of the steps. */
uint16_t trace_last_thread(const struct trace_rank *rank);

/* --- job: all ranks --- */

struct trace_part_of {
    uint32_t rank, gpu;
};

/* Parts first..first+count-1. */
struct trace_collective {
    int64_t begin_ns; /* of its last rank, on the clock of the job */
    uint32_t first, count, last_rank, last_gpu;
};

/* Release with trace_job_finish. */
struct trace_job {
    struct trace_rank *const *ranks; /* borrowed; joined and linked */
    size_t count;
    int64_t *shift_ns; /* from the clock of the rank to that of the job */
    struct kineto_ranks matched;
    ARRAY_OF(struct trace_collective) collectives;
    ARRAY_OF(struct trace_part_of) parts;
    uint32_t **collective_of; /* by rank and GPU event, or TRACE_NONE; NULL: none */
    uint64_t unclear;         /* collectives that clocks do not allow */
    int64_t start_ns, end_ns; /* of the windows of all ranks, on the clock of the job */
    size_t end_rank;          /* whose window ends last */
};

void trace_job_init(struct trace_job *job, const struct kineto_job *read,
                    struct trace_rank *const *ranks);
/* The collective of a GPU event, or NULL. */
const struct trace_collective *trace_job_collective(const struct trace_job *job, size_t rank,
                                                    uint32_t gpu);
/* The time that it waited for the last rank. */
int64_t trace_job_wait_ns(const struct trace_job *job, size_t rank, uint32_t gpu);
void trace_job_finish(struct trace_job *job);

/* --- path: the critical path --- */

#define TRACE_PARTS(X) \
    X(PART_KERNELS, "kernels"), X(PART_COMMUNICATION, "communication"), X(PART_COPIES, "copies"), \
        X(PART_INPUT, "input"), X(PART_HOST, "host"), X(PART_DISPATCH, "dispatch"), \
        X(PART_BLOCKED, "blocked"), X(PART_UNKNOWN, "unknown"), X(PART_IMBALANCE, "imbalance")
enum trace_part { TRACE_PARTS(ENUM_OF), PART_COUNT };
extern const char *const trace_part_names[PART_COUNT];

/* Time on the path. Release with trace_path_finish. */
struct trace_path {
    int64_t parts[PART_COUNT];
    int64_t length_ns;
    int64_t **kernels; /* by rank and name; NULL: none of that rank */
    int64_t *ranks;    /* by rank */
    size_t count;      /* of ranks */
    uint64_t segments;
};

/* Through the window of one rank: time in a collective before its last rank began is imbalance. */
void trace_path_of_rank(const struct trace_job *job, size_t rank, struct trace_path *ret_path);
/* Through the windows of all, from one rank to the one that it waited for. */
void trace_path_of_job(const struct trace_job *job, struct trace_path *ret_path);
void trace_path_finish(struct trace_path *path);

/* --- replay: what would change --- */

struct replay_changes {
    double by[PART_COUNT]; /* what lengths of each part are divided by; 0: they are none */
    double *const *names;  /* of kernels by rank and name, in place of kernels; or NULL */
};

/* Length of the job. imbalance 0: no rank waits for the last one; unknown counts as blocked. */
int64_t trace_replay(const struct trace_job *job, const struct replay_changes *changes);

#endif

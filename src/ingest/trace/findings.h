/* Findings of the analysis in the events of a job: changes, kernels, memory, communication, and all
   of it as figures. For src/ingest/trace alone. */
#ifndef EASIM_INGEST_TRACE_FINDINGS_H
#define EASIM_INGEST_TRACE_FINDINGS_H

#include "ingest/peaks.h"
#include "ingest/trace/internal.h"

/* --- changes: what would be gained --- */

#define TRACE_CLASSES(X) \
    X(CLASS_KERNELS, "kernels"), X(CLASS_COMMUNICATION, "communication"), \
        X(CLASS_IMBALANCE, "imbalance"), X(CLASS_COPIES, "copies"), X(CLASS_INPUT, "input"), \
        X(CLASS_HOST, "host"), X(CLASS_BLOCKED, "blocked")
enum trace_class_of { TRACE_CLASSES(ENUM_OF), CLASS_COUNT };
extern const char *const trace_class_names[CLASS_COUNT];

struct trace_verdict {
    enum trace_class_of first, second;
    bool mixed; /* the first is not clearly larger */
};

void trace_classes(const int64_t parts[PART_COUNT], int64_t ret_classes[CLASS_COUNT]);
struct trace_verdict trace_judge(const int64_t classes[CLASS_COUNT]);
/* Length of the job with "communication=2x,input=0". */
int trace_what_if(const struct trace_job *job, const char *text, int64_t *ret_length_ns,
                  struct error *reterr) MUST_CHECK;
int64_t trace_without(const struct trace_job *job, enum trace_class_of class);
int64_t trace_without_kernel(const struct trace_job *job, const char *name);

/* --- operators: what operators compute --- */

#define TRACE_FAMILIES(X) \
    X(FAMILY_GEMM, "gemm"), X(FAMILY_ATTENTION, "attention"), \
        X(FAMILY_CONVOLUTION, "convolution"), X(FAMILY_NORM, "norm"), \
        X(FAMILY_REDUCTION, "reduction"), X(FAMILY_EMBEDDING, "embedding"), \
        X(FAMILY_ELEMENTWISE, "elementwise"), X(FAMILY_OTHER, "other")
enum trace_family { TRACE_FAMILIES(ENUM_OF), FAMILY_COUNT };
extern const char *const trace_family_names[FAMILY_COUNT];

#define TRACE_PRECISIONS(X) \
    X(PRECISION_FP64, "fp64"), X(PRECISION_FP32, "fp32"), X(PRECISION_TF32, "tf32"), \
        X(PRECISION_FP16, "fp16"), X(PRECISION_FP8, "fp8")
enum trace_precision { TRACE_PRECISIONS(ENUM_OF), PRECISION_COUNT };
extern const char *const trace_precision_names[PRECISION_COUNT];

struct trace_work {
    enum trace_family family;
    enum trace_precision precision; /* PRECISION_COUNT: not known */
    double flop, bytes;             /* NAN: not known */
    bool wrong;                     /* sizes of the wrong rank, or more operations than 2^63 */
};

/* In small letters, cut to the size. */
void trace_lower(const char *text, char *ret_text, size_t size);
/* By parts of the name of an operator or kernel. */
enum trace_family trace_family_of(const char *name);
/* The operator has sizes. */
void trace_operator_work(const struct trace_rank *rank, const struct trace_op *op,
                         struct trace_work *ret_work);

/* --- kernels: the table of all ranks --- */

#define TRACE_BOUNDS(X) \
    X(BOUND_COMPUTE, "compute"), X(BOUND_MEMORY, "memory"), X(BOUND_NEITHER, "neither")
enum trace_bound { TRACE_BOUNDS(ENUM_OF), BOUND_COUNT };
extern const char *const trace_bound_names[BOUND_COUNT];

struct trace_duration {
    uint32_t kernel;
    uint32_t length; /* ns, at most 4 s */
};

struct trace_kernel {
    const char *name;
    enum trace_family family;
    enum trace_precision precision;
    enum trace_bound bound;
    uint64_t count;
    int64_t total_ns, path_ns, p50_ns, p99_ns;
    double flop, bytes;        /* of its operators; NAN: not known */
    int64_t flop_ns, bytes_ns; /* time of those whose work is known */
    double roofline;           /* share of the peak that is nearer; NAN: not known */
    double before_ns;          /* per step, of the other traces; NAN: none given */
    bool changed;              /* by more than 10 % and 1 % of the window */
};

/* Zero-initialise; release with trace_kernels_finish. */
struct trace_kernels {
    struct intern names;
    ARRAY_OF(struct trace_kernel) all; /* once ranked the longest first */
    ARRAY_OF(struct trace_duration) durations;
    struct gpu_peaks peaks; /* NAN: not known */
    double flop;            /* of all operators whose kernels ran */
    double family_flop[FAMILY_COUNT];
    int64_t total_ns, family_ns[FAMILY_COUNT], bound_ns[BOUND_COUNT];
    uint64_t family_count[FAMILY_COUNT];
    int64_t family_path_ns[FAMILY_COUNT], bound_path_ns[BOUND_COUNT];
    uint64_t wrong, ranks;   /* operators with wrong sizes */
    double window_ns, steps; /* of all ranks, on average */
};

/* path: time on the path by name of the rank; NULL: none. */
void trace_kernels_add(struct trace_kernels *kernels, const struct trace_rank *rank,
                       const int64_t *path);
/* Orders, and judges by the peaks. */
void trace_kernels_rank(struct trace_kernels *kernels);
void trace_kernels_compare(struct trace_kernels *kernels, const struct trace_kernels *before);
void trace_kernels_finish(struct trace_kernels *kernels);

/* --- memory --- */

#define TRACE_MEMORY_BINS 400

struct trace_memory_bin {
    int64_t most, least, last; /* of allocated bytes */
    int64_t reserved;          /* 0: not given */
    uint64_t events;
};

enum trace_holder { HOLDER_OPERATOR, HOLDER_MODULE, HOLDER_STACK, HOLDER_COUNT };

struct trace_held {
    const char *name; /* NULL: outside of any */
    int64_t bytes;
    uint64_t count;
};

struct trace_held_list {
    struct trace_held *at;
    size_t count, capacity;
};

/* Release with trace_memory_finish. events 0: the trace has none of a GPU. */
struct trace_memory_use {
    uint16_t device;
    uint64_t events, freed_twice, allocated_twice, never_allocated;
    bool has_totals, has_addresses;
    int64_t start_level; /* allocated before the first event; without totals 0 */
    int64_t peak, peak_at_ns, reserved_at_peak, peak_reserved; /* -1: not given */
    uint32_t peak_event;
    int64_t before_window; /* alive at the peak, allocated before the window began */
    struct trace_memory_bin bins[TRACE_MEMORY_BINS]; /* equal parts of the window */
    struct trace_held_list holders[HOLDER_COUNT], leaking[HOLDER_COUNT];
    bool judged, leaks; /* over enough steps */
    double growth_per_step, growth_error;
};

void trace_memory_find(struct trace_rank *rank, struct trace_memory_use *ret_use);
void trace_memory_finish(struct trace_memory_use *use);

/* --- groups: communication --- */

struct trace_traffic {
    const char *group, *collective;
    int64_t size; /* of the group; 0: not given */
    uint64_t count;
    double bytes, bus_bytes;
    int64_t time_ns, exposed_ns, imbalance_ns, bus_ns;
};

/* Zero-initialise; release with trace_groups_finish. */
struct trace_groups {
    struct arena arena;
    struct intern keys;
    ARRAY_OF(struct trace_traffic) all; /* once ranked the longest first */
};

/* By its name, that of a kernel if the trace has no other. */
bool trace_is_all_to_all(const char *collective);
void trace_groups_add(struct trace_groups *groups, const struct trace_job *job, size_t rank);
void trace_groups_rank(struct trace_groups *groups);
void trace_groups_finish(struct trace_groups *groups);

/* --- clock: of the SMs, from telemetry --- */

struct trace_clock {
    double maximum_mhz, judged_ns, low_ns; /* low: under 90 % of the maximum */
    uint64_t samples;                      /* in the time that is judged; 0: none */
};

/* --- report --- */

struct trace_rank_result {
    struct trace_path path;
    int64_t states[STATE_COUNT];
    struct trace_memory_use memory;
    struct trace_clock clock;
};

/* --- patterns: known causes of lost time --- */

#define TRACE_PATTERNS 15

struct trace_pattern {
    size_t judged; /* ranks that have what the rule needs */
    bool found;
    size_t rank;         /* the worst one, and its values */
    double values[2];    /* NAN: not known */
    const char *missing; /* of the first rank that is not judged; NULL: of none */
};

#define TRACE_EFFECTS 10 /* kernel names that are replayed without */

struct trace_effect {
    const char *kernel;
    int64_t path_ns, saved_ns;
};

/* All that was found. */
struct trace_result {
    const struct kineto_job *read;
    const struct trace_job *job;
    struct trace_rank_result *ranks;
    int64_t parts[PART_COUNT], states[STATE_COUNT], classes[CLASS_COUNT]; /* sums over ranks */
    int64_t window_ns;                                                    /* sum over ranks */
    struct trace_path across;                                             /* of the job */
    struct trace_verdict verdict;
    int64_t saved_ns[CLASS_COUNT];
    struct trace_effect effects[TRACE_EFFECTS];
    size_t effect_count;
    const char *what_if; /* NULL: none */
    int64_t what_if_ns;
    struct trace_kernels kernels;
    bool has_before;
    struct trace_groups groups;
    struct trace_pattern patterns[TRACE_PATTERNS];
    bool has_clock;
    bool clock_of_file; /* not of the window, because times cannot be matched */
};

/* Judges the clock of each rank by a file of telemetry; the peaks of the GPU are known. *damaged is
   set if the file is. */
int trace_clock_find(struct trace_result *result, const char *path, bool *damaged,
                     struct problems *problems) MUST_CHECK;
void trace_clock_figures(const struct trace_result *result, struct figure *root);

void trace_patterns_find(struct trace_result *result);
void trace_patterns_figures(const struct trace_result *result, struct figure *root);
void trace_patterns_screen(const struct trace_result *result, struct str *out);

/* A sentence on what is largest in a class; nothing if there is none. */
void trace_evidence(const struct trace_result *result, enum trace_class_of class, struct str *out);
void trace_report_figures(const struct trace_result *result, struct figure *root);
void trace_report_screen(const struct trace_result *result, struct str *out);

#endif

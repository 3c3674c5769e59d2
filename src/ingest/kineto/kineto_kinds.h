/* Class, stream and message of GPU events of Kineto traces. Bounded: events that do not fit count
   as "others" of their class. */
#ifndef EASIM_INGEST_KINETO_KINETO_KINDS_H
#define EASIM_INGEST_KINETO_KINETO_KINDS_H

#include "base/array.h"
#include "base/intern.h"
#include "base/str.h"

enum kineto_class {
    KINETO_COMPUTE = 1,
    KINETO_COMMUNICATION = 2,
    KINETO_MEMORY = 4
}; /* bits, for sets of them */

#define KINETO_NAME_BYTES  200 /* of names that are kept */
#define KINETO_MOST_TRACKS 512
#define KINETO_NONE        INTERN_NONE

struct kineto_track {
    int64_t device, stream; /* -1: not given */
};

/* Only communication has more than class and track. */
struct kineto_kind {
    enum kineto_class class;
    uint32_t track;   /* index, or KINETO_NONE: not told apart */
    uint32_t group;   /* number of process group and kernel name, or KINETO_NONE: not told apart */
    const char *name; /* of the kernel, up to its arguments */
    const char *collective; /* "allreduce"; NULL: the trace does not say */
    int64_t group_size;     /* 0: not given */
    double bytes;           /* of the larger of message in and message out; NAN: not given */
};

/* For all traces of a job. Release with kineto_kinds_finish. */
struct kineto_kinds {
    ARRAY_OF(struct kineto_kind) all;
    ARRAY_OF(struct kineto_track) tracks;
    struct intern keys, track_keys, groups, names;
    ARRAY_OF(bool) has_others; /* of each group: some of its kernels are not told apart */
    size_t name_bytes;
};

/* As a trace tells it. */
struct kineto_description {
    enum kineto_class class;
    int64_t device, stream, group_size;
    double bytes;
    struct slice name, collective;
    struct slice group,
        ranks; /* of the process group; its name alone may mean another one on another rank */
};

void kineto_kinds_init(struct kineto_kinds *kinds);
uint32_t kineto_kinds_number(struct kineto_kinds *kinds,
                             const struct kineto_description *description);
/* Whether events of that kind are told apart by stream and message. */
bool kineto_kinds_is_known(const struct kineto_kinds *kinds, uint32_t number);
void kineto_kinds_finish(struct kineto_kinds *kinds);

/* --- kineto_gpus --- */
/* GPUs of a timeline that easim wrote, and the energy that its slices give them. */

struct kineto_gpu {
    int64_t node, gpu; /* pid, and args.gpu: its number in the node */
    uint64_t events;
    int64_t busy_ns; /* union of its slices, once they are all there (kineto_figures.h) */
    double energy_j; /* sum over its slices */
};

/* Zero-initialise; release with kineto_gpus_finish. */
struct kineto_gpus {
    ARRAY_OF(struct kineto_gpu) all; /* in order of their first slice */
    struct intern keys;
    struct kineto_gpu others; /* the sum over those that are too many to be told apart */
    uint64_t without_energy;  /* slices */
};

/* Adds a slice; returns the number of its GPU, or KINETO_NO_GPU. energy_j: NAN if unknown. */
uint32_t kineto_gpus_add(struct kineto_gpus *gpus, int64_t node, int64_t gpu, double energy_j);
void kineto_gpus_finish(struct kineto_gpus *gpus);

#endif

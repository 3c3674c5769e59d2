/* A sweep: one base scenario run at many points, each of which sets some of its values. Points are
   the product of groups of axes; the axes of one group (zipped or sampled together) take their
   values side by side. */
#ifndef EASIM_EXPERIMENT_SWEEP_SWEEP_H
#define EASIM_EXPERIMENT_SWEEP_SWEEP_H

#include "experiment/sweep/axes.h"
#include "study/inputs.h"

#include <stdbool.h>
#include <stddef.h>

struct sweep_point {
    uint64_t id;     /* of the scenario with its values set: scenario_hash */
    uint64_t inputs; /* of the contents of all files that the scenario names, and of the version of
                        easim */
};

struct sweep {
    const char *name;
    const char *base;        /* file of the scenario */
    struct sweep_sets fixed; /* at every point */
    struct sweep_axes axes;
    size_t count; /* points; the last group changes fastest */
    struct sweep_point *points;
    ARRAY_OF(const char *) policies; /* that points may run, by name or path */
    enum policy_trust trust;         /* of its points, as `foreign`: the caller's to set */
    struct foreign_words foreign;
    struct inputs inputs;    /* all files that the sweep and its points name */
    struct file_stamp stamp; /* of its file before it was read */
    struct yaml_doc doc, base_doc;
    struct yaml_doc common; /* the base with `fixed` */
    struct study shared; /* the base with `fixed`, as study_load_files has it: what points need not
                            read again */
};

/* Reads the file and finds the points with their ids; that a point's scenario loads is not checked.
   Negative if problems were added. sweep_finish in any case. */
int sweep_load(struct sweep *sweep, const char *path, struct problems *problems) MUST_CHECK;
void sweep_finish(struct sweep *sweep);

/* The value of an axis that a point has: its index, and the value. */
size_t sweep_place(const struct sweep *sweep, size_t point, size_t axis);
const struct sweep_value *sweep_value(const struct sweep *sweep, size_t point, size_t axis);
/* Whether an axis sets the value at a path, or a part of it, or something that contains it. */
bool sweep_changes(const struct sweep *sweep, const char *path);
/* The "path=value" texts that all points share, and all those of a point, in the arena. */
const char **sweep_fixed_texts(const struct sweep *sweep, struct arena *arena, size_t *ret_count);
const char **sweep_set_texts(const struct sweep *sweep, size_t point, struct arena *arena,
                             size_t *ret_count);

/* --- sweep_resume: where a sweep resumes: which of its points are still to be run --- */

enum sweep_state { SWEEP_MISSING, SWEEP_DONE, SWEEP_FAILED };

/* One of N equal parts: points shard - 1, shard - 1 + N, ... */
struct sweep_shard {
    unsigned number, of; /* 1..of; of = 0: all points */
};

struct sweep_resume {
    size_t count; /* points of the sweep */
    struct sweep_shard shard;
    bool retry_failed; /* points whose failure is recorded are to be run again */
    void *context;
    /* The state of a point in the results that are kept. Called only for points of the shard. */
    enum sweep_state (*state_of)(void *context, size_t point);
};

bool sweep_shard_has(const struct sweep_shard *shard, size_t point);
/* Fills in the points that are to be run and returns how many; points: room for all. */
size_t sweep_resume_points(const struct sweep_resume *resume, size_t *points);
/* The points of the shard, whatever their state. */
size_t sweep_shard_points(const struct sweep_shard *shard, size_t count, size_t *points);
/* The shards, of `shards` of all points, that have a point to run; false if none has. */
bool sweep_resume_shards(const struct sweep_resume *resume, size_t shards, bool *ret_wanted);

extern const struct field sweep_fields[]; /* of a file; claims.h has two of its sections */
#endif

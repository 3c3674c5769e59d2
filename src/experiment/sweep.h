/* A sweep: one base scenario run at many points, each of which sets some of its values. Points are the product of
   groups of axes; the axes of one group (zipped or sampled together) take their values side by side. */
#ifndef EASIM_EXPERIMENT_SWEEP_H
#define EASIM_EXPERIMENT_SWEEP_H

#include "base/array.h"
#include "config/schema.h"

#define SWEEP_MOST_POINTS 1000000

/* A path and the YAML value it gets. */
struct sweep_set {
    const char *path, *yaml;
};

struct sweep_sets {
    const struct sweep_set *at;
    size_t count;
};

struct sweep_value {
    const char *shown; /* as a cell of a table */
    struct sweep_sets sets;
};

/* Something that changes: mostly one path. It has one value for each point of its group. */
struct sweep_axis {
    const char *name, *column; /* its path, if it has no name; how tables head it */
    struct location where;
    size_t group;
    bool sampled;
    ARRAY_OF(const char *) paths; /* all that its values set */
    ARRAY_OF(struct sweep_value) values;
};

struct sweep_point {
    uint64_t id;     /* of the scenario with its values set: scenario_hash */
    uint64_t inputs; /* of the contents of all files that the scenario names, and of the version of easim */
};

struct sweep {
    const char *name;
    const char *base;        /* file of the scenario */
    struct sweep_sets fixed; /* at every point */
    ARRAY_OF(struct sweep_axis) axes;
    ARRAY_OF(size_t) groups; /* how many points each has */
    size_t count;            /* points; the last group changes fastest */
    struct sweep_point *points;
    struct yaml_doc doc;
};

/* Reads the file and finds the points with their ids; that a point's scenario loads is not checked. Negative if
   problems were added. sweep_finish in any case. */
int sweep_load(struct sweep *sweep, const char *path, struct problems *problems) MUST_CHECK;
void sweep_finish(struct sweep *sweep);

/* Which of the values of an axis a point has. */
size_t sweep_place(const struct sweep *sweep, size_t point, size_t axis);
const struct sweep_value *sweep_value(const struct sweep *sweep, size_t point, size_t axis);
/* The "path=value" texts of a point, in the arena. */
const char **sweep_set_texts(const struct sweep *sweep, size_t point, struct arena *arena, size_t *ret_count);

#endif

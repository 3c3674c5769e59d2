/* By what energy and GPU time are divided: a path of labels, as in label.product/user/model. */
#ifndef EASIM_INSIGHT_ATTRIBUTION_ATTRIBUTION_PATH_H
#define EASIM_INSIGHT_ATTRIBUTION_ATTRIBUTION_PATH_H

#include "workload/workload.h"

#define ATTRIBUTION_MOST_LEVELS 8

enum path_kind {
    PATH_USER,
    PATH_MODEL,
    PATH_JOB,
    PATH_CLASS,
    PATH_GPU_TYPE,
    PATH_TIME, /* the bucket of time */
    PATH_LABEL,
};

struct path_element {
    enum path_kind kind;
    const char *name; /* as it was given: user, label.product */
    uint32_t label;   /* PATH_LABEL: of workload.label_names, once it is found there */
};

struct attribution_path {
    struct path_element at[ATTRIBUTION_MOST_LEVELS];
    size_t count;
};

/* Reads a path; names are in the arena. ERROR_INPUT: it is empty, or an element is, is not known or
   comes twice. */
int attribution_path_read(struct attribution_path *path, const char *text, struct arena *arena,
                          struct error *reterr) MUST_CHECK;
/* Looks up its labels. ERROR_INPUT: the workload has not got one. */
int attribution_path_find(struct attribution_path *path, const struct workload *workload,
                          struct error *reterr) MUST_CHECK;
bool attribution_path_has(const struct attribution_path *path, enum path_kind kind);

#endif

/* GPU time, energy, CO2 and cost of a recorded run, by labels of its jobs (semantics 25). */
#ifndef EASIM_INSIGHT_ATTRIBUTION_ATTRIBUTION_H
#define EASIM_INSIGHT_ATTRIBUTION_ATTRIBUTION_H

#include "insight/attribution/internal.h"
#include "workload/workload.h"

/* --- attribution_path --- */
/* The levels of division: a path of labels, as in label.product/user/model. */

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
bool attribution_path_has(const struct attribution_path *path, enum path_kind kind);

/* --- attribution --- */

/* Rules for GPU time without a job. It goes to no user, or to users of GPUs of the type in the
   bucket, by their use, or to every user by weight and to the jobs of a user by use. */
enum idle_rule { IDLE_NONE, IDLE_BY_USE, IDLE_BY_ENTITLEMENT };
extern const char *const idle_rule_names[]; /* by enum idle_rule; ends with NULL */

struct attribution_request {
    struct attribution_path path;
    enum idle_rule idle;
    int64_t bucket_ns; /* INT64_MAX: the whole time is one bucket */
};

struct attribution_sums {
    int128 used_ps, energy; /* GPU time that jobs held, 1e-12 GPU s, and what it drew, 1e-18 J */
    double idle_gpu_s, failed_gpu_s;
    double idle_j, part_j[NODE_PARTS], fabric_j;
    struct step_sum step; /* CO2 and cost of all of it */
    struct model_counts counts;
};

/* Values of a path element in a row without a job, and without a model. */
#define ATTRIBUTION_NOBODY EASIM_NONE
#define ATTRIBUTION_RIGID  (EASIM_NONE - 1)

/* All of the first `level` elements of the path that is so valued. Rows of one level add up to the
   row of level 0, and the rows below one to it. */
struct attribution_row {
    uint32_t level;
    uint32_t values[ATTRIBUTION_MOST_LEVELS]; /* attribution_text */
    bool nobody;                              /* one of them is ATTRIBUTION_NOBODY */
    uint32_t jobs;                            /* that held GPUs */
    size_t parent;                            /* its row; of level 0 itself */
    struct attribution_sums *sums;
};

/* Zero-initialise; release with attribution_finish. */
struct attribution {
    const struct recorded_run *run;
    struct attribution_request request;
    struct intern labels;                  /* texts of label values */
    ARRAY_OF(struct attribution_row) rows; /* a row before those below it */
    struct leaf *leaves;                   /* sums of the last level, */
    struct arena arena;                    /* and of those above it */
};

/* ERROR_INPUT: a label that the workload has not got, or more buckets than there is room for. */
int attribution_find(struct attribution *attribution, const struct recorded_run *run,
                     const struct attribution_request *request, struct error *reterr) MUST_CHECK;
void attribution_finish(struct attribution *attribution);

/* The text of a value; "" if the row has no user or job, the job no label, or if it is a rigid
   job's model. PATH_TIME has none: attribution_from_ns. */
const char *attribution_text(const struct attribution *attribution, size_t element, uint32_t value);
/* When a bucket begins. */
int64_t attribution_from_ns(const struct attribution *attribution, uint32_t value);

double attribution_base_j(const struct attribution_sums *sums);   /* nodes and the network */
double attribution_energy_j(const struct attribution_sums *sums); /* jobs, idle and base */

#endif

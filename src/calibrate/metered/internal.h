/* What the files of src/calibrate/metered share; for this folder alone. */
#ifndef EASIM_CALIBRATE_METERED_INTERNAL_H
#define EASIM_CALIBRATE_METERED_INTERNAL_H

#include "config/meter.h"
#include "workload/trace.h"

/* --- metered_jobs --- */
/* A job runs from its submit_s for its duration_s. */

struct metered_job {
    double start_s, end_s;
    double gpus; /* > 0, also a part of one */
    uint32_t type, group;
    uint32_t row;                          /* of the trace */
    double use;                            /* its mean, 0..1; NAN: not recorded */
    const struct utilization_steps *steps; /* where it changes, borrowed from the trace; or NULL */
};

#define METERED_MOST_TYPES 64
#define METERED_OTHERS     "(others)"

/* Zero-initialise; release with metered_jobs_finish. Text is borrowed from the trace. */
struct metered_jobs {
    ARRAY_OF(struct metered_job) at;
    ARRAY_OF(const char *)
    types, groups;                 /* types by name; groups: those with most GPU time first */
    const char *by;                /* what the groups are of; NULL: there is one */
    uint64_t instant, without_use; /* jobs of no duration, left out; jobs without use */
    size_t merged_groups;          /* that are METERED_OTHERS */
    double first_s, last_s;        /* first start and last end */
};

/* by: "model", "user", "label.NAME", "none", or NULL: the model if some job has one. Negative after
   adding problems: jobs without GPUs or a duration, a column that is not there, no jobs. */
int metered_jobs_make(struct metered_jobs *jobs, const struct trace *trace, const char *file,
                      const char *by, struct problems *problems) MUST_CHECK;
/* Makes the rows of the trace rigid jobs, whatever model they are of: a file of utilization is of
   rigid jobs. Groups stay. */
void metered_jobs_drop_models(struct trace *trace);
/* Takes the steps of the rows, and where no mean is recorded that of the steps. */
void metered_jobs_take_steps(struct metered_jobs *jobs, const struct trace *trace);
/* The use from step i on; before the first that is recorded, of a job without a mean, that one. */
double metered_job_use(const struct metered_job *job, uint32_t i);
void metered_jobs_finish(struct metered_jobs *jobs);
/* The most GPUs of the type that run at once. */
double metered_jobs_peak(const struct metered_jobs *jobs, uint32_t type);

/* --- metered_cluster: the cluster whose power is metered: how many GPUs can be at rest --- */

struct metered_type {
    const char *name;    /* borrowed from the jobs */
    double nodes;        /* 0: not given, then as many as jobs need at once */
    double gpus_of_node; /* >= 1 */
    double peak;         /* GPUs that jobs hold at once */
    bool nodes_given;
};

/* Types as those of the jobs. base_w: of a node without its GPUs; idle_w: of a GPU at rest; one of
   them may be known before, the other is NAN; both NAN: base_w is taken as 0. */
struct metered_cluster {
    struct metered_type types[METERED_MOST_TYPES];
    size_t type_count;
    double base_w, idle_w;
    double nodes, gpus; /* in all */
};

/* names, peaks and sums; nodes and gpus_of_node of the types are given. Negative after adding
   problems: jobs that hold more GPUs than there are. */
int metered_cluster_complete(struct metered_cluster *cluster, const struct metered_jobs *jobs,
                             const char *file, struct problems *problems) MUST_CHECK;
/* What of the power at rest is known before. */
double metered_cluster_floor_w(const struct metered_cluster *cluster);
/* Of a fitted power at rest of the whole: that of a GPU, and of a node without GPUs. */
double metered_cluster_idle_w(const struct metered_cluster *cluster, double rest_w);
double metered_cluster_base_w(const struct metered_cluster *cluster, double rest_w);

/* --- load --- */

enum load_kind {
    LOAD_CONSTANT,   /* 1 */
    LOAD_BUSY,       /* GPUs of a type that jobs of a group hold */
    LOAD_UNRECORDED, /* those of them whose use is not recorded, in groups where some is */
    LOAD_USE,        /* GPUs times use, where recorded, of a type */
};

struct load_column {
    enum load_kind kind;
    uint32_t type, group; /* group: of LOAD_BUSY */
    bool has_use;         /* of LOAD_BUSY: of some of these jobs the use is recorded */
};

/* Release with load_finish. */
struct load {
    ARRAY_OF(struct load_column) columns; /* the constant first, then busy, unrecorded, use */
    const struct meter_reading *at;       /* borrowed */
    size_t readings;
    double *means; /* readings x columns */
};

/* Of readings that are ascending and apart. */
void load_make(struct load *load, const struct metered_jobs *jobs, const struct meter_reading *at,
               size_t readings);
void load_finish(struct load *load);
/* The row of reading i. */
const double *load_row(const struct load *load, size_t i);
/* Place of a column, or LOAD_NONE. */
uint32_t load_find(const struct load *load, enum load_kind kind, uint32_t type, uint32_t group);

#define LOAD_NONE UINT32_MAX

/* --- power_plan --- */

enum power_detail { POWER_CONSTANT, POWER_COUNT, POWER_FULL };

#define POWER_LEAST_SHARE \
    0.01 /* of the busy GPU time: groups with less have no power of their own */

/* What became of a column of the load. */
enum power_source {
    POWER_OWN,      /* has a power of its own */
    POWER_POOLED,   /* with other groups of its type that have too little time */
    POWER_AS_OTHER, /* as another column: too little time, none, or always used together */
    POWER_NOT_TOLD  /* no time, or follows from others: 0 */
};

/* The power of a column, W for each of its units: the sum of some parameters. */
struct power_column {
    enum power_source source;
    uint32_t parts[2], part_count;
    uint32_t as; /* of POWER_AS_OTHER: that column */
    double value;
};

struct power_plan {
    const struct load *load; /* borrowed */
    enum power_detail detail;
    double *sums;                 /* of the columns over the time of the fit, in unit seconds */
    struct power_column *columns; /* as those of the load */
    size_t size;                  /* parameters; the first is the constant's */
    double recorded_use;          /* mean use of the GPU time where it is recorded; NAN: nowhere */
};

/* load, detail, sums and zeroed columns are given. */
void power_plan_make(struct power_plan *plan);
/* The column gets the parameters of another one. */
void power_plan_take(struct power_plan *plan, uint32_t column, uint32_t as);
/* Parameter `from` becomes `to`, which is before it, or (LOAD_NONE) 0; those behind it move up. */
void power_plan_drop(struct power_plan *plan, uint32_t from, uint32_t to);
/* The first column that has this parameter alone, or LOAD_NONE. */
uint32_t power_plan_column(const struct power_plan *plan, uint32_t part);

#endif

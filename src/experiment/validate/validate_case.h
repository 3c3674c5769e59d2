/* A validation file: a scenario, what was measured of it, and how near the two should be. */
#ifndef EASIM_EXPERIMENT_VALIDATE_VALIDATE_CASE_H
#define EASIM_EXPERIMENT_VALIDATE_VALIDATE_CASE_H

#include "config/schema.h"
#include "experiment/sweep/sweep_sets.h"
#include "experiment/validate/job_table.h"
#include "experiment/validate/validate_meter.h"
#include "io/files.h"

/* What the row is about, in the order of validate_kinds. */
enum validate_kind {
    VALIDATION_PREDICTION, /* models: time and energy of jobs by themselves */
    VALIDATION_REPLAY,     /* a schedule as it was recorded */
    VALIDATION_POLICY,     /* decisions of easim's own */
    VALIDATION_POWER,      /* a cluster's power against a meter */
};
extern const char *const validate_kinds[];

/* What the figures come from: validate_againsts. */
enum validate_against { AGAINST_MEASUREMENT, AGAINST_SIMULATOR, AGAINST_THEORY };
extern const char *const validate_againsts[];

/* Of the jobs that are both in the table and in the run, with a value there: validate_overs. */
enum validate_over {
    OVER_MEAN,
    OVER_SUM,
    OVER_MEDIAN_ERROR, /* of |predicted - measured| / measured of each job */
    OVER_P90_ERROR,
    OVER_MEAN_ERROR,
    OVER_MOST_ERROR,
    OVER_NONE
};
extern const char *const validate_overs[];

/* A file of data that the validation names; it may be anywhere, and missing. */
struct validate_data {
    struct location where;
    const char *name, *file; /* as the validation has them */
    const char *path;        /* where it was found; NULL: nowhere */
    struct file_stamp read;  /* before it was read */
    bool used, damaged;
};

/* One figure. */
struct validate_measure {
    struct location where;
    const char *metric;
    int summary;                      /* its column of the summary; -1: it is one of jobs, */
    enum job_column column;           /* this one */
    enum validate_meter_figure meter; /* or one over the readings of a meter */
    const char *job;                  /* of this job alone, or NULL */
    int32_t over;                     /* enum validate_over; OVER_NONE: of no table */
    double value;                     /* measured; NAN: the table of jobs has it */
    double tolerance;                 /* share of the measured value, or of an error; NAN: none */
    int32_t expect;                   /* 0 pass, 1 fail */
    const char *reason;               /* of an expected failure, or NULL */
    const struct yaml_node *tolerance_node, *fact;
};

struct validate_case {
    const char *path;       /* of the file; NULL: it is a log */
    struct file_stamp read; /* of the file or log, before it was read */
    const char *name, *source, *physics, *scenario;
    int32_t kind, against;
    struct sweep_sets sets;
    ARRAY_OF(struct validate_data) data;
    const char *missing; /* name of the first file that is missing; NULL: none */
    bool has_jobs;
    bool jobs_known;       /* the table is there, and right */
    struct job_table jobs; /* measured */
    struct validate_meter meter;
    struct validate_measure *measures;
    size_t measure_count;
    struct yaml_doc doc;
};

/* "path=value", in the arena. */
const char **validate_case_set_texts(const struct validate_case *validation, struct arena *arena);
void validate_case_finish(struct validate_case *validation);

#endif

/* A case of validation: its file (validate_case), its meter (validate_meter), its table of jobs
   (job_table), single facts. */
#ifndef EASIM_EXPERIMENT_VALIDATE_CASE_H
#define EASIM_EXPERIMENT_VALIDATE_CASE_H

#include "base/array.h"
#include "base/error.h"
#include "base/intern.h"
#include "config/meter.h"
#include "config/schema.h"
#include "experiment/sweep/axes.h"
#include "io/files.h"

/* Figures over the readings. */
enum validate_meter_figure {
    METER_NO_FIGURE,
    METER_MEAN,     /* predicted and metered mean power, whose error is that of the energy */
    METER_ABSOLUTE, /* mean absolute error, a share of the metered mean */
    METER_FIGURES
};

/* Zero: there is none. */
struct validate_meter {
    bool given, known;   /* known: it is read */
    double from_s, to_s; /* only readings that end in (from_s, to_s] count */
    struct meter meter;
};

/* Values of the figures, and of their details. Zero-initialise; release with
   validate_power_finish. */
struct validate_power {
    struct meter_curves curves; /* readings that count, and the run's means over them */
    double *predicted_w;
    struct meter_errors errors;
    size_t unknown; /* readings of a time that the run does not have */
};

enum validate_meter_figure validate_meter_find(const char *metric);
/* Length of the intervals that a run needs: those of the meter if its readings are on a grid of
   them, else a tenth, so that no reading is far from whole intervals. */
double validate_meter_step_s(const struct validate_meter *meter);
/* run: readings of the run, on the clock of the meter. */
void validate_power_compare(struct validate_power *power, const struct validate_meter *meter,
                            const struct meter *run);
void validate_power_finish(struct validate_power *power);

/* --- job_table --- */
/* Times and energy of single jobs, from a CSV file: measured, or of a run. NAN: not known. */

/* Units are in the names. RUN: from the first start to the finish, whether it held GPUs or not;
   EXEC: the time in which it held GPUs, its service time. */
#define JOB_COLUMN_ROWS(X) \
    X(JOB_SUBMIT, "submit_s", "a time in s within +-4e9"), \
        X(JOB_START, "start_s", "a time in s within +-4e9"), \
        X(JOB_FINISH, "finish_s", "a time in s within +-4e9"), \
        X(JOB_WAIT, "wait_s", "a duration in s, 0..4e9"), \
        X(JOB_RUN, "run_s", "a duration in s, 0..4e9"), \
        X(JOB_EXEC, "exec_s", "a duration in s, 0..4e9"), \
        X(JOB_JCT, "jct_s", "a duration in s, 0..4e9"), \
        X(JOB_ENERGY, "energy_j", "an energy in J, 0..1e300"), \
        X(JOB_GPUS, "gpus", "a number of GPUs, 1..1048576")
enum job_column { JOB_COLUMN_ROWS(ENUM_OF), JOB_COLUMN_COUNT };

extern const char *const job_column_names[JOB_COLUMN_COUNT + 1]; /* ends with NULL */
const char *job_column_unit(enum job_column column);

struct job_row {
    double values[JOB_COLUMN_COUNT];
    uint32_t line; /* in the file */
};

/* Zero-initialise; release with job_table_finish. */
struct job_table {
    struct intern ids; /* by number, the row of the job */
    ARRAY_OF(struct job_row) rows;
    bool has[JOB_COLUMN_COUNT]; /* columns of the file, and what follows from them */
    size_t left_out;            /* rows that `where` does not want */
};

/* A column that must hold a text, in rows that count. */
struct job_condition {
    const char *column, *text;
};

/* How to read one file. */
struct job_table_source {
    const char *path;
    const char *names[JOB_COLUMN_COUNT]; /* of its columns; NULL: the usual ones */
    const struct job_condition *where;   /* all of them hold */
    size_t where_count;
    const enum job_column *needed; /* columns that must be there, in addition to job_id */
    size_t needed_count;
};

/* Reads the rows, whose ids differ; other columns are ignored. wait_s, run_s and jct_s that the
   file does not have follow from its times, where it has those. Negative after adding problems. */
int job_table_read(struct job_table *table, const struct job_table_source *source,
                   struct problems *problems) MUST_CHECK;
/* NULL: no such job. */
const struct job_row *job_table_find(const struct job_table *table, const char *id, size_t length);
/* Whether the table tells of a column, or does with the submissions of a run. */
bool job_table_tells(const struct job_table *table, enum job_column column);
/* From a first to a second time: 0 within 1 ns, the clock of a run, for the same instant may have
   been rounded in two ways. NAN if one is not known. */
double job_time_between(double first_s, double second_s);
/* Fills in what follows from the times of a row. */
void job_row_complete(struct job_row *row);
void job_table_finish(struct job_table *table);

/* --- validate_case: a scenario, what was measured of it, and how near the two should be --- */

/* The subject of the row, in the order of validate_kinds. */
enum validate_kind {
    VALIDATION_PREDICTION, /* models: time and energy of jobs by themselves */
    VALIDATION_REPLAY,     /* a schedule as it was recorded */
    VALIDATION_POLICY,     /* decisions of easim's own */
    VALIDATION_POWER,      /* a cluster's power against a meter */
};
extern const char *const validate_kinds[];

extern const char *const validate_againsts[];

/* Over jobs that are both in the table and in the run, with a value there: validate_overs. */
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
    const char *control_of; /* name of another validation, or NULL */
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
    const struct yaml_node *set_node, *data_node, *jobs_node, *meter_node, *measured_node;
};

/* "path=value", in the arena. */
const char **validate_case_set_texts(const struct validate_case *validation, struct arena *arena);
void validate_case_finish(struct validate_case *validation);

/* --- facts: one number out of a CSV file of facts --- */

struct fact {
    const char *file, *column;
    const struct job_condition *where; /* that hold in exactly one row */
    size_t where_count;
    struct location where_of; /* who asks, for messages */
    const char *path_of;
};

int fact_read(const struct fact *fact, double *ret_value, struct problems *problems) MUST_CHECK;

#endif

/* Predicted and measured figures: the rows of one validation. */
#ifndef EASIM_EXPERIMENT_VALIDATE_OUTCOME_H
#define EASIM_EXPERIMENT_VALIDATE_OUTCOME_H

#include "experiment/validate/case.h"
#include "metrics/summary.h"

enum verdict { VERDICT_NONE, VERDICT_PASS, VERDICT_FAIL, VERDICT_SKIPPED };
extern const char *const verdict_names[]; /* "" without a tolerance */

/* One figure. NAN: not defined. */
struct outcome_row {
    const struct validate_measure *measure;
    double predicted, measured; /* of errors over jobs: NAN both */
    double error;               /* predicted / measured - 1; of errors over jobs that error */
    enum verdict verdict;
    size_t jobs;    /* that the figure is over; 0: of all */
    size_t missing; /* measured jobs of which the run has no such figure: the verdict is fail */
};

/* One measured job. */
struct outcome_job {
    const char *id;                  /* borrowed from the table */
    const struct job_row *predicted; /* NULL: not in the run */
    struct job_row measured;         /* with what follows from its submission in the run */
};

/* Zero-initialise; release with outcome_finish. Validation and predicted are borrowed. */
struct outcome {
    const struct validate_case *validation;
    const char *skipped; /* the name of a file that is missing; or NULL */
    const char *failure; /* of the run; or NULL. Every verdict is fail. */
    struct outcome_row *rows;
    ARRAY_OF(struct outcome_job) jobs;
    struct validate_power power; /* of a validation with a meter */
    ARRAY_OF(const char *) notes;
    struct arena arena;
};

/* Results of a run. */
struct outcome_run {
    const struct summary *summaries; /* of all replications */
    size_t count;
    const struct job_table *jobs; /* NULL: no figure needs them */
    const struct meter *power;    /* mean power of its intervals; NULL: there is no meter */
    bool nodes_draw;              /* in addition to their GPUs */
};

/* Compares all figures. */
void outcome_compare(struct outcome *outcome, const struct validate_case *validation,
                     const struct outcome_run *run);
/* Without a run: data are missing, or it failed. The text is copied. */
void outcome_skip(struct outcome *outcome, const struct validate_case *validation,
                  const char *missing);
void outcome_fail(struct outcome *outcome, const struct validate_case *validation, const char *why);
void outcome_finish(struct outcome *outcome);

/* Whether the verdict is the expected one; true without a verdict and for skipped rows. */
bool outcome_is_expected(const struct outcome *outcome, const struct outcome_row *row);
/* Whether any figure is one of jobs. */
bool outcome_needs_jobs(const struct validate_case *validation);
/* "mean of 120 jobs", "job 7", or "" for a column of the summary. In the arena. */
const char *outcome_of(const struct outcome_row *row, struct arena *arena);
const char *outcome_unit(const struct validate_measure *measure);
/* For one figure of one job; NAN if a value is not known, or the measured one is 0. */
double outcome_job_error(const struct outcome_job *job, enum job_column column);

/* Numbers of rows by result. */
struct outcome_counts {
    size_t passed, failed_as_expected, unexpected, without_verdict, skipped, skipped_files;
};
void outcome_count(const struct outcome *outcome, struct outcome_counts *counts);

#endif

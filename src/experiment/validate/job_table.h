/* Times and energy of single jobs, from a CSV file: as somebody measured them, or as a run wrote
   them. A time that is not known is NAN. */
#ifndef EASIM_EXPERIMENT_VALIDATE_JOB_TABLE_H
#define EASIM_EXPERIMENT_VALIDATE_JOB_TABLE_H

#include "base/error.h"
#include "base/intern.h"

/* Units are in the names. RUN: from the first start to the finish, whether it held GPUs or not;
   EXEC: the time in which it held GPUs, its service time. */
enum job_column {
    JOB_SUBMIT,
    JOB_START,
    JOB_FINISH,
    JOB_WAIT,
    JOB_RUN,
    JOB_EXEC,
    JOB_JCT,
    JOB_ENERGY,
    JOB_GPUS,
    JOB_COLUMN_COUNT
};

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
    const enum job_column *needed; /* columns that must be there, besides job_id */
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

#endif

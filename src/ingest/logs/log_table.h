/* Job logs that are CSV tables: columns by name, one row a job, other columns as labels. */
#ifndef EASIM_INGEST_LOGS_LOG_TABLE_H
#define EASIM_INGEST_LOGS_LOG_TABLE_H

#include "io/time_zone.h"
#include "workload/trace.h"
#include "workload/trace_file.h"

/* --- local_time: date-times of job logs --- */

/* Clock changes that the times of one row met. */
struct clock_changes {
    bool twice, never; /* a time that the clock showed twice, or never */
};

/* "2017-11-05 01:30:00" on the clock of zone, or with a zone of its own ("+00:00", "Z"), as
   nanoseconds since 1970. False: no date-time of 1970..2096. */
bool local_time_read(struct slice text, struct time_zone *zone, struct clock_changes *changes,
                     int64_t *unix_ns);
/* Notes them for a row that is kept. */
void local_time_note(const struct clock_changes *changes, struct trace *trace, uint32_t line);

/* --- log_table --- */

#define TABLE_MAX_COLUMNS 24

struct table;

struct table_format {
    const char *const *columns; /* names by number; "a|b" is found under either */
    int count, required;        /* the first `required` must be there */
    int models_from; /* columns from here on are used only with the option models; count if none are
                      */
    int id;          /* column of the job's id; -1 or not in the file: rows are numbered from 1 */
    uint32_t labels_too;   /* bit of a column: its text is a label although it is used */
    uint32_t only_checked; /* bit of a column: its value changes no job */
    const char *time_zone; /* of local times unless the options say another; NULL: there are none */
    /* Fills in the current row, whose numbers are absent and whose line is set. Returns why the row
       is left out, or NULL; problems make the answer void. */
    const char *(*read_row)(struct table *table, struct trace_row *row);
    bool note_repeats; /* rows equal to an earlier one are noted */
    /* Rows with the id of an earlier one are later attempts of that job: the last one that can be
       replayed is kept. Else they are errors. */
    bool attempts;
    char separator; /* 0: a comma */
};

/* The reader at a row. */
struct table {
    const struct table_format *format;
    const struct trace_options *options; /* never NULL */
    struct csv *csv;
    struct trace *trace;
    struct problems *problems;
    int columns[TABLE_MAX_COLUMNS]; /* -1: not there or not to be used */
    struct trace_labels labels;
    struct time_zone *zone;
    struct clock_changes clock; /* of the current row */
    struct intern ids;
    /* If repeats are noted: a hash of each row that is kept, in the order of the file */
    ARRAY_OF(uint64_t) hashes;
    int64_t instant_ns; /* the latest submit of them */
    size_t instant_row; /* the first that has it */
    struct intern rows; /* instants and hashes of those before searched_rows */
    size_t searched_rows;
    ARRAY_OF(size_t) kept; /* of attempts: by id, 1 + the place of the row that is kept */
    struct str row;
    void *state; /* of the format */
};

/* The rows ordered by submit, the first of which becomes 0. state is for read_row. */
int table_read(const char *path, const struct table_format *format,
               const struct trace_options *options, struct trace *trace, struct problems *problems,
               void *state) MUST_CHECK;

struct slice table_field(const struct table *table, int column);
/* Empty, or a word for nothing: nan, none, null, na, n/a, in any case. */
bool table_is_absent(const struct table *table, int column);
const char *table_text(struct table *table, int column); /* NULL if absent */
/* Numbers; outside of the range, or no numbers, they are problems and 0. */
double table_seconds(struct table *table, int column, double least);
double table_real(struct table *table, int column, double least, double most, const char *expected);
uint32_t table_whole(struct table *table, int column, int64_t least);
/* A date-time as ns since 1970. Local ones that occur twice or never are noted for kept rows. */
int64_t table_time(struct table *table, int column);
/* GPUs and run time of a row that can be replayed, or why it cannot. */
const char *table_reason(const struct trace_row *row);
/* Adds a problem of a field: before "text" after. */
void table_bad(struct table *table, int column, const char *before, const char *after);
/* Counts a change of the row. */
void table_note(struct table *table, const char *reason, const struct trace_row *row);

#endif

/* CSV files of results, one row a measurement, whose rows do not always fit their header. */
#ifndef EASIM_INGEST_RECORDS_RECORDS_H
#define EASIM_INGEST_RECORDS_RECORDS_H

#include "ingest/telemetry/telemetry.h"

#define RECORDS_MAX_CELLS 256

struct records_job;

struct records {
    struct lines *lines;
    const char *path; /* borrowed */
    struct str header;
    struct slice names[RECORDS_MAX_CELLS]; /* of the header */
    struct slice cells[RECORDS_MAX_CELLS]; /* of the current row */
    size_t name_count, cell_count; /* cell_count: all of the row, even if more than are kept */
    uint64_t missing[RECORDS_MAX_CELLS]; /* values of the column that rows lack */
};

int records_open(struct records *records, const char *path,
                 struct error *reterr) MUST_CHECK; /* reads the header */
/* 1: a row (blank lines are skipped), 0: end, ERROR_INPUT: a line that is no text, although the
   next may be, other negative. */
int records_next(struct records *records, struct error *reterr) MUST_CHECK;
int records_column(const struct records *records, const char *name); /* -1: there is none */
/* Empty for column -1, and for a row that does not fit the header. */
struct slice records_cell(const struct records *records, int column);
const char *records_text(struct records_job *job, const struct records *records,
                         int column); /* kept; NULL: empty */
/* NAN: none. *is_bad (may be NULL) as of telemetry_number. */
double records_number(const struct records *records, int column, enum telemetry_unit unit,
                      bool *is_bad);
/* The same of a value that a row should have: missing ones are counted, and told at the end. */
double records_value(struct records *records, int column, enum telemetry_unit unit, bool *is_bad);
bool records_fits(const struct records *records); /* the row has as many cells as the header */
uint32_t records_line(const struct records *records);
void records_close(struct records *records);

/* A format of files. row() may add problems and notes. Rows that it refuses (false) are counted,
   noted by line, and make the profile damaged, or under strict an error. */
struct records_format {
    size_t context_size;
    bool is_whole; /* files do not grow: a last line without a line end counts */
    bool (*begin)(struct records_job *job,
                  struct records *records); /* finds columns; false: a problem was added */
    bool (*row)(struct records_job *job, struct records *records);
    void (*end)(struct records_job *job, struct records *records); /* of a file; may be NULL */
    void (*conclude)(struct records_job *job); /* of all files, if none had problems; may be NULL */
    void (*finish)(void *context);             /* releases what it holds; may be NULL */
};

struct records_job {
    const struct profile_reader *reader;
    const struct profile_options *options;
    struct profile *profile;
    struct problems *problems;
    void *context;       /* of the format; all zero at first */
    struct figure *list; /* "rows", of the first ones; what the others get is thrown away */
    struct arena spare_arena;
    uint64_t listed, not_listed;
};

/* The number of a column that must be there; -1 with a problem if it is not. */
int records_require(struct records_job *job, const struct records *records, const char *name);
/* A profile row of a measurement that took `seconds`: throughput, and "format path line n" as
   source. gpus count where the user gave none. */
struct profile_row *records_add_row(struct records_job *job, const struct records *records,
                                    uint32_t line, double seconds, uint32_t gpus);

/* A problem if the user gave what the rows have themselves. */
void records_refuse_own(struct records_job *job, const struct records *records, const char *setting,
                        bool is_given);

/* The figures of a row that is a throughput. */
void records_add_throughput(struct records_job *job, const struct profile_row *row);

/* The group for the figures of a row. */
struct figure *records_add_figures(struct records_job *job);

/* Reads all rows of all files of a reader that has a records_format. */
int records_read(const struct profile_reader *reader, char *const *paths, size_t count,
                 const struct profile_options *options, struct profile *profile,
                 struct problems *problems);

#endif

/* Rows of a CSV that a recorded folder holds: quick, since there may be millions. Columns are found
   by name; a row is as `csv_add_text` and the like write it. */
#ifndef EASIM_INSIGHT_RECORDED_TABLE_H
#define EASIM_INSIGHT_RECORDED_TABLE_H

#include "base/array.h"
#include "base/error.h"
#include "base/str.h"
#include "cluster/power_meter.h"

/* Zero-initialise; release with recorded_table_finish. */
struct recorded_table {
    const char *file; /* path, for messages; borrowed */
    const char *const *names;
    int count;         /* of the columns that are asked for */
    int *places;       /* by column asked for: in the file */
    size_t head_bytes; /* of the header */
    bool is_open;
    int fd;
    uint64_t next, end; /* bytes of the file: of what is not in the text yet, and of all rows */
    struct str text;    /* some rows, or the header */
    const char *at;     /* the next row */
    uint32_t line;
    ARRAY_OF(struct slice) fields; /* of the present row, as written in the file */
    struct str unquoted;           /* of the last field that was asked for, if it has quotes */
    struct error *error;           /* gets the first thing that is wrong; code 0: none yet */
};

/* Reads the header. names: the columns that must be there, NULL-terminated, borrowed. */
int recorded_table_open(struct recorded_table *table, const char *file, const char *const *names,
                        struct error *reterr) MUST_CHECK;
/* Rows from now on: `bytes` of them that begin `from` bytes after the header. line: of the first of
   them, for messages. */
int recorded_table_read(struct recorded_table *table, uint64_t from, uint64_t bytes, uint32_t line,
                        struct error *reterr) MUST_CHECK;
int recorded_table_read_all(struct recorded_table *table, struct error *reterr) MUST_CHECK;
/* The next row. False: there is none, or something is wrong (table->error). */
bool recorded_table_next(struct recorded_table *table);

/* Fields of the present row, by column asked for. Text is unquoted, valid until the next field. */
struct slice recorded_table_text(struct recorded_table *table, int column);
struct slice recorded_table_raw(const struct recorded_table *table, int column);
bool recorded_table_is_empty(const struct recorded_table *table, int column);
/* A number that is there, in the range; else the error is set. */
int64_t recorded_table_int(struct recorded_table *table, int column, int64_t least, int64_t most);
double recorded_table_real(struct recorded_table *table, int column, double absent);
/* The same from 0 to most. */
double recorded_table_amount(struct recorded_table *table, int column, double most, double absent);
/* Seconds with up to 9 digits after the point, and J with up to 18, exactly. */
int64_t recorded_table_ns(struct recorded_table *table, int column);
int128 recorded_table_energy(struct recorded_table *table, int column);
/* One of these words. */
int recorded_table_word(struct recorded_table *table, int column, const char *const *words,
                        int count);
/* "FILE:LINE: COLUMN: expected ..., got THE TEXT OF THE FIELD". */
void recorded_table_refuse(struct recorded_table *table, int column, const char *expected);
/* In the present row, which is the header after recorded_table_open: the first field from `from` on
   that begins with it; -1: none. And a field by its place in the row. */
int recorded_table_find(const struct recorded_table *table, const char *begins, int from);
struct slice recorded_table_at(struct recorded_table *table, int place);
void recorded_table_finish(struct recorded_table *table);

#endif

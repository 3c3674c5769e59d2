/* Rows of a CSV as structs: a column is one row of a table of fields (config/schema.h), which says
   its name, type, range and default, and what its messages call the value. */
#ifndef EASIM_CONFIG_CSV_READER_H
#define EASIM_CONFIG_CSV_READER_H

#include "base/intern.h"
#include "config/schema.h"
#include "io/csv.h"

#define CSV_READER_COLUMNS 32

/* Facts of a column, beside those of schema.h: the key is its name; HELP is the noun of messages
   ("seconds"). REQUIRED: the file has it, and no cell is empty; WITH_GAPS: cells may be, and
   with WORD the word is an empty one, too. EITHER: it
   has exactly one of the columns that bear the same text, which names them. A cell that is empty or
   not there is the default; of EITHER, a column that is not there touches nothing. Types are REAL,
   COUNT, BOOL (0 or 1), CHOICE, STRING, and CELL, which the reader of the rows reads itself.
 */
#define COUNT(of, member) .type = FIELD_COUNT, .offset = offsetof(struct of, member)
#define CELL              .type = FIELD_NODE
#define WITH_GAPS         .may_be_empty = true
#define EITHER(names)     .required = true, .unless = names

struct csv_reader {
    const struct field *columns;
    bool closed; /* other columns are problems, except label.* */
    struct problems *problems;
    struct intern *texts; /* gets the texts of cells, each once; NULL: no column is of texts */
    void *row; /* of files of many rows: the struct of all of them, so that a line of plain cells
                  is read straight into it; else NULL */
    size_t row_bytes;
    struct csv *csv;
    int at[CSV_READER_COLUMNS]; /* by field: the column of the file, or -1 */
    struct csv_reader_column {
        const struct field *field;
        int at;
        bool may_be_empty;
    } read[CSV_READER_COLUMNS]; /* those that the file has */
    size_t read_count;
    /* With a row: */
    struct csv_reader_column *scanned; /* by column of the file */
    void *absent;                      /* a row of defaults */
    bool has_row;                      /* it is there already */
};

#define READ_INTO(member) .row = &(member), .row_bytes = sizeof(member)

/* Opens the file and finds the columns; negative after problems. csv_reader_close in any case. */
int csv_reader_open(struct csv_reader *reader, const char *path) MUST_CHECK;
void csv_reader_close(struct csv_reader *reader);
/* Opens, calls read_row for each row, and closes; negative after problems. */
int csv_reader_load(struct csv_reader *reader, const char *path, void (*read_row)(void *context),
                    void *context) MUST_CHECK;

/* The cells of the current row, in *row; false after adding problems, one a cell. */
bool csv_reader_row(const struct csv_reader *reader, void *row) MUST_CHECK;
uint32_t csv_reader_line(const struct csv_reader *reader);
/* By the name of a column of the table: whether the file has it, its cell in the current row (empty
   without it), the place of it, and a problem there: "expected EXPECTED, got" what stands in it. */
bool csv_reader_has(const struct csv_reader *reader, const char *name);
struct slice csv_reader_cell(const struct csv_reader *reader, const char *name);
struct location csv_reader_where(const struct csv_reader *reader, const char *name);
void csv_reader_refuse(const struct csv_reader *reader, const char *name, const char *expected);

#endif

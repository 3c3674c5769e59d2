/* CSV with a header line, columns by name (RFC 4180 quoting; a quoted field ends on its line). */
#ifndef EASIM_IO_CSV_H
#define EASIM_IO_CSV_H

#include "base/error.h"
#include "base/str.h"

#define CSV_MAX_COLUMNS 4096

struct csv; /* opaque */

/* Opens path and reads the header (blank lines before it are skipped; header names are trimmed).
   Errors: unreadable file, empty file, duplicate or empty column name, too many columns. */
int csv_open(const char *path, char separator, struct csv **ret_csv,
             struct error *reterr) MUST_CHECK;
/* The same of a text that is at hand; name stands for the file in messages. */
int csv_of_text(struct slice text, const char *name, struct csv **ret_csv,
                struct error *reterr) MUST_CHECK;
int csv_column(const struct csv *csv, const char *name); /* index, or -1 */
size_t csv_column_count(const struct csv *csv);
const char *csv_column_name(const struct csv *csv, size_t column); /* borrowed, NUL-terminated */
/* " (columns: a, b)", for messages. */
const char *csv_list_text(const char *const *names, size_t count, struct arena *arena);
/* Says that there is no such column, with a similar name or else the advice; returns -1. */
int csv_missing_column(const struct csv *csv, const char *name, const char *advice,
                       struct problems *problems);
/* A column that the file must have; -1 after saying that it is missing. */
int csv_needed_column(const struct csv *csv, const char *name, struct problems *problems);
/* 1: a row is ready (blank lines are skipped); 0: end; negative: a row with another number of
   fields than the header, bad quoting, read error. Errors of a row name file and line; the caller
   may go on to the next row after ERROR_INPUT. */
int csv_next(struct csv *csv, struct error *reterr) MUST_CHECK;
/* Reads a row straight from its line (io/lines.h): one of fields as they are, without quotes and
   blanks around them. Puts where each field begins, and one behind the end of the line. False: the
   row is split as any other, and its problems are found. */
typedef bool csv_scan(void *context, struct slice line, const char **begins);
/* csv_next and csv_each_row try that first. */
void csv_scan_rows(struct csv *csv, csv_scan *scan, void *context);
/* Makes a line that is at hand the current row: 0, or ERROR_INPUT as above. */
int csv_take_line(struct csv *csv, struct slice line, struct error *reterr) MUST_CHECK;
/* Calls read_row for each good row, and lists problems of the others, until reading fails. */
void csv_each_row(struct csv *csv, struct problems *problems, void (*read_row)(void *context),
                  void *context);
struct slice csv_field(const struct csv *csv,
                       int column); /* trimmed, unquoted; empty if column is -1 */
/* The current row as one text, which is the same for rows of the same fields only (trimmed and
   unquoted). Valid until the next row; `text` is room for it, used if need be. */
struct slice csv_row(const struct csv *csv, struct str *text);
struct location csv_where(const struct csv *csv, int column); /* of that field in the current row */
/* A problem at that field of the current row, which may be -1: "expected ..., got" what stands
   there. name: of the column. */
void csv_refuse(const struct csv *csv, int column, const char *name, const char *expected,
                struct problems *problems);
/* Appends text as one field, quoted only where a reader needs it; NULL adds nothing. */
void csv_add_text(struct str *out, const char *text);
/* A real, or a time as a decimal of whole nanoseconds, in seconds. It has a point or an exponent in
   any case ("5.0"): who guesses the type of a column from its first rows must not find integers.
   Nothing is added for NaN and infinity. */
void csv_add_real(struct str *out, double value);
void csv_add_ns(struct str *out, int64_t time_ns);
/* The same at a place with room; they return the end, where no NUL has to stand. A finite real; a
   text of fewer bytes without anything that needs quotes, else NULL. */
#define CSV_NUMBER_BYTES 34
#define CSV_PLAIN_BYTES  40
char *csv_put_real(char to[static CSV_NUMBER_BYTES], double value);
char *csv_put_ns(char to[static CSV_NUMBER_BYTES], int64_t time_ns);
extern const unsigned char csv_special_bytes[256]; /* 0: of no meaning in a CSV */
static inline char *csv_put_plain(char to[static CSV_PLAIN_BYTES], const char *text) {
    size_t length = 0;
    for (; length < CSV_PLAIN_BYTES && !csv_special_bytes[(unsigned char)text[length]]; length++)
        to[length] = text[length];
    return length < CSV_PLAIN_BYTES && text[length] == '\0' ? to + length : NULL;
}
/* Appends a comma and then text, or a number. */
void csv_comma_text(struct str *out, const char *text);
void csv_comma_real(struct str *out, double value);
void csv_comma_int(struct str *out, int64_t value);
void csv_comma_count(struct str *out, uint32_t value);  /* 0 adds no number: absent */
void csv_comma_positive(struct str *out, double value); /* likewise */
void csv_close(struct csv *csv);                        /* accepts NULL */

#endif

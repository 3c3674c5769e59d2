/* The workload CSV: easim's own job log format (docs/reference/scenario.md), read and written. */
#ifndef EASIM_WORKLOAD_TRACE_FILE_H
#define EASIM_WORKLOAD_TRACE_FILE_H

#include "base/array.h"
#include "base/error.h"
#include "io/csv.h"
#include "workload/trace.h"

/* Appends all rows of a workload CSV (plain, gz, zst) to an empty trace, sorted by submit. Every
   bad row is a problem; negative if there were any. */
int trace_file_read(const char *path, const struct trace_options *options, struct trace *trace,
                    struct problems *problems) MUST_CHECK;
/* The trace as CSV text. */
void trace_file_write(const struct trace *trace, struct str *out);

/* Which columns behind the usual ones some row has. */
struct trace_file_extra {
    bool utilization, gpu_share, flex;
};

/* The same text in pieces of a few hundred kilobytes, for a text_source. Release text with
   str_finish. */
struct trace_file_pieces {
    const struct trace *trace;
    struct trace_file_extra extra;
    size_t row; /* the next one */
    bool begun; /* the header has gone */
    struct str text;
};

struct trace_file_pieces trace_file_pieces(const struct trace *trace);
struct slice trace_file_next_piece(void *pieces);

/* The reader of a format: "workload" here, or of a NULL-terminated table of foreign formats; NULL:
   unknown. */
const struct trace_reader *trace_file_find_reader(const struct trace_reader *const *foreign,
                                                  const char *name);

/* --- trace_labels: text that easim carries along; in a column of numbers all must be finite --- */

/* Zero but for the column. */
struct trace_label {
    int column;
    struct trace_text_cache texts;
    struct location infinite; /* of the first cell that is nan, inf or too large a number; line 0:
                                 there is none */
    char infinite_text[24];
};

struct trace_labels {
    ARRAY_OF(struct trace_label) at;
    const char **texts; /* of rows to come */
    size_t rows_left;   /* that these have room for */
};

/* The cells of the current row, for trace_row.labels; NULL without labels. */
const char *const *trace_labels_read(struct trace_labels *labels, struct trace *trace,
                                     const struct csv *csv);
/* After the last row, when all are in the trace: columns of numbers with a cell that is none. */
void trace_labels_check(const struct trace_labels *labels, const struct trace *trace,
                        struct problems *problems);

#endif

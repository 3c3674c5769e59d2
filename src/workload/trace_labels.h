/* Label columns of job logs: text that easim carries along. In a column of numbers all must be
 * finite. */
#ifndef EASIM_WORKLOAD_TRACE_LABELS_H
#define EASIM_WORKLOAD_TRACE_LABELS_H

#include "base/array.h"
#include "base/error.h"
#include "io/csv.h"
#include "workload/trace.h"

/* Zero but for the column. */
struct trace_label {
    int column;
    struct trace_text_cache texts;
    bool has_text;            /* some cell is no number at all */
    struct location infinite; /* of the first cell that is nan, inf or too large a number; line 0:
                                 there is none */
    char infinite_text[24];
};

struct trace_labels {
    ARRAY_OF(struct trace_label) at;
};

/* The cells of the current row, for trace_row.labels; NULL without labels. */
const char *const *trace_labels_read(struct trace_labels *labels, struct trace *trace,
                                     const struct csv *csv);
/* After the last row: columns of numbers with a cell that is none. */
void trace_labels_check(const struct trace_labels *labels, const struct trace *trace,
                        struct problems *problems);

#endif

/* Traces of the PyTorch profiler made of such traces: the events of some steps, of some categories,
   or of several ranks. Kept events are byte for byte those of the file, in their order, and all
   metadata stays; merging changes pids, flow ids and times only. */
#ifndef EASIM_INGEST_TRACE_EDIT_TRACE_EDIT_H
#define EASIM_INGEST_TRACE_EDIT_TRACE_EDIT_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* The caller fills in the first part; release with trace_edit_finish. */
struct trace_edit {
    const char *output; /* its suffix decides how it is compressed */
    bool strict;        /* damaged input is an error */

    uint64_t records, kept; /* events */
    bool damaged;           /* some input ended early or had unreadable stretches */
    struct problems notes;
};

/* Events of the steps from first to last: docs/reference/trace-edit.md says which. Negative after
   problems, or with the error of the output. */
int trace_cut_write(struct trace_edit *edit, const char *path, int64_t first, int64_t last,
                    struct problems *problems, struct error *reterr) MUST_CHECK;
/* Events of these categories, names with commas. */
int trace_filter_write(struct trace_edit *edit, const char *path, const char *categories,
                       struct problems *problems, struct error *reterr) MUST_CHECK;
/* One trace of the ranks, with clocks of the lowest one; the notes tell each offset. */
int trace_merge_write(struct trace_edit *edit, char *const *paths, size_t count,
                      struct problems *problems, struct error *reterr) MUST_CHECK;
void trace_edit_finish(struct trace_edit *edit);

#endif

/* A trace as text that tests can compare whole. */
#ifndef EASIM_TESTS_TRACE_TEXT_H
#define EASIM_TESTS_TRACE_TEXT_H

#include "workload/trace_file.h"

/* The columns that every workload CSV has. */
#define TRACE_COLUMNS \
    "job_id,submit_s,user,model,work_samples,duration_s,requested_s,gpus,batch,gpu_type,deadline_s,class"

/* Notes as "dropped|changed ROWS at FIRST_LINE: REASON" lines. */
static inline void trace_text_notes(const struct trace *trace, struct str *out) {
    for (size_t i = 0; i < trace->notes.count; i++) {
        const struct trace_note *note = &trace->notes.at[i];
        str_addf(out, "%s %d at %d: %s\n", note->dropped ? "dropped" : "changed", (int)note->rows,
                 (int)note->first_line, note->reason);
    }
}

/* The workload CSV, then the notes. */
static inline void trace_text_all(const struct trace *trace, struct str *out) {
    trace_file_write(trace, out);
    trace_text_notes(trace, out);
}

static inline void trace_text_problems(const struct problems *problems, struct str *out) {
    for (size_t i = 0; i < problems->kept; i++)
        str_addf(out, "%s\n", problems->texts[i]);
}

#endif

/* What the files of src/ingest/trace_edit share; for this folder alone. */
#ifndef EASIM_INGEST_TRACE_EDIT_INTERNAL_H
#define EASIM_INGEST_TRACE_EDIT_INTERNAL_H

#include "ingest/kineto/kineto_trace.h"
#include "ingest/trace_edit/trace_edit.h"

/* The members that the text has. Not all: reading ends as soon as it is known that neither
   arguments nor id are wanted. */
void trace_fields_read(struct slice text, bool all, struct kineto_fields *ret_fields);

/* --- trace_pass: each event and each other member of a file, one by one --- */

struct trace_pass {
    const char *path;
    void *context;
    int (*event)(void *context, const struct json_item *item, struct error *reterr);
    struct trace_writer *writer; /* gets the other members as they are; NULL: `member` does */
    int (*member)(void *context, const struct json_item *item,
                  struct error *reterr); /* NULL: they are passed over */
    /* NULL, or where the next event that is wanted begins: at this one, or at a later one. */
    uint64_t (*next)(void *context, uint64_t offset);
};

/* Counts records and notes what is damaged, unless `again`. ERROR_INPUT: also of damage if the edit
   is strict, and of files without events. */
int trace_pass_run(struct trace_edit *edit, const struct trace_pass *pass, bool again,
                   struct error *reterr) MUST_CHECK;

/* --- trace_writer: a trace, part by part --- */

/* Zero-initialise. */
struct trace_writer {
    struct packed_file *file;
    struct str buffer;
    bool has_member, in_events;
    uint64_t events;
};

int trace_writer_open(struct trace_writer *writer, const char *path,
                      struct error *reterr) MUST_CHECK;
int trace_writer_member(struct trace_writer *writer, const struct json_item *item,
                        struct error *reterr) MUST_CHECK;
int trace_writer_event(struct trace_writer *writer, struct slice text,
                       struct error *reterr) MUST_CHECK;
/* Completes the file, unless `result` is negative; releases the writer. Returns the result. */
int trace_writer_close(struct trace_writer *writer, int result, struct error *reterr) MUST_CHECK;

#endif

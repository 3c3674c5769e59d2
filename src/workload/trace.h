/* A recorded job log in easim's terms: made by the reader of any format, held by a workload CSV. */
#ifndef EASIM_WORKLOAD_TRACE_H
#define EASIM_WORKLOAD_TRACE_H

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/str.h"

#include <stddef.h>
#include <stdint.h>

enum trace_class { TRACE_CLASS_ABSENT, TRACE_CLASS_BEST_EFFORT, TRACE_CLASS_SLA };

/* The utilization of a rigid job from so many seconds of its work on. */
struct utilization_step {
    double from_s, value;
};

/* Of one job: the first begins at 0, each changes the value. */
struct utilization_steps {
    const struct utilization_step *at;
    uint32_t count;
};

/* One job. Text is borrowed from the trace, NULL = absent; numbers NAN or 0 = absent. */
struct trace_row {
    const char *id, *user, *model, *gpu_type;
    int64_t submit_ns;
    double deadline_s; /* absolute, on the clock of submit_ns */
    double work_samples, duration_s, requested_s;
    double utilization;                    /* the mean */
    double flex;                           /* share of its speed that it may lose */
    const struct utilization_steps *steps; /* where it changes, borrowed; else NULL */
    double batch;                          /* per GPU */
    uint32_t gpus;
    uint32_t gpu_milli; /* thousandths of its GPU, 1..1000; below 1000 only of one GPU and without a
                           model */
    enum trace_class class;
    uint32_t line;             /* in the source file, for messages */
    const char *const *labels; /* by label column; NULL if there are none */
};

/* Rows that were left out or changed, by reason. */
struct trace_note {
    const char *reason;
    uint64_t rows;
    uint32_t first_line;
    bool dropped; /* else: kept, but changed */
};

/* Zero-initialise; release with trace_finish. */
struct trace {
    ARRAY_OF(struct trace_row) rows;
    size_t ordered; /* so many of the first ones are known to be in the order of submit */
    ARRAY_OF(const char *) label_names; /* without the "label." prefix */
    ARRAY_OF(struct trace_note) notes;
    uint64_t rows_read;    /* data rows of the source */
    bool is_cut;           /* a slice has left out what was before it, and has no lead */
    double offset_s;       /* what was subtracted from all times so that the first submit is 0 */
    const char *time_zone; /* of the local times in it, as time_zone_open names it; NULL: it has
                              none. Borrowed */
    const char *unused;    /* "columns a, b (label)" of the source that change no job; or NULL */
    struct intern texts;   /* users, models, GPU types */
    struct arena arena;
};

/* Of the texts of one column. */
struct trace_text_cache {
    struct slice last;
    uint32_t looked_up,
        found; /* texts that were not the last one, and how many of them were known */
};

/* Work of the jobs of a model, for logs that do not state it. */
struct trace_work {
    struct location where;
    const char *model;
    double samples;
};

/* Options that only some formats understand, as bits. */
enum trace_option {
    TRACE_OPTION_MODELS = 2,
    TRACE_OPTION_TIME_ZONE = 4, /* the log has date-times, and offset_s counts from 1970 */
    TRACE_OPTION_WORK = 8,
    TRACE_OPTION_NODES = 16 /* beside it is a list of nodes */
};

/* Options of readers; each format uses those that mean something to it. */
struct trace_options {
    bool models;           /* take model and batch from the source where it has them */
    const char *time_zone; /* of local times (io/time_zone.h); NULL: the usual one of the format */
    const struct trace_work *work;
    size_t work_count;
};

/* A format by name; others than the workload CSV come from the ingest layer, by a table. */
struct trace_reader {
    const char *name;
    const char *help;
    int (*read)(const char *path, const struct trace_options *options, struct trace *trace,
                struct problems *problems);
    unsigned options; /* enum trace_option: those that it uses */
};

/* The first of the given options that the reader does not use; 0: it uses all. */
enum trace_option trace_option_unused(const struct trace_reader *reader,
                                      const struct trace_options *options);

void trace_finish(struct trace *trace);
struct trace_row trace_row_absent(uint32_t line); /* nothing known */

/* Of a row that a reader adds like this, trace_sort need not look where it belongs. */
static inline void trace_add(struct trace *trace, const struct trace_row *row) {
    size_t count = trace->rows.count;
    trace->ordered += trace->ordered == count &&
                      (count == 0 || trace->rows.at[count - 1].submit_ns <= row->submit_ns);
    array_push(&trace->rows, *row);
}

/* Adds one to the note with that reason (a string that outlives the trace). */
void trace_note(struct trace *trace, bool dropped, const char *reason, uint32_t line);
/* One line for each note: prefix, file, rows, what happened to them, reason, first line. */
void trace_write_notes(const struct trace *trace, const char *file, const char *prefix,
                       struct str *out);
const char *trace_text(struct trace *trace, struct slice text); /* interned; NULL for empty text */
/* The same where the last text that was asked for with this cache (zero at first) often comes
   again, or where few texts ever do. */
const char *trace_text_again(struct trace *trace, struct slice text,
                             struct trace_text_cache *cache);

/* Orders rows by submit (stable); with shift, moves the first to 0 and adds to the offset. */
void trace_sort(struct trace *trace, bool shift);
/* Makes an instant of the log 0. */
void trace_shift(struct trace *trace, int64_t zero_ns);
/* Makes one unsorted trace of the parts of a log that share a clock; job ids get "1-", "2-", ... by
   part. Takes over the parts' memory; their notes stay with them. */
void trace_join(struct trace *trace, struct trace *parts, size_t count);

/* --- order: stable order by time of records that are mostly in order already --- */

/* `count` records of `size` bytes that may be moved as bytes, each with an int64 time `time_offset`
   bytes behind its beginning, in order of time; equal times keep their order. NULL: they stand so
   already; else a copy, owned by the caller (free). */
void *order_sorted_by_time(const void *records, size_t size, size_t time_offset, size_t count);

/* The order of `count` records whose int64 times stand `stride` bytes apart: order[i] is the record
   that comes i-th; equal times keep their order. Owned by the caller (free); NULL if they are in
   order already. */
uint32_t *order_by_time(const int64_t *first_ns, size_t stride, size_t count);

#endif

/* Logs of requests to a language model: when each came, how many tokens its prompt had, and how
   many it was answered with. Format azure-llm: TIMESTAMP (a date-time), ContextTokens,
   GeneratedTokens (whole numbers); other columns are ignored (Azure Public Dataset, LLM inference
   traces of 2023 and 2024). */
#ifndef EASIM_WORKLOAD_REQUEST_LOG_H
#define EASIM_WORKLOAD_REQUEST_LOG_H

#include "base/array.h"
#include "base/error.h"
#include "base/tally.h"

struct request {
    int64_t time_ns;       /* since the first of the log */
    double prompt, output; /* tokens, whole */
};

/* Zero-initialise; release with request_log_finish. Rows are in order of time. */
struct request_log {
    ARRAY_OF(struct request) rows;
    double prompt, output;         /* tokens of all rows */
    struct row_tally empty;        /* rows without an output token */
    struct row_tally out_of_order; /* rows earlier than one before them: sorted in */
    struct location last;          /* where the time of the latest row is */
};

/* Reads path, plain, gz or zst. Negative after adding problems. */
int request_log_read(struct request_log *log, const char *path,
                     struct problems *problems) MUST_CHECK;
void request_log_finish(struct request_log *log);

#endif

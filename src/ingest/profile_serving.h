/* What rows of the profile CSV have beside training: what they count, and for points of serving
   tables the running batch and the latencies. Columns that are only written where a row has one. */
#ifndef EASIM_INGEST_PROFILE_SERVING_H
#define EASIM_INGEST_PROFILE_SERVING_H

#include "base/str.h"

#define PROFILE_QUANTILES 4 /* p50, p90, p95, p99 */

/* NULL and 0: not given. A row with a running batch is a point of a serving table: its throughput
   and power are those of a replica of k GPUs. */
struct profile_serving {
    const char *unit;                 /* of throughput: "token", "output"; NULL: samples */
    const char *prompt;               /* "included" or the outputs that a prompt token equals */
    double batch_limit;               /* most requests at once */
    double running_batch;             /* mean of the requests at once */
    double itl_ms[PROFILE_QUANTILES]; /* time between two tokens of a request */
    double latency_ms;                /* of one output */
};

enum profile_serving_column {
    SERVING_COLUMN_UNIT,
    SERVING_COLUMN_PROMPT,
    SERVING_COLUMN_LIMIT,
    SERVING_COLUMN_RUNNING,
    SERVING_COLUMN_ITL, /* and the other quantiles */
    SERVING_COLUMN_LATENCY = SERVING_COLUMN_ITL + PROFILE_QUANTILES,
    SERVING_COLUMNS
};

extern const char *const profile_serving_columns[SERVING_COLUMNS];

/* Appends the value, if there is one. */
void profile_serving_cell(struct str *out, const struct profile_serving *serving,
                          enum profile_serving_column column);

#endif

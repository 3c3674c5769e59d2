/* Columns of serving: see profile_serving.h. */
#include "ingest/profile_serving.h"

#include "io/csv.h"

const char *const profile_serving_columns[SERVING_COLUMNS] = {
    "unit",       "prompt",     "batch_limit", "running_batch", "itl_p50_ms",
    "itl_p90_ms", "itl_p95_ms", "itl_p99_ms",  "latency_ms"};

void profile_serving_cell(struct str *out, const struct profile_serving *serving,
                          enum profile_serving_column column) {
    double value = 0;
    if (column == SERVING_COLUMN_UNIT || column == SERVING_COLUMN_PROMPT)
        csv_add_text(out, column == SERVING_COLUMN_UNIT ? serving->unit : serving->prompt);
    else if (column == SERVING_COLUMN_LIMIT)
        value = serving->batch_limit;
    else if (column == SERVING_COLUMN_RUNNING)
        value = serving->running_batch;
    else if (column == SERVING_COLUMN_LATENCY)
        value = serving->latency_ms;
    else
        value = serving->itl_ms[column - SERVING_COLUMN_ITL];
    if (value > 0)
        str_add_real(out, value);
}

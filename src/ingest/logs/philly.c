/* Microsoft Philly, flattened to one row a job: timestamp, duration, num_gpus, gpu_time, cluster
 * (virtual cluster).
 */
#include "ingest/logs/philly.h"

#include "base/units.h"
#include "ingest/logs/formats.h"
#include "ingest/logs/log_table.h"

#include <math.h>

enum column { SUBMIT, DURATION, GPUS, CLUSTER, COLUMN_COUNT };

static const char *const column_names[COLUMN_COUNT] = {"timestamp", "duration", "num_gpus",
                                                       "cluster"};

static const char *read_philly_job(struct table *table, struct trace_row *row) {
    row->submit_ns = table_time(table, SUBMIT);
    row->duration_s =
        table_is_absent(table, DURATION) ? NAN : table_seconds(table, DURATION, -TIME_MAX_S);
    row->gpus = table_whole(table, GPUS, 0);
    row->user = table_text(table, CLUSTER);
    return table_reason(row);
}

static int philly_read(const char *path, const struct trace_options *options, struct trace *trace,
                       struct problems *problems) {
    static const struct table_format format = {.columns = column_names,
                                               .count = COLUMN_COUNT,
                                               .required = COLUMN_COUNT,
                                               .models_from = COLUMN_COUNT,
                                               .id = -1,
                                               .time_zone = PHILLY_TIME_ZONE,
                                               .read_row = read_philly_job,
                                               .note_repeats = true};
    return table_read(path, &format, options, trace, problems, NULL);
}

const struct trace_reader philly_reader = {"philly", "Microsoft Philly, flattened (CSV)",
                                           philly_read, TRACE_OPTION_TIME_ZONE};

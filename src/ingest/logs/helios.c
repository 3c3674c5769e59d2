/* Helios and Acme job logs (github.com/S-Lab-System-Group/HeliosData,
   github.com/InternLM/AcmeTrace): CSV tables of a Slurm-like accounting. */
#include "ingest/logs/formats.h"

#include "base/units.h"
#include "ingest/logs/log_table.h"

#include <math.h>

enum column {
    ID,
    SUBMIT,
    DURATION,
    GPUS,
    REQUIRED_COUNT,
    USER = REQUIRED_COUNT,
    START,
    END,
    COLUMN_COUNT
};

static const char *const column_names[COLUMN_COUNT] = {
    "job_id", "submit_time", "duration", "gpu_num", "user", "start_time", "end_time"};

/* In some rows of Acme's Kalos the duration also counts the time in the queue. */
static void compare_duration(struct table *table, const struct trace_row *row) {
    if (table_is_absent(table, START) || table_is_absent(table, END))
        return;
    double ran_s = units_s(table_time(table, END) - table_time(table, START));
    if (fabs(ran_s - row->duration_s) > 1)
        table_note(table, "duration is not end_time - start_time (duration kept)", row);
}

static const char *read_helios_job(struct table *table, struct trace_row *row) {
    if (table_is_absent(table, SUBMIT))
        return "no submit time";
    row->submit_ns = table_time(table, SUBMIT);
    row->duration_s =
        table_is_absent(table, DURATION) ? NAN : table_seconds(table, DURATION, -TIME_MAX_S);
    row->gpus = table_is_absent(table, GPUS) ? 0 : table_whole(table, GPUS, 0);
    row->user = table_text(table, USER);
    const char *reason = table_reason(row);
    if (!reason)
        compare_duration(table, row);
    return reason;
}

static int helios_read(const char *path, const struct trace_options *options, struct trace *trace,
                       struct problems *problems) {
    static const struct table_format format = {.columns = column_names,
                                               .count = COLUMN_COUNT,
                                               .required = REQUIRED_COUNT,
                                               .models_from = COLUMN_COUNT,
                                               .id = ID,
                                               .only_checked = 1u << START | 1u << END,
                                               .time_zone = "UTC",
                                               .read_row = read_helios_job};
    return table_read(path, &format, options, trace, problems, NULL);
}

const struct trace_reader helios_reader = {"helios", "SenseTime Helios (CSV)", helios_read,
                                           TRACE_OPTION_TIME_ZONE};
const struct trace_reader acme_reader = {"acme", "Shanghai AI Lab Acme (CSV)", helios_read,
                                         TRACE_OPTION_TIME_ZONE};

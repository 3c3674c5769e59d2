/* Pollux and Sia workloads: name, time, application, num_replicas, batch_size (of all replicas). */
#include "ingest/logs/formats.h"

#include "base/units.h"
#include "ingest/logs/log_table.h"

#include <math.h>

enum column { ID, SUBMIT, APPLICATION, REQUIRED_COUNT, GPUS = REQUIRED_COUNT, BATCH, COLUMN_COUNT };

static const char *const column_names[COLUMN_COUNT] = {"name", "time", "application",
                                                       "num_replicas|num_gpus", "batch_size"};

static double known_work(const struct trace_options *options, const char *model) {
    for (size_t i = 0; i < options->work_count && model; i++)
        if (strcmp(options->work[i].model, model) == 0)
            return options->work[i].samples;
    return 0;
}

static const char *read_pollux_job(struct table *table, struct trace_row *row) {
    row->submit_ns = units_ns(table_seconds(table, SUBMIT, 0));
    row->model = table_text(table, APPLICATION);
    row->gpus = table_is_absent(table, GPUS) ? 0 : table_whole(table, GPUS, 0);
    uint32_t batch_size = table_is_absent(table, BATCH) ? 0 : table_whole(table, BATCH, 0);
    double work = known_work(table->options, row->model);
    if (!row->model)
        return "no application";
    if (work <= 0)
        return "no work is given for the application";
    row->work_samples = work;
    if (batch_size == 0 || row->gpus == 0)
        return NULL;
    row->batch = ceil((double)batch_size / row->gpus); /* as their simulators do */
    if (batch_size % row->gpus != 0)
        table_note(table, "batch_size not divisible by num_replicas: batch rounded up", row);
    return NULL;
}

static int pollux_read(const char *path, const struct trace_options *options, struct trace *trace,
                       struct problems *problems) {
    static const struct table_format format = {.columns = column_names,
                                               .count = COLUMN_COUNT,
                                               .required = REQUIRED_COUNT,
                                               .models_from = COLUMN_COUNT,
                                               .id = ID,
                                               .labels_too = 1u << BATCH,
                                               .read_row = read_pollux_job};
    return table_read(path, &format, options, trace, problems, NULL);
}

const struct trace_reader pollux_reader = {"pollux", "workload of the Pollux simulator (CSV)",
                                           pollux_read, TRACE_OPTION_WORK};
const struct trace_reader sia_reader = {"sia", "workload of the Sia simulator (CSV)", pollux_read,
                                        TRACE_OPTION_WORK};

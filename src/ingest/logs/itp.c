/* Microsoft ITP job logs (github.com/microsoft/elasticflow-traces). Model, batch size, iterations
   and deadline of the annotated files were drawn at random by the authors of ElasticFlow: they
   count only when asked for. */
#include "ingest/logs/formats.h"

#include "base/units.h"
#include "ingest/logs/log_table.h"

enum column {
    ID,
    SUBMIT,
    DURATION,
    GPUS,
    REQUIRED_COUNT,
    MODEL = REQUIRED_COUNT,
    BATCH,
    DEADLINE,
    COLUMN_COUNT
};

static const char *const column_names[COLUMN_COUNT] = {
    "job_id", "submission_time", "duration", "num_gpu", "model_name", "batch_size", "deadline"};

static const char *read_itp_job(struct table *table, struct trace_row *row) {
    row->submit_ns = units_ns(table_seconds(table, SUBMIT, 0));
    row->duration_s = table_seconds(table, DURATION, -TIME_MAX_S);
    row->gpus = table_whole(table, GPUS, 0);
    if (!table_is_absent(table, DEADLINE))
        row->deadline_s = table_seconds(table, DEADLINE, 0);
    uint32_t batch_size = table_is_absent(table, BATCH) ? 0 : table_whole(table, BATCH, 1);
    row->model = table_text(table, MODEL);
    const char *reason = table_reason(row);
    if (reason)
        return reason;
    if (batch_size % row->gpus == 0)
        row->batch = batch_size / row->gpus;
    else
        table_note(table, "batch_size not divisible by num_gpu: batch left empty", row);
    return NULL;
}

static int itp_read(const char *path, const struct trace_options *options, struct trace *trace,
                    struct problems *problems) {
    static const struct table_format format = {.columns = column_names,
                                               .count = COLUMN_COUNT,
                                               .required = REQUIRED_COUNT,
                                               .models_from = REQUIRED_COUNT,
                                               .id = ID,
                                               .read_row = read_itp_job};
    return table_read(path, &format, options, trace, problems, NULL);
}

const struct trace_reader itp_reader = {
    "itp", "Microsoft ITP (CSV, raw or annotated by ElasticFlow)", itp_read, TRACE_OPTION_MODELS};

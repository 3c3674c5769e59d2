/* Job logs that are CSV tables only: Helios and Acme, ITP, Pollux and Sia. */
#include "base/units.h"
#include "ingest/logs/formats.h"
#include "ingest/logs/log_table.h"

#include <math.h>

/* --- helios --- */
/* Helios and Acme (github.com/S-Lab-System-Group/HeliosData, github.com/InternLM/AcmeTrace): CSV
   tables of a Slurm-like accounting. */

#define HELIOS_COLUMNS(X) \
    X(ID, "job_id"), X(SUBMIT, "submit_time"), X(DURATION, "duration"), X(GPUS, "gpu_num"), \
        X(USER, "user"), X(START, "start_time"), X(END, "end_time")
enum column { HELIOS_COLUMNS(ENUM_OF), COLUMN_COUNT, REQUIRED_COUNT = USER };

static const char *const helios_column_names[COLUMN_COUNT] = {HELIOS_COLUMNS(NAME_OF)};

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
    static const struct table_format format = {.columns = helios_column_names,
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

/* --- itp --- */
/* Microsoft ITP (github.com/microsoft/elasticflow-traces). Model, batch size, iterations and
   deadline of the annotated files were drawn at random by the authors of ElasticFlow: they count
   only when asked for. */

#define ITP_COLUMNS(X) \
    X(ITP_ID, "job_id"), X(ITP_SUBMIT, "submission_time"), X(ITP_DURATION, "duration"), \
        X(ITP_GPUS, "num_gpu"), X(ITP_MODEL, "model_name"), X(ITP_BATCH, "batch_size"), \
        X(ITP_DEADLINE, "deadline")
enum itp_column { ITP_COLUMNS(ENUM_OF), ITP_COLUMN_COUNT, ITP_REQUIRED_COUNT = ITP_MODEL };

static const char *const itp_column_names[ITP_COLUMN_COUNT] = {ITP_COLUMNS(NAME_OF)};

static const char *read_itp_job(struct table *table, struct trace_row *row) {
    row->submit_ns = units_ns(table_seconds(table, ITP_SUBMIT, 0));
    row->duration_s = table_seconds(table, ITP_DURATION, -TIME_MAX_S);
    row->gpus = table_whole(table, ITP_GPUS, 0);
    if (!table_is_absent(table, ITP_DEADLINE))
        row->deadline_s = table_seconds(table, ITP_DEADLINE, 0);
    uint32_t batch_size = table_is_absent(table, ITP_BATCH) ? 0 : table_whole(table, ITP_BATCH, 1);
    row->model = table_text(table, ITP_MODEL);
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
    static const struct table_format format = {.columns = itp_column_names,
                                               .count = ITP_COLUMN_COUNT,
                                               .required = ITP_REQUIRED_COUNT,
                                               .models_from = ITP_REQUIRED_COUNT,
                                               .id = ITP_ID,
                                               .read_row = read_itp_job};
    return table_read(path, &format, options, trace, problems, NULL);
}

const struct trace_reader itp_reader = {
    "itp", "Microsoft ITP (CSV), raw or annotated by ElasticFlow", itp_read, TRACE_OPTION_MODELS};

/* --- pollux --- */
/* Pollux and Sia: name, time, application, num_replicas, batch_size (of all replicas). */

#define POLLUX_COLUMNS(X) \
    X(POLLUX_ID, "name"), X(POLLUX_SUBMIT, "time"), X(POLLUX_APPLICATION, "application"), \
        X(POLLUX_GPUS, "num_replicas|num_gpus"), X(POLLUX_BATCH, "batch_size")
enum pollux_column {
    POLLUX_COLUMNS(ENUM_OF),
    POLLUX_COLUMN_COUNT,
    POLLUX_REQUIRED_COUNT = POLLUX_GPUS
};

static const char *const pollux_column_names[POLLUX_COLUMN_COUNT] = {POLLUX_COLUMNS(NAME_OF)};

static double known_work(const struct trace_options *options, const char *model) {
    for (size_t i = 0; i < options->work_count && model; i++)
        if (strcmp(options->work[i].model, model) == 0)
            return options->work[i].samples;
    return 0;
}

static const char *read_pollux_job(struct table *table, struct trace_row *row) {
    row->submit_ns = units_ns(table_seconds(table, POLLUX_SUBMIT, 0));
    row->model = table_text(table, POLLUX_APPLICATION);
    row->gpus = table_is_absent(table, POLLUX_GPUS) ? 0 : table_whole(table, POLLUX_GPUS, 0);
    uint32_t batch_size =
        table_is_absent(table, POLLUX_BATCH) ? 0 : table_whole(table, POLLUX_BATCH, 0);
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
    static const struct table_format format = {.columns = pollux_column_names,
                                               .count = POLLUX_COLUMN_COUNT,
                                               .required = POLLUX_REQUIRED_COUNT,
                                               .models_from = POLLUX_COLUMN_COUNT,
                                               .id = POLLUX_ID,
                                               .labels_too = 1u << POLLUX_BATCH,
                                               .read_row = read_pollux_job};
    return table_read(path, &format, options, trace, problems, NULL);
}

const struct trace_reader pollux_reader = {"pollux", "workload of the Pollux simulator (CSV)",
                                           pollux_read, TRACE_OPTION_WORK};
const struct trace_reader sia_reader = {"sia", "workload of the Sia simulator (CSV)", pollux_read,
                                        TRACE_OPTION_WORK};

/* Alibaba PAI (NSDI 2022, "MLaaS in the Wild"), July to August 2020, as the simulator of its
   authors reads it: times in seconds; num_gpu, or plan_gpu in percent of a GPU, for each of
   num_inst instances, which run together (scheduler.py of the simulator: num_inst * num_gpu). */
#include "base/units.h"
#include "ingest/logs/formats.h"
#include "ingest/logs/log_table.h"

#include <math.h>

enum column {
    SUBMIT,
    DURATION,
    REQUIRED_COUNT,
    GPUS = REQUIRED_COUNT,
    PLAN,
    INSTANCES,
    ID,
    USER,
    TYPE,
    COLUMN_COUNT
};

static const char *const column_names[COLUMN_COUNT] = {"submit_time",
                                                       "duration",
                                                       "num_gpu",
                                                       "plan_gpu",
                                                       "num_inst|inst_num",
                                                       "job_id|jobid|job_name|name",
                                                       "user",
                                                       "gpu_type_spec|gpu_type"};

/* Of one instance. */
static double gpus_of_instance(struct table *table) {
    if (!table_is_absent(table, GPUS))
        return table_real(table, GPUS, 0, 1 << 30, "expected GPUs 0..2^30, got");
    return table_is_absent(table, PLAN)
               ? 0
               : table_real(table, PLAN, 0, 1 << 30, "expected percent of a GPU, got") / 100;
}

static double gpus_of_task(struct table *table) {
    double instances = table_is_absent(table, INSTANCES) ? 1 : table_whole(table, INSTANCES, 0);
    double all = gpus_of_instance(table) * instances, whole = round(all);
    if (all <= 1 << 30)
        return fabs(all - whole) < 1e-9 * whole ? whole : all; /* 0.07 x 100 is a bit more than 7 */
    table_bad(table, INSTANCES, "expected at most 2^30 GPUs of all instances, got", "");
    return 0;
}

/* Whole GPUs, or part of one in thousandths; NULL, or what is not as the log has it. */
static const char *set_gpus(struct trace_row *row, double gpus) {
    row->gpus = (uint32_t)ceil(gpus);
    if (row->gpus == gpus)
        return NULL;
    if (row->gpus > 1)
        return "part of several GPUs: whole ones";
    row->gpu_milli = (uint32_t)ceil(gpus * WHOLE_GPU_MILLI);
    bool exact = (double)row->gpu_milli / WHOLE_GPU_MILLI == gpus;
    return exact ? "part of a GPU: gpu_share"
                 : "part of a GPU, rounded up to thousandths: gpu_share";
}

static const char *read_pai_task(struct table *table, struct trace_row *row) {
    row->submit_ns = units_ns(table_seconds(table, SUBMIT, 0));
    row->duration_s =
        table_is_absent(table, DURATION) ? NAN : table_seconds(table, DURATION, -TIME_MAX_S);
    row->user = table_text(table, USER);
    row->gpu_type = table_text(table, TYPE);
    const char *note = set_gpus(row, gpus_of_task(table)), *reason = table_reason(row);
    if (!reason && note)
        table_note(table, note, row);
    return reason;
}

static int pai_read(const char *path, const struct trace_options *options, struct trace *trace,
                    struct problems *problems) {
    static const struct table_format format = {.columns = column_names,
                                               .count = COLUMN_COUNT,
                                               .required = REQUIRED_COUNT,
                                               .models_from = COLUMN_COUNT,
                                               .id = ID,
                                               .labels_too =
                                                   1u << GPUS | 1u << PLAN | 1u << INSTANCES,
                                               .read_row = read_pai_task};
    return table_read(path, &format, options, trace, problems, NULL);
}

const struct trace_reader alibaba_pai_2020_reader = {
    "alibaba-pai-2020", "Alibaba PAI, simulator form (CSV)", pai_read, 0};

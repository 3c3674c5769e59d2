/* Samples/s of whole machines, a column for each task. Batches are in a second table, of all GPUs
 * together. Tasks that count tokens, frames or audio samples have no rows: their batches count
 * something else. */
#include "ingest/profile_formats.h"
#include "ingest/records/records.h"
#include "io/files.h"
#include "model/laws.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum unit { UNIT_UNKNOWN, UNIT_SAMPLES, UNIT_OTHER };

static const struct {
    const char *name;
    enum unit unit;
} tasks[] = {{"ssd", UNIT_SAMPLES},
             {"bert_base_squad", UNIT_SAMPLES},
             {"bert_large_squad", UNIT_SAMPLES},
             {"ncf", UNIT_SAMPLES},
             {"resnet50", UNIT_SAMPLES},
             {"gnmt", UNIT_OTHER},
             {"tacotron2", UNIT_OTHER},
             {"transformerxlbase", UNIT_OTHER},
             {"transformerxllarge", UNIT_OTHER},
             {"waveglow", UNIT_OTHER}};

struct batches {
    const char *machine;
    double of_column[RECORDS_MAX_CELLS]; /* of the throughput table; NAN: none */
};

struct reader {
    int machine, gpus;
    enum unit units[RECORDS_MAX_CELLS];
    const char *names[RECORDS_MAX_CELLS]; /* of tasks */
    const char *precision;
    ARRAY_OF(struct batches) batches;
    uint64_t not_measured, without_batch;
};

/* ---- The table of batches ---- */

/* "pytorch-train-throughput-fp16.csv" has "pytorch-train-bs-fp16.csv"; NULL: another name. */
static const char *batches_beside(struct records_job *job, const char *path) {
    static const char word[] = "throughput";
    const char *at = strstr(files_name(path), word);
    return at ? arena_printf(&job->profile->arena, "%.*sbs%s", (int)(at - path), path,
                             at + strlen(word))
              : NULL;
}

/* Rows that do not fit their header or have no number have no batch: that is counted where one is
 * needed. */
static void keep_batches(struct records_job *job, const struct records *table,
                         const struct records *batches) {
    struct reader *r = job->context;
    struct batches *row = array_add(&r->batches);
    row->machine = records_text(job, batches, records_column(batches, "name_gpu"));
    for (size_t i = 0; i < table->name_count; i++)
        row->of_column[i] = r->names[i]
                                ? records_number(batches, records_column(batches, r->names[i]),
                                                 TELEMETRY_PLAIN, NULL)
                                : NAN;
}

static void read_batches(struct records_job *job, const struct records *table, const char *path) {
    struct records batches;
    struct error error = {0};
    int got = records_open(&batches, path, &error);
    if (got == 0)
        (void)records_require(job, &batches, "name_gpu");
    while (got == 0 && (got = records_next(&batches, &error)) > 0) {
        keep_batches(job, table, &batches);
        got = 0;
    }
    if (got < 0)
        problems_say(job->problems, "%s (the batches of %s)", error.text, table->path);
    records_close(&batches);
}

/* ---- The table of throughputs ---- */

static void find_tasks(struct records_job *job, const struct records *records) {
    struct reader *r = job->context;
    for (size_t i = 0; i < records->name_count; i++) {
        r->units[i] = UNIT_UNKNOWN;
        r->names[i] = NULL;
        for (size_t t = 0; t < sizeof tasks / sizeof *tasks; t++)
            if (slice_is(records->names[i], tasks[t].name)) {
                r->units[i] = tasks[t].unit;
                r->names[i] = tasks[t].name;
            }
        if (r->units[i] == UNIT_OTHER)
            problems_add(&job->profile->notes, (struct location){records->path, 1, 0}, NULL,
                         "column \"%s\" left out: its throughput is not in samples", r->names[i]);
        else if (r->units[i] == UNIT_UNKNOWN && !slice_is(records->names[i], "name_gpu") &&
                 !slice_is(records->names[i], "num_gpu") && !slice_is(records->names[i], "watt") &&
                 !slice_is(records->names[i], "price"))
            problems_add(&job->profile->notes, (struct location){records->path, 1, 0}, NULL,
                         "column \"%.*s\" left out: no task of the benchmark",
                         (int)records->names[i].length, records->names[i].at);
    }
}

/* "pytorch-train-throughput-fp16.csv": fp16. */
static const char *precision_of(struct records_job *job, const char *path) {
    const char *dash = strrchr(files_name(path), '-');
    return dash && dash[1] ? arena_strndup(&job->profile->arena, dash + 1, strcspn(dash + 1, "."))
                           : NULL;
}

static bool begin_lambda(struct records_job *job, struct records *records) {
    struct reader *r = job->context;
    size_t before = job->problems->count;
    const char *beside = batches_beside(job, records->path);
    r->machine = records_require(job, records, "name_gpu");
    r->gpus = records_require(job, records, "num_gpu");
    r->precision = precision_of(job, records->path);
    r->not_measured = r->without_batch = r->batches.count = 0;
    records_refuse_own(job, records, "gpus", job->options->gpus > 0);
    records_refuse_own(job, records, "model", job->options->model);
    if (job->problems->count > before)
        return false;
    find_tasks(job, records);
    if (job->options->batch > 0)
        return true;
    if (beside)
        read_batches(job, records, beside);
    else
        problems_add_setting(
            job->problems, (struct location){.file = records->path}, "batch",
            "expected a name with \"throughput\", to find the batches in the table "
            "with \"bs\" in its place");
    return job->problems->count == before;
}

/* "LambdaCloud 4xV100 16GB" as "LambdaCloud V100 16GB". */
static const char *gpu_of(struct records_job *job, struct slice machine) {
    const char *at = machine.at, *end = at + machine.length;
    while (at < end) {
        const char *behind = at;
        while (behind < end && isdigit((unsigned char)*behind))
            behind++;
        if (behind > at && behind < end && *behind == 'x') {
            behind += behind + 1 < end && behind[1] == ' ' ? 2 : 1;
            return arena_printf(&job->profile->arena, "%.*s%.*s", (int)(at - machine.at),
                                machine.at, (int)(end - behind), behind);
        }
        while (at < end && *at++ != ' ') {
        }
    }
    return arena_strndup(&job->profile->arena, machine.at, machine.length);
}

/* The batch of all GPUs; NAN: the table of batches has none. */
static double batch_of(const struct records_job *job, struct slice machine, size_t column,
                       uint32_t gpus) {
    const struct reader *r = job->context;
    if (job->options->batch > 0)
        return job->options->batch * gpus;
    for (size_t i = 0; i < r->batches.count; i++)
        if (r->batches.at[i].machine && slice_is(machine, r->batches.at[i].machine))
            return r->batches.at[i].of_column[column];
    return NAN;
}

static void add_task(struct records_job *job, struct records *records, size_t column,
                     uint32_t gpus) {
    struct reader *r = job->context;
    struct slice machine = records_cell(records, r->machine);
    double rate = records_number(records, (int)column, TELEMETRY_PLAIN, NULL);
    double batch = batch_of(job, machine, column, gpus);
    r->not_measured += !(rate > 0);
    r->without_batch += rate > 0 && !(batch > 0);
    if (!(rate > 0) || !(batch > 0 && batch <= BATCH_MOST))
        return;
    struct profile_row *row = records_add_row(job, records, records_line(records), 1, gpus);
    row->model = r->names[column];
    row->precision = row->precision ? row->precision : r->precision;
    row->gpu = row->gpu ? row->gpu : gpu_of(job, machine);
    row->batch = batch / gpus;
    row->run.nodes = 1;
    row->run.global_batch = batch;
    row->throughput_samples_s = rate;
    records_add_throughput(job, row);
}

static bool read_lambda_row(struct records_job *job, struct records *records) {
    const struct reader *r = job->context;
    int64_t gpus = 0;
    bool is_bad = false;
    if (records_cell(records, r->machine).length == 0 ||
        !slice_parse_whole(records_cell(records, r->gpus), &gpus) || gpus < 1 ||
        gpus > PROFILE_MOST_GPUS)
        return false;
    for (size_t i = 0; i < records->name_count; i++)
        if (r->units[i] == UNIT_SAMPLES)
            (void)records_number(records, (int)i, TELEMETRY_PLAIN, &is_bad);
    for (size_t i = 0; i < records->name_count && !is_bad; i++)
        if (r->units[i] == UNIT_SAMPLES)
            add_task(job, records, i, (uint32_t)gpus);
    return !is_bad;
}

static void end_lambda(struct records_job *job, struct records *records) {
    const struct reader *r = job->context;
    struct location where = {records->path, 0, 0};
    if (r->not_measured > 0)
        problems_add(&job->profile->notes, where, NULL,
                     "%llu cells that are empty or 0 left out: not measured",
                     (unsigned long long)r->not_measured);
    if (r->without_batch > 0)
        problems_add(&job->profile->notes, where, NULL,
                     "%llu throughputs left out: the table of batches has none for them",
                     (unsigned long long)r->without_batch);
}

static void finish_lambda(void *context) {
    struct reader *r = context;
    free(r->batches.at);
}

const struct profile_reader lambda_reader = {
    "lambda", "throughputs of Lambda's deep-learning benchmark", NULL, 0,
    &(const struct records_format){sizeof(struct reader), true, begin_lambda, read_lambda_row,
                                   end_lambda, NULL, finish_lambda}};

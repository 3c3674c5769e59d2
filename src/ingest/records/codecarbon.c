/* CodeCarbon's emissions.csv. Columns change with versions, so they are found by name. Appending
   drops empty columns without saying so: a row that does not fit the header is refused. Rows of one
   run are cumulative. */
#include "base/units.h"
#include "ingest/profile_formats.h"
#include "ingest/records/records.h"

#include <stdlib.h>
#include <string.h>

#define COLUMN_ROWS(X) \
    X(TIMESTAMP, "timestamp"), X(PROJECT, "project_name"), X(RUN, "run_id"), \
        X(DURATION, "duration"), X(EMISSIONS, "emissions"), X(GPU_ENERGY, "gpu_energy"), \
        X(CPU_ENERGY, "cpu_energy"), X(RAM_ENERGY, "ram_energy"), X(ENERGY, "energy_consumed"), \
        X(GPU_COUNT, "gpu_count"), X(GPU_MODEL, "gpu_model")
enum column { COLUMN_ROWS(ENUM_OF), COLUMNS };

static const char *const column_names[COLUMNS] = {COLUMN_ROWS(NAME_OF)};

struct run {
    const char *id, *project, *gpu; /* NULL: not given */
    double numbers[COLUMNS];
    uint32_t line;
};

struct reader {
    int columns[COLUMNS];
    struct intern ids;
    ARRAY_OF(struct run) runs; /* in order of appearance; of those with an id the last row */
    ARRAY_OF(uint32_t) by_id;  /* index into runs */
    uint64_t earlier;
};

static bool begin_codecarbon(struct records_job *job, struct records *records) {
    struct reader *r = job->context;
    for (int c = 0; c < COLUMNS; c++)
        r->columns[c] = records_column(records, column_names[c]);
    return records_require(job, records, "duration") >= 0 &&
           records_require(job, records, "energy_consumed") >= 0;
}

/* The place for the row: a new run, or the earlier row of its run. */
static struct run *run_of(struct reader *reader, struct slice id) {
    bool is_new = true;
    uint32_t number = id.length > 0 ? intern(&reader->ids, id.at, id.length, &is_new) : 0;
    if (!is_new) {
        reader->earlier++;
        return &reader->runs.at[reader->by_id.at[number]];
    }
    if (id.length > 0)
        array_push(&reader->by_id, (uint32_t)reader->runs.count);
    return array_add(&reader->runs);
}

static bool read_codecarbon_row(struct records_job *job, struct records *records) {
    static const enum telemetry_unit units[COLUMNS] = {[DURATION] = TELEMETRY_S,
                                                       [GPU_ENERGY] = TELEMETRY_KWH,
                                                       [CPU_ENERGY] = TELEMETRY_KWH,
                                                       [RAM_ENERGY] = TELEMETRY_KWH,
                                                       [ENERGY] = TELEMETRY_KWH};
    struct reader *r = job->context;
    double numbers[COLUMNS] = {0};
    bool is_bad = false;
    if (!records_fits(records) ||
        !(records_number(records, r->columns[DURATION], TELEMETRY_S, &is_bad) > 0))
        return false;
    for (int c = DURATION; c < GPU_COUNT; c++)
        numbers[c] = records_value(records, r->columns[c], units[c], &is_bad);
    numbers[GPU_COUNT] = records_number(records, r->columns[GPU_COUNT], TELEMETRY_PLAIN, &is_bad);
    if (is_bad)
        return false;
    struct run *run = run_of(r, records_cell(records, r->columns[RUN]));
    memcpy(run->numbers, numbers, sizeof numbers);
    run->id = records_text(job, records, r->columns[RUN]);
    run->project = records_text(job, records, r->columns[PROJECT]);
    run->gpu = records_text(job, records, r->columns[GPU_MODEL]);
    run->line = records_line(records);
    return true;
}

/* gpu_model is "2 x NAME": the row has the number in k. */
static const char *without_count(const char *gpu) {
    const char *at = gpu;
    while (*at >= '0' && *at <= '9')
        at++;
    return at > gpu && at[0] == ' ' && at[1] == 'x' && at[2] == ' ' ? at + 3 : gpu;
}

static void add_run(struct records_job *job, const struct records *records, const struct run *run) {
    double duration_s = run->numbers[DURATION], count = run->numbers[GPU_COUNT];
    struct profile_row *row = records_add_row(job, records, run->line, duration_s,
                                              count >= 1 && count <= 1 << 20 ? (uint32_t)count : 0);
    if (!row->gpu && run->gpu)
        row->gpu = without_count(run->gpu);
    if (row->gpus > 0 && run->numbers[GPU_ENERGY] > 0)
        row->power_w_per_gpu = run->numbers[GPU_ENERGY] * J_PER_KWH / duration_s / row->gpus;
    struct figure *group = records_add_figures(job);
    figures_int(group, "line", run->line);
    figures_text(group, "run_id", run->id);
    figures_text(group, "project", run->project);
    figures_real(group, "duration_s", duration_s);
    figures_real(group, "energy_j", run->numbers[ENERGY] * J_PER_KWH);
    figures_real(group, "gpu_energy_j", run->numbers[GPU_ENERGY] * J_PER_KWH);
    figures_real(group, "cpu_energy_j", run->numbers[CPU_ENERGY] * J_PER_KWH);
    figures_real(group, "ram_energy_j", run->numbers[RAM_ENERGY] * J_PER_KWH);
    figures_real(group, "emissions_kg", run->numbers[EMISSIONS]);
}

static void end_codecarbon(struct records_job *job, struct records *records) {
    struct reader *r = job->context;
    for (size_t i = 0; i < r->runs.count; i++)
        add_run(job, records, &r->runs.at[i]);
    if (r->earlier > 0)
        problems_add(&job->profile->notes, (struct location){records->path, 0, 0}, NULL,
                     "%llu earlier rows of a run left out: rows are cumulative",
                     (unsigned long long)r->earlier);
    r->runs.count = r->by_id.count = 0;
    r->earlier = 0;
    intern_finish(&r->ids);
}

static void finish_codecarbon(void *context) {
    struct reader *r = context;
    free(r->runs.at);
    free(r->by_id.at);
    intern_finish(&r->ids);
}

const struct profile_reader codecarbon_reader = {
    "codecarbon", "emissions.csv of any version of CodeCarbon", NULL, PROFILE_SAMPLES,
    &(const struct records_format){sizeof(struct reader), false, begin_codecarbon,
                                   read_codecarbon_row, end_codecarbon, NULL, finish_codecarbon}};

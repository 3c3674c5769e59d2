/* Zeus measures windows with energy counters; a window of its power limit optimizer says the limit
   in its name, as
   "__GlobalPowerLimitOptimizer_300". Sweeps have a row for each configuration, of one GPU. */
#include "base/numfmt.h"
#include "ingest/profile_formats.h"
#include "ingest/records/records.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_GPUS 128

struct reader {
    bool is_sweep;
    int name, elapsed, gpus[MOST_GPUS]; /* windows */
    size_t gpu_count;
    int dataset, network, batch, optimizer, limit, epoch, power; /* sweeps */
    uint64_t no_energy, other_datasets;
};

static bool begin_sweep(struct records_job *job, const struct records *records,
                        struct reader *reader) {
    size_t before = job->problems->count;
    reader->is_sweep = true;
    reader->dataset = records_column(records, "dataset");
    reader->network = records_require(job, records, "network");
    reader->batch = records_require(job, records, "batch_size");
    reader->optimizer = records_column(records, "optimizer");
    reader->limit = records_require(job, records, "power_limit");
    reader->epoch = records_require(job, records, "time_per_epoch");
    reader->power = records_require(job, records, "average_power");
    if (job->options->batch > 0)
        problems_add_setting(job->problems, (struct location){records->path, 1, 0}, "batch",
                             "the rows of a sweep have their own");
    if (!isnan(job->options->power_limit_w))
        problems_add_setting(job->problems, (struct location){records->path, 1, 0}, "power-limit",
                             "the rows of a sweep have their own");
    if (job->options->dataset && reader->dataset < 0)
        problems_add_setting(job->problems, (struct location){records->path, 1, 0}, "dataset",
                             "no column \"dataset\" is there");
    if (job->problems->count > before)
        return false;
    return reader->network >= 0 && reader->batch >= 0 && reader->limit >= 0 && reader->epoch >= 0 &&
           reader->power >= 0;
}

static bool begin_zeus(struct records_job *job, struct records *records) {
    struct reader *r = job->context;
    *r = (struct reader){0};
    if (records_column(records, "window_name") < 0)
        return begin_sweep(job, records, r);
    r->name = records_require(job, records, "window_name");
    r->elapsed = records_require(job, records, "elapsed_time");
    for (int i = 0; i < MOST_GPUS; i++) {
        char name[32];
        snprintf(name, sizeof name, "gpu%d_energy", i);
        int column = records_column(records, name);
        if (column >= 0)
            r->gpus[r->gpu_count++] = column;
    }
    if (job->options->dataset)
        problems_add_setting(job->problems, (struct location){records->path, 1, 0}, "dataset",
                             "measurement windows have none");
    if (r->gpu_count == 0)
        (void)records_require(job, records, "gpu0_energy");
    return r->elapsed >= 0 && r->gpu_count > 0 && !job->options->dataset;
}

/* ---- Windows ---- */

/* The watts at the end of the name of a window of the power limit optimizer; NAN for any other. */
static double limit_in(struct slice name) {
    double limit_w = NAN;
    size_t length = name.length;
    if (!slice_find(name, "PowerLimit"))
        return NAN;
    while (length > 0 &&
           (isdigit((unsigned char)name.at[length - 1]) || name.at[length - 1] == '.'))
        length--;
    return numfmt_parse_real(name.at + length, name.length - length, &limit_w) ? limit_w : NAN;
}

static bool read_window(struct records_job *job, struct records *records, struct reader *reader) {
    struct slice name = records_cell(records, reader->name);
    bool is_bad = false;
    double elapsed_s = records_number(records, reader->elapsed, TELEMETRY_S, &is_bad), energy_j = 0;
    if (!records_fits(records) || !(elapsed_s > 0))
        return false;
    for (size_t i = 0; i < reader->gpu_count; i++)
        energy_j += records_value(records, reader->gpus[i], TELEMETRY_J, &is_bad);
    if (is_bad)
        return false;
    struct profile_row *row = records_add_row(job, records, records_line(records), elapsed_s,
                                              (uint32_t)reader->gpu_count);
    if (isnan(row->power_limit_w)) /* an option goes before the file */
        row->power_limit_w = limit_in(name);
    if (energy_j > 0)
        row->power_w_per_gpu = energy_j / elapsed_s / (double)reader->gpu_count;
    else if (energy_j == 0)
        reader->no_energy++;
    struct figure *group = records_add_figures(job);
    figures_text(group, "window", arena_strndup(&job->profile->arena, name.at, name.length));
    figures_real(group, "power_limit_w", row->power_limit_w);
    figures_real(group, "elapsed_s", elapsed_s);
    figures_real(group, "energy_j", energy_j);
    figures_real(group, "power_w_per_gpu", row->power_w_per_gpu);
    return true;
}

/* ---- Sweeps ---- */

/* A sweep is of one GPU; --samples are those of an epoch. */
static bool read_point(struct records_job *job, struct records *records, struct reader *reader) {
    struct slice dataset = records_cell(records, reader->dataset),
                 optimizer = records_cell(records, reader->optimizer);
    const struct profile_options *options = job->options;
    bool is_bad = false;
    double epoch_s = records_number(records, reader->epoch, TELEMETRY_S, &is_bad);
    int64_t batch = 0;
    if (!records_fits(records))
        return false;
    if (options->dataset && !slice_is(dataset, options->dataset)) {
        reader->other_datasets++;
        return true;
    }
    if (!(epoch_s > 0) || !slice_parse_whole(records_cell(records, reader->batch), &batch) ||
        batch < 1 || batch > 1 << 30)
        return false;
    double limit_w = records_value(records, reader->limit, TELEMETRY_W, &is_bad);
    double power_w = records_value(records, reader->power, TELEMETRY_W, &is_bad);
    if (is_bad)
        return false;
    struct profile_row *row = records_add_row(job, records, records_line(records), epoch_s, 1);
    row->model = row->model ? row->model : records_text(job, records, reader->network);
    row->batch = (double)batch / row->gpus;
    row->power_limit_w = limit_w;
    row->power_w_per_gpu = power_w / row->gpus;
    row->source =
        arena_printf(&job->profile->arena, "%s %.*s %.*s", row->source, (int)dataset.length,
                     dataset.at, (int)optimizer.length, optimizer.at);
    struct figure *group = records_add_figures(job);
    figures_text(group, "model", row->model);
    figures_text(group, "optimizer", records_text(job, records, reader->optimizer));
    figures_int(group, "batch", batch);
    figures_real(group, "power_limit_w", row->power_limit_w);
    figures_real(group, "epoch_s", epoch_s);
    figures_real(group, "power_w", row->power_w_per_gpu * row->gpus);
    figures_real(group, "epoch_energy_j", epoch_s * row->power_w_per_gpu * row->gpus);
    return true;
}

static bool read_zeus_row(struct records_job *job, struct records *records) {
    struct reader *r = job->context;
    return r->is_sweep ? read_point(job, records, r) : read_window(job, records, r);
}

static void end_zeus(struct records_job *job, struct records *records) {
    const struct reader *r = job->context;
    if (r->no_energy > 0)
        problems_add(&job->profile->notes, (struct location){records->path, 0, 0}, NULL,
                     "%llu windows without energy: shorter than the counter's update",
                     (unsigned long long)r->no_energy);
    if (r->other_datasets > 0)
        problems_add(&job->profile->notes, (struct location){records->path, 0, 0}, NULL,
                     "%llu rows of other datasets left out", (unsigned long long)r->other_datasets);
}

const struct profile_reader zeus_reader = {
    "zeus", "measurement windows or sweep summaries of Zeus", NULL,
    PROFILE_SAMPLES | PROFILE_DATASET,
    &(const struct records_format){sizeof(struct reader), false, begin_zeus, read_zeus_row,
                                   end_zeus, NULL, NULL}};

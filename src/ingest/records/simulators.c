/* Tables of step times that simulators come with: ElasticFlow's and Sia's. */
#include "ingest/profile_formats.h"
#include "ingest/records/records.h"
#include "io/files.h"
#include "model/laws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- elasticflow --- */
/* A row for each global batch and a column for each number of GPUs. The file does not say how many
   GPUs a node has; empty and 0 mean not measured. */

#define USUAL_GPUS_PER_NODE 8 /* of the published tables */

struct reader {
    int batch;
    uint32_t gpus[RECORDS_MAX_CELLS]; /* of each column; 0: it is another one */
    uint32_t gpus_per_node;
    const char *model;
    uint64_t not_measured;
};

static bool begin_elasticflow(struct records_job *job, struct records *records) {
    struct reader *r = job->context;
    size_t before = job->problems->count;
    const char *name = files_name(records->path);
    r->batch = records_require(job, records, "global_batch_size");
    r->model = arena_strndup(&job->profile->arena, name, strcspn(name, "."));
    r->not_measured = 0;
    r->gpus_per_node =
        job->options->gpus_per_node ? job->options->gpus_per_node : USUAL_GPUS_PER_NODE;
    for (size_t i = 0; i < records->name_count; i++) {
        int64_t gpus = 0;
        r->gpus[i] = 0;
        if ((int)i == r->batch)
            continue;
        if (slice_parse_whole(records->names[i], &gpus) && gpus >= 1 && gpus <= PROFILE_MOST_GPUS)
            r->gpus[i] = (uint32_t)gpus;
        else
            problems_add(job->problems, (struct location){records->path, 1, 0}, NULL,
                         "expected a number of GPUs as name of a column, got \"%.*s\"",
                         (int)records->names[i].length, records->names[i].at);
    }
    records_refuse_own(job, records, "batch", job->options->batch > 0);
    records_refuse_own(job, records, "gpus", job->options->gpus > 0);
    return job->problems->count == before;
}

static void add_cell(struct records_job *job, struct records *records, size_t column, double batch,
                     double iterations_s) {
    const struct reader *r = job->context;
    uint32_t gpus = r->gpus[column];
    struct profile_row *row = records_add_row(job, records, records_line(records), 1, gpus);
    row->model = row->model ? row->model : r->model;
    row->batch = batch / gpus;
    row->run.nodes = (gpus - 1) / r->gpus_per_node + 1;
    row->run.global_batch = batch;
    row->throughput_samples_s = batch * iterations_s;
    records_add_throughput(job, row);
}

/* All cells of a row, or none: a bad one makes the others doubtful. */
static bool read_elasticflow_row(struct records_job *job, struct records *records) {
    struct reader *r = job->context;
    bool is_bad = false;
    double batch = records_number(records, r->batch, TELEMETRY_PLAIN, &is_bad);
    if (!records_fits(records) || is_bad || !(batch > 0 && batch <= BATCH_MOST))
        return false;
    for (size_t i = 0; i < records->name_count; i++) {
        double rate = r->gpus[i] ? records_number(records, (int)i, TELEMETRY_PLAIN, &is_bad) : 0;
        if (is_bad || rate < 0)
            return false;
    }
    for (size_t i = 0; i < records->name_count; i++) {
        double rate = r->gpus[i] ? records_number(records, (int)i, TELEMETRY_PLAIN, NULL) : NAN;
        if (rate > 0)
            add_cell(job, records, i, batch, rate);
        else
            r->not_measured += r->gpus[i] > 0;
    }
    return true;
}

static void end_elasticflow(struct records_job *job, struct records *records) {
    const struct reader *r = job->context;
    if (r->not_measured > 0)
        problems_add(&job->profile->notes, (struct location){records->path, 0, 0}, NULL,
                     "%llu cells that are empty or 0 left out: not measured",
                     (unsigned long long)r->not_measured);
}

static int elasticflow_read(char *const *paths, size_t count, const struct profile_options *options,
                            struct profile *profile, struct problems *problems) {
    int status = records_read(&elasticflow_reader, paths, count, options, profile, problems);
    if (status == 0 && options->gpus_per_node == 0)
        problems_add_setting(&profile->notes, (struct location){0}, "gpus-per-node",
                             "taken to be %d, as in the published tables", USUAL_GPUS_PER_NODE);
    return status;
}

const struct profile_reader elasticflow_reader = {
    "elasticflow", "throughputs of the ElasticFlow simulator", elasticflow_read,
    PROFILE_GPUS_PER_NODE,
    &(const struct records_format){sizeof(struct reader), true, begin_elasticflow,
                                   read_elasticflow_row, end_elasticflow, NULL, NULL}};

/* --- sia_steps --- */
/* Model and GPU type are in the file's name; nodes and GPUs in two columns, or as a placement, a
   digit for each node. */

struct sia_steps_reader {
    int batch, step, placement, nodes, replicas;
    const char *model, *gpu; /* as the file's name says; NULL: it does not */
};

/* "bert-placements-dgx-ext.csv": bert, dgx-ext. */
static void read_file_name(struct records_job *job, const char *path,
                           struct sia_steps_reader *reader) {
    const char *name = files_name(path);
    const char *placements = strstr(name, "-placements-"),
               *scalability = strstr(name, "-scalability-");
    const char *middle = placements ? placements : scalability;
    reader->model = reader->gpu = NULL;
    if (!middle)
        return;
    const char *gpu = strchr(middle + 1, '-') + 1;
    reader->model = arena_strndup(&job->profile->arena, name, (size_t)(middle - name));
    reader->gpu = arena_strndup(&job->profile->arena, gpu, strcspn(gpu, "."));
}

static bool begin_sia(struct records_job *job, struct records *records) {
    struct sia_steps_reader *r = job->context;
    size_t before = job->problems->count;
    r->batch = records_require(job, records, "local_bsz");
    r->step = records_require(job, records, "step_time");
    r->placement = records_column(records, "placement");
    r->nodes = r->placement < 0 ? records_require(job, records, "num_nodes") : -1;
    r->replicas = r->placement < 0 ? records_require(job, records, "num_replicas") : -1;
    records_refuse_own(job, records, "batch", job->options->batch > 0);
    records_refuse_own(job, records, "gpus", job->options->gpus > 0);
    read_file_name(job, records->path, r);
    return job->problems->count == before;
}

/* GPUs on each node: "12" is one on a node and two on another. */
static bool read_placement(struct slice placement, int64_t *nodes, int64_t *gpus) {
    *nodes = (int64_t)placement.length;
    *gpus = 0;
    for (size_t i = 0; i < placement.length; i++) {
        if (placement.at[i] < '1' || placement.at[i] > '9')
            return false;
        *gpus += placement.at[i] - '0';
    }
    return placement.length > 0;
}

static bool read_sia_row(struct records_job *job, struct records *records) {
    const struct sia_steps_reader *r = job->context;
    bool is_bad = false;
    double step_s = records_number(records, r->step, TELEMETRY_S, &is_bad),
           batch = records_number(records, r->batch, TELEMETRY_PLAIN, &is_bad);
    int64_t nodes = 0, gpus = 0;
    if (is_bad || !(step_s > 0) || !(batch > 0 && batch <= BATCH_MOST))
        return false;
    bool placed = r->placement >= 0
                      ? read_placement(records_cell(records, r->placement), &nodes, &gpus)
                      : slice_parse_whole(records_cell(records, r->nodes), &nodes) &&
                            slice_parse_whole(records_cell(records, r->replicas), &gpus);
    if (!placed || nodes < 1 || gpus < nodes || gpus > PROFILE_MOST_GPUS)
        return false;
    struct profile_row *row =
        records_add_row(job, records, records_line(records), step_s, (uint32_t)gpus);
    row->model = row->model ? row->model : r->model;
    row->gpu = row->gpu ? row->gpu : r->gpu;
    row->batch = batch;
    row->run.nodes = (uint32_t)nodes;
    row->throughput_samples_s = (double)gpus * batch / step_s;
    records_add_throughput(job, row);
    return true;
}

const struct profile_reader sia_steps_reader = {
    "sia", "step times of the Sia simulator", NULL, 0,
    &(const struct records_format){sizeof(struct sia_steps_reader), true, begin_sia, read_sia_row,
                                   NULL, NULL, NULL}};

/* Tables of step times. Model and GPU type stand in the file's name; nodes and GPUs in two columns,
   or as a placement, a digit for each node. */
#include "ingest/profile_formats.h"

#include "ingest/foreign.h"
#include "ingest/records/records.h"
#include "io/files.h"
#include "model/laws.h"

#include <string.h>

struct reader {
    int batch, step, placement, nodes, replicas;
    const char *model, *gpu; /* as the file's name says; NULL: it does not */
};

/* "bert-placements-dgx-ext.csv": bert, dgx-ext. */
static void read_file_name(struct records_job *job, const char *path, struct reader *reader) {
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
    struct reader *r = job->context;
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
    const struct reader *r = job->context;
    bool is_bad = false;
    double step_s = records_number(records, r->step, TELEMETRY_S, &is_bad),
           batch = records_number(records, r->batch, TELEMETRY_PLAIN, &is_bad);
    int64_t nodes = 0, gpus = 0;
    if (is_bad || !(step_s > 0) || !(batch > 0 && batch <= BATCH_MOST))
        return false;
    bool placed = r->placement >= 0
                      ? read_placement(records_cell(records, r->placement), &nodes, &gpus)
                      : foreign_parse_whole(records_cell(records, r->nodes), &nodes) &&
                            foreign_parse_whole(records_cell(records, r->replicas), &gpus);
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

static int sia_read(char *const *paths, size_t count, const struct profile_options *options,
                    struct profile *profile, struct problems *problems) {
    struct reader reader = {0};
    struct records_job job = {.format = "sia",
                              .is_whole = true,
                              .options = options,
                              .profile = profile,
                              .problems = problems,
                              .context = &reader,
                              .begin = begin_sia,
                              .row = read_sia_row};
    return records_read_all(&job, paths, count);
}

const struct profile_reader sia_steps_reader = {"sia", "step times of the Sia simulator", sia_read,
                                                0};

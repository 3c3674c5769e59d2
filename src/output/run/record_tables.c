/* CSV files of a recorded run: see run_tables.h. */
#include "base/arena.h"
#include "engine/services.h"
#include "io/atomic_file.h"
#include "io/csv.h"
#include "io/files.h"
#include "output/columns.h"
#include "output/run/run_tables.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* --- segments_csv --- */
/* A job has several rows, so what many share is made into text once. */

/* Texts of one file, one after the other. */
struct texts {
    struct str all;
    ARRAY_OF(size_t) ends;
};

/* Cells that the rows of a replication share, by configuration: those before and those after nodes,
   energy and work. */
struct shared_cells {
    struct str begin; /* policy and replication */
    struct texts front, back;
    bool has_limits; /* SEGMENTS_COLUMNS_LIMITS */
};

static struct slice text_at(const struct texts *texts, size_t index) {
    size_t from = index > 0 ? texts->ends.at[index - 1] : 0;
    return (struct slice){texts->all.text + from, texts->ends.at[index] - from};
}

static void add_slice(struct str *out, struct slice slice) {
    str_add_bytes(out, slice.at, slice.length);
}

/* For every configuration; the last is for none. */
static void make_shared_cells(const struct replication *replication, struct shared_cells *cells) {
    const struct workload *workload = replication->sim->workload;
    run_columns_begin_row(replication, &cells->begin);
    cells->has_limits = replication->sim->cluster->cap_rules.enforce != ENFORCE_NONE;
    for (size_t i = 0; i <= workload->table.configs.count; i++) {
        const struct easim_config *c =
            i < workload->table.configs.count ? &workload->table.configs.at[i] : NULL;
        struct str *front = &cells->front.all, *back = &cells->back.all;
        csv_comma_text(front, c ? replication->sim->cluster->gpu_types[c->gpu_type].name : NULL);
        csv_comma_count(front, c ? c->k : 0);
        csv_comma_positive(front, c ? c->batch : 0);
        csv_comma_limit(back, c ? c->power_limit_w : INFINITY);
        csv_comma_real(back, c && c->milli > 0 ? easim_config_gpus(c) : NAN);
        array_push(&cells->front.ends, front->length);
        array_push(&cells->back.ends, back->length);
    }
}

static void finish_shared_cells(struct shared_cells *cells) {
    str_finish(&cells->begin);
    str_finish(&cells->front.all);
    str_finish(&cells->back.all);
    free(cells->front.ends.at);
    free(cells->back.ends.at);
}

/* "3:0-3;4:0-1". A part of a GPU has its lane: "3:2/1". */
static void add_nodes(const struct gpu_tracker *tracker, struct gpu_places places, bool shared,
                      struct str *out) {
    str_add_char(out, ',');
    for (uint32_t i = places.first; i < places.first + places.count; i++) {
        const struct recorded_gpus *gpus = &tracker->gpus.at[i];
        if (i > places.first)
            str_add_char(out, ';');
        str_add_int(out, gpus->node);
        str_add_char(out, ':');
        run_columns_gpus(out, gpus->first, gpus->count);
        if (shared) {
            str_add_char(out, '/');
            str_add_int(out, gpus->lane);
        }
    }
}

/* The data of a row: of a job, or of a replica. */
struct segment_row {
    struct slice id;
    int number;
    uint8_t kind, began, ended;
    int64_t start_ns, end_ns;
    struct slice front, back; /* cells of its configuration */
    struct gpu_places gpus;
    bool shared;
    int phase; /* -1: it has none */
    int128 energy;
    double work;
    struct limit_share limit;
};

/* Columns without a cell of their own are in that of the column before. */
/* clang-format off */
#define SEGMENTS_COLUMNS(X) \
    X(job_id, own_text, "", NEITHER, add_slice(out, row->id)) \
    X(segment, int, "", NEITHER, row->number) \
    X(kind, word, "", NEITHER, segment_kind_names[row->kind]) \
    X(start_s, seconds, "s", NEITHER, row->start_ns) \
    X(end_s, seconds, "s", NEITHER, row->end_ns) \
    X(gpu_type, own_text, "", NEITHER, add_slice(out, row->front)) \
    X(k, own_int, "GPUs", NEITHER, ) \
    X(b, own_real, "samples", NEITHER, ) \
    X(nodes, own_text, "", NEITHER, add_nodes(tracker, row->gpus, row->shared, out)) \
    X(energy_j, energy, "J", NEITHER, row->energy) \
    X(work, real, "samples", NEITHER, row->work) \
    X(power_limit_w, own_real, "W", NEITHER, add_slice(out, row->back)) \
    X(gpu_share, own_real, "GPUs", NEITHER, ) \
    X(phase, natural, "", NEITHER, row->phase) \
    X(began, word, "", NEITHER, segment_cause_names[row->began]) \
    X(ended, word, "", NEITHER, segment_cause_names[row->ended])
/* Where a power cap is enforced. */
#define SEGMENTS_COLUMNS_LIMITS(X) \
    X(throttled_s, seconds, "s", LESS, limit->wish_nw < 0 ? -1 : limit->throttled_ns) \
    X(limit_lost_s, real, "s", LESS, limit->wish_nw < 0 ? NAN : limit->lost_s) \
    X(wish_w, watts, "W", NEITHER, limit->wish_nw)
/* clang-format on */

void segments_csv_header(const struct cluster *cluster, struct str *out) {
    bool has_limits = cluster->cap_rules.enforce != ENFORCE_NONE;
    str_add(out, RUN_HEADER(SEGMENTS_COLUMNS));
    str_add(out, has_limits ? SEGMENTS_COLUMNS_LIMITS(COLUMN_NAME) "\n" : "\n");
}

static void add_row(const struct gpu_tracker *tracker, const struct shared_cells *cells,
                    const struct segment_row *row, struct str *out) {
    const struct limit_share *limit = &row->limit;
    add_slice(out, (struct slice){cells->begin.text, cells->begin.length});
    SEGMENTS_COLUMNS(COLUMN_CELL)
    if (cells->has_limits) {
        SEGMENTS_COLUMNS_LIMITS(COLUMN_CELL)
    }
    str_add_char(out, '\n');
}

static struct segment_row row_of_job(const struct replication *replication,
                                     const struct shared_cells *cells,
                                     const struct job_segment *segment) {
    const struct segment *told = &segment->told;
    const struct config_table *table = &replication->sim->workload->table;
    size_t none = table->configs.count, config = told->config == EASIM_NONE ? none : told->config;
    return (struct segment_row){.kind = told->kind,
                                .began = told->began,
                                .ended = told->ended,
                                .start_ns = told->start_ns,
                                .end_ns = told->end_ns,
                                .front = text_at(&cells->front, config),
                                .back = text_at(&cells->back, config),
                                .gpus = segment->gpus,
                                .shared = config < none && table->configs.at[config].milli > 0,
                                .phase = table->has_phases ? told->phase : -1,
                                .energy = told->energy,
                                .work = segment->work,
                                .limit = segment->limit};
}

static void add_jobs(const struct replication *replication, const struct shared_cells *cells,
                     struct pieces *pieces) {
    struct str id = {0};
    for (uint32_t j = 0; j < replication->sim->next_arrival; j++) {
        size_t count;
        const struct job_segment *const *at = job_segments_of(replication->segments, j, &count);
        id.length = 0;
        csv_comma_text(&id, replication->sim->workload->jobs.at[j].id);
        for (size_t i = 0; i < count; i++) {
            struct segment_row row = row_of_job(replication, cells, at[i]);
            row.id = (struct slice){id.text, id.length};
            row.number = (int)i + 1;
            add_row(replication->segments->tracker, cells, &row, pieces_row(pieces));
        }
    }
    str_finish(&id);
}

static void add_life(const struct replication *replication, const struct shared_cells *cells,
                     const struct replica_life *life, struct pieces *pieces) {
    const struct replica_segments *replicas = &replication->segments->replicas;
    const struct service *spec = services_spec(replication->sim, life->service);
    const struct replica_config *config = &spec->configs[life->config];
    struct str id = {0}, name = {0}, front = {0};
    str_addf(&name, "%s#%" PRIu32, spec->name, life->number);
    csv_comma_text(&id, name.text);
    csv_comma_text(&front, replication->sim->cluster->gpu_types[config->gpu_type].name);
    csv_comma_count(&front, config->k);
    csv_comma_positive(&front, isfinite(config->limit) ? config->limit : 0);
    const struct slice none =
                           text_at(&cells->front, replication->sim->workload->table.configs.count),
                       back =
                           text_at(&cells->back, replication->sim->workload->table.configs.count);
    for (size_t i = 0; i < life->count; i++) {
        const struct replica_segment *s = &replicas->list.at[life->last + i];
        bool holds = s->kind != SEGMENT_RESERVED;
        add_row(
            replication->segments->tracker, cells,
            &(struct segment_row){.id = {id.text, id.length},
                                  .number = (int)i + 1,
                                  .kind = s->kind,
                                  .began = s->began,
                                  .ended = s->ended,
                                  .start_ns = s->start_ns,
                                  .end_ns = s->end_ns,
                                  .front = holds ? (struct slice){front.text, front.length} : none,
                                  .back = back,
                                  .gpus = s->gpus,
                                  .phase = -1,
                                  .energy = s->energy,
                                  .work = s->tokens,
                                  .limit = {.wish_nw = -1}},
            pieces_row(pieces));
    }
    str_finish(&id);
    str_finish(&name);
    str_finish(&front);
}

void segments_csv_rows(const struct replication *replication, struct pieces *pieces) {
    const struct replica_segments *replicas = &replication->segments->replicas;
    struct shared_cells cells = {0};
    make_shared_cells(replication, &cells);
    add_jobs(replication, &cells, pieces);
    for (size_t i = 0; i < replicas->lives.count; i++)
        add_life(replication, &cells, &replicas->lives.at[replicas->order[i]], pieces);
    finish_shared_cells(&cells);
}

/* --- workload_csv --- */

/* clang-format off */
#define WORKLOAD_COLUMNS(X) \
    X(replication, int, "", NEITHER, replication->number) \
    X(job_id, text, "", NEITHER, job->id) \
    X(user, text, "", NEITHER, w->users.at[job->user].name) \
    X(model, text, "", NEITHER, workload_model_name(w, job)) \
    X(class, word, "", NEITHER, job->sla ? "sla" : "best_effort") \
    X(submit_s, seconds, "s", NEITHER, job->submit_ns) \
    X(deadline_s, deadline, "s", NEITHER, job->deadline_ns) \
    X(work_samples, real, "samples", NEITHER, rigid ? NAN : job->work) \
    X(reference_gpu_s, real, "GPU s", NEITHER, job->reference_gpu_s) \
    X(duration_s, real, "s", NEITHER, rigid ? job->work : NAN) \
    X(requested_s, real, "s", NEITHER, guessed ? job->predicted_work : NAN) \
    X(preemptible, flag, "", NEITHER, job->preemptible) \
    X(utilization, real, "share", NEITHER, rigid ? q->utilization : NAN) \
    X(gpu_share, real, "GPUs", NEITHER, q->milli > 0 ? q->milli / 1e3 : NAN) \
    X(k, own_text, "GPUs", NEITHER, add_k(q, out)) \
    X(b, own_text, "samples", NEITHER, add_batches(q, out)) \
    X(h, own_text, "", NEITHER, add_types(w, q, out))
/* clang-format on */

/* Cells of several values, the values separated by semicolons. */
static void add_separator(struct str *out, bool first) {
    str_add_char(out, first ? ',' : ';');
}

static void add_k(const struct config_request *q, struct str *out) {
    for (uint32_t i = 0; i < q->k_count; i++) {
        add_separator(out, i == 0);
        str_add_int(out, q->k[i]);
    }
    if (q->k_count == 0)
        str_add_char(out, ',');
}

static void add_batches(const struct config_request *q, struct str *out) {
    for (uint32_t i = 0; i < q->batch_count; i++) {
        add_separator(out, i == 0);
        csv_add_real(out, q->batch[i]);
    }
    if (q->batch_count == 0)
        str_add_char(out, ',');
}

/* By number in the order of the scenario: names may hold anything. */
static void add_types(const struct workload *workload, const struct config_request *q,
                      struct str *out) {
    bool first = true;
    for (uint32_t h = 0; h < workload->table.cluster->gpu_type_count; h++)
        if (q->type_mask >> h & 1) {
            add_separator(out, first);
            str_add_int(out, h);
            first = false;
        }
    if (first)
        str_add_char(out, ',');
}

void workload_csv_header(const struct workload *workload, struct str *out) {
    str_add(out, &WORKLOAD_COLUMNS(COLUMN_NAME)[1]);
    run_columns_label_names(workload, out);
    str_add_char(out, '\n');
}

static void add_job(const struct replication *replication, const struct job_spec *job,
                    struct str *out) {
    const struct workload *w = replication->sim->workload;
    const struct config_request *q = w->table.sets.at[job->set].request;
    bool rigid = job->kind == JOB_KIND_RIGID, guessed = rigid && job->predicted_work != job->work;
    size_t begin = out->length;
    WORKLOAD_COLUMNS(COLUMN_CELL)
    for (size_t i = 0; i < w->label_names.count; i++)
        csv_comma_text(out, job->labels ? job->labels[i] : NULL);
    columns_end_row(out, begin);
}

void workload_csv_rows(const struct replication *replication, struct pieces *pieces) {
    const struct workload *w = replication->sim->workload;
    for (size_t i = 0; i < w->jobs.count; i++)
        add_job(replication, &w->jobs.at[i], pieces_row(pieces));
}

/* --- recorded_csv --- */

/* clang-format off */
#define RECORDED_COLUMNS(X) \
    X(end_s, seconds, "s", NEITHER, sim->now_ns) \
    X(jobs_submitted, int, "", NEITHER, sim->next_arrival) \
    X(power_limits, flag, "", NEITHER, sim->workload->table.extras.power_limits) \
    X(gpu_shares, flag, "", NEITHER, sim->workload->table.extras.shares) \
    X(keeps_cap, flag, "", NEITHER, sim->keeps_cap) \
    X(segments, int, "", NEITHER, segment_rows(segments)) \
    X(gpu_rows, int, "", NEITHER, (int64_t)segments->tracker->rests.count) \
    X(segments_bytes, int, "", NEITHER, (int64_t)bytes->segments) \
    X(gpus_bytes, int, "", NEITHER, (int64_t)bytes->gpus) \
    X(workload_bytes, int, "", NEITHER, (int64_t)bytes->workload) \
    X(energy_j, energy, "J", NEITHER, power_meter_energy(&sim->meter))
/* clang-format on */

static int64_t segment_rows(const struct job_segments *segments) {
    return (int64_t)(segments->list.count + segments->replicas.list.count);
}

const char recorded_csv_header[] = RUN_HEADER(RECORDED_COLUMNS) "\n";

void recorded_csv_row(const struct replication *replication, const struct recorded_bytes *bytes,
                      struct str *out) {
    const struct sim *sim = replication->sim;
    const struct job_segments *segments = replication->segments;
    RUN_ROW(run_columns_begin_row(replication, out), RECORDED_COLUMNS);
}

/* --- record_files --- */

enum { SEGMENTS, GPUS, WORKLOAD, RECORDED };
const char *const record_file_names[RECORD_FILES] = {[SEGMENTS] = "segments.csv",
                                                     [GPUS] = "gpus.csv",
                                                     [WORKLOAD] = "workload.csv",
                                                     [RECORDED] = "recorded.csv"};

void record_files_take(struct record_files *record, const struct record_part *part,
                       int64_t end_ns) {
    array_push(&record->parts, *part);
    record->end_ns = end_ns > record->end_ns ? end_ns : record->end_ns;
}

static size_t longest_part(const struct record_files *record) {
    size_t longest = 0;
    for (size_t i = 1; i < record->parts.count; i++)
        if (record->parts.at[i].replications > record->parts.at[longest].replications)
            longest = i;
    return longest;
}

/* The first with its header, the others without. */
static int join_files(struct record_files *record, int which, struct atomic_file *to,
                      struct error *reterr) {
    int r = 0;
    if (which == WORKLOAD)
        return atomic_file_append(to, record->parts.at[longest_part(record)].files[which], false,
                                  reterr);
    for (size_t i = 0; i < record->parts.count && r == 0; i++)
        r = atomic_file_append(to, record->parts.at[i].files[which], i > 0, reterr);
    return r;
}

static int write_file(struct record_files *record, int which, const char *path,
                      struct error *reterr) {
    struct atomic_file *file = NULL;
    if (record->parts.count == 0)
        return files_remove(path, reterr);
    int r = atomic_file_open(path, &file, reterr);
    if (r == 0)
        r = join_files(record, which, file, reterr);
    if (r == 0)
        return atomic_file_commit(file, reterr);
    atomic_file_abort(file);
    return r;
}

int record_files_write(struct record_files *record, const char *folder, struct error *reterr) {
    struct arena arena = {0};
    int r = 0;
    for (int f = 0; f < RECORD_FILES && r == 0; f++)
        r = write_file(record, f, arena_printf(&arena, "%s/%s", folder, record_file_names[f]),
                       reterr);
    arena_finish(&arena);
    return r;
}

void record_files_finish(struct record_files *record) {
    for (size_t i = 0; record && i < record->parts.count; i++)
        for (int f = 0; f < RECORD_FILES; f++)
            atomic_file_abort(record->parts.at[i].files[f]);
    if (record)
        free(record->parts.at);
}

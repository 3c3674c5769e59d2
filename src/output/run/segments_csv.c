/* segments.csv: see segments_csv.h. There are several rows a job, so what many rows share is made
   into text once. */
#include "output/run/segments_csv.h"

#include "base/units.h"
#include "output/run/run_columns.h"

#include <math.h>
#include <stdlib.h>

/* Texts of one file, each behind the other. */
struct texts {
    struct str all;
    ARRAY_OF(size_t) ends;
};

/* What the rows of a replication share: the cells before and behind nodes, energy and work, by
   configuration. */
struct shared_cells {
    struct str begin; /* policy and replication */
    struct texts front, back;
};

static struct slice text_at(const struct texts *texts, size_t index) {
    size_t from = index > 0 ? texts->ends.at[index - 1] : 0;
    return (struct slice){texts->all.text + from, texts->ends.at[index] - from};
}

static void add_slice(struct str *out, struct slice slice) {
    str_add_bytes(out, slice.at, slice.length);
}

/* Of every configuration; the last is none at all. */
static void make_shared_cells(const struct replication *replication, struct shared_cells *cells) {
    const struct workload *workload = replication->sim->workload;
    run_columns_begin_row(replication, &cells->begin);
    for (size_t i = 0; i <= workload->table.configs.count; i++) {
        const struct easim_config *c =
            i < workload->table.configs.count ? &workload->table.configs.at[i] : NULL;
        struct str *front = &cells->front.all, *back = &cells->back.all;
        csv_comma_text(front, c ? replication->sim->cluster->gpu_types[c->gpu_type].name : NULL);
        csv_comma_count(front, c ? c->k : 0);
        csv_comma_positive(front, c ? c->batch : 0);
        run_columns_limit(back, c ? c->power_limit_w : INFINITY);
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

/* "3:0-3;4:0-1"; of a part of a GPU with its lane, "3:2/1". */
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

static void add_phase(const struct workload *workload, uint8_t phase, struct str *out) {
    str_add_char(out, ',');
    if (workload->table.has_phases)
        str_add_int(out, phase);
}

/* Columns without a cell of their own stand in that of the column before. */
/* clang-format off */
#define SEGMENTS_COLUMNS(X) \
    X(job_id, "", NEITHER, add_slice(out, job)) \
    X(segment, "", NEITHER, csv_comma_int(out, number)) \
    X(kind, "", NEITHER, run_columns_word(out, segment_kind_names[told->kind])) \
    X(start_s, "s", NEITHER, run_columns_ns(out, told->start_ns)) \
    X(end_s, "s", NEITHER, run_columns_ns(out, told->end_ns)) \
    X(gpu_type, "", NEITHER, add_slice(out, text_at(&cells->front, config))) \
    X(k, "GPUs", NEITHER, ) \
    X(b, "samples", NEITHER, ) \
    X(nodes, "", NEITHER, add_nodes(replication->segments->tracker, segment->gpus, shared, out)) \
    X(energy_j, "J", NEITHER, run_columns_energy(out, told->energy)) \
    X(work, "samples", NEITHER, csv_comma_real(out, segment->work)) \
    X(power_limit_w, "W", NEITHER, add_slice(out, text_at(&cells->back, config))) \
    X(gpu_share, "GPUs", NEITHER, ) \
    X(phase, "", NEITHER, add_phase(w, told->phase, out)) \
    X(began, "", NEITHER, run_columns_word(out, segment_cause_names[told->began])) \
    X(ended, "", NEITHER, run_columns_word(out, segment_cause_names[told->ended]))
/* clang-format on */

void segments_csv_header(struct str *out) {
    str_add(out, RUN_HEADER(SEGMENTS_COLUMNS) "\n");
}

static void add_segment(const struct replication *replication, const struct shared_cells *cells,
                        struct slice job, const struct job_segment *segment, int number,
                        struct str *out) {
    const struct segment *told = &segment->told;
    const struct workload *w = replication->sim->workload;
    size_t none = w->table.configs.count, config = told->config == EASIM_NONE ? none : told->config;
    bool shared = config < none && w->table.configs.at[config].milli > 0;
    add_slice(out, (struct slice){cells->begin.text, cells->begin.length});
    SEGMENTS_COLUMNS(RUN_COLUMN_CELL)
    str_add_char(out, '\n');
}

void segments_csv_rows(const struct replication *replication, struct str *out) {
    struct shared_cells cells = {0};
    struct str id = {0};
    make_shared_cells(replication, &cells);
    for (uint32_t j = 0; j < replication->sim->next_arrival; j++) {
        size_t count;
        const struct job_segment *at = job_segments_of(replication->segments, j, &count);
        id.length = 0;
        csv_comma_text(&id, replication->sim->workload->jobs.at[j].id);
        for (size_t i = 0; i < count; i++)
            add_segment(replication, &cells, (struct slice){id.text, id.length}, &at[i], (int)i + 1,
                        out);
    }
    str_finish(&id);
    finish_shared_cells(&cells);
}

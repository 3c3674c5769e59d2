/* Reads segments.csv and gpus.csv of a recorded run: the segments of jobs, and what GPUs did
   without a job. Rows are by job and time, so a row mostly has the configuration and the GPUs of
   the one before. */
#include "insight/internal.h"

#include "base/numfmt.h"
#include "base/units.h"
#include "insight/recorded_table.h"
#include "insight/run_events.h"
#include "io/csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- recorded_rows --- */

static int recorded_rows_load_segments(struct recorded_run *run, struct error *reterr) MUST_CHECK;
static int recorded_rows_load_rests(struct recorded_run *run, struct error *reterr) MUST_CHECK;

#define SEGMENT_COLUMNS(X) \
    X(S_ID, "job_id"), X(S_NUMBER, "segment"), X(S_KIND, "kind"), X(S_START, "start_s"), \
        X(S_END, "end_s"), X(S_TYPE, "gpu_type"), X(S_K, "k"), X(S_B, "b"), X(S_NODES, "nodes"), \
        X(S_ENERGY, "energy_j"), X(S_WORK, "work"), X(S_LIMIT, "power_limit_w"), \
        X(S_SHARE, "gpu_share"), X(S_PHASE, "phase"), X(S_BEGAN, "began"), X(S_ENDED, "ended")
#define LIMIT_COLUMNS(X) \
    X(S_THROTTLED, "throttled_s"), X(S_LIMIT_LOST, "limit_lost_s"), X(S_WISH, "wish_w")
enum { SEGMENT_COLUMNS(ENUM_OF), LIMIT_COLUMNS(ENUM_OF) };
static const char *const segment_columns[] = {SEGMENT_COLUMNS(NAME_OF), NULL};
static const char *const limited_columns[] = {SEGMENT_COLUMNS(NAME_OF), LIMIT_COLUMNS(NAME_OF),
                                              NULL};

enum { G_NODE, G_GPU, G_STATE, G_START, G_END };
static const char *const rest_columns[] = {"node", "gpu", "state", "start_s", "end_s", NULL};

/* The configuration in a row. */
struct config_cells {
    uint32_t set, gpu_type, k, milli;
    double batch, limit_w;
};

#define KNOWN_CONFIGS 4096  /* a power of two */
#define WORK_MAX      1e300 /* sums stay finite */
#define SLACK         1e-9  /* of times that are rounded */

struct known_config {
    struct config_cells cells;
    uint32_t config; /* EASIM_NONE: nothing is known here */
};

struct reader {
    struct recorded_run *run;
    struct recorded_table table;
    struct known_config *known;
    struct str nodes;        /* text of the GPUs that were read last */
    uint32_t job;            /* of the row; EASIM_NONE before the first */
    const char **type_names; /* as the file has them */
    size_t *first_gpu;       /* by node: its first GPU in rested_ns */
    int64_t *rested_ns;      /* by GPU: the end of its last rest */
    struct arena arena;
};

/* --- GPUs --- */

static bool take_number(struct slice *rest, uint32_t *ret_value) {
    uint64_t value = 0;
    size_t i = 0;
    for (; i < rest->length && i < 10 && rest->at[i] >= '0' && rest->at[i] <= '9'; i++)
        value = value * 10 + (uint64_t)(rest->at[i] - '0');
    rest->at += i;
    rest->length -= i;
    *ret_value = (uint32_t)value;
    return i > 0 && value <= INT32_MAX;
}

static bool take_char(struct slice *rest, char c) {
    if (rest->length == 0 || *rest->at != c)
        return false;
    rest->at++;
    rest->length--;
    return true;
}

/* "3", or "0-3", of a node. */
static bool take_range(const struct recorded_run *run, struct slice *rest, uint32_t node,
                       uint32_t *ret_first, uint32_t *ret_count) {
    uint32_t last;
    if (!take_number(rest, ret_first))
        return false;
    last = *ret_first;
    if (take_char(rest, '-') && !take_number(rest, &last))
        return false;
    *ret_count = last - *ret_first + 1;
    return last >= *ret_first && last < run->folder->cluster.nodes[node].gpus;
}

static bool take_gpus(const struct recorded_run *run, struct slice *rest,
                      struct recorded_gpus *gpus) {
    *gpus = (struct recorded_gpus){0};
    return take_number(rest, &gpus->node) && gpus->node < run->folder->cluster.node_count &&
           take_char(rest, ':') && take_range(run, rest, gpus->node, &gpus->first, &gpus->count) &&
           (!take_char(rest, '/') ||
            (take_number(rest, &gpus->lane) && gpus->lane < WHOLE_GPU_MILLI));
}

static void read_gpus(struct reader *r, struct recorded_segment *segment) {
    struct slice rest = recorded_table_raw(&r->table, S_NODES);
    const struct recorded_segment *last =
        r->run->segments.count > 0 ? &r->run->segments.at[r->run->segments.count - 1] : NULL;
    struct recorded_gpus gpus;
    if (rest.length == 0)
        return;
    if (last && last->gpus_count > 0 && slice_is(rest, r->nodes.text)) {
        segment->gpus = last->gpus;
        segment->gpus_count = last->gpus_count;
        return;
    }
    r->nodes.length = 0;
    str_add_bytes(&r->nodes, rest.at, rest.length);
    segment->gpus = (uint32_t)r->run->gpus.count;
    do {
        if (!take_gpus(r->run, &rest, &gpus)) {
            recorded_table_refuse(&r->table, S_NODES, "GPUs of the scenario's nodes");
            return;
        }
        array_push(&r->run->gpus, gpus);
        segment->gpus_count++;
    } while (take_char(&rest, ';'));
    if (rest.length > 0)
        recorded_table_refuse(&r->table, S_NODES, "GPUs as in 3:0-3;4:0-1");
}

/* --- configurations --- */

static bool is_config(const struct easim_config *c, const struct config_cells *cells) {
    return c->gpu_type == cells->gpu_type && c->k == cells->k && c->milli == cells->milli &&
           c->batch == cells->batch && c->power_limit_w == cells->limit_w;
}

static uint32_t search_config(const struct config_table *table, const struct config_cells *cells) {
    const struct config_set *set = &table->sets.at[cells->set];
    for (uint32_t i = set->first; i < set->first + set->count; i++)
        if (is_config(&table->configs.at[i], cells))
            return i;
    for (uint32_t i = set->kept_first; i < set->kept_first + set->kept_count; i++)
        if (is_config(&table->configs.at[i], cells))
            return i;
    return EASIM_NONE;
}

static uint32_t find_config(struct reader *r, const struct config_cells *cells) {
    uint64_t batch, limit;
    memcpy(&batch, &cells->batch, sizeof batch);
    memcpy(&limit, &cells->limit_w, sizeof limit);
    uint64_t hash = (cells->set * 31 + cells->gpu_type) * 0x9e3779b97f4a7c15u +
                    (cells->k * 1009 + cells->milli) * 0xbf58476d1ce4e5b9u +
                    (batch ^ limit >> 7) * 0x94d049bb133111ebu;
    struct known_config *known = &r->known[hash >> 52];
    if (known->config != EASIM_NONE && known->cells.set == cells->set &&
        is_config(&r->run->workload.table.configs.at[known->config], cells))
        return known->config;
    known->cells = *cells;
    known->config = search_config(&r->run->workload.table, cells);
    return known->config;
}

static uint32_t find_type(struct reader *r) {
    struct slice name = recorded_table_raw(&r->table, S_TYPE);
    uint32_t h = 0, count = r->run->folder->cluster.gpu_type_count;
    while (h < count && !slice_is(name, r->type_names[h]))
        h++;
    if (h == count)
        recorded_table_refuse(&r->table, S_TYPE, "a GPU type of the scenario");
    return h;
}

/* Finds it in the set of the job's phase; one of another phase has the same numbers. */
static void read_config(struct reader *r, struct recorded_segment *segment) {
    const struct config_table *table = &r->run->workload.table;
    const struct job_spec *job = &r->run->workload.jobs.at[segment->job];
    double share = recorded_table_real(&r->table, S_SHARE, 0);
    struct config_cells cells = {
        .set = job->set + segment->phase,
        .gpu_type = find_type(r),
        .k = (uint32_t)recorded_table_int(&r->table, S_K, 1, CLUSTER_MAX_GPUS),
        .milli = (uint32_t)lround(share * WHOLE_GPU_MILLI),
        .batch = recorded_table_real(&r->table, S_B, 0),
        .limit_w = recorded_table_real(&r->table, S_LIMIT, INFINITY)};
    if (r->table.error->code < 0)
        return;
    if (cells.set < table->sets.count)
        segment->config = find_config(r, &cells);
    if (segment->config == EASIM_NONE)
        recorded_table_refuse(&r->table, S_K,
                              "a configuration that the job allows in workload.csv");
}

/* Whether as many GPUs of its type are named as it holds; none may be if it is empty. */
static bool names_its_gpus(const struct recorded_run *run, const struct recorded_segment *segment) {
    const struct easim_config *config = recorded_run_config(run, segment);
    uint64_t count = 0;
    for (uint32_t i = 0; i < segment->gpus_count; i++) {
        const struct recorded_gpus *gpus = &run->gpus.at[segment->gpus + i];
        count += gpus->count;
        if (!config || run->folder->cluster.nodes[gpus->node].gpu_type != config->gpu_type ||
            (gpus->lane > 0 && config->milli == 0))
            return false;
    }
    return count == (config ? config->k : 0) ||
           (count == 0 && segment->start_ns == segment->end_ns);
}

/* The lowest that holds the nodes of the GPUs. */
static uint8_t span_of(const struct recorded_run *run, const struct recorded_segment *segment) {
    uint32_t first = UINT32_MAX, last = 0;
    for (uint32_t i = 0; i < segment->gpus_count; i++) {
        uint32_t node = run->gpus.at[segment->gpus + i].node;
        first = node < first ? node : first;
        last = node > last ? node : last;
    }
    return segment->gpus_count == 0
               ? EASIM_ONE_NODE
               : (uint8_t)network_span(&run->folder->cluster.network, first, last);
}

/* --- segments --- */

/* The job of the row: that of the row before, or a later one. */
static bool find_job(struct reader *r) {
    const struct workload *w = &r->run->workload;
    struct slice id = recorded_table_text(&r->table, S_ID);
    if (r->job != EASIM_NONE && slice_is(id, w->jobs.at[r->job].id))
        return true;
    uint32_t job = r->job == EASIM_NONE ? 0 : r->job + 1;
    while (job < r->run->part->jobs_submitted && !slice_is(id, w->jobs.at[job].id))
        job++;
    if (job == r->run->part->jobs_submitted) {
        recorded_table_refuse(&r->table, S_ID, "a job of workload.csv, in its order");
        return false;
    }
    r->job = job;
    r->run->jobs[job].segments = (uint32_t)r->run->segments.count;
    return true;
}

/* The same for the replica of the row. */
static bool find_replica(struct reader *r) {
    const struct workload *w = &r->run->workload;
    struct slice id = recorded_table_text(&r->table, S_ID);
    if (r->job != EASIM_NONE && recorded_run_is_replica(r->run, r->job) &&
        slice_is(id, w->jobs.at[r->job].id))
        return true;
    uint32_t job = recorded_services_add(r->run, id, recorded_table_ns(&r->table, S_START));
    if (job == EASIM_NONE) {
        recorded_table_refuse(&r->table, S_ID, "a replica of a service, by service and number");
        return false;
    }
    r->job = job;
    r->run->jobs[job].segments = (uint32_t)r->run->segments.count;
    return true;
}

static bool is_of_replica(uint8_t kind) {
    return kind == SEGMENT_RESERVED || kind == SEGMENT_LOADING || kind == SEGMENT_SERVE;
}

/* A job begins with its submission, a replica with its start, or with GPUs reserved for it. */
static bool begins_well(const struct job_spec *spec, const struct recorded_segment *segment) {
    uint8_t began = segment->began;
    if (is_of_replica(segment->kind))
        return began == CAUSE_RESERVED || began == CAUSE_STARTED;
    return segment->start_ns == spec->submit_ns && began == CAUSE_SUBMITTED &&
           segment->kind == SEGMENT_QUEUED;
}

/* Whether a segment follows on what came before of the job, or begins it. */
static bool follows(const struct reader *r, const struct recorded_segment *segment) {
    const struct recorded_job *job = &r->run->jobs[segment->job];
    const struct job_spec *spec = &r->run->workload.jobs.at[segment->job];
    const struct recorded_segment *last =
        job->segment_count > 0 ? &r->run->segments.at[r->run->segments.count - 1] : NULL;
    return segment->end_ns >= segment->start_ns && segment->end_ns <= r->run->part->end_ns &&
           (last ? segment->start_ns == last->end_ns && segment->began == last->ended
                 : begins_well(spec, segment)) &&
           (segment->config == EASIM_NONE) == recorded_segment_waits(segment);
}

static void add_to_job(struct recorded_run *run, const struct recorded_segment *segment) {
    struct recorded_job *job = &run->jobs[segment->job];
    int64_t length_ns = segment->end_ns - segment->start_ns;
    int128 gpu_ps = recorded_run_gpu_ps(run, segment);
    bool lost = segment->kind == SEGMENT_LOST, queued = recorded_segment_waits(segment);
    job->segment_count++;
    job->config = queued ? job->config : segment->config;
    job->preemptions += segment->ended == CAUSE_PREEMPTED;
    job->resizes += segment->ended == CAUSE_RESIZED;
    job->failures += segment->ended == CAUSE_NODE_FAILED;
    job->start_ns =
        job->start_ns < 0 && segment->ended == CAUSE_STARTED ? segment->end_ns : job->start_ns;
    job->finish_ns = segment->ended == CAUSE_FINISHED ? segment->end_ns : -1;
    job->exec_ns += queued ? 0 : length_ns;
    job->lost_ns += lost ? length_ns : 0;
    job->energy += segment->energy;
    job->lost_energy += lost ? segment->energy : 0;
    job->gpu_ps += gpu_ps;
    job->lost_gpu_ps += lost ? gpu_ps : 0;
    *(lost ? &job->work_lost : &job->work_kept) += segment->work;
    bool over = segment->ended == CAUSE_FINISHED || segment->ended == CAUSE_RELEASED ||
                (segment->ended == CAUSE_NODE_FAILED && is_of_replica(segment->kind));
    job->state = over                                  ? EASIM_JOB_FINISHED
                 : segment->ended == CAUSE_REJECTED    ? EASIM_JOB_REJECTED
                 : queued                              ? EASIM_JOB_WAITING
                 : segment->kind == SEGMENT_CHECKPOINT ? EASIM_JOB_CHECKPOINTING
                                                       : EASIM_JOB_RUNNING;
}

/* Under an enforced cap: it cannot be below its wish for longer than it lasts, or lose more time
   than it is. */
static void read_limit(struct reader *r, const struct recorded_segment *segment) {
    struct recorded_limit limit = {0};
    if (!recorded_table_is_empty(&r->table, S_THROTTLED)) {
        limit.throttled_ns = recorded_table_ns(&r->table, S_THROTTLED);
        limit.lost_s = recorded_table_amount(&r->table, S_LIMIT_LOST, TIME_MAX_S, 0);
        limit.wish_w = recorded_table_amount(&r->table, S_WISH, POWER_MAX_W, 0);
    }
    if (limit.throttled_ns > segment->end_ns - segment->start_ns)
        recorded_table_refuse(&r->table, S_THROTTLED, "a time within the segment");
    if (limit.lost_s > units_s(limit.throttled_ns) * (1 + SLACK) + SLACK)
        recorded_table_refuse(&r->table, S_LIMIT_LOST, "at most throttled_s");
    if (r->table.error->code == 0)
        array_push(&r->run->limits, limit);
}

static void read_segment(struct reader *r) {
    struct recorded_segment s = {.config = EASIM_NONE};
    s.kind = (uint8_t)recorded_table_word(&r->table, S_KIND, segment_kind_names, SEGMENT_KINDS);
    if (!(is_of_replica(s.kind) ? find_replica(r) : find_job(r)))
        return;
    s.job = r->job;
    s.began = (uint8_t)recorded_table_word(&r->table, S_BEGAN, segment_cause_names, SEGMENT_CAUSES);
    s.ended = (uint8_t)recorded_table_word(&r->table, S_ENDED, segment_cause_names, SEGMENT_CAUSES);
    s.start_ns = recorded_table_ns(&r->table, S_START);
    s.end_ns = recorded_table_ns(&r->table, S_END);
    s.energy = recorded_table_energy(&r->table, S_ENERGY);
    s.work = recorded_table_amount(&r->table, S_WORK, WORK_MAX, 0);
    s.phase = recorded_table_is_empty(&r->table, S_PHASE)
                  ? 0
                  : (uint8_t)recorded_table_int(&r->table, S_PHASE, 0, UINT8_MAX);
    if (!recorded_table_is_empty(&r->table, S_TYPE))
        read_config(r, &s);
    read_gpus(r, &s);
    s.span = span_of(r->run, &s);
    if (r->table.error->code == 0 && !follows(r, &s))
        recorded_table_refuse(&r->table, S_START, "a segment that follows on the one before");
    if (r->table.error->code == 0 && !names_its_gpus(r->run, &s))
        recorded_table_refuse(&r->table, S_NODES, "the k GPUs of gpu_type that it holds");
    if (recorded_folder_enforces(r->run->folder))
        read_limit(r, &s);
    if (r->table.error->code < 0)
        return;
    add_to_job(r->run, &s);
    array_push(&r->run->segments, s);
}

static void init_jobs(struct recorded_run *run) {
    size_t count = run->workload.jobs.count;
    run->jobs = mem_zalloc(count, sizeof *run->jobs);
    for (size_t j = 0; j < count; j++)
        run->jobs[j] = (struct recorded_job){
            .config = EASIM_NONE,
            .start_ns = -1,
            .finish_ns = -1,
            .state = j < run->part->jobs_submitted ? EASIM_JOB_REJECTED : EASIM_JOB_PENDING};
}

static int open_rows(struct reader *r, const char *name, const char *const *columns,
                     const struct recorded_rows *rows, struct error *reterr) {
    const char *path = arena_printf(&r->arena, "%s/%s", r->run->folder->path, name);
    int result = recorded_table_open(&r->table, path, columns, reterr);
    return result < 0 ? result
                      : recorded_table_read(&r->table, rows->from, rows->bytes, rows->line, reterr);
}

static int close_rows(struct reader *r, size_t count, size_t expected, struct error *reterr) {
    int result = reterr->code;
    if (result == 0 && count != expected)
        result =
            error_set(reterr, ERROR_INPUT, "%s: %zu rows of a run, where recorded.csv says %zu",
                      r->table.file, count, expected);
    recorded_table_finish(&r->table);
    arena_finish(&r->arena);
    str_finish(&r->nodes);
    free(r->known);
    free(r->first_gpu);
    free(r->rested_ns);
    return result;
}

/* Fills in segments, gpus and jobs; the workload is there. Segments have to tile the time of their
   job. */
static int recorded_rows_load_segments(struct recorded_run *run, struct error *reterr) {
    const struct cluster *cluster = &run->folder->cluster;
    struct reader r = {.run = run, .job = EASIM_NONE};
    r.known = mem_alloc(KNOWN_CONFIGS * sizeof *r.known);
    for (size_t i = 0; i < KNOWN_CONFIGS; i++)
        r.known[i].config = EASIM_NONE;
    r.type_names = arena_alloc(&r.arena, cluster->gpu_type_count * sizeof *r.type_names);
    for (uint32_t h = 0; h < cluster->gpu_type_count; h++) {
        struct str name = {0};
        csv_add_text(&name, cluster->gpu_types[h].name);
        r.type_names[h] = arena_strndup(&r.arena, name.text, name.length);
        str_finish(&name);
    }
    init_jobs(run);
    if (open_rows(&r, "segments.csv",
                  recorded_folder_enforces(run->folder) ? limited_columns : segment_columns,
                  &run->part->segments, reterr) == 0)
        while (recorded_table_next(&r.table))
            read_segment(&r);
    return close_rows(&r, run->segments.count, run->part->segment_count, reterr);
}

/* --- rests --- */

static void init_rested(struct reader *r) {
    const struct cluster *cluster = &r->run->folder->cluster;
    size_t gpus = 0;
    r->first_gpu = mem_alloc(cluster->node_count * sizeof *r->first_gpu);
    for (uint32_t n = 0; n < cluster->node_count; gpus += cluster->nodes[n++].gpus)
        r->first_gpu[n] = gpus;
    r->rested_ns = mem_zalloc(gpus, sizeof *r->rested_ns);
}

/* Rows come in the order of end_s, and those of one GPU follow each other. */
static bool rests_in_turn(const struct reader *r, const struct recorded_rest *rest) {
    int64_t *rested_ns = &r->rested_ns[r->first_gpu[rest->node] + rest->first];
    size_t before = r->run->rests.count;
    if (before > 0 && rest->end_ns < r->run->rests.at[before - 1].end_ns)
        return false;
    for (uint32_t g = 0; g < rest->count; g++) {
        if (rest->start_ns < rested_ns[g])
            return false;
        rested_ns[g] = rest->end_ns;
    }
    return true;
}

static void read_rest(struct reader *r) {
    struct recorded_rest rest = {.start_ns = recorded_table_ns(&r->table, G_START),
                                 .end_ns = recorded_table_ns(&r->table, G_END)};
    struct slice range = recorded_table_raw(&r->table, G_GPU);
    rest.node = (uint32_t)recorded_table_int(&r->table, G_NODE, 0,
                                             (int64_t)r->run->folder->cluster.node_count - 1);
    rest.state = (uint8_t)recorded_table_word(&r->table, G_STATE, recorded_state_names,
                                              RECORDED_RESERVED + 1);
    if (!take_range(r->run, &range, rest.node, &rest.first, &rest.count) || range.length > 0)
        recorded_table_refuse(&r->table, G_GPU, "GPUs of the node");
    if (rest.end_ns <= rest.start_ns || rest.end_ns > r->run->part->end_ns)
        recorded_table_refuse(&r->table, G_END, "a time after start_s, in the run");
    if (r->table.error->code == 0 && !rests_in_turn(r, &rest))
        recorded_table_refuse(&r->table, G_START, "rows of a GPU one after the other, by end_s");
    if (r->table.error->code == 0)
        array_push(&r->run->rests, rest);
}

/* Fills in rests. */
static int recorded_rows_load_rests(struct recorded_run *run, struct error *reterr) {
    struct reader r = {.run = run};
    init_rested(&r);
    if (open_rows(&r, "gpus.csv", rest_columns, &run->part->gpus, reterr) == 0)
        while (recorded_table_next(&r.table))
            read_rest(&r);
    return close_rows(&r, run->rests.count, run->part->rest_count, reterr);
}

/* --- its row of summary.csv --- */

/* Whether the present row is that of the part; then its values are in the summary. */
static bool read_summary_row(struct csv *csv, const struct recorded_part *part,
                             struct summary *summary) {
    int64_t replication = 0;
    struct slice number = csv_field(csv, csv_column(csv, "replication"));
    double *values = (double *)summary; /* all its members are double */
    if (!numfmt_parse_int(number.at, number.length, &replication) ||
        replication != part->replication)
        return false;
    for (unsigned c = 0; c < SUMMARY_ALL; c++) {
        int column = csv_column(csv, summary_names[c]);
        struct slice cell = column < 0 ? (struct slice){0} : csv_field(csv, column);
        if (!numfmt_parse_real(cell.at, cell.length, &values[c]))
            values[c] = NAN;
    }
    return true;
}

int recorded_summary_load(const struct recorded_folder *folder, const struct recorded_part *part,
                          struct summary *summary, struct error *reterr) {
    struct csv *csv = NULL;
    struct arena arena = {0};
    const char *path =
        arena_printf(&arena, "%s/summary.csv", recorded_folder_of_policy(folder, part, &arena));
    int r = csv_open(path, ',', &csv, reterr);
    bool found = false;
    while (r == 0 && !found && (r = csv_next(csv, reterr)) == 1) {
        found = read_summary_row(csv, part, summary);
        r = 0;
    }
    csv_close(csv);
    if (r >= 0 && !found)
        r = error_set(reterr, ERROR_INPUT, "%s: replication %u is missing", path,
                      part->replication);
    arena_finish(&arena);
    return r < 0 ? r : 0;
}

/* --- all of it --- */

int recorded_run_load(struct recorded_run *run, const struct recorded_folder *folder,
                      const struct recorded_part *part, struct error *reterr) {
    *run = (struct recorded_run){.folder = folder, .part = part};
    int r = recorded_jobs_load(run, reterr);
    if (r == 0)
        r = recorded_rows_load_segments(run, reterr);
    if (r == 0)
        segment_events_find(run);
    if (r == 0)
        r = recorded_rows_load_rests(run, reterr);
    if (r == 0)
        r = recorded_summary_load(folder, part, &run->summary, reterr);
    if (r == 0) {
        struct arena arena = {0};
        r = recorded_services_load_figures(run, recorded_folder_of_policy(folder, part, &arena),
                                           reterr);
        arena_finish(&arena);
    }
    return r;
}

/* The folder of one run. */
#include "output/run/run_dir.h"

#include "io/atomic_file.h"
#include "io/files.h"
#include "io/leftovers.h"
#include "output/assumptions.h"
#include "output/folders.h"
#include "output/manifest.h"
#include "output/run/run_trace.h"

#include <stdlib.h>
#include <string.h>

enum file {
    FILE_SUMMARY,
    FILE_JOBS,
    FILE_USERS,
    FILE_TYPES,
    FILE_DOMAINS,
    FILE_SERVICES,
    FILE_POWER,
    FILE_CAPS,
    FILE_CAP_EVENTS,
    FILE_DECISIONS,
    FILE_METER,
    FILE_SEGMENTS,
    FILE_GPUS,
    FILE_WORKLOAD,
    FILE_RECORDED,
    FILE_COUNT
};

/* A file with rows of every replication. */
struct run_file {
    const char *name;
    const char *header; /* NULL: it needs the cluster, the workload or the metrics */
    void (*workload_header)(const struct workload *workload, struct str *out);
    void (*rows)(const struct replication *replication,
                 struct pieces *pieces); /* NULL: see below */
};

static const struct run_file files[FILE_COUNT] = {
    [FILE_SUMMARY] = {"summary.csv", NULL, NULL, NULL},
    [FILE_JOBS] = {"jobs.csv", NULL, jobs_csv_header, jobs_csv_rows},
    [FILE_USERS] = {"users.csv", users_csv_header, NULL, users_csv_rows},
    [FILE_TYPES] = {"types.csv", types_csv_header, NULL, types_csv_rows},
    [FILE_DOMAINS] = {"domains.csv", domains_csv_header, NULL, domains_csv_rows},
    [FILE_SERVICES] = {"services.csv", services_csv_header, NULL, services_csv_rows},
    [FILE_POWER] = {"power.csv", NULL, NULL, NULL},          /* while it runs */
    [FILE_CAPS] = {"caps.csv", caps_csv_header, NULL, NULL}, /* so too */
    [FILE_CAP_EVENTS] = {"cap_events.csv", cap_events_csv_header, NULL, cap_events_csv_rows},
    [FILE_DECISIONS] = {"decisions.csv", decisions_csv_header, NULL, decisions_csv_rows},
    [FILE_METER] = {"meter.csv", meter_csv_header, NULL, meter_csv_rows},
    [FILE_SEGMENTS] = {"segments.csv", NULL, NULL, segments_csv_rows},
    [FILE_GPUS] = {"gpus.csv", gpus_csv_header, NULL, gpus_csv_rows},
    [FILE_WORKLOAD] = {"workload.csv", NULL, workload_csv_header, workload_csv_rows},
    [FILE_RECORDED] = {"recorded.csv", recorded_csv_header, NULL, NULL},
};

/* A comparison has folders of policies, and perturbed/PERTURBATION/POLICY. */
#define INNER_FOLDERS 3

struct run_dir {
    char *path;
    bool wanted[FILE_COUNT];
    struct folder_lock *lock; /* NULL: the command has it */
    bool headed; /* jobs.csv and workload.csv have their headers, of the first replication, which
                    knows the labels */
    bool in_header[FILE_COUNT]; /* what comes of this file next is a header that it has already */
    uint64_t sizes[FILE_COUNT]; /* bytes of the replications that were emitted */
    int64_t end_ns;             /* the longest run */
    const struct study *study;
    struct inputs inputs;
    const char *const *words; /* of the command */
    const char *within;       /* see run_dir_options */
    struct record_files *record_into;
    struct atomic_file *files[FILE_COUNT];
    const struct bound_output *bounds; /* NULL: not asked for */
    struct trace_files *traces;        /* NULL: none */
    /* In the process of a replication: its own. */
    struct pieces pieces[FILE_COUNT];
    struct rows_csv power, jobs;
    struct caps_csv caps;
    struct run_trace *trace;
    ARRAY_OF(const char *) names; /* of the results in place, for the manifest */
    struct arena arena;
};

int run_dir_is_empty(const char *path, struct error *reterr) {
    return leftovers_only(path, INNER_FOLDERS, reterr);
}

void run_dir_clear(const char *path) {
    leftovers_clear(path, INNER_FOLDERS);
}

static char *join_path(const char *folder, const char *name) {
    size_t bytes = strlen(folder) + strlen(name) + 2;
    char *path = mem_alloc(bytes);
    snprintf(path, bytes, "%s/%s", folder, name);
    return path;
}

static int open_file(struct run_dir *dir, enum file file, struct error *reterr) {
    char *path = join_path(dir->path, files[file].name);
    int r = atomic_file_open(path, &dir->files[file], reterr);
    free(path);
    return r;
}

static int write_text(struct run_dir *dir, enum file file, struct slice text,
                      struct error *reterr) {
    return text.length == 0 ? 0 : atomic_file_write(dir->files[file], text.at, text.length, reterr);
}

/* With --force the folder holds other files, too, perhaps some of a similar name. */
static void remove_leftovers(const struct run_dir *dir, const char *trace) {
    const char *names[FILE_COUNT + 4] = {"aggregate.csv", "series.csv", trace, NULL};
    size_t count = trace ? 3 : 2;
    for (int f = 0; f < FILE_COUNT; f++)
        names[count++] = files[f].name;
    manifest_remove_leftovers(dir->path, names);
}

static int write_headers(struct run_dir *dir, struct error *reterr) {
    int r = 0;
    for (int f = 0; f < FILE_COUNT && r == 0; f++) {
        if (!dir->wanted[f])
            continue;
        struct str text = {0};
        r = open_file(dir, (enum file)f, reterr);
        if (f == FILE_SUMMARY)
            summary_csv_header(study_metric_groups(dir->study), &text);
        else if (f == FILE_POWER)
            power_csv_header(&dir->study->cluster, &text);
        else if (f == FILE_SEGMENTS)
            segments_csv_header(&dir->study->cluster, &text);
        else if (files[f].header)
            str_add(&text, files[f].header);
        if (r == 0 && text.length > 0)
            r = write_text(dir, (enum file)f, (struct slice){text.text, text.length}, reterr);
        if (r == 0)
            dir->sizes[f] = atomic_file_size(dir->files[f]);
        str_finish(&text);
    }
    return r;
}

bool run_dir_names(const char *name) {
    static const char *const others[] = {"aggregate.csv", BOUNDS_NAME, "series.csv",
                                         SCENARIO_NAME,   MODELS_NAME, MANIFEST_NAME};
    bool taken = false;
    for (int f = 0; f < FILE_COUNT; f++)
        taken = taken || strcmp(name, files[f].name) == 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        taken = taken || strcmp(name, others[i]) == 0;
    return taken;
}

int run_dir_open(const struct run_dir_options *options, const struct study *study,
                 struct run_dir **ret_dir, struct error *reterr) {
    int empty = options->force ? 1 : run_dir_is_empty(options->path, reterr);
    if (empty < 0)
        return empty;
    if (empty == 0)
        return error_set(reterr, ERROR_INPUT, "%s: the folder is not empty", options->path);
    struct folder_lock *lock = NULL;
    if (options->within && folder_lock_take(options->path, 0, &lock, reterr) < 0)
        return reterr->code;
    if (!options->force)
        run_dir_clear(options->path);
    struct run_dir *dir = mem_zalloc(1, sizeof *dir);
    dir->lock = lock;
    dir->path = mem_strdup(options->path);
    for (int f = 0; f < FILE_COUNT; f++)
        dir->wanted[f] = !options->summary_only;
    dir->wanted[FILE_SUMMARY] = true;
    if (study->source.services.count == 0)
        dir->wanted[FILE_SERVICES] = false;
    if (study->cluster.cap_rules.enforce == ENFORCE_NONE)
        dir->wanted[FILE_CAPS] = false;
    if (study->cluster.power_domain_count == 0)
        dir->wanted[FILE_DOMAINS] = false;
    if (study->cluster.cap_events.count == 0)
        dir->wanted[FILE_CAP_EVENTS] = false;
    dir->wanted[FILE_DECISIONS] = options->decisions;
    dir->wanted[FILE_METER] = options->meter;
    for (int f = FILE_SEGMENTS; f <= FILE_RECORDED; f++)
        dir->wanted[f] = options->record;
    dir->study = study;
    inputs_add_study(&dir->inputs, study);
    if (dir->inputs.failure.code < 0) {
        *reterr = dir->inputs.failure;
        run_dir_abort(dir);
        return reterr->code;
    }
    dir->words = options->words;
    dir->within = options->within;
    dir->record_into = options->record_into;
    remove_leftovers(dir, options->trace);
    if (write_headers(dir, reterr) < 0 ||
        (options->trace && trace_files_open(dir->path, options->trace, study->scenario.replications,
                                            &dir->traces, reterr) < 0)) {
        run_dir_abort(dir);
        return reterr->code;
    }
    *ret_dir = dir;
    return 0;
}

/* ---- Rows of one replication. The rest of a file, not left in pieces (shared_ring.h), comes last:
   a part for each, the end of the run, and why there is no trace, each after its length ---- */

enum { PART_END = FILE_COUNT, PART_TRACE, PART_COUNT };

static size_t watch_replication(void *context, uint32_t number, const struct outlet *outlet,
                                const struct observer **observers) {
    struct run_dir *dir = context;
    size_t count = 0;
    for (unsigned f = 0; f < FILE_COUNT; f++) {
        pieces_finish(&dir->pieces[f]);
        dir->pieces[f] = (struct pieces){.outlet = outlet, .part = f};
    }
    if (dir->wanted[FILE_POWER]) {
        dir->power.pieces = &dir->pieces[FILE_POWER];
        observers[count++] = rows_csv_watch(&dir->power, &power_csv_rows, dir->study, number);
    }
    if (dir->wanted[FILE_JOBS]) {
        dir->jobs.pieces = &dir->pieces[FILE_JOBS];
        observers[count++] = rows_csv_watch(&dir->jobs, &jobs_csv_past_rows, dir->study, number);
    }
    if (dir->wanted[FILE_CAPS]) {
        caps_csv_watch(&dir->caps, dir->study->policy, number, &dir->pieces[FILE_CAPS]);
        observers[count++] = &dir->caps.observer;
    }
    run_trace_abort(dir->trace);
    dir->trace = NULL;
    if (dir->traces) {
        dir->trace = run_trace_open(trace_files_path(dir->traces, number), dir->study, number);
        observers[count++] = run_trace_observer(dir->trace);
    }
    return count;
}

/* The error of the trace: nothing, if the file is there. */
static void close_trace(struct run_dir *dir, const struct sim *sim, struct str *out) {
    struct error error = {0};
    if (run_trace_close(dir->trace, sim, &error) < 0)
        str_add(out, error.text);
    dir->trace = NULL;
}

/* Its length comes when it is there. */
static size_t begin_part(struct str *out) {
    size_t length = 0;
    str_add_bytes(out, (const char *)&length, sizeof length);
    return out->length;
}

static void end_part(size_t start, struct str *out) {
    size_t length = out->length - start;
    memcpy(out->text + start - sizeof length, &length, sizeof length);
}

static struct slice take_part(struct slice *rest) {
    struct slice part = {rest->at + sizeof part.length, 0};
    memcpy(&part.length, rest->at, sizeof part.length);
    rest->at = part.at + part.length;
    return part;
}

/* Returns the number of bytes of rows. */
static uint64_t make_rows(struct run_dir *dir, enum file file,
                          const struct replication *replication) {
    struct pieces *pieces = &dir->pieces[file];
    if (files[file].workload_header && pieces_bytes(pieces) == 0)
        files[file].workload_header(replication->sim->workload, &pieces->text);
    uint64_t header = pieces_bytes(pieces);
    if (files[file].rows)
        files[file].rows(replication, pieces);
    return pieces_bytes(pieces) - header;
}

static void render_replication(void *context, const struct replication *replication,
                               struct str *out) {
    struct run_dir *dir = context;
    uint64_t bytes[FILE_COUNT] = {0};
    for (int part = 0; part < PART_COUNT; part++) {
        size_t start = begin_part(out);
        if (part == PART_END)
            str_add_bytes(out, (const char *)&replication->sim->now_ns, sizeof dir->end_ns);
        else if (part == PART_TRACE && dir->traces)
            close_trace(dir, replication->sim, out);
        else if (part == FILE_RECORDED && dir->wanted[part])
            recorded_csv_row(replication,
                             &(struct recorded_bytes){bytes[FILE_SEGMENTS], bytes[FILE_GPUS],
                                                      bytes[FILE_WORKLOAD]},
                             out);
        else if (part < FILE_COUNT && dir->wanted[part]) {
            bytes[part] = make_rows(dir, (enum file)part, replication);
            str_add_bytes(out, dir->pieces[part].text.text, dir->pieces[part].text.length);
        }
        end_part(start, out);
    }
}

/* In the process of the command from here on. The replication that comes next begins. */
static void expect_replication(struct run_dir *dir) {
    for (int f = 0; f < FILE_COUNT; f++)
        dir->in_header[f] = dir->headed && files[f].workload_header;
}

static int take_piece(void *context, unsigned part, struct slice piece, struct error *reterr) {
    struct run_dir *dir = context;
    if (part >= FILE_COUNT || !dir->files[part])
        return error_set(reterr, ERROR_RUN, "the rows of policy %s were changed",
                         dir->study->policy);
    const char *line =
        dir->in_header[part] && piece.length > 0 ? memchr(piece.at, '\n', piece.length) : NULL;
    size_t skipped = !dir->in_header[part] ? 0
                     : line                ? (size_t)(line + 1 - piece.at)
                                           : piece.length;
    dir->in_header[part] = dir->in_header[part] && !line;
    return write_text(dir, (enum file)part,
                      (struct slice){piece.at + skipped, piece.length - skipped}, reterr);
}

static int drop_pieces(void *context, struct error *reterr) {
    struct run_dir *dir = context;
    int r = 0;
    for (int f = 0; f < FILE_COUNT; f++)
        if (dir->files[f] && atomic_file_shorten(dir->files[f], dir->sizes[f], reterr) < 0)
            r = reterr->code;
    expect_replication(dir);
    return r;
}

static int keep_trace(struct run_dir *dir, uint32_t number, struct slice failure,
                      struct error *reterr) {
    if (failure.length > 0)
        return error_set(reterr, ERROR_IO, "%.*s", (int)failure.length, failure.at);
    if (dir->traces)
        trace_files_keep(dir->traces, number);
    return 0;
}

static void note_end(struct run_dir *dir, struct slice part) {
    int64_t end_ns;
    memcpy(&end_ns, part.at, sizeof end_ns);
    dir->end_ns = end_ns > dir->end_ns ? end_ns : dir->end_ns;
}

static int emit_replication(void *context, uint32_t number, const struct summary *summary,
                            struct slice rendered, struct error *reterr) {
    struct run_dir *dir = context;
    struct slice parts[PART_COUNT];
    struct str row = {0};
    for (int part = 0; part < PART_COUNT; part++)
        parts[part] = take_part(&rendered);
    int result = keep_trace(dir, number, parts[PART_TRACE], reterr);
    summary_csv_row(dir->study->policy, number, dir->study->scenario.seed,
                    study_metric_groups(dir->study), summary, &row);
    parts[FILE_SUMMARY] = (struct slice){row.text, row.length};
    note_end(dir, parts[PART_END]);
    for (unsigned f = 0; f < FILE_COUNT && result == 0; f++)
        if (dir->files[f])
            result = take_piece(dir, f, parts[f], reterr);
    for (int f = 0; f < FILE_COUNT && result == 0; f++)
        if (dir->files[f])
            dir->sizes[f] = atomic_file_size(dir->files[f]);
    dir->headed = dir->headed || result == 0;
    expect_replication(dir);
    str_finish(&row);
    return result;
}

struct replicate_sink run_dir_sink(struct run_dir *dir) {
    return (struct replicate_sink){.context = dir,
                                   .takes_sums = !dir->wanted[FILE_DECISIONS] && !dir->traces,
                                   .watch = watch_replication,
                                   .render = render_replication,
                                   .take = take_piece,
                                   .drop = drop_pieces,
                                   .emit = emit_replication};
}

/* With --force the folder may hold files of another run that this one does not write. */
static int remove_stale(const struct run_dir *dir, struct error *reterr) {
    int r = 0;
    for (int f = 0; f < FILE_COUNT && r == 0; f++) {
        char *path = join_path(dir->path, files[f].name);
        if (!dir->wanted[f])
            r = files_remove(path, reterr);
        free(path);
    }
    return r;
}

static void add_tally_object(cJSON *root, const char *name, const struct tally *tally) {
    cJSON *object = cJSON_AddObjectToObject(root, name);
    for (size_t i = 0; i < tally->entries.count; i++)
        json_add_int(object, tally->entries.at[i].reason, (int64_t)tally->entries.at[i].count);
}

/* Counts of the policy, with the first names; only if there are any. */
static void add_counted(cJSON *root, const struct tally *tally) {
    cJSON *list =
        tally->entries.count > 0 ? cJSON_AddArrayToObject(root, "counted_by_policy") : NULL;
    for (size_t i = 0; i < tally->entries.count; i++) {
        const struct tally_entry *entry = &tally->entries.at[i];
        cJSON *object = json_append_object(list);
        cJSON_AddStringToObject(object, "what", entry->reason);
        json_add_int(object, "count", (int64_t)entry->count);
        cJSON *names = cJSON_AddArrayToObject(object, "names");
        for (uint32_t n = 0; n < entry->named && n < TALLY_NAMES; n++)
            cJSON_AddItemToArray(names, cJSON_CreateString(entry->names[n]));
        cJSON_AddBoolToObject(object, "more_names", entry->named > TALLY_NAMES);
    }
}

static int write_manifest(const struct run_dir *dir, const struct replicate_result *result,
                          bool partial, const char *const *names, struct error *reterr) {
    const struct study *study = dir->study;
    const struct manifest_origin origin = {"run",
                                           dir->words,
                                           &study->scenario,
                                           &study->model_tree,
                                           &dir->inputs,
                                           study->module.policy->name};
    cJSON *root = manifest_begin(&origin, study->scenario.name, dir->path);
    manifest_add_hash(root, study);
    json_add_int(root, "seed", study->scenario.seed);
    json_add_int(root, "replications", study->scenario.replications);
    json_add_int(root, "replications_done", result->count);
    cJSON_AddBoolToObject(root, "partial", partial);
    manifest_add_policy(root, "policy", study);
    manifest_add_inputs(root, study, dir->path);
    struct assumptions assumptions = {0};
    assumptions_find(&assumptions, &(struct assumed_run){study, result}, 1);
    assumptions_add_json(&assumptions, root);
    assumptions_finish(&assumptions);
    add_tally_object(root, "jobs_rejected", &result->rejected);
    add_tally_object(root, "actions_refused", &result->refused);
    add_counted(root, &result->counted);
    return (dir->within ? manifest_write_part : manifest_write)(root, &origin, dir->path, names,
                                                                reterr);
}

/* The files of the record go to those of the other policies. */
static void hand_record_over(struct run_dir *dir, uint32_t replications) {
    struct record_part part = {.replications = replications};
    if (!dir->record_into || !dir->wanted[FILE_RECORDED])
        return;
    for (int f = 0; f < RECORD_FILES; f++) {
        part.files[f] = dir->files[FILE_SEGMENTS + f];
        dir->files[FILE_SEGMENTS + f] = NULL;
        dir->wanted[FILE_SEGMENTS + f] = false;
    }
    record_files_take(dir->record_into, &part, dir->end_ns);
}

void run_dir_add_bounds(struct run_dir *dir, const struct bound_output *bounds) {
    dir->bounds = bounds;
}

/* Puts the tables in place and adds their names to the list. */
static int commit_tables(struct run_dir *dir, const struct replicate_result *result,
                         struct error *reterr) {
    hand_record_over(dir, result->count);
    struct text_file whole[] = {
        {.name = "aggregate.csv"}, {.name = "series.csv"}, {.name = BOUNDS_NAME}};
    const bool wanted[] = {true, dir->wanted[FILE_RECORDED], dir->bounds != NULL};
    int r = 0;
    for (int f = 0; f < FILE_COUNT; f++) {
        if (!dir->files[f])
            continue;
        array_push(&dir->names, files[f].name);
        struct atomic_file *file = dir->files[f];
        dir->files[f] = NULL;
        if (r == 0)
            r = atomic_file_commit(file, reterr);
        else
            atomic_file_abort(file);
    }
    if (r == 0)
        r = remove_stale(dir, reterr);
    if (r < 0)
        return r;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (wanted[i])
            array_push(&dir->names, whole[i].name);
    aggregate_csv_header(&whole[0].text);
    aggregate_csv_rows(dir->study->policy, study_metric_groups(dir->study), result->summaries,
                       result->count, &whole[0].text);
    if (wanted[1])
        series_csv(dir->study, dir->end_ns, &whole[1].text);
    if (wanted[2])
        bound_tables_csv(dir->bounds, &whole[2].text);
    return text_files_write(dir->path, whole, sizeof whole / sizeof *whole, reterr);
}

static int commit_traces(struct run_dir *dir, struct error *reterr) {
    const char **names = NULL;
    struct trace_files *traces = dir->traces;
    dir->traces = NULL;
    if (!traces)
        return 0;
    int r = trace_files_commit(traces, &dir->arena, &names, reterr);
    for (const char **name = names; r == 0 && *name; name++)
        array_push(&dir->names, *name);
    return r;
}

/* Its own, and that of the results it is a part of. */
static int retire_manifests(const struct run_dir *dir, struct error *reterr) {
    int r = dir->within ? manifest_retire(dir->within, reterr) : 0;
    return r < 0 ? r : manifest_retire(dir->path, reterr);
}

int run_dir_commit(struct run_dir *dir, const struct replicate_result *result, bool partial,
                   struct error *reterr) {
    int r = inputs_verify(&dir->inputs, INPUTS_LATE, reterr);
    if (r == 0)
        r = atomic_files_flush(dir->files, FILE_COUNT, reterr);
    if (r == 0)
        r = retire_manifests(dir, reterr);
    if (r == 0)
        r = commit_tables(dir, result, reterr);
    if (r == 0)
        r = commit_traces(dir, reterr);
    array_push(&dir->names, NULL);
    if (r == 0)
        r = write_manifest(dir, result, partial, dir->names.at, reterr);
    run_dir_abort(dir);
    return r;
}

void run_dir_abort(struct run_dir *dir) {
    if (!dir)
        return;
    for (int f = 0; f < FILE_COUNT; f++)
        atomic_file_abort(dir->files[f]);
    for (int f = 0; f < FILE_COUNT; f++)
        pieces_finish(&dir->pieces[f]);
    str_finish(&dir->power.begin);
    str_finish(&dir->jobs.begin);
    caps_csv_finish(&dir->caps);
    run_trace_abort(dir->trace);
    trace_files_abort(dir->traces);
    folder_lock_release(dir->lock);
    inputs_finish(&dir->inputs);
    free(dir->names.at);
    arena_finish(&dir->arena);
    free(dir->path);
    free(dir);
}

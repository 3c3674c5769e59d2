/* Files of a sweep. Invariant: the joined files depend on the points and their results alone. So
   they are the same for any processes, in any order, and for any files of runs/. */
#include "output/sweep/sweep_dir.h"

#include "io/csv.h"
#include "io/files.h"
#include "io/leftovers.h"
#include "output/folders.h"
#include "output/json.h"
#include "output/run/run_tables.h"
#include "output/sweep/findings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Columns of a point's results: the first; after those that all points have. */
enum { POLICY_COLUMN = 0, FURTHER_COLUMN = POLICY_COLUMN + 3 + SUMMARY_COUNT };

static const char *const state_names[] = {"missing", "done", "failed"};

/* ---- What is known of points ---- */

static const struct run_record *record_of(const struct sweep_dir *dir, size_t point) {
    const struct sweep_point *p = &dir->sweep->points[point];
    return run_store_find(&dir->store, p->id, &p->inputs);
}

int sweep_dir_look(struct sweep_dir *dir, struct error *reterr) {
    return run_store_read(&dir->store, dir->runs, reterr);
}

void sweep_dir_forget(struct sweep_dir *dir) {
    dir->writer.turn = dir->store.turn + 1;
    run_store_finish(&dir->store);
}

void sweep_dir_finish(struct sweep_dir *dir) {
    run_store_finish(&dir->store);
    run_writer_finish(&dir->writer);
}

enum sweep_state sweep_dir_state(const struct sweep_dir *dir, size_t point) {
    const struct run_record *record = record_of(dir, point);
    return record ? record->state : SWEEP_MISSING;
}

/* ---- Results of one run ---- */

/* The notes of a point, as text. */
static void add_notes(const struct study *study, const struct replicate_result *result,
                      struct str *out) {
    struct notes notes = {.sources = 0};
    notes_add_study(&notes, study);
    notes_add_result(&notes, study, result);
    notes_add_point(
        &notes, study,
        &(struct compare_series){study->policy, result->summaries, result->trends, NULL},
        result->count);
    if (notes.at.count > 0)
        notes_write(&notes, out);
    notes_finish(&notes);
}

static void add_failure(const char *failure, struct str *out) {
    struct arena arena = {0};
    char *line = arena_strdup(&arena, failure);
    for (char *at = line; (at = strpbrk(at, "\r\n")) != NULL;)
        *at = ' ';
    csv_add_text(out, line);
    str_add_char(out, '\n');
    arena_finish(&arena);
}

static void add_rows(const struct study *study, const struct replicate_result *result,
                     struct str *out) {
    for (uint32_t i = 0; i < result->count; i++) {
        csv_add_text(out, study->policy);
        summary_csv_run(i + 1, study->scenario.seed, &study->metrics, &result->summaries[i], out);
    }
}

/* What a run gives back: its notes, its rows, the names of their columns, and this. */
struct rendered {
    size_t notes, body; /* bytes; body: with the rows */
};

static void render_point(void *context, size_t point, const struct study *study,
                         const struct replicate_result *result, const char *failure,
                         struct str *out) {
    struct rendered parts;
    (void)context, (void)point;
    if (!failure)
        add_notes(study, result, out);
    parts.notes = out->length;
    if (failure)
        add_failure(failure, out);
    else
        add_rows(study, result, out);
    parts.body = out->length;
    str_add(out, failure ? run_store_failed : "policy");
    if (!failure)
        summary_csv_run_header(&study->metrics, out);
    out->length -= !failure; /* the line end */
    str_add_bytes(out, (const char *)&parts, sizeof parts);
}

static int keep_point(void *context, size_t point, struct slice all, struct error *reterr) {
    struct sweep_dir *dir = context;
    struct rendered parts;
    if (all.length < sizeof parts)
        return error_set(reterr, ERROR_RUN, "a run returned damaged data");
    all.length -= sizeof parts;
    memcpy(&parts, all.at + all.length, sizeof parts);
    if (parts.body > all.length || parts.notes > parts.body)
        return error_set(reterr, ERROR_RUN, "a run returned damaged data");
    const struct slice names = {all.at + parts.body, all.length - parts.body};
    return run_writer_append(&dir->writer, &dir->sweep->points[point], names,
                             (struct slice){all.at, parts.body}, parts.notes, reterr);
}

static int emit_point(void *context, size_t point, const struct study *study,
                      const struct replicate_result *result, const char *failure,
                      struct error *reterr) {
    struct str rendered = {0};
    render_point(context, point, study, result, failure, &rendered);
    int r = keep_point(context, point, (struct slice){rendered.text, rendered.length}, reterr);
    str_finish(&rendered);
    return r;
}

struct sweep_sink sweep_dir_sink(struct sweep_dir *dir) {
    return (struct sweep_sink){dir, emit_point, render_point, keep_point};
}

/* ---- The folder ---- */

static const char *const ours[] = {"runs",
                                   "notes",
                                   "sweep.csv",
                                   "failures.csv",
                                   "manifest.json",
                                   "slurm",
                                   "figures",
                                   "claims.csv",
                                   "claim-readings.csv",
                                   "targets.csv",
                                   "target-readings.csv",
                                   SCENARIO_NAME,
                                   MODELS_NAME,
                                   NULL};

static bool is_ours(const char *name) {
    for (size_t i = 0; ours[i]; i++) {
        size_t length = strlen(ours[i]);
        if (strncmp(name, ours[i], length) == 0 &&
            (name[length] == '\0' || strncmp(name + length, ".tmp-", 5) == 0))
            return true;
    }
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Not a folder of results of something else; that it does not exist is fine. */
static int check_folder(const char *path, struct error *reterr) {
    DIR *folder = files_open_folder(path);
    int r = 0;
    if (!folder)
        return errno == ENOENT ? 0
                               : error_set(reterr, ERROR_INPUT, "%s: cannot open folder: %s", path,
                                           strerror(errno));
    for (const struct dirent *entry; r == 0 && (entry = readdir(folder));)
        if (!is_ours(entry->d_name))
            r = error_set(reterr, ERROR_INPUT, "%s: the folder holds %s, which is not of a sweep",
                          path, entry->d_name);
    closedir(folder);
    return r;
}

/* Leftovers of killed processes; others may be writing. */
static void remove_leftovers(const struct sweep_dir *dir) {
    leftovers_remove(dir->path, ours);
}

int sweep_dir_open(const struct sweep_dir *dir, struct error *reterr) {
    int r = check_folder(dir->path, reterr);
    if (r == 0)
        r = files_make_folders(dir->runs, reterr);
    if (r == 0)
        remove_leftovers(dir);
    return r;
}

int sweep_dir_clear(const struct sweep_dir *dir, struct error *reterr) {
    DIR *folder = files_open_folder(dir->runs);
    int r = folder ? 0
                   : error_set(reterr, ERROR_IO, "%s: cannot open folder: %s", dir->runs,
                               strerror(errno));
    for (const struct dirent *entry; r == 0 && (entry = readdir(folder));)
        if (entry->d_name[0] != '.' && unlinkat(dirfd(folder), entry->d_name, 0) < 0 &&
            errno != ENOENT)
            r = error_set(reterr, ERROR_IO, "%s/%s: cannot remove: %s", dir->runs, entry->d_name,
                          strerror(errno));
    if (folder)
        closedir(folder);
    return r;
}

/* ---- Tables ---- */

static void add_header(const struct sweep *sweep, struct str *out) {
    str_add(out, "run_id");
    for (size_t a = 0; a < sweep->axes.count; a++)
        csv_comma_text(out, sweep->axes.at[a].column);
}

static void add_point_cells(const struct sweep *sweep, size_t point, struct str *out) {
    str_addf(out, "%016llx", (unsigned long long)sweep->points[point].id);
    for (size_t a = 0; a < sweep->axes.count; a++)
        csv_comma_text(out, sweep_value(sweep, point, a)->shown);
}

void sweep_dir_list(const struct sweep_dir *dir, const size_t *points, size_t count,
                    struct str *out) {
    add_header(dir->sweep, out);
    str_add(out, ",state\n");
    for (size_t i = 0; i < count; i++) {
        add_point_cells(dir->sweep, points[i], out);
        csv_comma_text(out, state_names[sweep_dir_state(dir, points[i])]);
        str_add_char(out, '\n');
    }
}

static void add_counts(cJSON *root, const struct sweep *sweep, const struct sweep_counts *counts) {
    json_add_int(root, "points", (int64_t)sweep->count);
    json_add_int(root, "done", (int64_t)counts->done);
    json_add_int(root, "failed", (int64_t)counts->failed);
    json_add_int(root, "missing", (int64_t)counts->missing);
}

int sweep_dir_write_manifest(const struct sweep_dir *dir, const struct manifest_origin *origin,
                             const struct sweep_counts *counts, const struct notes *notes,
                             struct error *reterr) {
    static const char *const files[] = {
        "sweep.csv",   "failures.csv",        "claims.csv", "claim-readings.csv",
        "targets.csv", "target-readings.csv", NULL};
    const struct sweep *sweep = dir->sweep;
    struct arena arena = {0};
    cJSON *root = manifest_begin(origin, sweep->name, dir->path);
    cJSON_AddStringToObject(root, "sweep", files_relative(sweep->doc.file, dir->path, &arena));
    cJSON *axes = cJSON_AddArrayToObject(root, "axes");
    for (size_t a = 0; a < sweep->axes.count; a++)
        cJSON_AddItemToArray(axes, cJSON_CreateString(sweep->axes.at[a].name));
    cJSON *labels = NULL;
    for (size_t a = 0; a < sweep->axes.count; a++)
        if (sweep->axes.at[a].label) {
            labels = labels ? labels : cJSON_AddObjectToObject(root, "labels");
            cJSON_AddStringToObject(labels, sweep->axes.at[a].column, sweep->axes.at[a].label);
        }
    add_counts(root, sweep, counts);
    cJSON_AddBoolToObject(root, "partial", counts->missing > 0);
    notes_add_warnings(notes, root);
    arena_finish(&arena);
    return manifest_write(root, origin, dir->path, files, reterr);
}

void sweep_dir_json(const struct sweep_dir *dir, const struct sweep_counts *counts,
                    const struct findings *findings, const cJSON *warnings, struct str *out) {
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "name", dir->sweep->name);
    add_counts(root, dir->sweep, counts);
    cJSON_AddItemToObject(root, "warnings", cJSON_Duplicate(warnings, true));
    findings_json(findings, root);
    json_print(root, out);
}

/* The joined results of all points. */
struct joined {
    const struct sweep *sweep;
    struct str *done, *failed; /* sweep.csv, failures.csv */
    struct figures *figures;
    struct sweep_counts *counts;
    struct notes *notes;
    cJSON *warnings;
    struct csv **rows;                        /* readers, by the columns of the store */
    struct csv *noted;                        /* that of notes */
    struct str block, cells, policy, warning; /* of the point; cells: by which it is known */
    struct arena arena;
    ARRAY_OF(const char *) further; /* columns that not every point has, of services say */
};

static void add_cell(struct slice cell, struct str *out) {
    str_add_char(out, ',');
    str_add_bytes(out, cell.at, cell.length);
}

static void add_done_row(const struct joined *to, const struct csv *csv) {
    str_add_bytes(to->done, to->cells.text, to->cells.length);
    csv_comma_text(to->done, to->policy.text);
    for (int c = POLICY_COLUMN + 1; c < FURTHER_COLUMN; c++)
        add_cell(csv_field(csv, c), to->done);
    csv_comma_text(to->done, to->warning.text);
    for (size_t f = 0; f < to->further.count; f++)
        add_cell(csv_field(csv, csv_column(csv, to->further.at[f])), to->done);
    str_add_char(to->done, '\n');
}

static void keep_warning(const struct joined *to, size_t point) {
    cJSON *object = json_append_object(to->warnings);
    for (size_t a = 0; a < to->sweep->axes.count; a++)
        json_add_text(object, to->sweep->axes.at[a].column,
                      sweep_value(to->sweep, point, a)->shown);
    json_add_text(object, "warning", to->warning.text);
}

/* The policy and the notes of a point that is done, as of its first row. */
static int take_notes(struct joined *to, size_t point, const struct csv *csv, struct slice notes,
                      struct error *reterr) {
    const struct slice name = csv_field(csv, POLICY_COLUMN);
    to->policy.length = to->warning.length = 0;
    str_add_bytes(&to->policy, name.at, name.length);
    str_add(&to->warning, "");
    int r = notes_add_text(to->notes, to->noted, notes, to->policy.text, &to->warning, reterr);
    if (to->warning.length > 0)
        keep_warning(to, point);
    return r;
}

/* Of a point that is done. */
static int take_rows(struct joined *to, size_t point, struct csv *csv, struct slice notes,
                     struct slice rows, struct error *reterr) {
    struct slice line;
    bool first = true;
    while (slice_line(&rows, &line)) {
        int r = csv_take_line(csv, line, reterr);
        if (r == 0 && first)
            r = take_notes(to, point, csv, notes, reterr);
        if (r < 0)
            return r;
        figures_add(to->figures, point, csv);
        add_done_row(to, csv);
        first = false;
    }
    return 0;
}

static int join_point(const struct sweep_dir *dir, size_t point, struct joined *to,
                      struct error *reterr) {
    const struct run_record *record = record_of(dir, point);
    struct slice notes, rows;
    to->counts->missing += !record;
    if (!record)
        return 0;
    int r = run_store_load(&dir->store, record, &to->block, &notes, &rows, reterr);
    bool done = record->state == SWEEP_DONE;
    to->counts->done += done;
    to->counts->failed += !done;
    to->cells.length = 0;
    add_point_cells(dir->sweep, point, &to->cells);
    if (r == 0 && done)
        return take_rows(to, point, to->rows[record->columns], notes, rows, reterr);
    if (r == 0) {
        str_add_bytes(to->failed, to->cells.text, to->cells.length);
        add_cell(rows, to->failed);
    }
    return r;
}

static void add_further(struct joined *to, const char *name) {
    for (size_t f = 0; f < to->further.count; f++)
        if (strcmp(to->further.at[f], name) == 0)
            return;
    array_push(&to->further, arena_strdup(&to->arena, name));
}

/* Columns that not every point has, in the order in which points have them. */
static void find_further(const struct sweep_dir *dir, struct joined *to) {
    bool *seen = mem_zalloc(dir->store.columns.count, sizeof *seen);
    for (size_t p = 0; p < dir->sweep->count; p++) {
        const struct run_record *record = record_of(dir, p);
        if (!record || seen[record->columns] || !dir->store.columns.at[record->columns].further)
            continue;
        const struct csv *csv = to->rows[record->columns];
        for (size_t c = FURTHER_COLUMN; c < csv_column_count(csv); c++)
            add_further(to, csv_column_name(csv, c));
        seen[record->columns] = true;
    }
    free(seen);
}

static int open_readers(const struct run_store *store, struct joined *to, struct error *reterr) {
    int r = notes_reader(&to->noted, reterr);
    to->rows = mem_zalloc(store->columns.count, sizeof *to->rows);
    for (size_t i = 0; i < store->columns.count && r == 0; i++) {
        const struct str *names = &store->columns.at[i].names;
        r = csv_of_text((struct slice){names->text, names->length}, "a point", &to->rows[i],
                        reterr);
    }
    return r;
}

static void finish_join(const struct run_store *store, struct joined *to) {
    for (size_t i = 0; i < store->columns.count; i++)
        csv_close(to->rows[i]);
    csv_close(to->noted);
    free(to->rows);
    free(to->further.at);
    str_finish(&to->block);
    str_finish(&to->cells);
    str_finish(&to->policy);
    str_finish(&to->warning);
    arena_finish(&to->arena);
}

static int join_points(const struct sweep_dir *dir, struct joined *to, struct error *reterr) {
    int r = open_readers(&dir->store, to, reterr);
    if (r == 0)
        find_further(dir, to);
    add_header(dir->sweep, to->done);
    str_add_char(to->done, ',');
    summary_csv_header(0, to->done);
    to->done->length--; /* the end of the line */
    str_add(to->done, ",warning");
    for (size_t f = 0; f < to->further.count; f++)
        csv_comma_text(to->done, to->further.at[f]);
    str_add_char(to->done, '\n');
    add_header(dir->sweep, to->failed);
    str_add(to->failed, ",error\n");
    for (size_t p = 0; p < dir->sweep->count && r == 0; p++)
        r = join_point(dir, p, to, reterr);
    finish_join(&dir->store, to);
    return r;
}

int sweep_dir_merge(const struct sweep_dir *dir, struct figures *figures,
                    struct sweep_counts *ret_counts, struct notes *notes, cJSON *warnings,
                    struct error *reterr) {
    struct text_file files[] = {{.name = "sweep.csv"}, {.name = "failures.csv"}};
    *ret_counts = (struct sweep_counts){0};
    struct joined to = {.sweep = dir->sweep,
                        .done = &files[0].text,
                        .failed = &files[1].text,
                        .figures = figures,
                        .counts = ret_counts,
                        .notes = notes,
                        .warnings = warnings};
    int r = join_points(dir, &to, reterr);
    if (ret_counts->failed == 0)
        str_finish(&files[1].text); /* a header alone */
    remove_leftovers(dir);
    if (r == 0)
        return text_files_write(dir->path, files, 2, reterr);
    for (int f = 0; f < 2; f++)
        str_finish(&files[f].text);
    return r;
}

int sweep_dir_write_findings(const struct sweep_dir *dir, const struct findings *findings,
                             struct error *reterr) {
    struct text_file files[] = {{.name = "claims.csv"},
                                {.name = "claim-readings.csv"},
                                {.name = "targets.csv"},
                                {.name = "target-readings.csv"}};
    if (findings->claims->claim_count > 0) {
        findings_tables_claims(findings, &files[0].text);
        findings_tables_claim_readings(findings, &files[1].text);
    }
    if (findings->claims->target_count > 0) {
        findings_tables_targets(findings, &files[2].text);
        findings_tables_target_readings(findings, &files[3].text);
    }
    return text_files_write(dir->path, files, 4, reterr);
}

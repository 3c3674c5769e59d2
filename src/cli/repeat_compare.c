/* Files of two folders against each other: see repeat_compare.h. */
#include "cli/repeat_compare.h"

#include "base/machine.h"
#include "cli/cli.h"
#include "io/sha256.h"
#include "output/sweep/run_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- What manifests name ---- */

/* Of a file that is there: false if there is none. Of one that cannot be read nothing can be said.
 */
static bool hash_file(const char *path, char digest[static SHA256_TEXT]) {
    uint64_t bytes;
    struct error error = {0};
    int r = sha256_file(path, digest, &bytes, &error);
    if (r < 0)
        machine_end("%s", error.text);
    return r == 0;
}

/* Equal SHA-256 means equal bytes. */
static bool file_is_whole(const struct recorded_file *file, const char *prefix) {
    char now[SHA256_TEXT];
    bool there = hash_file(file->path, now);
    if (there && file->sha256 && strcmp(now, file->sha256) == 0)
        return true;
    cli_show("damaged: %s%s (%s)\n", prefix, file->name,
             there ? "not of the SHA-256 in the manifest: one of the two was changed"
                   : "it is missing");
    return false;
}

static bool folder_is_whole(const struct recorded *recorded, const char *prefix) {
    bool whole = true;
    for (const struct recorded_file *file = recorded->files; file->name; file++)
        whole = file_is_whole(file, prefix) && whole;
    for (const char *const *folder = recorded->folders; *folder; folder++) {
        struct recorded inner = {0};
        struct arena arena = {0};
        struct error error = {0};
        const char *manifest =
            arena_printf(&arena, "%s/%s/" MANIFEST_NAME, recorded->folder, *folder);
        if (recorded_load(&inner, manifest, &error) == 0) {
            whole =
                folder_is_whole(&inner, arena_printf(&arena, "%s%s/", prefix, *folder)) && whole;
        } else {
            cli_show("damaged: %s%s/" MANIFEST_NAME " (%s)\n", prefix, *folder, error.text);
            whole = false;
        }
        recorded_finish(&inner);
        arena_finish(&arena);
    }
    return whole;
}

bool repeat_is_whole(const struct recorded *recorded) {
    return folder_is_whole(recorded, "");
}

/* ---- The repetition ---- */

/* Prints the line of a file unless the repetition has the same. */
static bool same_file(const struct recorded_file *file, const char *prefix, const char *again) {
    struct arena arena = {0};
    char after[SHA256_TEXT];
    bool is_made = hash_file(arena_printf(&arena, "%s/%s", again, file->name), after);
    bool same = is_made && strcmp(after, file->sha256) == 0;
    if (!same)
        cli_show("differs: %s%s%s\n", prefix, file->name,
                 is_made ? "" : " (the repetition does not write it)");
    arena_finish(&arena);
    return same;
}

/* Files that only the repetition has. */
static bool no_more_files(const struct recorded *before, const struct recorded *after,
                          const char *prefix) {
    bool good = true;
    for (const struct recorded_file *new = after->files; new->name; new ++) {
        const struct recorded_file *old = before->files;
        while (old->name && strcmp(old->name, new->name) != 0)
            old++;
        if (!old->name)
            cli_show("differs: %s%s (only the repetition writes it)\n", prefix, new->name);
        good = good && old->name;
    }
    return good;
}

/* The files of one folder and of those in it. again: the folder of the repetition. */
static bool same_folder(const struct recorded *before, const char *prefix, const char *again) {
    struct recorded after = {0};
    struct error error = {0};
    bool same = true;
    for (const struct recorded_file *file = before->files; file->name; file++)
        same = same_file(file, prefix, again) && same;
    if (recorded_load(&after, arena_printf(&after.arena, "%s/" MANIFEST_NAME, again), &error) == 0)
        same = no_more_files(before, &after, prefix) && same;
    for (const char *const *folder = before->folders; *folder; folder++) {
        struct recorded inner = {0};
        struct arena arena = {0};
        const char *manifest =
            arena_printf(&arena, "%s/%s/" MANIFEST_NAME, before->folder, *folder);
        if (recorded_load(&inner, manifest, &error) == 0)
            same = same_folder(&inner, arena_printf(&arena, "%s%s/", prefix, *folder),
                               arena_printf(&arena, "%s/%s", again, *folder)) &&
                   same;
        else {
            cli_show("differs: %s%s/" MANIFEST_NAME " (%s)\n", prefix, *folder, error.text);
            same = false;
        }
        recorded_finish(&inner);
        arena_finish(&arena);
    }
    recorded_finish(&after);
    return same;
}

/* ---- The points of a sweep ---- */

/* Line by line, each without its first `skip` bytes. */
static bool texts_equal(struct slice before, struct slice after, size_t skip) {
    struct slice one, other;
    bool equal = true;
    while (equal && point_file_line(&before, &one)) {
        equal = point_file_line(&after, &other) && one.length == other.length;
        size_t skipped = one.length < skip ? one.length : skip;
        equal = equal && memcmp(one.at + skipped, other.at + skipped, one.length - skipped) == 0;
    }
    return equal && before.length == after.length;
}

/* Which result of the point counts. */
static bool same_point(const struct run_store *before, const struct run_store *after,
                       const struct run_record *record, bool same_inputs) {
    const struct run_record *old =
        run_store_find(before, record->id, same_inputs ? &record->inputs : NULL);
    struct str notes[2] = {{0}}, texts[2] = {{0}};
    struct error error = {0};
    bool same = old && run_store_load(before, old, &notes[0], &texts[0], &error) == 0 &&
                run_store_load(after, record, &notes[1], &texts[1], &error) == 0 &&
                texts_equal((struct slice){texts[0].text, texts[0].length},
                            (struct slice){texts[1].text, texts[1].length},
                            same_inputs ? 0 : SWEEP_INPUTS_BYTES) &&
                texts_equal((struct slice){notes[0].text, notes[0].length},
                            (struct slice){notes[1].text, notes[1].length}, 0);
    if (error.code < 0)
        machine_end("%s", error.text);
    for (int i = 0; i < 2; i++) {
        str_finish(&notes[i]);
        str_finish(&texts[i]);
    }
    return same;
}

/* Results of points that the sweep has no more may lie beside those it has; manifests name none. */
static bool same_points(const char *folder, const char *again, bool same_inputs) {
    struct arena arena = {0};
    struct run_store before = {.turn = 0}, after = {.turn = 0};
    struct error error = {0};
    bool same = run_store_read(&before, arena_printf(&arena, "%s/runs", folder), &error) == 0 &&
                run_store_read(&after, arena_printf(&arena, "%s/runs", again), &error) == 0;
    if (!same)
        machine_end("%s", error.text);
    for (size_t i = 0; i < after.records.count; i++) {
        const struct run_record *record = &after.records.at[i];
        if (same_point(&before, &after, record, same_inputs))
            continue;
        cli_show("differs: run %016llx\n", (unsigned long long)record->id);
        same = false;
    }
    run_store_finish(&before);
    run_store_finish(&after);
    arena_finish(&arena);
    return same;
}

bool repeat_compare(const struct recorded *recorded, const char *again, bool same_inputs) {
    bool same = same_folder(recorded, "", again);
    bool sweep = strcmp(recorded->command, "sweep") == 0;
    return (!sweep || same_points(recorded->folder, again, same_inputs)) && same;
}

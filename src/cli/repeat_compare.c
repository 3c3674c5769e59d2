/* Files of two folders against each other: see repeat_compare.h. */
#include "cli/repeat_compare.h"

#include "base/mem.h"
#include "cli/cli.h"
#include "io/lines.h"
#include "io/sha256.h"
#include "output/manifest.h"
#include "output/sweep/point_file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- What manifests name ---- */

/* Equal SHA-256 means equal bytes. */
static bool file_is_whole(const struct recorded_file *file, const char *prefix) {
    char now[SHA256_TEXT];
    uint64_t bytes;
    struct error error = {0};
    int there = sha256_file(file->path, now, &bytes, &error);
    if (there == 0 && file->sha256 && strcmp(now, file->sha256) == 0)
        return true;
    cli_show("damaged: %s%s (%s)\n", prefix, file->name,
             there < 0    ? "it cannot be read"
             : there == 0 ? "not of the SHA-256 in the manifest: one of the two was changed"
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
    uint64_t bytes;
    struct error error = {0};
    const char *made = arena_printf(&arena, "%s/%s", again, file->name);
    bool is_made = sha256_file(made, after, &bytes, &error) == 0;
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

/* Line by line, each without its first `skip` bytes. Files that neither folder has are equal. */
static bool lines_equal(const char *before, const char *after, size_t skip) {
    struct lines *files[2] = {NULL, NULL};
    struct error error = {0};
    bool is_there = access(before, F_OK) == 0;
    if (is_there != (access(after, F_OK) == 0))
        return false;
    bool equal = !is_there || (lines_open(before, &files[0], &error) == 0 &&
                               lines_open(after, &files[1], &error) == 0);
    for (bool more = is_there && equal; more;) {
        struct slice line[2];
        int got[2];
        for (int f = 0; f < 2; f++) {
            got[f] = lines_next(files[f], &line[f], &error);
            line[f].length = got[f] == 1 ? line[f].length : 0;
        }
        more = got[0] == 1 && got[1] == 1;
        equal = got[0] == got[1] && line[0].length == line[1].length &&
                (line[0].length <= skip ||
                 memcmp(line[0].at + skip, line[1].at + skip, line[0].length - skip) == 0);
        more = more && equal;
    }
    lines_close(files[0]);
    lines_close(files[1]);
    return equal;
}

static int is_csv(const struct dirent *entry) {
    const char *dot = strrchr(entry->d_name, '.');
    return dot && strcmp(dot, ".csv") == 0;
}

/* Files of points that the sweep has no more may lie beside those it has; manifests name none. */
static bool same_points(const char *folder, const char *again, bool same_inputs) {
    static const char *const parts[] = {"runs", "notes"};
    struct arena arena = {0};
    struct dirent **entries = NULL;
    int count = scandir(arena_printf(&arena, "%s/runs", again), &entries, is_csv, alphasort);
    if (count < 0 && errno == ENOMEM)
        mem_exhausted(0);
    bool same = true;
    for (int i = 0; i < count; i++) {
        for (int p = 0; p < 2; p++) {
            const char *name = arena_printf(&arena, "%s/%s", parts[p], entries[i]->d_name);
            size_t skip = p == 0 && !same_inputs ? SWEEP_INPUTS_BYTES : 0;
            if (lines_equal(arena_printf(&arena, "%s/%s", folder, name),
                            arena_printf(&arena, "%s/%s", again, name), skip))
                continue;
            cli_show("differs: %s\n", name);
            same = false;
        }
        free(entries[i]);
    }
    free(entries);
    arena_finish(&arena);
    return same;
}

bool repeat_compare(const struct recorded *recorded, const char *again, bool same_inputs) {
    bool same = same_folder(recorded, "", again);
    bool sweep = strcmp(recorded->command, "sweep") == 0;
    return (!sweep || same_points(recorded->folder, again, same_inputs)) && same;
}

/* Repetition of a recorded command, in a child, so that its results' folder is always removed. */
#include "cli/internal.h"

#include "base/child.h"
#include "base/machine.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "cli/repeat_inputs.h"
#include "easim_version.h"
#include "io/files.h"
#include "io/sha256.h"
#include "output/sweep/run_store.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- repeat_child --- */
/* The child heads a process group: an interruption at the terminal reaches it once, from here. */

struct repeat_child {
    enum command command;
    int (*run)(enum command command, bool repeats, const char *results, int argc, char **argv);
    char **argv;                /* ends with NULL */
    const char *results;        /* of struct options; NULL: its author is trusted */
    const char *data_folder;    /* becomes EASIM_DATA; NULL: as it is */
    const char *working_folder; /* NULL: this one */
    const char *policy_path;    /* for EASIM_POLICY_PATH; NULL: as it is */
};

/* The signals that the caller blocks around repeat_child_run: it passes them on. */
static void repeat_child_signals(sigset_t *signals) {
    static const int all[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};
    sigemptyset(signals);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sigaddset(signals, all[i]);
}

static _Noreturn void run_in_child(const struct repeat_child *repetition, pid_t parent) {
    int argc = 0, null = open("/dev/null", O_RDWR | O_CLOEXEC);
    sigset_t signals;
    mem_on_failure(NULL, NULL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(EXIT_RUN_FAILED);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0) {
        cli_say("easim: /dev/null: %s\n", strerror(errno));
        _exit(EXIT_RUN_FAILED);
    }
    repeat_child_signals(&signals);
    sigprocmask(SIG_UNBLOCK, &signals, NULL);
    if (repetition->working_folder && chdir(repetition->working_folder) < 0) {
        cli_say("easim: %s: cannot enter folder: %s\n", repetition->working_folder,
                strerror(errno));
        exit(EXIT_BAD_INPUT);
    }
    if (repetition->policy_path)
        setenv("EASIM_POLICY_PATH", repetition->policy_path, 1);
    if (repetition->data_folder)
        setenv("EASIM_DATA", repetition->data_folder, 1);
    while (repetition->argv[argc])
        argc++;
    exit(repetition->run(repetition->command, true, repetition->results, argc, repetition->argv));
}

static int exit_code(int status, bool interrupted) {
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    if (interrupted)
        return EXIT_INTERRUPTED;
    cli_say("easim: the repetition was ended by signal %d\n", WTERMSIG(status));
    return EXIT_RUN_FAILED;
}

/* Runs it to its end, its standard output thrown away. Returns an exit code. */
static int repeat_child_run(const struct repeat_child *repetition) {
    pid_t parent = getpid();
    sigset_t signals;
    int status, number;
    bool interrupted = false;
    fflush(stdout);
    fflush(stderr);
    pid_t child = child_fork();
    if (child < 0) {
        cli_say("easim: cannot start a process: %s\n", strerror(errno));
        return EXIT_RUN_FAILED;
    }
    if (child == 0)
        run_in_child(repetition, parent);
    setpgid(child, child);
    repeat_child_signals(&signals);
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (sigwait(&signals, &number) != 0 || number == SIGCHLD)
            continue;
        interrupted = true;
        kill(child, number);
    }
    return exit_code(status, interrupted);
}

/* --- repeat_compare: the files of recorded results against those of a repetition --- */

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
             there ? "its SHA-256 is not that in the manifest: the file or the manifest was changed"
                   : "it is missing");
    return false;
}

/* Whether the recorded folder, and those in it, hold the files of their manifests; prints a line
   for each that they do not, with the prefix. */
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

/* Which result of the point counts. */
static bool same_point(const struct run_store *before, const struct run_store *after,
                       const struct run_record *record, bool same_inputs) {
    const struct run_record *old =
        run_store_find(before, record->id, same_inputs ? &record->inputs : NULL);
    struct str blocks[2] = {{0}};
    struct slice notes[2], rows[2];
    struct error error = {0};
    bool same = old && old->names == record->names &&
                run_store_load(before, old, &blocks[0], &notes[0], &rows[0], &error) == 0 &&
                run_store_load(after, record, &blocks[1], &notes[1], &rows[1], &error) == 0 &&
                slice_same(notes[0], notes[1]) && slice_same(rows[0], rows[1]);
    if (error.code < 0)
        machine_end("%s", error.text);
    for (int i = 0; i < 2; i++)
        str_finish(&blocks[i]);
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

/* Prints a line for each file that differs between the two folders, the recorded one whole. Of a
   sweep also the files of its points; they hold a hash of what was read, which
   counts only where nothing of that has changed (same_inputs). */
static bool repeat_compare(const struct recorded *recorded, const char *again, bool same_inputs) {
    bool same = same_folder(recorded, "", again);
    bool sweep = strcmp(recorded->command, "sweep") == 0;
    return (!sweep || same_points(recorded->folder, again, same_inputs)) && same;
}

/* --- repeat --- */

/* A missing manifest is not taken for a scenario: its command would ask for options first. */
static bool is_missing_manifest(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash && strcmp(slash + 1, MANIFEST_NAME) == 0 && !files_exist(path);
}

const char *repeat_manifest(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        if (argv[i][0] != '-' && (recorded_is_manifest(argv[i]) || is_missing_manifest(argv[i])))
            return argv[i];
    return NULL;
}

/* A repetition has the values that are recorded, and no others. */
static int refuse_options(const char *manifest, int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        size_t length = strcspn(word, "=");
        bool known =
            word[0] != '-' || strncmp(word, "--help", length) == 0 || strcmp(word, "-?") == 0;
        for (const struct option_row *row = option_rows; row->name && !known; row++)
            known = option_belongs(row, COMMAND_REPEAT) &&
                    (word[1] == '-' ? strncmp(word + 2, row->name, length - 2) == 0
                                    : word[1] == row->letter);
        if (known)
            continue;
        cli_say(
            "%s: %.*s: the repetition of %s takes only --out, --force, --threads, --trust and --quiet; for other values run " SCENARIO_NAME
            " beside it\n",
            argv[0], (int)length, word, manifest);
        return EXIT_BAD_INPUT;
    }
    return EXIT_DONE;
}

/* ---- The repetition ---- */

static bool is_this_easim(const struct recorded *recorded) {
    return strcmp(recorded->version, EASIM_VERSION) == 0 &&
           strcmp(recorded->commit, EASIM_COMMIT) == 0;
}

static int conclude_repetition(const struct recorded *recorded, const struct repeat_inputs *inputs,
                               const char *again) {
    struct arena arena = {0};
    bool made = files_exist(arena_printf(&arena, "%s/" MANIFEST_NAME, again));
    bool same_inputs = inputs->changed.count == 0 && is_this_easim(recorded);
    bool same = made && repeat_compare(recorded, again, same_inputs);
    arena_finish(&arena);
    if (same) {
        cli_show("equal\n");
        return EXIT_DONE;
    }
    if (!made)
        cli_show("the repetition wrote no results\n");
    for (size_t i = 0; i < inputs->changed.count; i++)
        cli_show("changed input: %s\n", inputs->changed.at[i]);
    return EXIT_RUN_FAILED;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place) {
    (void)status, (void)kind, (void)place;
    return remove(path);
}

/* At the end for a fault of the machine, too. */
static void remove_scratch(void *scratch, size_t bytes, const char *fault) {
    mem_on_failure(NULL, NULL);
    (void)nftw(scratch, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    if (fault)
        mem_end(fault);
    mem_exhausted(bytes);
}

static const char *make_scratch(struct arena *arena, struct error *reterr) {
    const char *folder = getenv("TMPDIR");
    char *path =
        arena_printf(arena, "%s/easim-repeat.XXXXXX", folder && folder[0] ? folder : "/tmp");
    if (!mkdtemp(path)) {
        error_set(reterr, ERROR_IO, "%s: cannot make folder: %s", path, strerror(errno));
        return NULL;
    }
    mem_on_failure(remove_scratch, path);
    return files_real(path, arena);
}

/* The path as it is valid from any folder: the command may run in another one. */
static const char *absolute_path(const char *path, struct arena *arena) {
    char here[PATH_MAX];
    return path[0] != '/' && getcwd(here, sizeof here) ? arena_printf(arena, "%s/%s", here, path)
                                                       : path;
}

static char **command_line(const struct options *options, const struct recorded *recorded,
                           const char *out, struct arena *arena) {
    size_t count = 0, most = 8;
    for (const char *const *word = recorded->options; *word; word++)
        most++;
    for (const char *const *word = recorded->operands; *word; word++)
        most++;
    const char **words = arena_alloc(arena, most * sizeof *words);
    words[count++] = options->who;
    for (const char *const *operand = recorded->operands; *operand; operand++)
        words[count++] = *operand;
    for (const char *const *option = recorded->options; *option; option++)
        words[count++] = *option;
    words[count++] = arena_printf(arena, "--out=%s", out);
    if (options->threads > 0)
        words[count++] = arena_printf(arena, "--threads=%u", options->threads);
    if (options->force)
        words[count++] = "--force";
    if (options->quiet)
        words[count++] = "--quiet";
    return (char **)words;
}

static int repeat_into(const struct repeated *command, const struct options *options,
                       const struct recorded *recorded, const struct repeat_inputs *inputs,
                       const char *out) {
    struct arena arena = {0};
    const struct repeat_child child = {.command = command->command,
                                       .run = command->run,
                                       .argv = command_line(options, recorded, out, &arena),
                                       .results = inputs->results,
                                       .data_folder = recorded->data_folder,
                                       .working_folder = recorded->working_folder,
                                       .policy_path = inputs->policy_path};
    int code = repeat_child_run(&child);
    arena_finish(&arena);
    return code == EXIT_DONE || code == EXIT_RUN_FAILED ? conclude_repetition(recorded, inputs, out)
                                                        : code;
}

static int repeat_recorded(const struct repeated *command, const struct options *options,
                           const struct recorded *recorded, const struct repeat_inputs *inputs) {
    struct arena arena = {0};
    struct error error = {0};
    sigset_t blocked, before;
    int code = EXIT_RUN_FAILED;
    repeat_child_signals(&blocked);
    sigprocmask(SIG_BLOCK, &blocked, &before); /* the folder is removed whatever comes */
    const char *scratch = options->out ? NULL : make_scratch(&arena, &error);
    if (options->out || scratch)
        code = repeat_into(command, options, recorded, inputs,
                           options->out ? absolute_path(options->out, &arena)
                                        : arena_printf(&arena, "%s/results", scratch));
    else
        code = cli_report_error(&error);
    mem_on_failure(NULL, NULL);
    if (scratch)
        (void)nftw(scratch, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    code = cli_conclude(code);
    sigprocmask(SIG_SETMASK, &before, NULL);
    arena_finish(&arena);
    return code;
}

static int check_command(const struct repeated *command, const struct recorded *recorded,
                         struct error *reterr) {
    if (strcmp(recorded->command, commands[command->command].name) == 0)
        return 0;
    return error_set(reterr, ERROR_INPUT,
                     "%s was written by another command: easim %s %s repeats it", command->manifest,
                     recorded->command, command->manifest);
}

/* Others than easim records would reach beyond the results: --engine slurm starts programs. */
static int check_words(const struct repeated *command, const struct recorded *recorded,
                       struct error *reterr) {
    for (const char *const *word = recorded->options; *word; word++) {
        size_t length = strcspn(*word, "=");
        const struct option_row *row = strncmp(*word, "--", 2) == 0
                                           ? option_find(command->command, *word + 2, length - 2)
                                           : NULL;
        bool changes_scenario = row && (row->offset == offsetof(struct options, policy) ||
                                        row->offset == offsetof(struct options, sets));
        if ((*word)[0] == '-' && !changes_scenario && !(row && row->recorded))
            return error_set(reterr, ERROR_INPUT,
                             "%s: damaged manifest: easim %s records no option %.*s",
                             command->manifest, recorded->command, (int)length, *word);
    }
    return 0;
}

/* Results that are not those of the manifest are nothing to compare with. */
static int refuse_damaged(const struct recorded *recorded, const char *who) {
    if (folder_is_whole(recorded, ""))
        return EXIT_DONE;
    cli_say("%s: the results in %s differ from their manifest, so easim does not repeat them\n",
            who, recorded->folder);
    return cli_conclude(EXIT_RUN_FAILED);
}

static int repeat_loaded(const struct repeated *command, const struct options *options,
                         const struct recorded *recorded, struct repeat_inputs *inputs,
                         const char *who) {
    const char *slash = strrchr(command->manifest, '/');
    inputs->trust = options->trust;
    if (!options->trust && command->command != COMMAND_MODELS)
        inputs->results =
            arena_printf(&inputs->arena, "easim: %.*s",
                         slash ? (int)(slash - command->manifest) : (int)strlen(recorded->folder),
                         slash ? command->manifest : recorded->folder);
    if (repeat_inputs_check(inputs, recorded, who) < 0)
        return EXIT_BAD_INPUT;
    int code = refuse_damaged(recorded, who);
    return code == EXIT_DONE ? repeat_recorded(command, options, recorded, inputs) : code;
}

int repeat(const struct repeated *command, int argc, char **argv) {
    int code = refuse_options(command->manifest, argc, argv);
    if (code != EXIT_DONE)
        return code;
    struct options options;
    options_parse(&options, COMMAND_REPEAT, argc, argv);
    if (options.force && command->command == COMMAND_SWEEP)
        options_refuse(&options, "--force: not with a sweep, which goes on in its folder anyway");
    if (options.trust && command->command == COMMAND_MODELS)
        options_refuse(&options, "--trust: models loads no policy");
    struct recorded recorded = {0};
    struct repeat_inputs inputs = {.changed = {0}};
    struct error error = {0};
    if (recorded_load(&recorded, command->manifest, &error) < 0 ||
        check_command(command, &recorded, &error) < 0 ||
        check_words(command, &recorded, &error) < 0) {
        code = cli_report_error(&error);
    } else {
        if (!is_this_easim(&recorded))
            cli_say("%s: recorded by easim %s (%s), this is %s (%s)\n", argv[0], recorded.version,
                    recorded.commit, EASIM_VERSION, EASIM_COMMIT);
        if (recorded.partial)
            cli_say("%s: the recorded results are partial: interrupted, or a run failed\n",
                    argv[0]);
        code = repeat_loaded(command, &options, &recorded, &inputs, argv[0]);
    }
    repeat_inputs_finish(&inputs);
    recorded_finish(&recorded);
    options_finish(&options);
    return code;
}

/* Repetition of a recorded command. It runs in a child, so that whatever becomes of it the folder
   of its results is removed. */
#include "cli/repeat.h"

#include "cli/cli.h"
#include "cli/option_parse.h"
#include "cli/option_table.h"
#include "cli/repeat_child.h"
#include "cli/repeat_compare.h"
#include "cli/repeat_inputs.h"
#include "easim_version.h"
#include "io/files.h"
#include "output/manifest.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A manifest that is not there is not taken for a scenario: its command would ask for options
 * first. */
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
            "%s: %.*s: %s is repeated as it is recorded, with --out, --force, --threads, --trust and --quiet at most; "
            "for other values run " SCENARIO_NAME " beside it\n",
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
        cli_show("the repetition gives no results\n");
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
    return error_set(reterr, ERROR_INPUT, "%s is of another command: easim %s %s repeats it",
                     command->manifest, recorded->command, command->manifest);
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
    if (repeat_is_whole(recorded))
        return EXIT_DONE;
    cli_say("%s: the results in %s are not those of its manifest: they are not repeated\n", who,
            recorded->folder);
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

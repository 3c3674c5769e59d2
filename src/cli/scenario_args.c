/* CONFIG.yaml, --policy and --set. */
#include "cli/scenario_args.h"

#include "cli/cli.h"
#include "cli/internal.h"
#include "ingest/formats.h"
#include "io/leftovers.h"
#include "io/yaml_path.h"
#include "output/run/run_dir.h"
#include "study/study_load.h"

#include <inttypes.h>
#include <unistd.h>

/* Whether "path=value" sets the name of the policy; any other text is refused later. */
static bool sets_policy_name(const char *text) {
    struct arena arena = {0};
    struct yaml_path path;
    const char *value;
    bool does = yaml_path_parse_set(text, &arena, &path, &value, NULL) == 0 &&
                yaml_paths_overlap(yaml_path_text(&path, &arena), "policy.name");
    arena_finish(&arena);
    return does;
}

void scenario_args_refuse_policy(const struct options *options, const char *expected) {
    for (size_t i = 0; i < options->sets.count; i++)
        if (sets_policy_name(options->sets.at[i]))
            options_refuse(options, "expected %s instead of --set %s", expected,
                           options->sets.at[i]);
}

void scenario_args_set(struct options *options, const char *path, const char *value) {
    array_push(&options->sets, arena_printf(&options->arena, "%s=%s", path, value));
}

int scenario_args_read(struct options *options, struct problems *problems) {
    return strcmp(options->operands[0], "-") == 0 ? yaml_read_stdin(&options->stdin_text, problems)
                                                  : 0;
}

void scenario_args_trust(const struct options *options, struct scenario_overrides *overrides) {
    bool opens_none = options->command == COMMAND_GEN || options->command == COMMAND_MODELS;
    bool by_name = options->command == COMMAND_CHECK && !options->trust;
    overrides->trust = opens_none         ? POLICY_NONE
                       : by_name          ? POLICY_NAMED
                       : options->results ? POLICY_KNOWN
                                          : POLICY_ANY;
    overrides->foreign =
        (struct foreign_words){options->results, by_name ? "--trust loads it" : ADD_TRUST};
}

struct scenario_overrides scenario_args_overrides(const struct options *options) {
    struct scenario_overrides overrides = {
        .policy = options->policy,
        .sets = options->sets.at,
        .set_count = options->sets.count,
        .records = options->command == COMMAND_RUN || options->command == COMMAND_COMPARE ||
                   options->command == COMMAND_CHECK,
        .worlds = options->command == COMMAND_COMPARE || options->command == COMMAND_CHECK,
        .text = {options->stdin_text.text, options->stdin_text.length}};
    scenario_args_trust(options, &overrides);
    return overrides;
}

int scenario_args_load(struct options *options, struct study *study, struct problems *problems) {
    *study = (struct study){0};
    if (scenario_args_read(options, problems) < 0)
        return ERROR_INPUT;
    const struct scenario_overrides overrides = scenario_args_overrides(options);
    return study_load(study, options->operands[0], &overrides, ingest_readers, problems);
}

int scenario_args_run(struct options *options,
                      int (*run)(struct options *options, const struct study *study)) {
    struct study study;
    int code = scenario_args_load(options, &study, &options->problems) < 0
                   ? cli_report_problems(&options->problems)
                   : run(options, &study);
    study_finish(&study);
    return code;
}

void scenario_args_plain(const struct options *options, struct study *study) {
    struct problems ignored = CLI_PROBLEMS;
    const struct scenario_overrides overrides = scenario_args_overrides(options);
    study_load_files(study, options->operands[0], &overrides, &ignored);
    problems_finish(&ignored);
}

/* --- run_args: how a scenario is run, and how a signal ends a run --- */

/* The one variable that a signal handler may reach. */
static atomic_bool interrupted;

static void on_interrupt(int signal_number) {
    (void)signal_number;
    atomic_store(&interrupted, true);
}

void run_args_catch_interrupts(void) {
    const struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
    struct sigaction before;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) /* nohup */
        sigaction(SIGHUP, &action, NULL);
}

static unsigned core_count(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 && cores <= 1024 ? (unsigned)cores : 1;
}

struct replicate_options run_args_options(const struct options *options) {
    return (struct replicate_options){.processes =
                                          options->threads ? options->threads : core_count(),
                                      .alone = options->isolate == ISOLATE_ALWAYS,
                                      .check = options->check,
                                      .strict = options->strict,
                                      .limit_s = options->run_timeout_s,
                                      .cancel = &interrupted};
}

int run_args_report(const struct error *error, const struct replicate_result *result,
                    const struct study *study) {
    struct error whole = *error;
    if (error->code == ERROR_CANCELLED)
        error_set(&whole, error->code, "%s: %u of %u replications are finished and kept",
                  error->text, result->count, (unsigned)study->scenario.replications);
    return cli_report_error(&whole);
}

void run_args_advise_on(const struct options *options, const char *policy) {
    if (!options->check && !options->quiet && !options->repeats)
        cli_say("note: %s is not one of easim's own, and this was no checked run: run it "
                "once with --check\n",
                policy);
}

void run_args_advise(const struct options *options, const struct study *study) {
    char name[FAULT_NAME_BYTES];
    fault_name(&study->module, name);
    if (!module_is_shipped(&study->module))
        run_args_advise_on(options, name);
}

int run_args_show(const struct options *options, struct report *report) {
    struct error error = {0};
    int r = 0;
    if (!options_want_report(options))
        r = cli_print(&report->text, &error);
    else if (options->format != FORMAT_TABLE || !options->quiet)
        r = cli_print_report(report, options->format, &error);
    report_finish(report);
    return r < 0 ? cli_report_error(&error) : EXIT_DONE;
}

void run_args_add_notes(const struct options *options, const struct notes *notes,
                        const struct assumptions *assumptions, struct report *report) {
    bool within = options_want_report(options);
    struct str apart = {0}, *out = within ? report_lines(report) : &apart;
    if (assumptions)
        assumptions_print(assumptions, !within, out);
    notes_print(notes, out);
    if (!options->quiet && apart.length > 0)
        cli_say_lines(&apart);
    str_finish(&apart);
}

static int refuse_full(const char *folder, struct error *reterr) {
    int empty = run_dir_is_empty(folder, reterr);
    if (empty == 0)
        empty = error_set(reterr, ERROR_INPUT,
                          "%s: the folder is not empty; add --force to write into it", folder);
    return empty < 0 ? empty : 0;
}

#define KILLED_WAIT_S 1 /* a command that has just been killed leaves children for a moment */

int run_args_take_folder(struct options *options, const char *folder, struct error *reterr) {
    int r = options->force ? 0 : refuse_full(folder, reterr);
    if (r == 0)
        r = folder_lock_take(folder, KILLED_WAIT_S, &options->folder, reterr);
    if (r == 0 && !options->force) /* somebody may have been quicker */
        r = refuse_full(folder, reterr);
    if (r == 0 && !options->force)
        run_dir_clear(folder);
    return r;
}

const char *run_args_folder(struct options *options, const char *usual, struct error *reterr) {
    const char *folder = options->out ? options->out : usual;
    return run_args_take_folder(options, folder, reterr) < 0 ? NULL : folder;
}

/* --- recorded_args: the choice of a recorded run --- */

static int refuse_policy(const struct recorded_folder *folder, struct options *options,
                         struct error *reterr) {
    struct arena *arena = &options->arena;
    const char **names = arena_alloc(arena, (folder->policies.count + 1) * sizeof *names);
    const char *list = "";
    for (size_t i = 0; i < folder->policies.count; i++) {
        names[i] = folder->policies.at[i].name;
        list = arena_printf(arena, "%s%s%s", list, i ? ", " : "", names[i]);
    }
    return error_set(reterr, ERROR_INPUT,
                     "%s: no run of policy \"%s\" was recorded (there are: %s)%s", folder->path,
                     options->policy, list,
                     str_suggestion(arena, options->policy, names, folder->policies.count));
}

static int refuse_replication(const struct recorded_folder *folder, struct options *options,
                              struct error *reterr) {
    const char *list = "";
    const struct recorded_part *any = recorded_folder_find(folder, options->policy, 0);
    size_t count = 0;
    for (size_t i = 0; any && i < folder->parts.count; i++)
        if (folder->parts.at[i].policy == any->policy && count++ < 8)
            list = arena_printf(&options->arena, "%s%s%" PRIu32, list, list[0] ? ", " : "",
                                folder->parts.at[i].replication);
    return error_set(reterr, ERROR_INPUT,
                     "%s: replication %" PRId64 " was not recorded (there are: %s%s)", folder->path,
                     options->replication, list, count > 8 ? ", ..." : "");
}

int recorded_args_load(struct recorded_args *args, struct options *options, struct error *reterr) {
    struct recorded_folder *folder = &args->folder;
    int r = recorded_folder_open(folder, options->operands[0], reterr);
    if (r < 0)
        return r;
    if (!recorded_folder_find(folder, options->policy, 0))
        return refuse_policy(folder, options, reterr);
    const struct recorded_part *part =
        recorded_folder_find(folder, options->policy, (uint32_t)options->replication);
    return part ? recorded_run_load(&args->run, folder, part, reterr)
                : refuse_replication(folder, options, reterr);
}

const char *recorded_args_name(const struct recorded_args *args, struct arena *arena) {
    const struct recorded_folder *folder = &args->folder;
    const struct recorded_part *part = args->run.part;
    size_t count = recorded_folder_replications(folder, part);
    const char *policy = arena_printf(arena, "policy %s", folder->policies.at[part->policy].name);
    if (folder->policies.count > 1)
        policy = arena_printf(arena, "%s (of %zu)", policy, folder->policies.count);
    if (count < 2)
        return arena_printf(arena, "%s, replication %" PRIu32, policy, part->replication);
    return arena_printf(arena, "%s, replication %" PRIu32 " of %zu", policy, part->replication,
                        count);
}

void recorded_args_finish(struct recorded_args *args) {
    recorded_run_finish(&args->run);
    recorded_folder_finish(&args->folder);
}

/* --- formats --- */

static const char *list_names(const struct format_use *formats, size_t count, unsigned use,
                              struct str *out) {
    for (size_t i = 0; i < count; i++)
        if (use == 0 || formats[i].uses & use)
            str_addf(out, "%s%s", out->length > 0 ? ", " : "", formats[i].name);
    return out->text;
}

static size_t find_format(const struct options *options, const struct format_use *formats,
                          size_t count, struct problems *problems) {
    struct str names = {0};
    size_t i = 0;
    while (i < count && strcmp(formats[i].name, options->operands[0]) != 0)
        i++;
    if (i == count)
        problems_say(problems, "%s: no format is named \"%s\" (%s)", options->who,
                     options->operands[0], list_names(formats, count, 0, &names));
    str_finish(&names);
    return i;
}

size_t formats_choose(const struct options *options, const struct format_use *formats, size_t count,
                      struct problems *problems) {
    size_t before = problems->count, chosen = find_format(options, formats, count, problems);
    for (const struct option_row *row = option_rows; chosen < count && row->name; row++) {
        struct str names = {0};
        if (!option_belongs(row, options->command) || row->use == 0 ||
            row->use & formats[chosen].uses || !option_given(options, row->name))
            continue;
        problems_say(problems, "--%s: not an option of format %s, only of %s", row->name,
                     formats[chosen].name, list_names(formats, count, row->use, &names));
        str_finish(&names);
    }
    return problems->count > before ? count : chosen;
}

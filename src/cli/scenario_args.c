/* CONFIG.yaml, --policy and --set. */
#include "cli/scenario_args.h"

#include "cli/cli.h"
#include "ingest/logs/log_readers.h"
#include "io/yaml_path.h"
#include "output/manifest.h"
#include "output/recorded.h"
#include "study/study_load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Results in place of a scenario: which of their files is meant, in one line. */
static void refuse_results(const char *path, struct argp_state *state) {
    struct arena arena = {0};
    size_t length = strlen(path);
    const char *slash = strrchr(path, '/');
    while (length > 1 && path[length - 1] == '/')
        length--;
    const char *within = arena_printf(&arena, "%.*s/" MANIFEST_NAME, (int)length, path);
    if (recorded_is_manifest(path))
        argp_failure(state, EXIT_BAD_INPUT, 0,
                     "%s is the manifest of results, the scenario is %.*s" SCENARIO_NAME, path,
                     slash ? (int)(slash + 1 - path) : 0, path);
    else if (recorded_is_manifest(within))
        argp_failure(state, EXIT_BAD_INPUT, 0,
                     "%s is a folder of results: %s repeats it, %.*s/" SCENARIO_NAME
                     " is the scenario",
                     path, within, (int)length, path);
    arena_finish(&arena);
}

static error_t parse(int key, char *value, struct argp_state *state) {
    struct scenario_args *args = state->input;
    switch (key) {
    case 'p':
        args->policy = value;
        return 0;
    case 'S':
        array_push(&args->sets, value);
        return 0;
    case ARGP_KEY_ARG:
        if (args->config)
            argp_error(state, "expected one CONFIG.yaml, got another: %s", value);
        refuse_results(value, state);
        args->config = value;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "expected CONFIG.yaml");
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"policy", 'p', "NAME|FILE.so", 0, "use this policy instead of the scenario's", 0},
    {"set", 'S', "PATH=VALUE", 0, "replace one value of the scenario, e.g. policy.params.tau=2h",
     0},
    {0},
};

/* argp would print what the parent takes before what its child does. It frees another text than it
 * gave. */
static char *write_usage(int key, const char *text, void *input) {
    const struct scenario_args *args = input;
    struct str all = {0};
    if (key != ARGP_KEY_HELP_ARGS_DOC || !args || !args->more)
        return (char *)text;
    str_addf(&all, "%s %s", text, args->more);
    return all.text;
}

const struct argp scenario_argp = {options, parse, "CONFIG.yaml", NULL, NULL, write_usage, NULL};

/* Whether "path=value" sets the name of the policy; a text that is none is refused when it is
   applied. */
static bool sets_policy_name(const char *text) {
    struct arena arena = {0};
    struct yaml_path path;
    const char *value;
    bool does = yaml_path_parse_set(text, &arena, &path, &value, NULL) == 0 &&
                yaml_paths_overlap(yaml_path_text(&path, &arena), "policy.name");
    arena_finish(&arena);
    return does;
}

void scenario_args_refuse_policy(const struct scenario_args *args, const char *expected,
                                 struct argp_state *state) {
    if (args->policy)
        argp_error(state, "expected %s instead of --policy", expected);
    for (size_t i = 0; i < args->sets.count; i++)
        if (sets_policy_name(args->sets.at[i]))
            argp_error(state, "expected %s instead of --set %s", expected, args->sets.at[i]);
}

void scenario_args_set(struct scenario_args *args, const char *path, const char *value) {
    array_push(&args->sets, arena_printf(&args->arena, "%s=%s", path, value));
}

int scenario_args_read(struct scenario_args *args, struct problems *problems) {
    return strcmp(args->config, "-") == 0 ? yaml_read_stdin(&args->text, problems) : 0;
}

struct scenario_overrides scenario_args_overrides(const struct scenario_args *args) {
    return (struct scenario_overrides){.policy = args->policy,
                                       .sets = args->sets.at,
                                       .set_count = args->sets.count,
                                       .text = {args->text.text, args->text.length}};
}

int scenario_args_load(struct scenario_args *args, struct study *study, struct problems *problems) {
    *study = (struct study){0};
    if (scenario_args_read(args, problems) < 0)
        return ERROR_INPUT;
    const struct scenario_overrides overrides = scenario_args_overrides(args);
    return study_load(study, args->config, &overrides, ingest_readers, problems);
}

void scenario_args_plain(const struct scenario_args *args, struct study *study) {
    struct problems ignored = {0};
    const struct scenario_overrides overrides = scenario_args_overrides(args);
    study_load_files(study, args->config, &overrides, &ignored);
    problems_finish(&ignored);
}

void scenario_args_finish(struct scenario_args *args) {
    free(args->sets.at);
    str_finish(&args->text);
    arena_finish(&args->arena);
}

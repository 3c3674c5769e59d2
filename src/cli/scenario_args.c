/* CONFIG.yaml, --policy and --set. */
#include "cli/scenario_args.h"

#include "cli/cli.h"
#include "cli/option_parse.h"
#include "ingest/logs/log_readers.h"
#include "io/yaml_path.h"
#include "study/study_load.h"

#include <string.h>

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

void scenario_args_plain(const struct options *options, struct study *study) {
    struct problems ignored = CLI_PROBLEMS;
    const struct scenario_overrides overrides = scenario_args_overrides(options);
    study_load_files(study, options->operands[0], &overrides, &ignored);
    problems_finish(&ignored);
}

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

void scenario_args_refuse_policy(const struct options *o, const char *expected) {
    for (size_t i = 0; i < o->sets.count; i++)
        if (sets_policy_name(o->sets.at[i]))
            options_refuse(o, "expected %s instead of --set %s", expected, o->sets.at[i]);
}

void scenario_args_set(struct options *o, const char *path, const char *value) {
    array_push(&o->sets, arena_printf(&o->arena, "%s=%s", path, value));
}

int scenario_args_read(struct options *o, struct problems *problems) {
    return strcmp(o->operands[0], "-") == 0 ? yaml_read_stdin(&o->stdin_text, problems) : 0;
}

struct scenario_overrides scenario_args_overrides(const struct options *o) {
    return (struct scenario_overrides){.policy = o->policy,
                                       .sets = o->sets.at,
                                       .set_count = o->sets.count,
                                       .text = {o->stdin_text.text, o->stdin_text.length}};
}

int scenario_args_load(struct options *o, struct study *study, struct problems *problems) {
    *study = (struct study){0};
    if (scenario_args_read(o, problems) < 0)
        return ERROR_INPUT;
    const struct scenario_overrides overrides = scenario_args_overrides(o);
    return study_load(study, o->operands[0], &overrides, ingest_readers, problems);
}

void scenario_args_plain(const struct options *o, struct study *study) {
    struct problems ignored = CLI_PROBLEMS;
    const struct scenario_overrides overrides = scenario_args_overrides(o);
    study_load_files(study, o->operands[0], &overrides, &ignored);
    problems_finish(&ignored);
}

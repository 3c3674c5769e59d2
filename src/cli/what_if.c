/* Commands of insights: see what_if.h. */
#include "cli/what_if.h"

#include "cli/shell_words.h"
#include "config/policy_text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The whole path of the folder, so that the command runs in any other. */
static const char *whole_folder(const char *path, struct arena *arena) {
    char real[PATH_MAX];
    return arena_strdup(arena, realpath(path, real) ? real : path);
}

static void add_option(struct str *line, const char *option, const char *word) {
    str_addf(line, " %s ", option);
    shell_add_word(line, word);
}

/* The scenario names one policy; those of a comparison may be others. */
static const char *policy_to_name(const struct recorded_folder *folder, const char *policy,
                                  const struct insight_what_if *what_if) {
    if (what_if->policy)
        return what_if->policy;
    return strcmp(folder->command, "compare") == 0 ? policy : NULL;
}

/* A parameter that the policy's text says itself could not be set. */
static const char *without_change(const char *policy, const char *path, struct arena *arena) {
    static const char params[] = "policy.params.";
    bool is_param = strncmp(path, params, sizeof params - 1) == 0;
    return is_param ? policy_text_without(policy, path + sizeof params - 1, arena) : policy;
}

const char *what_if_command(const struct recorded_folder *folder, const char *policy,
                            const struct insight *insight, size_t number, struct arena *arena) {
    const struct insight_what_if *what_if = &insight->what_if;
    const char *path = whole_folder(folder->path, arena);
    const char *name = policy_to_name(folder, policy, what_if);
    struct str line = {0};
    if (!what_if->policy && what_if->changes.count == 0)
        return NULL;
    str_add(&line, "easim run ");
    shell_add_word(&line, arena_printf(arena, "%s/scenario.yaml", path));
    str_add(&line, " --record");
    for (size_t i = 0; name && i < what_if->changes.count; i++)
        name = without_change(name, what_if->changes.at[i].path, arena);
    if (name)
        add_option(&line, "--policy", name);
    for (size_t i = 0; i < what_if->changes.count; i++)
        add_option(&line, "--set",
                   arena_printf(arena, "%s=%s", what_if->changes.at[i].path,
                                what_if->changes.at[i].value));
    add_option(&line, "--out", arena_printf(arena, "%s-whatif-%zu", path, number));
    const char *command = arena_strdup(arena, line.text);
    str_finish(&line);
    return command;
}

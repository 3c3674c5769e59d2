/* Recorded runs again: see again.h. */
#include "cli/again.h"

#include "easim_version.h"
#include "ingest/logs/log_readers.h"
#include "io/sha256.h"
#include "study/study_load.h"

#include <stdlib.h>
#include <string.h>

/* ---- The inputs ---- */

/* Whether its name, and nothing else, finds the same module. */
static bool is_known_policy(const struct recorded_file *file) {
    struct str found = {0};
    bool known = !strchr(file->policy, '/') && module_find(file->policy, &found) &&
                 sha256_is_of_file(file->sha256, found.text);
    str_finish(&found);
    return known;
}

/* The policy where it was, else where one of its name is found now. */
static bool find_policy(struct again *a, const struct recorded_file *file) {
    struct str found = {0};
    const char *path = file->path;
    if (!sha256_is_of_file(file->sha256, path) && module_find(file->policy, &found))
        path = arena_strdup(&a->options->arena, found.text);
    str_finish(&found);
    const char *slash = strrchr(path, '/'), *usual = getenv("EASIM_POLICY_PATH");
    if (!sha256_is_of_file(file->sha256, path))
        return false;
    const char *folders =
        arena_printf(&a->options->arena, "%.*s%s%s", slash ? (int)(slash - path) : 1,
                     slash ? path : ".", usual ? ":" : "", usual ? usual : "");
    return setenv("EASIM_POLICY_PATH", folders, 1) == 0;
}

/* scenario.yaml holds the rest, and was checked with the folder. */
static void check_inputs(struct again *a) {
    for (const struct recorded_file *file = a->recorded.inputs; file->name && !a->reason; file++)
        if (!file->in_scenario && !(!file->policy ? sha256_is_of_file(file->sha256, file->path)
                                    : a->foreign  ? find_policy(a, file)
                                                  : is_known_policy(file)))
            a->reason = arena_printf(&a->options->arena,
                                     "its input %s is missing, or is not what it was", file->path);
}

static void check_version(struct again *a) {
    const struct recorded *recorded = &a->recorded;
    if (strcmp(recorded->version, EASIM_VERSION) != 0 ||
        strcmp(recorded->commit, EASIM_COMMIT) != 0)
        a->reason = arena_printf(&a->options->arena,
                                 "it was recorded by easim %s (%s), and this is %s (%s)",
                                 recorded->version, recorded->commit, EASIM_VERSION, EASIM_COMMIT);
}

void again_init(struct again *again, struct options *options, const struct recorded_run *run,
                bool foreign) {
    struct arena *arena = &options->arena;
    const char *folder = recorded_folder_of_policy(run->folder, run->part, arena);
    struct error error = {0};
    *again = (struct again){.options = options,
                            .foreign = foreign,
                            .scenario = arena_printf(arena, "%s/" SCENARIO_NAME, folder)};
    if (recorded_load(&again->recorded, arena_printf(arena, "%s/" MANIFEST_NAME, folder), &error) <
        0)
        again->reason = arena_strdup(arena, error.text);
    if (!again->reason)
        check_version(again);
    if (!again->reason)
        check_inputs(again);
    for (const struct recorded_file *f = again->recorded.inputs; !again->reason && f->name; f++)
        again->policy = f->policy ? f->policy : again->policy;
    if (!again->reason && !foreign && !again->policy)
        again->reason = "its policy was found by its path";
    if (!again->reason && again->recorded.data_folder)
        setenv("EASIM_DATA", again->recorded.data_folder, 1);
}

/* ---- Its scenario ---- */

/* A folder of somebody else is not to run programs here. */
static int refuse_programs(const struct study *study, struct problems *problems) {
    const struct easim_policy *policy = study->module.policy;
    for (uint32_t i = 0; i < policy->param_count; i++) {
        const struct easim_param *param = &policy->params[i];
        const char *const *text = (const void *)((const char *)study->params.own + param->offset);
        if (param->type != EASIM_PARAM_TEXT || !*text || !**text)
            continue;
        problems_add(problems, (struct location){0}, NULL,
                     "parameter %s of policy %s may name a program", param->name, policy->name);
        return ERROR_INPUT;
    }
    return 0;
}

static int load_again(void *context, const struct scenario_overrides *overrides,
                      struct study *study, struct problems *problems) {
    const struct again *again = context;
    struct scenario_overrides all = *overrides;
    if (!again->foreign && !all.policy)
        all.policy = again->policy; /* and not what the scenario names, which may be a path */
    int r = study_load(study, again->scenario, &all, ingest_readers, problems);
    return r == 0 && !again->foreign ? refuse_programs(study, problems) : r;
}

struct study_loader again_loader(struct again *again) {
    return (struct study_loader){again, load_again};
}

void again_finish(struct again *again) {
    recorded_finish(&again->recorded);
}

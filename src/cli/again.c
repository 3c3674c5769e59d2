/* Whether a recorded run can be repeated here, and is trusted to: see again.h. */
#include "cli/again.h"

#include "cli/cli.h"
#include "cli/internal.h"
#include "cli/scenario_args.h"
#include "easim_version.h"
#include "ingest/formats.h"
#include "io/sha256.h"
#include "study/study_load.h"

#include <stdlib.h>

/* ---- Whom it asks to trust ---- */

static struct scenario_overrides trusting(const struct again *a,
                                          const struct scenario_overrides *overrides) {
    struct scenario_overrides all = *overrides;
    all.trust = a->options->trust ? POLICY_ANY : POLICY_KNOWN;
    all.foreign = (struct foreign_words){a->options->operands[0], ADD_TRUST};
    return all;
}

/* does: "run ..."; policy: whose, or NULL. */
static void set_foreign(struct again *a, const char *does, const char *policy) {
    struct arena *arena = &a->options->arena;
    bool has_option = option_find(a->options->command, "trust", strlen("trust")) != NULL;
    a->foreign = policy ? arena_printf(arena, "would %s (policy %s)", does, policy)
                        : arena_printf(arena, "would %s", does);
    a->reason = arena_printf(arena, "%s%s would %s; %s--trust runs it", policy ? "policy " : "it",
                             policy ? policy : "", does, has_option ? "" : "easim analyze ");
}

void again_open(struct again *again, struct options *options, const struct recorded_run *run) {
    const struct scenario_overrides as_it_was = {.policy = NULL};
    const char *folder = recorded_folder_of_policy(run->folder, run->part, &options->arena);
    *again = (struct again){.options = options,
                            .scenario = arena_printf(&options->arena, "%s/" SCENARIO_NAME, folder)};
    const struct scenario_overrides overrides = trusting(again, &as_it_was);
    struct problems ignored = CLI_PROBLEMS; /* of who loads it for a use */
    struct study study;
    if (options->trust)
        return;
    (void)!study_load_policy(&study, false, again->scenario, &overrides, &ignored);
    if (study.foreign)
        set_foreign(again, study.foreign, study.module.policy ? study.module.policy->name : NULL);
    study_finish(&study);
    problems_finish(&ignored);
}

int again_refuse_foreign(const struct again *again, struct error *reterr) {
    return again->foreign ? error_set(reterr, ERROR_INPUT, "%s: %s; " ADD_TRUST,
                                      again->options->operands[0], again->foreign)
                          : 0;
}

/* ---- The inputs ---- */

/* A policy that is not found here, but where it was: if it is trusted. */
static bool find_policy(struct again *a, const struct recorded_file *file) {
    const char *slash = strrchr(file->path, '/'), *usual = getenv("EASIM_POLICY_PATH");
    if (recorded_policy_is_here(file))
        return true;
    if (!sha256_is_of_file(file->sha256, file->path))
        return false;
    if (!a->options->trust)
        set_foreign(a, arena_printf(&a->options->arena, "load %s", file->path), NULL);
    const char *folders = arena_printf(&a->options->arena, "%.*s%s%s", (int)(slash - file->path),
                                       file->path, usual ? ":" : "", usual ? usual : "");
    return a->foreign || setenv("EASIM_POLICY_PATH", folders, 1) == 0;
}

/* scenario.yaml holds the rest, and was checked with the folder. */
static void check_inputs(struct again *a) {
    for (const struct recorded_file *file = a->recorded.inputs; file->name && !a->reason; file++)
        if (!file->in_scenario &&
            !(file->policy ? find_policy(a, file) : sha256_is_of_file(file->sha256, file->path)))
            a->reason = arena_printf(&a->options->arena, "its input %s is missing or has changed",
                                     file->path);
}

static void check_version(struct again *a) {
    const struct recorded *recorded = &a->recorded;
    if (strcmp(recorded->version, EASIM_VERSION) != 0 ||
        strcmp(recorded->commit, EASIM_COMMIT) != 0)
        a->reason = arena_printf(&a->options->arena,
                                 "it was recorded by easim %s (%s), and this is %s (%s)",
                                 recorded->version, recorded->commit, EASIM_VERSION, EASIM_COMMIT);
}

void again_init(struct again *again, struct options *options, const struct recorded_run *run) {
    struct arena *arena = &options->arena;
    const char *folder = recorded_folder_of_policy(run->folder, run->part, arena);
    struct error error = {0};
    again_open(again, options, run);
    if (!again->reason &&
        recorded_load(&again->recorded, arena_printf(arena, "%s/" MANIFEST_NAME, folder), &error) <
            0)
        again->reason = arena_strdup(arena, error.text);
    if (!again->reason)
        check_version(again);
    if (!again->reason)
        check_inputs(again);
    if (!again->reason && again->recorded.data_folder)
        setenv("EASIM_DATA", again->recorded.data_folder, 1);
}

/* ---- Its scenario ---- */

static int load_again(void *context, const struct scenario_overrides *overrides,
                      struct study *study, struct problems *problems) {
    const struct again *again = context;
    const struct scenario_overrides all = trusting(again, overrides);
    return study_load(study, again->scenario, &all, ingest_readers, problems);
}

struct study_loader again_loader(struct again *again) {
    return (struct study_loader){again, load_again};
}

void again_finish(struct again *again) {
    recorded_finish(&again->recorded);
}

/* The choice of a recorded run. */
#include "cli/recorded_args.h"

#include <inttypes.h>

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

/* Commands of insights, and what they give: see what_if.h. */
#include "cli/what_if.h"

#include "base/machine.h"
#include "cli/again.h"
#include "cli/run_args.h"
#include "cli/shell_words.h"
#include "io/files.h"

/* The whole path of the folder, so that the command runs in any other. */
static const char *whole_folder(const char *path, struct arena *arena) {
    const char *real = files_real(path, arena);
    if (!real)
        machine_end("%s: its folder was moved or removed meanwhile", path);
    return real;
}

static void add_option(struct str *line, const char *option, const char *word) {
    str_addf(line, " %s ", option);
    shell_add_word(line, word);
}

const char *what_if_command(const struct recorded_run *run, const struct insight *insight,
                            size_t number, struct arena *arena) {
    const struct insight_what_if *what_if = &insight->what_if;
    const char *folder = recorded_folder_of_policy(run->folder, run->part, arena);
    struct str line = {0};
    if (!what_if->policy && (what_if->changes.count == 0 || what_if->foreign))
        return NULL;
    str_add(&line, "easim run ");
    shell_add_word(&line, arena_printf(arena, "%s/" SCENARIO_NAME, whole_folder(folder, arena)));
    str_add(&line, " --record");
    if (what_if->policy)
        add_option(&line, "--policy", what_if->policy);
    for (size_t i = 0; i < what_if->changes.count; i++)
        add_option(&line, "--set",
                   arena_printf(arena, "%s=%s", what_if->changes.at[i].path,
                                what_if->changes.at[i].value));
    add_option(
        &line, "--out",
        arena_printf(arena, "%s-whatif-%zu", whole_folder(run->folder->path, arena), number));
    const char *command = arena_strdup(arena, line.text);
    str_finish(&line);
    return command;
}

int what_if_verify(void *context, const struct rule_run *rule_run, struct insights *insights,
                   struct error *reterr) {
    struct what_if *what_if = context;
    const enum verify_choice verify = what_if->options->verify;
    const struct replicate_options how = run_args_options(what_if->options);
    struct again again;
    if (verify != VERIFY_NONE || what_if->options->invest)
        again_init(&again, what_if->options, rule_run->run);
    else
        again_open(&again, what_if->options, rule_run->run);
    if (verify == VERIFY_NONE)
        again.reason = "by the option --verify none";
    struct trials_request request = {
        .loader = again_loader(&again),
        .how = &how,
        .reason = again.reason,
        .spent =
            arena_printf(&what_if->options->arena,
                         "%d simulated events are used up (--verify all goes on)", TRIALS_EVENTS),
        .most_events = verify == VERIFY_ALL ? UINT64_MAX : TRIALS_EVENTS,
        .events = what_if->events};
    run_args_catch_interrupts();
    int r = what_if->options->invest ? again_refuse_foreign(&again, reterr) : 0;
    if (r == 0)
        r = trials_run(&request, rule_run, insights, reterr);
    for (size_t i = 0; i < insights->at.count; i++)
        insights->at.at[i]->what_if.foreign = again.foreign != NULL;
    what_if->events = request.events;
    again_finish(&again);
    return r;
}

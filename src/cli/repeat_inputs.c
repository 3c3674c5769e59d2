/* Inputs of a recorded command: see repeat_inputs.h. */
#include "cli/repeat_inputs.h"

#include "base/machine.h"
#include "cli/cli.h"
#include "cli/scenario_args.h"
#include "io/sha256.h"
#include "policy/module.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct check {
    struct repeat_inputs *inputs;
    const char *who;
    struct str policy_path;
    unsigned refused;
};

/* A module, or a word of a program's command line: what is trusted is what was recorded. */
static bool is_of_policy(const struct recorded_file *file) {
    return file->key && inputs_are_of_policy(file->key);
}

static void report_input(struct check *c, const struct recorded_file *file, const char *path) {
    char now[SHA256_TEXT];
    uint64_t bytes;
    struct error error = {0};
    const char *kept = file->in_scenario ? "; scenario.yaml has its contents" : "";
    int r = sha256_file(path, now, &bytes, &error);
    if (r < 0)
        machine_end("%s", error.text);
    if (r != 0) {
        cli_say("%s: input %s is missing%s\n", c->who, file->name, kept);
        c->refused += !file->in_scenario;
    } else if (!file->sha256 || strcmp(now, file->sha256) != 0) {
        bool refused = !c->inputs->results && is_of_policy(file);
        cli_say("%s: input %s has changed: SHA-256 was %s, is %s%s\n", c->who, file->name,
                file->sha256 ? file->sha256 : "not recorded", now,
                refused ? "; --trust runs only what was recorded" : kept);
        c->refused += refused;
        array_push(&c->inputs->changed, file->name);
    }
}

static void add_folder(struct check *c, const char *before, const char *folder, int length) {
    str_addf(&c->policy_path, "%s%s%.*s", c->policy_path.length > 0 ? ":" : "", before, length,
             folder);
}

/* A policy that was sought by its name: the one that is found here, if it is the same. Else the one
   that was found then, if that is trusted; else one of this easim, which has policies of its own.
 */
static void check_policy(struct check *c, const struct recorded_file *file) {
    struct str found = {0};
    if (recorded_policy_is_here(file)) {
        /* nothing to say */
    } else if (!sha256_is_of_file(file->sha256, file->path)) {
        report_input(c, file, module_find(file->policy, &found) ? found.text : file->path);
    } else if (c->inputs->results) {
        cli_say("%s: would load %s; " ADD_TRUST "\n", c->inputs->results, file->path);
        c->refused++;
    } else {
        add_folder(c, "", file->path, (int)(strrchr(file->path, '/') - file->path));
    }
    str_finish(&found);
}

/* EASIM_POLICY_PATH of this process, whatever folder the manifest says to be in. */
static void add_usual_folders(struct check *c) {
    const char *list = getenv("EASIM_POLICY_PATH");
    char here[PATH_MAX];
    bool known = getcwd(here, sizeof here) && !strchr(here, ':');
    const char *from_here = known ? arena_printf(&c->inputs->arena, "%s/", here) : NULL;
    for (size_t length; list && *list; list += length + (list[length] == ':')) {
        length = strcspn(list, ":");
        if (length > 0 && (list[0] == '/' || from_here))
            add_folder(c, list[0] == '/' ? "" : from_here, list, (int)length);
    }
}

int repeat_inputs_check(struct repeat_inputs *inputs, const struct recorded *recorded,
                        const char *who) {
    struct check c = {.inputs = inputs, .who = who};
    for (const struct recorded_file *file = recorded->inputs; file->name; file++)
        if (file->policy)
            check_policy(&c, file);
        else
            report_input(&c, file, file->path);
    if (recorded->scenario.name && strcmp(recorded->command, "sweep") != 0)
        report_input(&c, &recorded->scenario, recorded->scenario.path);
    add_usual_folders(&c);
    inputs->policy_path =
        arena_strdup(&inputs->arena, c.policy_path.length > 0 ? c.policy_path.text : "");
    str_finish(&c.policy_path);
    return c.refused > 0 ? ERROR_INPUT : 0;
}

void repeat_inputs_finish(struct repeat_inputs *inputs) {
    free(inputs->changed.at);
    arena_finish(&inputs->arena);
}

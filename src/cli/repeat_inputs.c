/* Inputs of a recorded command: see repeat_inputs.h. */
#include "cli/repeat_inputs.h"

#include "base/machine.h"
#include "cli/cli.h"
#include "io/sha256.h"
#include "policy/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct check {
    struct repeat_inputs *inputs;
    const char *who;
    struct str policy_path;
    unsigned missing;
};

static void report_input(struct check *c, const struct recorded_file *file, const char *path) {
    char now[SHA256_TEXT];
    uint64_t bytes;
    struct error error = {0};
    int r = sha256_file(path, now, &bytes, &error);
    if (r < 0)
        machine_end("%s", error.text);
    if (r != 0) {
        cli_say("%s: input %s is missing%s\n", c->who, file->name,
                file->in_scenario ? "; scenario.yaml has what was in it" : "");
        c->missing += !file->in_scenario;
    } else if (!file->sha256 || strcmp(now, file->sha256) != 0) {
        cli_say("%s: input %s has changed: SHA-256 was %s, is %s%s\n", c->who, file->name,
                file->sha256 ? file->sha256 : "not taken", now,
                file->in_scenario ? "; scenario.yaml has what was in it" : "");
        array_push(&c->inputs->changed, file->name);
    }
}

/* A policy that was sought by its name is taken from where it was found if it is still the same,
   else from where it is found now: another easim has policies of its own. */
static void check_policy(struct check *c, const struct recorded_file *file) {
    struct str found = {0};
    bool same = sha256_is_of_file(file->sha256, file->path);
    if (!same && module_find(file->policy, &found)) {
        report_input(c, file, found.text);
    } else {
        report_input(c, file, file->path);
        str_addf(&c->policy_path, "%s%.*s", c->policy_path.length > 0 ? ":" : "",
                 (int)(strrchr(file->path, '/') - file->path), file->path);
    }
    str_finish(&found);
}

int repeat_inputs_check(struct repeat_inputs *inputs, const struct recorded *recorded,
                        const char *who) {
    struct check c = {.inputs = inputs, .who = who};
    const char *usual = getenv("EASIM_POLICY_PATH");
    for (const struct recorded_file *file = recorded->inputs; file->name; file++)
        if (file->policy)
            check_policy(&c, file);
        else
            report_input(&c, file, file->path);
    if (recorded->scenario.name && strcmp(recorded->command, "sweep") != 0)
        report_input(&c, &recorded->scenario, recorded->scenario.path);
    if (c.policy_path.length > 0)
        inputs->policy_path = arena_printf(&inputs->arena, "%s%s%s", c.policy_path.text,
                                           usual ? ":" : "", usual ? usual : "");
    str_finish(&c.policy_path);
    return c.missing > 0 ? ERROR_INPUT : 0;
}

void repeat_inputs_finish(struct repeat_inputs *inputs) {
    free(inputs->changed.at);
    arena_finish(&inputs->arena);
}

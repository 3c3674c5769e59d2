/* easim check: everything that `easim run` would refuse, without running. */
#include "cli/cli.h"
#include "cli/scenario_args.h"
#include "study/study.h"

#include <stdio.h>

static error_t parse(int key, char *value, struct argp_state *state) {
    (void)value;
    if (key != ARGP_KEY_INIT)
        return ARGP_ERR_UNKNOWN;
    state->child_inputs[0] = state->input;
    return 0;
}

int cli_check(int argc, char **argv) {
    struct scenario_args args = {0};
    const struct argp_child children[] = {{&scenario_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {
        NULL,     parse,
        NULL,     "Loads a scenario and everything it refers to, and reports every problem.",
        children, NULL,
        NULL};
    cli_parse(&argp, argc, argv, &args);
    struct problems problems = {0};
    struct study study;
    int code = EXIT_DONE;
    if (scenario_args_load(&args, &study, &problems) < 0)
        code = cli_report_problems(&problems);
    else
        printf("%s: ok\n", args.config);
    struct str many = {0};
    if (code == EXIT_DONE)
        study_announce(&study, &many);
    if (many.length > 0)
        printf("  warning: %s\n", many.text);
    str_finish(&many);
    for (size_t i = 0; code == EXIT_DONE && i < study.warnings.count; i++)
        printf("  warning: %s\n", study.warnings.at[i]);
    study_finish(&study);
    problems_finish(&problems);
    scenario_args_finish(&args);
    return code;
}

/* easim check: everything that `easim run` would refuse, without running. */
#include "cli/cli.h"
#include "experiment/study.h"

#include <stdio.h>
#include <stdlib.h>

struct arguments {
    const char *config;
    const char *policy;
    ARRAY_OF(const char *) sets;
};

static error_t parse(int key, char *value, struct argp_state *state) {
    struct arguments *a = state->input;
    switch (key) {
    case 'p':
        a->policy = value;
        return 0;
    case 's':
        array_push(&a->sets, value);
        return 0;
    case ARGP_KEY_ARG:
        if (a->config)
            argp_error(state, "expected one CONFIG.yaml, got another: %s", value);
        a->config = value;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "expected CONFIG.yaml");
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"policy", 'p', "NAME", 0, "check with this policy instead of the scenario's", 0},
    {"set", 's', "PATH=VALUE", 0, "replace one value of the scenario", 0},
    {0},
};

int cli_check(int argc, char **argv) {
    struct arguments a = {0};
    const struct argp argp = {
        options, parse, "CONFIG.yaml", "Loads a scenario and everything it refers to, and reports every problem.",
        NULL,    NULL,  NULL};
    cli_parse(&argp, argc, argv, &a);
    struct problems problems = {0};
    struct study study;
    const struct scenario_overrides overrides = {a.policy, a.sets.at, a.sets.count};
    int r = EXIT_DONE;
    if (study_load(&study, a.config, &overrides, cli_readers(), &problems) < 0)
        r = cli_report_problems(&problems);
    else
        printf("%s: ok\n", a.config);
    study_finish(&study);
    problems_finish(&problems);
    free(a.sets.at);
    return r;
}

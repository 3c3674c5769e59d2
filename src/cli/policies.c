/* easim policies: the policies that can be found; the documentation of one from its own tables; or
 * its conformance.
 */
#include "cli/cli.h"
#include "cli/options.h"
#include "conformance/conformance.h"
#include "policy/module.h"
#include "policy/params.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_LIMIT_S 20

struct arguments {
    const char *name;
    bool test;
    double limit_s;
    ARRAY_OF(const char *) sets;
    struct arena arena;
};

enum { KEY_TEST = 256, KEY_LIMIT };

static const struct argp_option options[] = {
    {"test", KEY_TEST, NULL, 0, "put the policy through the conformance suite", 0},
    {"param", 'P', "NAME=VALUE", 0, "with --test: a parameter of the policy", 0},
    {"limit", KEY_LIMIT, "SECONDS", 0, "with --test: processor time for each run (default: 20)", 0},
    {0},
};

static error_t parse(int key, char *value, struct argp_state *state) {
    struct arguments *a = state->input;
    switch (key) {
    case KEY_TEST:
        a->test = true;
        return 0;
    case KEY_LIMIT:
        a->limit_s = (double)option_count(value, 1, 100000, "--limit", state);
        return 0;
    case 'P':
        if (!strchr(value, '='))
            argp_error(state, "--param: expected NAME=VALUE, got \"%s\"", value);
        array_push(&a->sets, arena_printf(&a->arena, "policy.params.%s", value));
        return 0;
    case ARGP_KEY_ARG:
        if (a->name)
            argp_error(state, "expected one policy, got another: %s", value);
        a->name = value;
        return 0;
    case ARGP_KEY_END:
        if (a->test && !a->name)
            argp_error(state, "--test: expected a policy");
        if (!a->test && a->sets.count > 0)
            argp_error(state, "--param goes with --test");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void list_one(const char *name, void *context) {
    struct policy_module module;
    struct error error = {0};
    (void)context;
    if (module_open(name, &module, &error) < 0)
        printf("%-14s cannot be loaded: %s\n", name, error.text);
    else
        printf("%-14s %s\n", module.policy->name, module.policy->summary);
    module_close(&module);
}

static void print_params(const struct easim_policy *policy) {
    struct policy_params defaults;
    params_init(&defaults, policy);
    if (params_count(policy) > 0)
        printf("\nParameters:\n");
    for (size_t i = 0; i < params_count(policy); i++) {
        const struct easim_param *param = params_at(policy, i);
        struct str value = {0}, range = {0};
        params_write_value(&defaults, i, &value);
        params_write_range(param, &range);
        printf("  %-17s %s%s%s%s\n  %-17s %s; default %s\n", param->name, param->help,
               param->unit[0] ? " (" : "", param->unit, param->unit[0] ? ")" : "", "", range.text,
               value.length > 0 ? value.text : "\"\"");
        str_finish(&value);
        str_finish(&range);
    }
    params_finish(&defaults);
}

static int document(const char *name) {
    struct policy_module module;
    struct error error = {0};
    int r = EXIT_DONE;
    if (module_open(name, &module, &error) < 0) {
        r = cli_report_error(&error);
    } else {
        const struct easim_policy *policy = module.policy;
        printf("%s %s: %s\n", policy->name, policy->version, policy->summary);
        if (policy->help)
            printf("\n%s\n", policy->help);
        printf("\nKind: %s policy\nCapabilities:", policy->list ? "list" : "free");
        for (int i = 0; i < 32; i++)
            if (policy->capabilities & 1u << i)
                printf(" %s", module_capability_name(1u << i));
        printf("%s\nModule: %s\n", policy->capabilities ? "" : " none", module.path);
        print_params(policy);
    }
    module_close(&module);
    return r;
}

static void print_check(void *context, const char *check, enum conformance_result result,
                        const char *text) {
    static const char *const words[] = {"ok", "FAILED", "skipped"};
    int *counts = context;
    counts[result]++;
    printf("%-38s %s%s%s\n", check, words[result], text[0] ? ": " : "", text);
    fflush(stdout);
}

static int test(const struct arguments *a) {
    int counts[3] = {0};
    struct problems problems = {0};
    const struct conformance_options how = {.policy = a->name,
                                            .sets = a->sets.at,
                                            .set_count = a->sets.count,
                                            .limit_s = a->limit_s,
                                            .report = print_check,
                                            .context = counts};
    int failed = conformance_run(&how, &problems), code = failed > 0 ? EXIT_RUN_FAILED : EXIT_DONE;
    if (failed < 0)
        code = cli_report_problems(&problems);
    else
        printf("%d ok, %d failed, %d skipped\n", counts[CONFORMANCE_OK], counts[CONFORMANCE_FAILED],
               counts[CONFORMANCE_SKIPPED]);
    problems_finish(&problems);
    return code;
}

int cli_policies(int argc, char **argv) {
    struct arguments a = {.limit_s = DEFAULT_LIMIT_S};
    const struct argp argp = {
        options,
        parse,
        "[NAME|FILE.so]",
        "Lists the policies that can be found, or documents or tests one.\v"
        "Exit codes: 0 done, all checks passed; 1 a check failed; 2 bad usage, no such policy, or\n"
        "a module that cannot be loaded.",
        NULL,
        NULL,
        NULL};
    cli_parse(&argp, argc, argv, &a);
    int code = EXIT_DONE;
    if (a.test)
        code = test(&a);
    else if (a.name)
        code = document(a.name);
    else
        module_list(list_one, NULL);
    free(a.sets.at);
    arena_finish(&a.arena);
    return code;
}

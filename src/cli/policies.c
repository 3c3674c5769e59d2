/* easim policies: the policies that can be found, or the documentation of one from its own tables. */
#include "cli/cli.h"
#include "policy/module.h"
#include "policy/params.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

static error_t parse(int key, char *value, struct argp_state *state) {
    const char **name = state->input;
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    if (*name)
        argp_error(state, "expected one policy, got another: %s", value);
    *name = value;
    return 0;
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
        printf("  %-17s %s%s%s%s\n  %-17s %s; default %s\n", param->name, param->help, param->unit[0] ? " (" : "",
               param->unit, param->unit[0] ? ")" : "", "", range.text, value.length > 0 ? value.text : "\"\"");
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

int cli_policies(int argc, char **argv) {
    const char *name = NULL;
    const struct argp argp = {
        NULL, parse, "[NAME|FILE.so]", "Lists the policies that can be found, or documents one.", NULL, NULL, NULL};
    cli_parse(&argp, argc, argv, &name);
    if (name)
        return document(name);
    module_list(list_one, NULL);
    return EXIT_DONE;
}

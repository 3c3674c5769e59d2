/* easim policies: those that can be found; the documentation of one, or its conformance. */
#include "cli/cli.h"
#include "cli/internal.h"
#include "conformance/suite.h"
#include "policy/interface.h"
#include "policy/module.h"
#include "policy/params.h"

#include <stdio.h>

static void list_policy(const char *name, void *context) {
    struct policy_module module;
    struct error error = {0};
    struct report *report = context;
    if (module_open(name, &module, &error) < 0) {
        report_row_of(report, name);
        str_addf(report_cell(report), "cannot be loaded: %s", error.text);
    } else {
        const struct easim_policy *policy = module.policy;
        report_row_of(report, policy->name);
        report_cell_of(report, policy->summary);
        interface_write_reads(policy->reads, report_cell(report));
        report_cell_of(report, policy->keeps & EASIM_KEEPS_CAP ? "cap" : "");
    }
    module_close(&module);
}

static int list_policies(const struct options *options) {
    struct report report = {0};
    struct error error = {0};
    report_table(&report, "policy|what it does|reads|keeps");
    module_list(list_policy, &report);
    int r = cli_print_report(&report, options->format, &error);
    report_finish(&report);
    return r < 0 ? cli_report_error(&error) : EXIT_DONE;
}

static void print_params(const struct easim_policy *policy) {
    struct policy_params defaults;
    params_init(&defaults, policy);
    if (params_count(policy) > 0)
        cli_show("\nParameters:\n");
    for (size_t i = 0; i < params_count(policy); i++) {
        const struct easim_param *param = params_at(policy, i);
        struct str value = {0}, range = {0};
        params_write_value(&defaults, i, &value);
        params_write_range(param, &range);
        cli_show("  %-17s %s%s%s%s\n", param->name, param->help, param->unit[0] ? " (" : "",
                 param->unit, param->unit[0] ? ")" : "");
        cli_show("  %-17s %s; default %s\n", "", range.text,
                 value.length > 0 ? value.text : "\"\"");
        str_finish(&value);
        str_finish(&range);
    }
    params_finish(&defaults);
}

/* Lines are those of the policy. */
static void print_help(const char *help) {
    struct str text = {0};
    str_addf(&text, "\n%s\n", help);
    cli_show_lines(&text);
    str_finish(&text);
}

static int document_policy(const char *name) {
    struct policy_module module;
    struct error error = {0};
    char version[INTERFACE_VERSION_BYTES];
    struct str reads = {0};
    int r = EXIT_DONE;
    if (module_open(name, &module, &error) < 0) {
        r = cli_report_error(&error);
    } else {
        const struct easim_policy *policy = module.policy;
        cli_show("%s %s: %s\n", policy->name, policy->version, policy->summary);
        if (policy->help)
            print_help(policy->help);
        cli_show("\nKind: %s policy\n", policy->list ? "list" : "free");
        cli_show("Capabilities:");
        for (int i = 0; i < 32; i++)
            if (policy->capabilities & 1u << i)
                cli_show(" %s", interface_capability_name(1u << i));
        interface_version(policy->abi_major, policy->abi_minor, policy->abi_draft, version);
        cli_show("%s\n", policy->capabilities ? "" : " none");
        interface_write_reads(policy->reads, &reads);
        cli_show("Reads: %s\n", reads.text);
        cli_show("Keeps: %s\n", policy->keeps & EASIM_KEEPS_CAP ? "cap" : "nothing");
        cli_show("Interface: %s\n", version);
        for (uint32_t i = 0; i < policy->extension_count; i++)
            if (!interface_extension(&policy->extensions[i]))
                cli_show("Extension that this easim lacks: %s/%u\n", policy->extensions[i].name,
                         policy->extensions[i].version);
        cli_show("Module: %s\n", module.path);
        print_params(policy);
    }
    str_finish(&reads);
    module_close(&module);
    return r;
}

static void print_check(void *context, const char *check, enum conformance_result result,
                        const char *text) {
    static const char *const words[] = {"ok", "FAILED", "skipped"};
    int *counts = context;
    counts[result]++;
    cli_show("%-38s %s%s%s\n", check, words[result], text[0] ? ": " : "", text);
    fflush(stdout);
}

/* What --param says has reached the loader as a setting below policy.params. */
static void name_params(struct problems *problems) {
    static const char setting[] = "set policy.params.", option[] = "--param ";
    for (size_t i = 0; i < problems->kept; i++) {
        char *text = problems->texts[i];
        if (strncmp(text, setting, sizeof setting - 1) == 0) {
            const char *rest = text + sizeof setting - 1;
            memmove(text + sizeof option - 1, rest, strlen(rest) + 1);
            memcpy(text, option, sizeof option - 1);
        }
    }
}

static int test_policy(const struct options *options) {
    int counts[3] = {0};
    struct problems problems = {0};
    const struct conformance_options how = {.policy = options->operands[0],
                                            .sets = options->policy_sets.at,
                                            .set_count = options->policy_sets.count,
                                            .limit_s = options->limit_s,
                                            .report = print_check,
                                            .context = counts};
    int failed = conformance_run(&how, &problems), code = failed > 0 ? EXIT_RUN_FAILED : EXIT_DONE;
    name_params(&problems);
    if (failed < 0)
        code = cli_report_problems(&problems);
    else
        cli_show("%d ok, %d failed, %d skipped\n", counts[CONFORMANCE_OK],
                 counts[CONFORMANCE_FAILED], counts[CONFORMANCE_SKIPPED]);
    problems_finish(&problems);
    return code;
}

int cli_policies(struct options *options) {
    if (options->test && options->operand_count == 0)
        options_refuse(options, "--test: expected a policy");
    if (options->format != FORMAT_TABLE && options->operand_count > 0)
        options_refuse(options, "--format: only for the list of all policies, not for one policy");
    if (options->test)
        return test_policy(options);
    if (options->operand_count > 0)
        return document_policy(options->operands[0]);
    return list_policies(options);
}

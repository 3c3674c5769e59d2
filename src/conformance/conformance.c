/* All checks of the suite, in their order: see conformance.h. */
#include "conformance/conformance.h"

#include "conformance/check_decisions.h"
#include "conformance/check_leaks.h"
#include "conformance/check_parameters.h"
#include "conformance/check_scenarios.h"

#include <stdlib.h>

static int open_policy(const struct conformance_options *options, struct policy_module *module,
                       struct problems *problems) {
    struct error error = {0};
    if (module_open(options->policy, module, &error) < 0)
        problems_add(problems, (struct location){0}, NULL, "easim: %s", error.text);
    return error.code;
}

static void report_loaded(struct suite *suite) {
    suite_report(suite, "loads", CONFORMANCE_OK, "%s %s, a %s policy", suite->policy->name,
                 suite->policy->version, suite->policy->list ? "list" : "free");
}

static int run_checks(struct suite *suite, struct problems *problems) {
    static void (*const checks[])(struct suite *) = {
        check_scenarios, check_view,        check_refusals,   check_parameters,
        check_same_run,  check_two_at_once, check_user_names, check_declared,
        check_power_cap, check_leaks,       check_process};
    struct study study;
    if (suite->policy->capabilities & EASIM_CAPABILITY_RECORDED) {
        report_loaded(suite);
        suite_report(suite, "all others", CONFORMANCE_SKIPPED,
                     "it repeats a record (RECORDED), and of the built-in scenarios there is none");
        return 0;
    }
    int r = builtin_load(&builtins[0], suite->path, suite->options->sets, suite->options->set_count,
                         &study, problems);
    study_finish(&study);
    if (r < 0)
        return r;
    report_loaded(suite);
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        checks[i](suite);
    return suite->failed;
}

int conformance_run(const struct conformance_options *options, struct problems *problems) {
    struct policy_module module;
    int r = open_policy(options, &module, problems);
    if (r == 0) {
        /* a path with a slash: the loader looks for bare names elsewhere */
        struct suite suite = {.options = options, .path = module.path, .policy = module.policy};
        suite.records = mem_shared((builtin_count + 2) * sizeof *suite.records);
        suite.spare = suite.records + builtin_count;
        suite.passed = mem_zalloc(builtin_count, sizeof *suite.passed);
        run_effects_open(&suite.effects);
        r = run_checks(&suite, problems);
        run_effects_close(&suite.effects);
        str_finish(&suite.writes_view);
        free(suite.passed);
        mem_unshare(suite.records, (builtin_count + 2) * sizeof *suite.records);
    }
    module_close(&module);
    return r;
}

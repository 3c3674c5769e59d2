/* All checks of the suite, in their order: see conformance.h. */
#include "conformance/conformance.h"

#include "conformance/check_decisions.h"
#include "conformance/check_leaks.h"
#include "conformance/check_parameters.h"
#include "conformance/check_scenarios.h"

#include <stdlib.h>

static int open_policy(const struct conformance_options *o, struct policy_module *module,
                       struct problems *problems) {
    struct error error = {0};
    if (module_open(o->policy, module, &error) < 0)
        problems_add(problems, (struct location){0}, NULL, "easim: %s", error.text);
    return error.code;
}

static int run_checks(struct suite *s, struct problems *problems) {
    static void (*const checks[])(struct suite *) = {
        check_scenarios,   check_view,       check_refusals,  check_parameters, check_same_run,
        check_two_at_once, check_user_names, check_power_cap, check_leaks};
    struct study study;
    int r = builtin_load(&builtins[0], s->path, s->options->sets, s->options->set_count, &study,
                         problems);
    study_finish(&study);
    if (r < 0)
        return r;
    suite_report(s, "loads", CONFORMANCE_OK, "%s %s, a %s policy", s->policy->name,
                 s->policy->version, s->policy->list ? "list" : "free");
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        checks[i](s);
    return s->failed;
}

int conformance_run(const struct conformance_options *options, struct problems *problems) {
    struct policy_module module;
    int r = open_policy(options, &module, problems);
    if (r == 0) {
        /* a path with a slash: the loader looks for bare names elsewhere */
        struct suite s = {.options = options, .path = module.path, .policy = module.policy};
        s.records = mem_shared((builtin_count + 2) * sizeof *s.records);
        s.spare = s.records + builtin_count;
        s.passed = mem_zalloc(builtin_count, sizeof *s.passed);
        r = run_checks(&s, problems);
        str_finish(&s.writes_view);
        free(s.passed);
        mem_unshare(s.records, (builtin_count + 2) * sizeof *s.records);
    }
    module_close(&module);
    return r;
}

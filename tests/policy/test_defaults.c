/* The defaults of every parameter of every policy, by name: those of SPEC.md, section 6 ("Defaults", and the rows
   of the policies), and those of docs/exec-policy.md. A parameter that is not listed here fails. */
#include "policy/module.h"
#include "policy/params.h"

#include <criterion/criterion.h>

/* As a user would write it. Of several rows the first that fits: policy is NULL for all others. */
static const struct {
    const char *policy, *name, *value;
} defaults[] = {
    {NULL, "tau", "3600"},
    {NULL, "u0", "3600"},
    {NULL, "edp_slack", "off"},
    {NULL, "time_slack", "off"},
    {NULL, "half_life_s", "off"},
    {NULL, "preempt_slack_s", "600"},
    {NULL, "max_preemptions", "3"},
    {NULL, "resize", "false"},
    {NULL, "shrink", "false"},
    {NULL, "resize_gain", "0.1"},
    {NULL, "resize_interval_s", "300"},
    {NULL, "deadline_margin_s", "0"},
    {NULL, "edp_exponent", "1"},
    {NULL, "power_basis", "gross"},
    {NULL, "power_limits", "false"},
    {NULL, "urgent_objective", "edp"},
    {NULL, "base", "zeus"},
    {NULL, "score", "sqrt"},
    {NULL, "order", "deadline"},
    {"fcfs", "strict", "true"},
    {NULL, "strict", "false"},
    {"exec", "command", ""},
    {"exec", "timeout", "10"},
    {"exec", "startup_timeout", "60"},
};

static const char *expected(const char *policy, const char *name) {
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        if (strcmp(defaults[i].name, name) == 0 && (!defaults[i].policy || strcmp(defaults[i].policy, policy) == 0))
            return defaults[i].value;
    return "not listed";
}

static const char *const policies[] = {"aurachronos", "charon", "chronos", "easy",   "exec",
                                       "fcfs",        "hades",  "pollux",  "themis", "zeus"};

Test(defaults, as_documented) {
    for (size_t p = 0; p < sizeof policies / sizeof *policies; p++) {
        struct policy_module module;
        struct error error = {0};
        cr_assert_geq(module_open(policies[p], &module, &error), 0, "%s", error.text);
        struct policy_params params;
        params_init(&params, module.policy);
        for (size_t i = 0; i < params_count(module.policy); i++) {
            const char *name = params_at(module.policy, i)->name;
            struct str value = {0};
            params_write_value(&params, i, &value);
            cr_expect_str_eq(value.text ? value.text : "", expected(policies[p], name), "%s: %s is %s", policies[p],
                             name, value.text);
            str_finish(&value);
        }
        params_finish(&params);
        module_close(&module);
    }
}

/* Released values hold nothing any more: they may be released again, as zeroed ones may. */
Test(defaults, released) {
    struct policy_module module;
    struct error error = {0};
    cr_assert_geq(module_open("zeus", &module, &error), 0, "%s", error.text);
    struct policy_params params;
    params_init(&params, module.policy);
    cr_expect_not_null(params.own);
    params_finish(&params);
    cr_expect_null(params.own);
    cr_expect_null(params.policy);
    params_finish(&params);
    module_close(&module);
}

/* The defaults of every parameter of every policy, by name, typed here a second time: results
   depend on them, so none may change unseen. What they accept: a slack below 1 would admit nothing,
   a share lies within 0 and 1, what divides is above 0, nothing lasts less than no time, and
   whatever has an upper end has one far above any use. What is not listed here fails. */
#include "policy/module.h"
#include "policy/params.h"

#include <criterion/criterion.h>

/* As a user would write it. Of several rows the first that fits: policy is NULL for all others. */
static const struct {
    const char *policy, *name, *value, *range;
} defaults[] = {
    {NULL, "tau", "3600", "duration 0.001..1000000000"},
    {NULL, "u0", "3600", "number 0.001..1000000000000"},
    {NULL, "edp_slack", "off", "number 1..1000000000 or off"},
    {NULL, "time_slack", "off", "number 1..1000000000 or off"},
    {NULL, "half_life_s", "off", "duration 0.001..1000000000 or off"},
    {"lean", "preempt_slack_s", "1200", "duration 0..1000000000"},
    {NULL, "preempt_slack_s", "600", "duration 0..1000000000"},
    {NULL, "max_preemptions", "3", "integer 0..1000000"},
    {"lean", "resize", "true", "true or false"},
    {"lean", "shrink", "true", "true or false"},
    {"lean", "exponent_idle", "0.5", "number 0..10"},
    {"lean", "exponent_busy", "0.25", "number 0..10"},
    {"lean", "busy_jobs", "3", "integer 1..1000000"},
    {"lean", "slack", "2", "number 1..1000000000 or off"},
    {"lean", "displace", "3", "number 1..1000000000 or off"},
    {"lean", "displace_age", "2", "number 0..1000000000"},
    {"lean", "deadlines", "false", "true or false"},
    {"lean", "energy_price", "0.1", "number 1e-6..1000000"},
    {"lean", "price_series", "false", "true or false"},
    {NULL, "resize", "false", "true or false"},
    {NULL, "shrink", "false", "true or false"},
    {NULL, "resize_gain", "0.1", "number 0..1"},
    {NULL, "resize_interval_s", "300", "duration 0..1000000000"},
    {"allox", "alpha", "0.2", "number 0..1"},
    {"allox", "round_s", "120", "duration 10..1000000 or off"},
    {"tiresias", "round_s", "120", "duration 10..1000000 or off"},
    {"tiresias", "threshold_gpu_s", "57600", "number 0..1000000000000 or off"},
    {"las", "round_s", "120", "duration 10..1000000 or off"},
    {"max_min", "round_s", "120", "duration 10..1000000 or off"},
    {"goodput", "p", "-1", "number -4..1"},
    {"sia", "p", "-0.5", "number -4..-0.01"},
    {"goodput", "round_s", "60", "duration 10..1000000"},
    {"sia", "round_s", "60", "duration 10..1000000"},
    {"sia", "no_allocation", "1.1", "number 1..1000000"},
    {NULL, "most_steps", "8000000", "integer 0..1000000000000"},
    {NULL, "round_s", "off", "duration 10..1000000 or off"},
    {NULL, "deadline_margin_s", "0", "duration 0..1000000000"},
    {NULL, "edp_exponent", "1", "number 0..10"},
    {NULL, "power_basis", "gross", "one of gross | marginal"},
    {NULL, "power_limits", "false", "true or false"},
    {NULL, "urgent_objective", "edp", "one of edp | time"},
    {NULL, "base", "zeus", "one of zeus | pollux"},
    {NULL, "score", "sqrt", "one of sqrt | slide"},
    {NULL, "order", "deadline", "one of deadline | slack"},
    {"fcfs", "strict", "true", "true or false"},
    {"allox", "strict", "true", "true or false"},
    {NULL, "strict", "false", "true or false"},
    {"lean", "limits", "off", "one of off | live"},
    {"deferral", "slack", "43200", "duration 0..1000000000"},
    {"deferral", "gain", "0.02", "number 0..1"},
    {"deferral", "signal", "carbon", "one of carbon | price"},
    {"green", "clean_exponent", "1.5", "number 0..10"},
    {"green", "dirty_exponent", "0.5", "number 0..10"},
    {"green", "capacity", "0.85", "number 0.5..1"},
    {"greenflow", "budget", "0.5", "number 0..10"},
    {"greenflow", "window", "21600", "duration 0..1000000000"},
    {"greenflow", "buddy", "true", "true or false"},
    {"exec", "command", "", "text"},
    {"exec", "socket", "", "text"},
    {"replay", "file", "", "a CSV file"},
    {"exec", "timeout", "10", "duration 1..1000000"},
    {"exec", "startup_timeout", "60", "duration 1..1000000"},
    {"exec", "progress", "false", "true or false"},
    {"exec", "services", "false", "true or false"},
    {"exec", "power_cap", "false", "true or false"},
    {"exec", "fractional_gpu", "false", "true or false"},
};

/* Its place in the table. */
static size_t find(const char *policy, const char *name) {
    size_t i = 0;
    while (strcmp(defaults[i].name, name) != 0 ||
           (defaults[i].policy && strcmp(defaults[i].policy, policy) != 0))
        cr_assert_lt(++i, sizeof defaults / sizeof *defaults, "%s: %s is not listed", policy, name);
    return i;
}

static const char *const policies[] = {
    "allox", "aurachronos", "charon",  "chronos", "easy",   "exec", "fcfs",   "goodput",  "hades",
    "las",   "lean",        "max_min", "pollux",  "replay", "sia",  "themis", "tiresias", "zeus"};

Test(defaults, as_documented) {
    for (size_t p = 0; p < sizeof policies / sizeof *policies; p++) {
        struct policy_module module;
        struct error error = {0};
        cr_assert_geq(module_open(policies[p], &module, &error), 0, "%s", error.text);
        struct policy_params params;
        params_init(&params, module.policy);
        for (size_t i = 0; i < params_count(module.policy); i++) {
            const struct easim_param *param = params_at(module.policy, i);
            size_t row = find(policies[p], param->name);
            struct str value = {0}, range = {0};
            params_write_value(&params, i, &value);
            params_write_range(param, &range);
            cr_expect_str_eq(value.text ? value.text : "", defaults[row].value, "%s: %s is %s",
                             policies[p], param->name, value.text);
            cr_expect_str_eq(range.text, defaults[row].range, "%s: %s: %s", policies[p],
                             param->name, range.text);
            str_finish(&value);
            str_finish(&range);
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

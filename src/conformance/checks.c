/* Checks of what a policy does in each scenario, and of its parameters. */
#include "conformance/suite.h"
#include "engine/actions.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* A run that crashes with the view in read-only pages but not otherwise: the policy writes into the
   view. That is one fault and reported once, by check_view. */
static void run_scenario(struct suite *s, uint32_t i) {
    struct suite_run run = {.suite = s, .builtin = &builtins[i], .record = &s->records[i]};
    int r = suite_run(&run);
    if (r < 0 && (strncmp(run.record->failure, "crashed: ", 9) == 0 ||
                  strstr(run.record->failure, PLAN_DAMAGE))) {
        struct probe_record *first = run.record;
        run.unchecked = true;
        run.record = s->spare;
        if (suite_run(&run) == 0) {
            *first = *run.record;
            str_addf(&s->writes_view, "%s%s",
                     s->writes_view.length ? ", " : "writes into the view in: ", builtins[i].name);
            r = 0;
        }
    }
    s->passed[i] = r == 0;
}

void check_scenarios(struct suite *s) {
    for (uint32_t i = 0; i < builtin_count; i++) {
        char check[80];
        run_scenario(s, i);
        snprintf(check, sizeof check, "scenario: %s", builtins[i].name);
        if (s->passed[i])
            suite_report(s, check, CONFORMANCE_OK, "%llu decisions",
                         (unsigned long long)s->records[i].decisions);
        else
            suite_report(s, check, CONFORMANCE_FAILED, "%s", s->records[i].failure);
    }
}

void check_view(struct suite *s) {
    suite_report(s, "view is left alone",
                 s->writes_view.length ? CONFORMANCE_FAILED : CONFORMANCE_OK, "%s",
                 s->writes_view.length ? s->writes_view.text : "");
}

/* Nothing in these scenarios has to be tried to be known, so nothing needs to be refused. */
void check_refusals(struct suite *s) {
    uint64_t refused[REFUSAL_COUNT] = {0}, all = 0, actions = 0;
    struct str text = {0};
    for (uint32_t i = 0; i < builtin_count; i++) {
        actions += s->records[i].row_count;
        for (int k = 0; k < REFUSAL_COUNT; k++) {
            refused[k] += s->records[i].refused[k];
            all += s->records[i].refused[k];
        }
    }
    if (all > 0)
        str_addf(&text, "%llu of %llu actions:", (unsigned long long)all,
                 (unsigned long long)actions);
    for (int k = 0; k < REFUSAL_COUNT; k++)
        if (refused[k] > 0)
            str_addf(&text, " %s (%llu)", refusal_names[k], (unsigned long long)refused[k]);
    suite_conclude(s, "no action refused", &text);
}

/* --- parameters --- */

struct trials {
    struct suite *suite;
    const struct builtin *builtin;
    const struct easim_param *param;
    struct str reasons;
    int count;
};

static void try_value(struct trials *t, const char *value) {
    struct str set = {0};
    const struct suite_run run = {
        .suite = t->suite, .builtin = t->builtin, .record = t->suite->spare};
    str_addf(&set, "policy.params.%s=%s", t->param->name, value);
    struct suite_run with = run;
    with.set = set.text;
    t->count++;
    if (suite_run(&with) < 0)
        str_addf(&t->reasons, "%s%s = %s: %s", t->reasons.length ? "; " : "", t->param->name, value,
                 run.record->failure);
    str_finish(&set);
}

static void try_number(struct trials *t, double value) {
    struct str text = {0};
    if (value == EASIM_OFF)
        str_add(&text, "off");
    else if (t->param->type == EASIM_PARAM_INT)
        str_add_int(&text, (int64_t)value);
    else
        str_add_real(&text, value);
    try_value(t, text.text);
    str_finish(&text);
}

static void try_param(struct trials *t) {
    const struct easim_param *p = t->param;
    if (p->type == EASIM_PARAM_TEXT)
        return; /* there is no value that every policy must take */
    if (p->type == EASIM_PARAM_BOOL) {
        try_value(t, "false");
        try_value(t, "true");
        return;
    }
    for (size_t i = 0; p->type == EASIM_PARAM_CHOICE && p->choices[i]; i++)
        try_value(t, p->choices[i]);
    if (p->type == EASIM_PARAM_CHOICE)
        return;
    try_number(t, p->min);
    try_number(t, p->max);
    if (p->default_value != p->min && p->default_value != p->max)
        try_number(t, p->default_value);
    if (p->may_be_off && p->default_value != EASIM_OFF)
        try_number(t, EASIM_OFF);
}

void check_parameters(struct suite *s) {
    static const char check[] = "parameters";
    struct trials t = {.suite = s, .builtin = suite_passed(s, check)};
    if (!t.builtin)
        return;
    for (size_t i = 0; i < params_count(s->policy); i++) {
        t.param = params_at(s->policy, i);
        try_param(&t);
    }
    if (t.reasons.length > 0)
        suite_conclude(s, check, &t.reasons);
    else
        suite_report(s, check, CONFORMANCE_OK, "%zu with %d values", params_count(s->policy),
                     t.count);
}

void check_power_cap(struct suite *s) {
    static const char check[] = "power cap";
    const struct suite_run run = {.suite = s, .builtin = &builtin_capped, .record = s->spare};
    struct str reasons = {0};
    if (!(s->policy->capabilities & EASIM_CAPABILITY_POWER_CAP)) {
        suite_report(s, check, CONFORMANCE_SKIPPED, "POWER_CAP is not declared");
        return;
    }
    if (suite_run(&run) < 0)
        str_add(&reasons, run.record->failure);
    else if (run.record->over_cap_w > 1e-6)
        str_addf(&reasons, "the power that all running jobs may draw exceeds the cap by %.9g W",
                 run.record->over_cap_w);
    suite_conclude(s, check, &reasons);
}

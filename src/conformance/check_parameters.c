/* The policy with each value of its parameters: see check_parameters.h. */
#include "conformance/check_parameters.h"

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

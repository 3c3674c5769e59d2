/* The policy with each value of its parameters: see check_parameters.h. */
#include "conformance/check_parameters.h"

#include <string.h>

struct trials {
    struct suite *suite;
    const struct builtin *builtin;
    const struct easim_param *param;
    struct str reasons;
    int count, kept;
};

static void try_value(struct trials *trials, const char *value) {
    struct str set = {0};
    const struct suite_run run = {
        .suite = trials->suite, .builtin = trials->builtin, .record = trials->suite->spare};
    str_addf(&set, "policy.params.%s=%s", trials->param->name, value);
    struct suite_run with = run;
    with.set = set.text;
    trials->count++;
    if (suite_run(&with) < 0)
        str_addf(&trials->reasons, "%s%s = %s: %s", trials->reasons.length ? "; " : "",
                 trials->param->name, value, run.record->failure);
    str_finish(&set);
}

static void try_number(struct trials *trials, double value) {
    struct str text = {0};
    if (value == EASIM_OFF)
        str_add(&text, "off");
    else if (trials->param->type == EASIM_PARAM_INT)
        str_add_int(&text, (int64_t)value);
    else
        str_add_real(&text, value);
    try_value(trials, text.text);
    str_finish(&text);
}

static bool is_set(const struct conformance_options *options, const char *name) {
    static const char prefix[] = "policy.params.";
    const size_t length = strlen(name), at = sizeof prefix - 1;
    for (size_t i = 0; i < options->set_count; i++) {
        const char *set = options->sets[i];
        if (strncmp(set, prefix, at) == 0 && strncmp(set + at, name, length) == 0 &&
            set[at + length] == '=')
            return true;
    }
    return false;
}

static void try_param(struct trials *trials) {
    const struct easim_param *p = trials->param;
    if (is_set(trials->suite->options, p->name)) {
        trials->kept++;
        return;
    }
    if (p->type == EASIM_PARAM_TEXT || p->type == EASIM_PARAM_TABLE)
        return; /* there is no value that every policy must take */
    if (p->type == EASIM_PARAM_BOOL) {
        try_value(trials, "false");
        try_value(trials, "true");
        return;
    }
    for (size_t i = 0; p->type == EASIM_PARAM_CHOICE && p->choices[i]; i++)
        try_value(trials, p->choices[i]);
    if (p->type == EASIM_PARAM_CHOICE)
        return;
    try_number(trials, p->min);
    try_number(trials, p->max);
    if (p->default_value != p->min && p->default_value != p->max)
        try_number(trials, p->default_value);
    if (p->may_be_off && p->default_value != EASIM_OFF)
        try_number(trials, EASIM_OFF);
}

void check_parameters(struct suite *suite) {
    static const char check[] = "parameters";
    struct trials trials = {.suite = suite, .builtin = suite_passed(suite, check)};
    if (!trials.builtin)
        return;
    for (size_t i = 0; i < params_count(suite->policy); i++) {
        trials.param = params_at(suite->policy, i);
        try_param(&trials);
    }
    if (trials.reasons.length > 0)
        suite_conclude(suite, check, &trials.reasons);
    else
        suite_report(suite, check, CONFORMANCE_OK, "%zu with %d values%s",
                     params_count(suite->policy) - (size_t)trials.kept, trials.count,
                     trials.kept ? ", others as they are set" : "");
}

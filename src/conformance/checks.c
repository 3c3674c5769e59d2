/* The checks of the conformance suite: decisions, parameters, scenarios. */
#include "conformance/suite.h"

#include "base/units.h"
#include "engine/actions.h"
#include "policy/interface.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- check_decisions: runs whose decisions must not differ --- */

/* The same run in a process whose memory looks different. */
static void check_same_run(struct suite *suite) {
    static const char check[] = "same run, same decisions";
    struct str reasons = {0};
    uint32_t compared = 0;
    if (suite_is_spoilt(suite, check))
        return;
    for (uint32_t i = 0; i < builtin_count && reasons.length == 0; i++) {
        struct suite_run run = suite_run_of(suite, &builtins[i]);
        if (!suite->passed[i])
            continue;
        compared++;
        run.elsewhere = true;
        suite_compare(&run, &reasons);
        if (run.record->failure[0])
            str_addf(&reasons, ", in \"%s\" the second time", builtins[i].name);
    }
    suite->differs = reasons.length > 0;
    if (compared == 0)
        suite_report(suite, check, CONFORMANCE_SKIPPED, "no scenario runs");
    else
        suite_conclude(suite, check, &reasons);
}

struct pair {
    const struct suite *suite;
    const struct builtin *builtins[2];
    struct probe_record *records[2];
};

static void run_pair(void *context) {
    struct pair *pair = context;
    struct study studies[2];
    int r = 0;
    for (int i = 0; i < 2; i++)
        r |= suite_load(pair->suite, pair->builtins[i], NULL, &studies[i],
                        pair->records[i]->failure, sizeof pair->records[i]->failure);
    if (r == 0)
        probe_pair((const struct study *[]){&studies[0], &studies[1]}, pair->records);
}

/* Scenario i beside scenario j, one instant each in turns: both must decide as alone. */
static void compare_pair(struct suite *suite, uint32_t i, uint32_t j, struct str *reasons) {
    struct pair pair = {suite, {&builtins[i], &builtins[j]}, {&suite->spare[0], &suite->spare[1]}};
    const uint32_t numbers[] = {i, j};
    memset(suite->spare, 0, 2 * sizeof *suite->spare);
    bool failed = suite_child(suite, run_pair, &pair, pair.records[0]) < 0;
    for (int side = 0; side < 2 && reasons->length == 0; side++) {
        struct str difference = {0};
        if (pair.records[side]->failure[0])
            str_add(&difference, pair.records[side]->failure);
        else if (!failed)
            probe_add_difference(&suite->records[numbers[side]], pair.records[side], &difference);
        if (difference.length > 0)
            str_addf(reasons, "\"%s\" beside \"%s\": %s", builtins[numbers[side]].name,
                     builtins[numbers[!side]].name, difference.text);
        str_finish(&difference);
    }
}

/* Two runs in one process, in turns, against each alone. */
static void check_two_at_once(struct suite *suite) {
    static const char check[] = "two runs at once";
    struct str reasons = {0};
    if (!suite_comparable(suite, check))
        return;
    for (uint32_t i = 0; i < BUILTIN_COMPARED; i++)
        for (uint32_t j = i; j < BUILTIN_COMPARED && reasons.length == 0; j++)
            if (suite->passed[i] && suite->passed[j])
                compare_pair(suite, i, j, &reasons);
    suite_conclude(suite, check, &reasons);
}

/* Whether it decides otherwise where one more `--set` holds, in the scenario of that name; NULL: in
   those of comparisons. */
static void compare_set(struct suite *suite, const char *scenario, const char *set,
                        struct str *reasons) {
    for (uint32_t i = 0; i < builtin_count && reasons->length == 0; i++) {
        struct suite_run run = suite_run_of(suite, &builtins[i]);
        run.set = set;
        bool is_meant = scenario ? strcmp(builtins[i].name, scenario) == 0 : i < BUILTIN_COMPARED;
        if (!suite->passed[i] || !is_meant)
            continue;
        suite_compare(&run, reasons);
    }
}

/* Whether no run differs that a later host makes, asking all anew: one run then passes for two. */
static bool agrees_with_later_host(struct suite *suite) {
    struct str difference = {0};
    for (uint32_t i = 0; i < builtin_count && difference.length == 0; i++) {
        struct suite_run run = suite_run_of(suite, &builtins[i]);
        run.how = (struct probe_how){.plain = true, .grown = GROWN_ALL};
        if (suite->passed[i])
            suite_compare(&run, &difference);
    }
    bool agrees = difference.length == 0;
    str_finish(&difference);
    return agrees;
}

/* Callbacks of a list policy, whose answers the host keeps, look at nothing that they may not. */
static void check_plain(struct suite *suite) {
    static const char check[] = "decides as when asked anew";
    struct str reasons = {0};
    bool drew = false;
    if (!suite->policy->list)
        suite_report(suite, check, CONFORMANCE_SKIPPED, "it is a free policy");
    if (!suite->policy->list || !suite_comparable(suite, check))
        return;
    suite->agrees = suite->writes_view.length == 0 && agrees_with_later_host(suite);
    for (uint32_t i = 0; i < builtin_count && reasons.length == 0; i++) {
        struct suite_run run = suite_run_of(suite, &builtins[i]);
        struct str difference = {0};
        run.how.plain = true;
        drew = drew || suite->records[i].drew;
        if (suite->passed[i] && !suite->agrees)
            suite_compare(&run, &difference);
        if (difference.length > 0 && !suite->records[i].drew && !run.record->drew)
            str_addf(&reasons, "\"%s\", every callback asked again at each decision: %s",
                     builtins[i].name, difference.text);
        str_finish(&difference);
    }
    if (drew && reasons.length == 0)
        suite_report(suite, check, CONFORMANCE_SKIPPED, "callbacks about jobs draw random numbers");
    else
        suite_conclude(suite, check, &reasons);
}

struct growing {
    struct suite_run run;
    struct str difference;
};

/* Whether it decides otherwise, or fails, with these parts of a grown view. */
static bool differs_grown(void *context, uint32_t parts) {
    struct growing *growing = context;
    growing->run.how = (struct probe_how){.grown = parts};
    growing->difference.length = 0;
    suite_compare(&growing->run, &growing->difference);
    return growing->difference.length > 0;
}

/* A later host, whose structs are longer, and whose view moves from call to call. */
static void check_growth(struct suite *suite) {
    static const char check[] = "structs may grow";
    struct str reasons = {0};
    if (suite_is_spoilt(suite, check) || !suite_comparable(suite, check))
        return;
    for (uint32_t i = 0; i < builtin_count && reasons.length == 0; i++) {
        struct growing growing = {.run = suite_run_of(suite, &builtins[i])};
        if (suite->passed[i] && !suite->agrees && differs_grown(&growing, GROWN_ALL)) {
            str_addf(&reasons, "\"%s\", with longer structs in a view that moves: %s: it ",
                     builtins[i].name, growing.difference.text);
            str_add(&reasons, view_blame(differs_grown, &growing));
        }
        str_finish(&growing.difference);
    }
    suite_conclude(suite, check, &reasons);
}

/* All scenarios without each optional extension: none may fail. */
static void check_without(struct suite *suite) {
    static const char check[] = "does without optional extensions";
    struct str reasons = {0};
    bool any = false;
    for (uint32_t e = 0; e < suite->policy->extension_count; e++) {
        const struct easim_extension *row = &suite->policy->extensions[e];
        bool may_lack = row->optional && interface_extension(row);
        any = any || may_lack;
        for (uint32_t i = 0; may_lack && i < builtin_count && reasons.length == 0; i++) {
            struct suite_run run = suite_run_of(suite, &builtins[i]);
            run.without = e + 1;
            if (suite->passed[i] && suite_run(&run) < 0)
                str_addf(&reasons, "without %s/%u, in \"%s\": %s", row->name, row->version,
                         builtins[i].name, run.record->failure);
        }
    }
    if (any)
        suite_conclude(suite, check, &reasons);
    else
        suite_report(suite, check, CONFORMANCE_SKIPPED, "it has none");
}

/* Users with other names. */
static void check_user_names(struct suite *suite) {
    static const char check[] = "names of users do not matter";
    struct str reasons = {0};
    if (!suite_comparable(suite, check))
        return;
    compare_set(
        suite, NULL,
        "users=[{name: zoe, weight: 1}, {name: a, weight: 2}, {name: \"\\u00e9va\", weight: 0.5}]",
        &reasons);
    suite_conclude(suite, check, &reasons);
}

/* Each input with other values, where it does not declare to read it. */
static void check_declared(struct suite *suite) {
    static const struct {
        uint32_t bit;
        const char *scenario, *set;
    } inputs[] = {
        {EASIM_READS_CARBON, NULL, "carbon_g_per_kwh=217.5"},
        {EASIM_READS_PRICE, NULL, "price_per_mwh=83.25"},
        {EASIM_READS_DEADLINES, "deadlines", "workload.streams[0].deadlines.slack=[2.75, 9]"},
        {EASIM_READS_USERS, NULL,
         "users=[{name: ann, weight: 4}, {name: bob, weight: 0.25}, {name: cy, weight: 9}]"},
        {EASIM_READS_FORECASTS, "forecasts", "forecast.error.sigma=1.25"},
        {EASIM_READS_RUN_TIMES, "odd jobs", "workload.estimate=run"}};
    static const char check[] = "reads only what it declares";
    struct str reasons = {0};
    if (suite->policy->reads == 0) {
        suite_report(suite, check, CONFORMANCE_SKIPPED, "it does not declare what it reads");
        return;
    }
    if (!suite_comparable(suite, check))
        return;
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs && reasons.length == 0; i++) {
        struct str difference = {0};
        if (!(suite->policy->reads & inputs[i].bit))
            compare_set(suite, inputs[i].scenario, inputs[i].set, &difference);
        if (difference.length > 0) {
            interface_write_reads(inputs[i].bit, &reasons);
            str_addf(&reasons, ": %s", difference.text);
        }
        str_finish(&difference);
    }
    suite_conclude(suite, check, &reasons);
}

/* --- check_parameters --- */

struct trials {
    struct suite *suite;
    const struct builtin *builtin;
    const struct easim_param *param;
    struct str reasons;
    int count, kept;
};

static void try_value(struct trials *trials, const char *value) {
    struct str set = {0};
    struct suite_run run = suite_run_of(trials->suite, trials->builtin);
    str_addf(&set, "policy.params.%s=%s", trials->param->name, value);
    run.set = set.text;
    trials->count++;
    if (suite_run(&run) < 0)
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

static void check_parameters(struct suite *suite) {
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

/* --- check_scenarios: what a policy does in each built-in scenario, a run of each --- */

/* A run that crashes with the view in read-only pages but not otherwise: the policy writes into the
   view, or reads behind the end of an array. That is one fault and reported once, by check_view. */
static void run_scenario(struct suite *suite, uint32_t i) {
    struct suite_run run = suite_run_of(suite, &builtins[i]);
    run.how.check = true;
    run.record = &suite->records[i];
    int r = suite_run(&run);
    if (r < 0 && (strncmp(run.record->failure, "crashed: ", 9) == 0 ||
                  strstr(run.record->failure, VIEW_DAMAGE))) {
        struct probe_record *first = run.record;
        run.how.check = false;
        run.record = suite->spare;
        if (suite_run(&run) == 0) {
            *first = *run.record;
            str_addf(&suite->writes_view, "%s%s",
                     suite->writes_view.length
                         ? ", "
                         : "writes into the view, or reads past an array of it, in: ",
                     builtins[i].name);
            r = 0;
        }
    }
    suite->passed[i] = r == 0;
}

/* Runs all scenarios. The checks below, and most others, need what it finds. */
static void check_scenarios(struct suite *suite) {
    for (uint32_t i = 0; i < builtin_count; i++) {
        char check[80];
        run_scenario(suite, i);
        snprintf(check, sizeof check, "scenario: %s", builtins[i].name);
        if (suite->passed[i])
            suite_report(suite, check, CONFORMANCE_OK, "%llu decisions",
                         (unsigned long long)suite->records[i].decisions);
        else
            suite_report(suite, check, CONFORMANCE_FAILED, "%s", suite->records[i].failure);
    }
}

/* Whether the policy wrote into the view. */
static void check_view(struct suite *suite) {
    suite_report(suite, "view is left alone",
                 suite->writes_view.length ? CONFORMANCE_FAILED : CONFORMANCE_OK, "%s",
                 suite->writes_view.length ? suite->writes_view.text : "");
}

/* Whether a run of any scenario changed something in its process or wrote to standard streams. */
static void check_process(struct suite *suite) {
    const struct str *changes = &suite->effects.changes;
    suite_report(suite, "process is left alone",
                 changes->length ? CONFORMANCE_FAILED : CONFORMANCE_OK, "%s",
                 changes->length ? changes->text : "");
}

/* Whether actions were refused. Nothing in these scenarios has to be tried to be known, so
   nothing needs to be refused. */
static void check_refusals(struct suite *suite) {
    uint64_t refused[REFUSAL_COUNT] = {0}, all = 0, actions = 0;
    struct str text = {0};
    for (uint32_t i = 0; i < builtin_count; i++) {
        actions += suite->records[i].row_count;
        for (int k = 0; k < REFUSAL_COUNT; k++) {
            refused[k] += suite->records[i].refused[k];
            all += suite->records[i].refused[k];
        }
    }
    if (all > 0)
        str_addf(&text, "%llu of %llu actions:", (unsigned long long)all,
                 (unsigned long long)actions);
    for (int k = 0; k < REFUSAL_COUNT; k++)
        if (refused[k] > 0)
            str_addf(&text, " %s (%llu)", refusal_names[k], (unsigned long long)refused[k]);
    suite_conclude(suite, "no action refused", &text);
}

/* Of a policy that declares to keep a cap as far as starts and preemption can: one that falls. */
static void try_falling_cap(struct suite *suite, struct str *reasons) {
    const struct suite_run run = suite_run_of(suite, &builtin_falling_cap);
    const struct probe_record *record = run.record;
    if (suite_run(&run) < 0)
        str_addf(reasons, "in \"%s\": %s", run.builtin->name, record->failure);
    else if (record->kept_over_ns > 0)
        str_addf(reasons,
                 "KEEPS_CAP is declared, but the cap has fallen at t = %.9g s and "
                 "preemptible jobs run on above it, such as job %u",
                 units_s(record->kept_over_ns), record->kept_job);
}

/* In scenarios of its own, for policies that declare POWER_CAP: whether the cap was kept. */
static void check_power_cap(struct suite *suite) {
    static const char check[] = "power cap";
    const struct suite_run run = suite_run_of(suite, &builtin_capped);
    struct str reasons = {0};
    if (!suite->keeps_cap) {
        suite_report(suite, check, CONFORMANCE_SKIPPED,
                     suite->policy->capabilities & EASIM_CAPABILITY_POWER_CAP
                         ? "POWER_CAP is left to a parameter, which is false"
                         : "POWER_CAP is not declared");
        return;
    }
    if (suite_run(&run) < 0)
        str_add(&reasons, run.record->failure);
    else if (run.record->over_cap_w > CAP_TOLERANCE_W)
        str_addf(&reasons, "the power that all running jobs may draw exceeds the cap by %.9g W",
                 run.record->over_cap_w);
    else if (suite->policy->keeps & EASIM_KEEPS_CAP)
        try_falling_cap(suite, &reasons);
    suite_conclude(suite, check, &reasons);
}

/* --- conformance --- */

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
        check_scenarios, check_view,      check_refusals, check_parameters,  check_same_run,
        check_plain,     check_growth,    check_without,  check_two_at_once, check_user_names,
        check_declared,  check_power_cap, check_leaks,    check_process};
    struct study study;
    if (suite->policy->capabilities & EASIM_CAPABILITY_RECORDED) {
        report_loaded(suite);
        suite_report(suite, "all others", CONFORMANCE_SKIPPED,
                     "it repeats a record (RECORDED), and the built-in scenarios have none");
        return 0;
    }
    int r = builtin_load(&builtins[0], suite->path, suite->options->sets, suite->options->set_count,
                         &study, problems);
    suite->keeps_cap = r == 0 && params_have(&study.params, EASIM_CAPABILITY_POWER_CAP);
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
        suite.fault = mem_shared(sizeof *suite.fault);
        suite.passed = mem_zalloc(builtin_count, sizeof *suite.passed);
        run_effects_open(&suite.effects);
        r = run_checks(&suite, problems);
        run_effects_close(&suite.effects);
        str_finish(&suite.writes_view);
        free(suite.passed);
        mem_unshare(suite.fault, sizeof *suite.fault);
        mem_unshare(suite.records, (builtin_count + 2) * sizeof *suite.records);
    }
    module_close(&module);
    return r;
}

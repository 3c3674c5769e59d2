/* What a policy does in each scenario: see check_scenarios.h. */
#include "conformance/check_scenarios.h"

#include "engine/actions.h"

#include <stdio.h>
#include <string.h>

/* A run that crashes with the view in read-only pages but not otherwise: the policy writes into the
   view, or reads behind the end of an array. That is one fault and reported once, by check_view. */
static void run_scenario(struct suite *suite, uint32_t i) {
    struct suite_run run = {.suite = suite, .builtin = &builtins[i], .record = &suite->records[i]};
    int r = suite_run(&run);
    if (r < 0 && (strncmp(run.record->failure, "crashed: ", 9) == 0 ||
                  strstr(run.record->failure, LOOK_DAMAGE))) {
        struct probe_record *first = run.record;
        run.unchecked = true;
        run.record = suite->spare;
        if (suite_run(&run) == 0) {
            *first = *run.record;
            str_addf(&suite->writes_view, "%s%s",
                     suite->writes_view.length
                         ? ", "
                         : "writes into the view, or reads behind an array of it, in: ",
                     builtins[i].name);
            r = 0;
        }
    }
    suite->passed[i] = r == 0;
}

void check_scenarios(struct suite *suite) {
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

void check_view(struct suite *suite) {
    suite_report(suite, "view is left alone",
                 suite->writes_view.length ? CONFORMANCE_FAILED : CONFORMANCE_OK, "%s",
                 suite->writes_view.length ? suite->writes_view.text : "");
}

void check_process(struct suite *suite) {
    const struct str *changes = &suite->effects.changes;
    suite_report(suite, "process is left alone",
                 changes->length ? CONFORMANCE_FAILED : CONFORMANCE_OK, "%s",
                 changes->length ? changes->text : "");
}

/* Nothing in these scenarios has to be tried to be known, so nothing needs to be refused. */
void check_refusals(struct suite *suite) {
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

void check_power_cap(struct suite *suite) {
    static const char check[] = "power cap";
    const struct suite_run run = {
        .suite = suite, .builtin = &builtin_capped, .record = suite->spare};
    struct str reasons = {0};
    if (!(suite->policy->capabilities & EASIM_CAPABILITY_POWER_CAP)) {
        suite_report(suite, check, CONFORMANCE_SKIPPED, "POWER_CAP is not declared");
        return;
    }
    if (suite_run(&run) < 0)
        str_add(&reasons, run.record->failure);
    else if (run.record->over_cap_w > 1e-6)
        str_addf(&reasons, "the power that all running jobs may draw exceeds the cap by %.9g W",
                 run.record->over_cap_w);
    suite_conclude(suite, check, &reasons);
}

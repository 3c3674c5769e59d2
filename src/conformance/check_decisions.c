/* Runs whose decisions must not differ: see check_decisions.h. */
#include "conformance/check_decisions.h"

#include "base/units.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

static void add_probe_row(struct str *out, const struct probe_record *record, uint64_t at) {
    if (at >= record->row_count) {
        str_add(out, "the end");
        return;
    }
    const struct probe_row *row = &record->rows[at];
    str_add(out, action_names[row->kind]);
    if (row->job != EASIM_NONE)
        str_addf(out, " job %u", row->job);
    if (row->config != EASIM_NONE)
        str_addf(out, " in configuration %u", row->config);
    str_addf(out, " at t = %.9g s (%s)", units_s(row->time_ns), refusal_names[row->refusal]);
}

/* Adds where two records differ first; nothing if nowhere. */
static void add_difference(const struct probe_record *before, const struct probe_record *after,
                           struct str *out) {
    if (before->row_count == after->row_count && before->row_hash == after->row_hash)
        return;
    uint64_t at = 0;
    while (at < PROBE_ROWS && at < before->row_count && at < after->row_count &&
           memcmp(&before->rows[at], &after->rows[at], sizeof before->rows[at]) == 0)
        at++;
    str_addf(out, "action %llu was ", (unsigned long long)at + 1);
    if (at == PROBE_ROWS) {
        str_add(out, "the same, but a later one was not");
        return;
    }
    add_probe_row(out, before, at);
    str_add(out, ", now it is ");
    add_probe_row(out, after, at);
}

/* The same run in a process whose memory looks different: freed and fresh memory is not zero, and
   addresses have moved. */
static void run_in_other_memory(void *context) {
    const struct suite_run *run = context;
    struct study study;
    mallopt(M_PERTURB, 0xa5);
    void *hole = malloc((size_t)3 << 20), *moved = malloc(12345);
    free(hole);
    if (suite_load(run->suite, run->builtin, NULL, &study, run->record->failure,
                   sizeof run->record->failure) == 0)
        probe_run(&study, true, run->record);
    study_finish(&study);
    free(moved);
}

void check_same_run(struct suite *suite) {
    static const char check[] = "same run, same decisions";
    struct str reasons = {0};
    uint32_t compared = 0;
    if (suite->writes_view.length > 0) {
        suite_report(suite, check, CONFORMANCE_SKIPPED, "the view is written to");
        return;
    }
    for (uint32_t i = 0; i < builtin_count && reasons.length == 0; i++) {
        struct suite_run run = {.suite = suite, .builtin = &builtins[i], .record = suite->spare};
        if (!suite->passed[i])
            continue;
        compared++;
        memset(run.record, 0, sizeof *run.record);
        if (suite_child(suite, run_in_other_memory, &run, run.record, NULL) < 0)
            str_addf(&reasons, "%s: the second time: %s", builtins[i].name, run.record->failure);
        else
            add_difference(&suite->records[i], run.record, &reasons);
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
        probe_pair((const struct study *[]){&studies[0], &studies[1]}, false, pair->records);
}

/* Scenario i beside scenario j, one instant each in turns: both must decide as alone. */
static void compare_pair(struct suite *suite, uint32_t i, uint32_t j, struct str *reasons) {
    struct pair pair = {suite, {&builtins[i], &builtins[j]}, {&suite->spare[0], &suite->spare[1]}};
    const uint32_t numbers[] = {i, j};
    memset(suite->spare, 0, 2 * sizeof *suite->spare);
    bool failed = suite_child(suite, run_pair, &pair, pair.records[0], NULL) < 0;
    for (int side = 0; side < 2 && reasons->length == 0; side++) {
        struct str difference = {0};
        if (pair.records[side]->failure[0])
            str_add(&difference, pair.records[side]->failure);
        else if (!failed)
            add_difference(&suite->records[numbers[side]], pair.records[side], &difference);
        if (difference.length > 0)
            str_addf(reasons, "\"%s\" beside \"%s\": %s", builtins[numbers[side]].name,
                     builtins[numbers[!side]].name, difference.text);
        str_finish(&difference);
    }
}

void check_two_at_once(struct suite *suite) {
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

/* Whether it decides otherwise where one more `--set` holds. */
static void compare_set(struct suite *suite, const char *set, struct str *reasons) {
    struct suite_run run = {.suite = suite,
                            .set = set,
                            .unchecked = suite->writes_view.length > 0,
                            .record = suite->spare};
    for (uint32_t i = 0; i < BUILTIN_COMPARED && reasons->length == 0; i++) {
        run.builtin = &builtins[i];
        if (!suite->passed[i])
            continue;
        if (suite_run(&run) < 0)
            str_add(reasons, run.record->failure);
        else
            add_difference(&suite->records[i], run.record, reasons);
    }
}

void check_user_names(struct suite *suite) {
    static const char check[] = "names of users do not matter";
    struct str reasons = {0};
    if (!suite_comparable(suite, check))
        return;
    compare_set(
        suite,
        "users=[{name: zoe, weight: 1}, {name: a, weight: 2}, {name: \"\\u00e9va\", weight: 0.5}]",
        &reasons);
    suite_conclude(suite, check, &reasons);
}

void check_declared(struct suite *suite) {
    static const struct {
        uint32_t bit;
        const char *set;
    } inputs[] = {
        {EASIM_READS_CARBON, "carbon_g_per_kwh=217.5"},
        {EASIM_READS_PRICE, "price_per_mwh=83.25"},
        {EASIM_READS_USERS,
         "users=[{name: ann, weight: 4}, {name: bob, weight: 0.25}, {name: cy, weight: 9}]"}};
    static const char check[] = "reads only what it declares";
    struct str reasons = {0};
    if (suite->policy->reads == 0) {
        suite_report(suite, check, CONFORMANCE_SKIPPED, "it does not declare what it reads");
        return;
    }
    if (!suite_comparable(suite, check))
        return;
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs && reasons.length == 0; i++)
        if (!(suite->policy->reads & inputs[i].bit))
            compare_set(suite, inputs[i].set, &reasons);
    suite_conclude(suite, check, &reasons);
}

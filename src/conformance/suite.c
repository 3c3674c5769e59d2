/* The suite as a whole, and the runs of its checks. */
#include "conformance/suite.h"

#include "base/own_state.h"
#include "base/units.h"
#include "policy/interface.h"

#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void suite_report(struct suite *suite, const char *check, enum conformance_result result,
                  const char *format, ...) {
    struct str text = {0};
    va_list arguments;
    va_start(arguments, format);
    str_addv(&text, format, arguments);
    va_end(arguments);
    suite->failed += result == CONFORMANCE_FAILED;
    suite->options->report(suite->options->context, check, result, text.text ? text.text : "");
    str_finish(&text);
}

void suite_conclude(struct suite *suite, const char *check, struct str *reasons) {
    bool bad = reasons->length > 0;
    suite_report(suite, check, bad ? CONFORMANCE_FAILED : CONFORMANCE_OK, "%s",
                 bad ? reasons->text : "");
    str_finish(reasons);
}

int suite_load(const struct suite *suite, const struct builtin *builtin, const char *set,
               struct study *study, char *message, size_t length) {
    struct problems problems = {0};
    size_t count = suite->options->set_count;
    const char **sets = mem_zalloc(count + 1, sizeof *sets);
    for (size_t i = 0; i < count; i++)
        sets[i] = suite->options->sets[i];
    sets[count] = set;
    int r = builtin_load(builtin, suite->path, sets, count + (set != NULL), study, &problems);
    if (r < 0)
        snprintf(message, length, "%s",
                 problems.count > 0 ? problems.texts[0] : "cannot be loaded");
    else
        fault_watch(&study->module, suite->fault);
    problems_finish(&problems);
    free(sets);
    return r;
}

static void run_builtin(void *context) {
    const struct suite_run *run = context;
    struct study study;
    if (run->elsewhere)
        mallopt(M_PERTURB, 0xa5);
    void *hole = run->elsewhere ? malloc((size_t)3 << 20) : NULL,
         *moved = run->elsewhere ? malloc(12345) : NULL;
    free(hole);
    run_effects_take_streams(&run->suite->effects);
    if (suite_load(run->suite, run->builtin, run->set, &study, run->record->failure,
                   sizeof run->record->failure) == 0) {
        struct own_state before;
        if (run->without > 0)
            interface_forget(study.module.policy, run->without - 1);
        own_state_look(&before);
        struct probe_how how = run->how;
        how.calling = &run->suite->fault->calling;
        probe_run(&study, how, run->record);
        run->record->changes = own_state_changes(&before);
        fflush(NULL); /* what the policy has written and not flushed */
    }
    study_finish(&study);
    free(moved);
}

int suite_child(const struct suite *suite, void (*function)(void *), void *context,
                struct probe_record *record) {
    memset(suite->fault, 0, sizeof *suite->fault);
    struct child_result result = child_run(function, context, suite->options->limit_s);
    struct str place = {0};
    fault_locate(suite->fault, &place);
    char *text = record->failure;
    size_t length = sizeof record->failure;
    double now_s = units_s(record->now_ns);
    unsigned long long decisions = record->decisions;
    if (result.end == CHILD_TIMED_OUT)
        snprintf(text, length,
                 "did not end within %g s of processor time (at t = %.9g s, after %llu decisions)",
                 suite->options->limit_s, now_s, decisions);
    else if (result.end == CHILD_KILLED)
        snprintf(text, length, "crashed: signal %d, %s%s (at t = %.9g s, after %llu decisions)",
                 result.detail, strsignal(result.detail), place.length ? place.text : "", now_s,
                 decisions);
    else if (result.end == CHILD_EXITED && suite->fault->words[0])
        snprintf(text, length, "%.700s%.200s (at t = %.9g s, after %llu decisions)",
                 suite->fault->words, place.length ? place.text : "", now_s, decisions);
    else if (result.end == CHILD_EXITED)
        snprintf(text, length, "ended the process with exit status %d (at t = %.9g s)",
                 result.detail, now_s);
    str_finish(&place);
    return text[0] ? -1 : 0;
}

int suite_run(const struct suite_run *run) {
    struct suite_run copy = *run;
    memset(run->record, 0, sizeof *run->record);
    int r = suite_child(run->suite, run_builtin, &copy, run->record);
    if (r < 0)
        run_effects_show_errors(&run->suite->effects);
    else
        run_effects_note(&run->suite->effects, run->record->changes, run->builtin->name);
    return r;
}

struct suite_run suite_run_of(struct suite *suite, const struct builtin *builtin) {
    return (struct suite_run){.suite = suite,
                              .builtin = builtin,
                              .how.check = suite->writes_view.length == 0,
                              .record = suite->spare};
}

void suite_compare(const struct suite_run *run, struct str *out) {
    if (suite_run(run) < 0)
        str_add(out, run->record->failure);
    else
        probe_add_difference(&run->suite->records[run->builtin - builtins], run->record, out);
}

bool suite_is_spoilt(struct suite *suite, const char *check) {
    if (suite->writes_view.length > 0)
        suite_report(suite, check, CONFORMANCE_SKIPPED, "the view is written to");
    return suite->writes_view.length > 0;
}

const struct builtin *suite_passed(struct suite *suite, const char *check) {
    for (uint32_t i = 0; i < BUILTIN_COMPARED; i++)
        if (suite->passed[i])
            return &builtins[i];
    suite_report(suite, check, CONFORMANCE_SKIPPED, "none of the first %d scenarios runs",
                 BUILTIN_COMPARED);
    return NULL;
}

const struct builtin *suite_comparable(struct suite *suite, const char *check) {
    if (!suite->differs)
        return suite_passed(suite, check);
    suite_report(suite, check, CONFORMANCE_SKIPPED, "decisions differ in any case");
    return NULL;
}

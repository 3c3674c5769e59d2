/* The conformance suite: puts any policy module through fixed checks on built-in scenarios, each in
   a child process with limits, so that nothing a policy does ends the suite. What its checks share:
   a run of one scenario in a child, and reports. */
#ifndef EASIM_CONFORMANCE_SUITE_H
#define EASIM_CONFORMANCE_SUITE_H

#include "base/child.h"
#include "base/error.h"
#include "conformance/probe.h"
#include "policy/fault.h"

#include <stddef.h>

/* --- options: what is asked of the conformance suite, and how it tells what it finds --- */

enum conformance_result { CONFORMANCE_OK, CONFORMANCE_FAILED, CONFORMANCE_SKIPPED };

struct conformance_options {
    const char *policy;      /* a name or a path */
    const char *const *sets; /* "policy.params.NAME=VALUE" */
    size_t set_count;
    double limit_s; /* processor time of one run */
    /* Called with each check as it ends; text: the reason, or what was found, or "". */
    void (*report)(void *context, const char *check, enum conformance_result result,
                   const char *text);
    void *context;
};

/* --- suite --- */

struct suite {
    const struct conformance_options *options;
    const char *path; /* of the module */
    const struct easim_policy *policy;
    struct probe_record *records; /* shared memory, by builtin: its checked run */
    struct probe_record *spare;   /* shared memory, two more */
    struct policy_fault *fault;   /* shared memory: where the child of now has crashed */
    bool *passed;                 /* by builtin */
    bool keeps_cap;               /* it declares POWER_CAP, and has it with these parameters */
    bool differs;                 /* the same run does not give the same decisions */
    bool agrees;                  /* asked anew, by a later host, it decides as before */
    struct run_effects effects;   /* of runs of scenarios */
    struct str writes_view; /* the scenarios in which the policy wrote into the view; "" if none */
    int failed;             /* checks so far */
};

/* One run in a child. */
struct suite_run {
    struct suite *suite;
    const struct builtin *builtin;
    const char *set; /* one more `--set`, or NULL */
    struct probe_how how;
    bool elsewhere; /* fresh and freed memory is not zero, and addresses have moved */
    /* The optional extension that the host is to lack, by its place from 1 on; 0: none. */
    uint32_t without;
    struct probe_record *record;
};

void suite_report(struct suite *suite, const char *check, enum conformance_result result,
                  const char *format, ...) PRINTF_LIKE(4, 5);
/* FAILED with the text, or ok if it is empty; releases it. */
void suite_conclude(struct suite *suite, const char *check, struct str *reasons);
/* In a child: loads a built-in scenario with the policy, the options' sets and one more (or NULL),
   and watches for crashes from then on. Problems are a message. */
int suite_load(const struct suite *suite, const struct builtin *builtin, const char *set,
               struct study *study, char *message, size_t length) MUST_CHECK;
/* Runs it in a child. 0, or negative with what went wrong in record->failure. */
int suite_run(const struct suite_run *run) MUST_CHECK;
/* A checked run of a scenario, unless the policy writes into the view, which is told once. */
struct suite_run suite_run_of(struct suite *suite, const struct builtin *builtin);
/* Adds where a run decides otherwise than the first one of its scenario, or how it fails. */
void suite_compare(const struct suite_run *run, struct str *out);
/* Reports a check as skipped where the policy writes into the view. */
bool suite_is_spoilt(struct suite *suite, const char *check);
/* Runs function(context) in a child; record (shared memory) tells how far it came. As suite_run. */
int suite_child(const struct suite *suite, void (*function)(void *), void *context,
                struct probe_record *record) MUST_CHECK;
/* The scenario for checks that need one: the first that passed of those that comparisons use; NULL,
   after reporting the check as skipped, if there is none. Likewise for a check that compares
   decisions. */
const struct builtin *suite_passed(struct suite *suite, const char *check);
const struct builtin *suite_comparable(struct suite *suite, const char *check);

/* --- checks of what runs leave behind: leaks.c --- */

/* Memory, descriptors and child processes. */
void check_leaks(struct suite *suite);

/* --- all checks: checks.c --- */

/* Runs all. The number that failed; negative, after adding problems, if the module cannot be loaded
   or the sets do not fit it. */
int conformance_run(const struct conformance_options *options,
                    struct problems *problems) MUST_CHECK;

#endif

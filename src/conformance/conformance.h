/* The conformance suite: puts any policy module through fixed checks on built-in scenarios, each in
   a child process with limits, so that nothing a policy does ends the suite. */
#ifndef EASIM_CONFORMANCE_CONFORMANCE_H
#define EASIM_CONFORMANCE_CONFORMANCE_H

#include "base/error.h"

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

/* Runs all checks. The number that failed; negative, after adding problems, if the module cannot be
   loaded or the sets do not fit it. */
int conformance_run(const struct conformance_options *options,
                    struct problems *problems) MUST_CHECK;

#endif

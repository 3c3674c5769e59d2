/* What is asked of the conformance suite, and how it tells what it finds. */
#ifndef EASIM_CONFORMANCE_OPTIONS_H
#define EASIM_CONFORMANCE_OPTIONS_H

#include <stddef.h>

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

#endif

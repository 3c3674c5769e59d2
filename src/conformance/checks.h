/* The conformance suite: puts any policy module through fixed checks on built-in scenarios, each in
   a child process with limits, so that nothing a policy does ends the suite. Its checks: decisions,
   leaks, parameters, scenarios. */
#ifndef EASIM_CONFORMANCE_CHECKS_H
#define EASIM_CONFORMANCE_CHECKS_H

#include "base/error.h"
#include "conformance/suite.h"

void check_parameters(struct suite *suite);

/* Runs all checks. The number that failed; negative, after adding problems, if the module cannot be
   loaded or the sets do not fit it. */
int conformance_run(const struct conformance_options *options,
                    struct problems *problems) MUST_CHECK;

#endif

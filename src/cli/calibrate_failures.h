/* easim calibrate failures: laws of times to failure and of repair from recorded outages. */
#ifndef EASIM_CLI_CALIBRATE_FAILURES_H
#define EASIM_CLI_CALIBRATE_FAILURES_H

#include "cli/options.h"

/* Of the second operand. Returns an exit code. */
int calibrate_failures(const struct options *options);

#endif

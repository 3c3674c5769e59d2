/* easim calibrate collectives: latency and bandwidth inside nodes from measured collectives. */
#ifndef EASIM_CLI_CALIBRATE_COLLECTIVES_H
#define EASIM_CLI_CALIBRATE_COLLECTIVES_H

#include "cli/options.h"

/* Of the second operand. Returns an exit code. */
int calibrate_collectives(const struct options *options);

#endif

/* easim calibrate power: power of a cluster from its job log and a meter. */
#ifndef EASIM_CLI_CALIBRATE_POWER_H
#define EASIM_CLI_CALIBRATE_POWER_H

#include "cli/options.h"

/* Of the second and third operand. Returns an exit code. */
int calibrate_power(struct options *options);

#endif

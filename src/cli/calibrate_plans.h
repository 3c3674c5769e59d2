/* easim calibrate plans: constants of transformers' plans from measured iterations. */
#ifndef EASIM_CLI_CALIBRATE_PLANS_H
#define EASIM_CLI_CALIBRATE_PLANS_H

#include "cli/options.h"

/* Of the second and third operand. Returns an exit code. */
int calibrate_plans(const struct options *options);

#endif

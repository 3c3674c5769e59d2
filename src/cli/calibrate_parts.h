/* What easim calibrate fits besides profiles, of the operands behind the first. They return an exit
   code. */
#ifndef EASIM_CLI_CALIBRATE_PARTS_H
#define EASIM_CLI_CALIBRATE_PARTS_H

#include "cli/options.h"

/* Laws of times to failure and of repair from recorded outages. */
int calibrate_failures(const struct options *options);
/* Power of a cluster from its job log and a meter. */
int calibrate_power(struct options *options);
/* Constants of transformers' plans from measured iterations. */
int calibrate_plans(const struct options *options);
/* Latency and bandwidth inside nodes from measured collectives. */
int calibrate_collectives(const struct options *options);

#endif

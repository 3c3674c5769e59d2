/* Fits of easim calibrate beside profiles, of operands behind the first. Return: exit code. */
#ifndef EASIM_CLI_CALIBRATE_PARTS_H
#define EASIM_CLI_CALIBRATE_PARTS_H

#include "base/str.h"
#include "cli/options.h"

/* Laws of times to failure and of repair from recorded outages. */
int calibrate_failures(struct options *options);
/* Power of a cluster from its job log and a meter. */
int calibrate_power(struct options *options);
/* Constants of transformers' plans from measured iterations. */
int calibrate_plans(struct options *options);
/* The law of power limits of GPU types, from measured limits. */
int calibrate_limits(struct options *options);
/* Latency and bandwidth inside nodes from measured collectives. */
int calibrate_collectives(struct options *options);

/* Writes the files that are asked for, keys (NULL: none) and points; a signal comes before both or
   after both. Releases the texts. */
int calibrate_write(const struct options *options, struct str *keys, struct str *points);
void calibrate_print_percent(double share); /* a cell of 10 characters; "-" of NAN */

#endif

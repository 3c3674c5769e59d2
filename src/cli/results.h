/* Results of a command where its input is expected. */
#ifndef EASIM_CLI_RESULTS_H
#define EASIM_CLI_RESULTS_H

#include "cli/options.h"

/* Adds one problem if the first operand is a manifest of results or a folder with one: it says
   which file of the folder is meant. */
int results_refuse(const struct options *options, struct problems *problems) MUST_CHECK;

#endif

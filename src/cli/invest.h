/* easim analyze --invest: the part of it that runs the jobs again. */
#ifndef EASIM_CLI_INVEST_H
#define EASIM_CLI_INVEST_H

#include "cli/options.h"
#include "insight/recorded_run.h"

/* Appends what goes into invest.csv, and what to print. */
int invest_run(struct options *options, const struct recorded_run *run, struct str *csv,
               struct str *report, struct error *reterr) MUST_CHECK;

#endif

/* Distributions over the jobs of a run: completion times, slowdowns, waits. */
#ifndef EASIM_OUTPUT_HTML_JOB_CURVES_H
#define EASIM_OUTPUT_HTML_JOB_CURVES_H

#include "base/error.h"
#include "base/str.h"

/* Adds the member "curves": of all rows of jobs.csv how many there are, and of each quantity points
   (x, share of all rows that have at most x), at most 440 of them, the largest 40 one by one; null
   if there is no jobs.csv. */
int job_curves_add(struct str *out, const char *folder, struct error *reterr) MUST_CHECK;

#endif

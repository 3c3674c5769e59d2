/* power.csv of one replication at several levels of detail. */
#ifndef EASIM_OUTPUT_HTML_POWER_LEVELS_H
#define EASIM_OUTPUT_HTML_POWER_LEVELS_H

#include "base/error.h"
#include "base/str.h"

/* Adds the member "power": the end of the run, the number of rows, and levels from coarse to fine.
   Up to 3000 rows are one level, as they are; of more there are means over 600 and over 6000 equal
   bins, of power also the least and the largest value in each. A row holds until the next one.
   least_end_s: the run lasts at least so long. null if there is no power.csv. */
int power_levels_add(struct str *out, const char *folder, int64_t replication, double least_end_s,
                     struct error *reterr) MUST_CHECK;

#endif

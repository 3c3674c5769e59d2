/* The line under the table of a run: what its energy went into, in per cent. */
#ifndef EASIM_OUTPUT_INSIGHTS_WASTE_LINE_H
#define EASIM_OUTPUT_INSIGHTS_WASTE_LINE_H

#include "base/error.h"
#include "base/str.h"
#include "insight/waste/waste.h"

/* With the line end; nothing where there is no energy. */
void waste_line_add(const double groups_j[static WASTE_GROUPS], struct str *out);
/* Of the recorded folder at path, the mean over all its runs: reads it back.
   Adds nothing on failure. */
int waste_line_read(const char *path, struct str *out, struct error *reterr) MUST_CHECK;

#endif

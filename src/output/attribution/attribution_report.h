/* What easim attribute prints of one run. */
#ifndef EASIM_OUTPUT_ATTRIBUTION_ATTRIBUTION_REPORT_H
#define EASIM_OUTPUT_ATTRIBUTION_ATTRIBUTION_REPORT_H

#include "insight/attribution/attribution.h"
#include "output/attribution/blame_csv.h"

/* The rows of the path that bear most energy, in the order of the tree. */
void attribution_report(const struct attribution *attribution, struct str *out);
/* Parts of the jobs' time, the chain back from the last finish, missed deadlines, nodes. */
void blame_report(const struct blame_page *page, struct str *out);

#endif

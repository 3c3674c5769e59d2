/* attribution.csv: what each part of the path bears, level by level. */
#ifndef EASIM_OUTPUT_ATTRIBUTION_ATTRIBUTION_CSV_H
#define EASIM_OUTPUT_ATTRIBUTION_ATTRIBUTION_CSV_H

#include "insight/attribution/attribution.h"

/* With the network's column where the cluster has one. */
void attribution_csv_header(const struct cluster *cluster, const struct attribution_path *path,
                            struct str *out);
void attribution_csv_rows(const struct attribution *attribution, struct str *out);

#endif

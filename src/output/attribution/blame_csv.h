/* blame.csv, critical_path.csv and node_blame.csv: where time went in a recorded run. */
#ifndef EASIM_OUTPUT_ATTRIBUTION_BLAME_CSV_H
#define EASIM_OUTPUT_ATTRIBUTION_BLAME_CSV_H

#include "base/str.h"
#include "insight/blame/critical_path.h"
#include "insight/blame/misses.h"

/* Of one run. */
struct blame_page {
    const struct recorded_run *run;
    const struct blame *blame;
    const struct critical_path *path;
    const struct node_blame *nodes;
};

void blame_csv_header(struct str *out);
void blame_csv_rows(const struct blame_page *page, struct str *out);
void critical_path_csv_header(struct str *out);
void critical_path_csv_rows(const struct blame_page *page, struct str *out);
/* Nodes that cost nothing are left out. */
void node_blame_csv_header(struct str *out);
void node_blame_csv_rows(const struct blame_page *page, struct str *out);

#endif

/* waste.csv: where the energy and the GPU time of each run went, by class. */
#ifndef EASIM_OUTPUT_INSIGHTS_WASTE_CSV_H
#define EASIM_OUTPUT_INSIGHTS_WASTE_CSV_H

#include "base/str.h"
#include "insight/waste/waste.h"

/* With the line end. */
void waste_csv_header(struct str *out);
/* The same of a run of the folder that is read for it. */
int waste_csv_read(const struct recorded_folder *folder, const struct recorded_part *part,
                   struct str *out, struct error *reterr) MUST_CHECK;
/* A row for each class, in the order of precedence; of a run without measured time there are no
   shares. */
void waste_csv_rows(const struct recorded_run *run, const struct waste *waste, struct str *out);

#endif

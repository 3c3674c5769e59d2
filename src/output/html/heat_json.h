/* GPUs by time as a picture, at several levels of detail. */
#ifndef EASIM_OUTPUT_HTML_HEAT_JSON_H
#define EASIM_OUTPUT_HTML_HEAT_JSON_H

#include "insight/recorded_run.h"
#include "output/html/gpu_lanes.h"

/* Adds the member "heat": rows of up to so many GPUs of one type that there are at most about 96 of
   them; levels of 240, 960 and 3840 columns of equal time, as far as there are so many segments and
   cells are at most `most`; in each cell the share of GPU time that is held, the mean power of a
   GPU, and what of it is useful. useful_frac: by job, the useful share of what its kept computing
   drew; NULL: not known. */
void heat_json_add(struct str *out, const struct recorded_run *run, const struct gpu_lanes *lanes,
                   const double *useful_frac, size_t most);

#endif

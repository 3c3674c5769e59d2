/* What every GPU did in a recorded run, for the timeline of the page. */
#ifndef EASIM_OUTPUT_HTML_LANES_JSON_H
#define EASIM_OUTPUT_HTML_LANES_JSON_H

#include "insight/recorded_run.h"
#include "output/html/gpu_lanes.h"

/* Adds the member "lanes": GPUs, users, models, the segments that hold GPUs, of more than `most`
   those that hold most GPU time, the jobs that they are of, and what GPUs did without a job. Lists
   by column; docs/report.md names them. */
void lanes_json_add(struct str *out, const struct recorded_run *run, const struct gpu_lanes *lanes,
                    size_t most);

#endif

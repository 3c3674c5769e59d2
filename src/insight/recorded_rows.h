/* The rows of segments.csv and gpus.csv of a recorded run. */
#ifndef EASIM_INSIGHT_RECORDED_ROWS_H
#define EASIM_INSIGHT_RECORDED_ROWS_H

#include "insight/recorded_run.h"

/* Fills in segments, gpus and jobs; the workload is there. Segments have to tile the time of their
   job. */
int recorded_rows_load_segments(struct recorded_run *run, struct error *reterr) MUST_CHECK;
/* Fills in rests. */
int recorded_rows_load_rests(struct recorded_run *run, struct error *reterr) MUST_CHECK;

#endif

/* What the ready replicas of each service served over time, and what they could have. */
#ifndef EASIM_OUTPUT_HTML_SERVICE_CURVES_H
#define EASIM_OUTPUT_HTML_SERVICE_CURVES_H

#include "insight/recorded_run.h"

/* The member "service_curves": {end_s, step_s, services: [{name, unit, replicas, served,
   capacity}]}, means over equal bins; null where the scenario has no services. */
void service_curves_add(struct str *out, const struct recorded_run *run);

#endif

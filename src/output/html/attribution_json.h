/* Who caused how much, for the icicle of the page. */
#ifndef EASIM_OUTPUT_HTML_ATTRIBUTION_JSON_H
#define EASIM_OUTPUT_HTML_ATTRIBUTION_JSON_H

#include "insight/recorded_run.h"

/* Adds the member "attribution": the path (labels of jobs first, where there are few values, then
   user, model, job), a note, and a tree of nodes by column: name, parent, energy, GPU time, CO2 and
   cost. Below a node at most 60 are kept, the largest; the others are one together. */
int attribution_json_add(struct str *out, const struct recorded_run *run,
                         struct error *reterr) MUST_CHECK;

#endif

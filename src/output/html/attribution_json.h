/* Who caused how much, for the icicle of the page. */
#ifndef EASIM_OUTPUT_HTML_ATTRIBUTION_JSON_H
#define EASIM_OUTPUT_HTML_ATTRIBUTION_JSON_H

#include "insight/recorded_run.h"

/* Adds the member "attribution": the path (the first label, if jobs have any, then user, model,
   job), a note, and a tree of nodes by column: name, parent, energy (J), GPU time (s), CO2 (kg) and
   cost, the last two where they are known. Of each level the largest nodes below a node are kept;
   the others are one together. */
int attribution_json_add(struct str *out, const struct recorded_run *run,
                         struct error *reterr) MUST_CHECK;

#endif

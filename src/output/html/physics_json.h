/* What the models of a run say, with their evidence: models.yaml of a folder of results. */
#ifndef EASIM_OUTPUT_HTML_PHYSICS_JSON_H
#define EASIM_OUTPUT_HTML_PHYSICS_JSON_H

#include "base/error.h"
#include "base/str.h"

/* Adds the member "physics": a list of model, gpu_type (null: of all), parameter, value, evidence,
   source; empty if there is no models.yaml. */
int physics_json_add(struct str *out, const char *folder, struct error *reterr) MUST_CHECK;

#endif

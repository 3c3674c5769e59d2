/* The serving tables of models, for a person. */
#ifndef EASIM_OUTPUT_MODELS_SERVING_REPORT_H
#define EASIM_OUTPUT_MODELS_SERVING_REPORT_H

#include "base/str.h"
#include "model/survey.h"

/* Appends the tables of the models, GPU types and k that are wished for, on GPU types of the
   cluster (NULL: on all): of each point rate and latency as pooled, power, energy per token or
   output. Returns how many tables there are. */
size_t serving_report(const struct model_set *models, const struct cluster *cluster,
                      const struct survey_wishes *wishes, struct str *out);

#endif

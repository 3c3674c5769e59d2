/* What models are made of: the parameters of each model and of each GPU type, with the evidence of
   each. */
#ifndef EASIM_OUTPUT_MODELS_PARAMETERS_REPORT_H
#define EASIM_OUTPUT_MODELS_PARAMETERS_REPORT_H

#include "base/str.h"
#include "model/survey.h"

/* Of the pairs that were looked at. */
void parameters_report(const struct survey *survey, struct str *out);

#endif

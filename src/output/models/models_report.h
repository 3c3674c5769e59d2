/* The tables a person reads of a survey: a table for each model on each GPU type, and why some of
   its configurations are not feasible. */
#ifndef EASIM_OUTPUT_MODELS_MODELS_REPORT_H
#define EASIM_OUTPUT_MODELS_MODELS_REPORT_H

#include "base/str.h"
#include "model/survey.h"

void models_report(const struct survey *survey, struct str *out);

#endif

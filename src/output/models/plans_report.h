/* The plans of transformers on the terminal: `easim models --plans`. */
#ifndef EASIM_OUTPUT_MODELS_PLANS_REPORT_H
#define EASIM_OUTPUT_MODELS_PLANS_REPORT_H

#include "base/str.h"
#include "model/survey.h"

/* Of every model, GPU type and k of the survey the fastest plans that fit the memory, with what an
   iteration under each is made of, and how many others there are. */
void plans_report(const struct survey *survey, struct str *out);

#endif

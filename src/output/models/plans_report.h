/* All plans of transformers, with what an iteration under each is made of: `easim models --plans`.
 */
#ifndef EASIM_OUTPUT_MODELS_PLANS_REPORT_H
#define EASIM_OUTPUT_MODELS_PLANS_REPORT_H

#include "base/str.h"
#include "model/survey.h"

/* The tables of every model, GPU type and k of the survey, by ascending time; on the terminal the
   first few of each that fit the memory. Returns how many plans there are. */
size_t plans_report(const struct survey *survey, struct str *out);
/* The same as CSV, all plans. */
void plans_csv(const struct survey *survey, struct str *out);

#endif

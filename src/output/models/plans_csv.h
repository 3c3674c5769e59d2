/* plans.csv: all plans of transformers. */
#ifndef EASIM_OUTPUT_MODELS_PLANS_CSV_H
#define EASIM_OUTPUT_MODELS_PLANS_CSV_H

#include "base/str.h"
#include "model/survey.h"

/* By model, GPU type, k and ascending time. */
void plans_csv(const struct survey *survey, struct str *out);

#endif

/* models.csv: every configuration of the models, with what they say of it. */
#ifndef EASIM_OUTPUT_MODELS_MODELS_CSV_H
#define EASIM_OUTPUT_MODELS_MODELS_CSV_H

#include "base/str.h"
#include "model/survey.h"

void models_csv(const struct survey *survey, struct str *out);

#endif

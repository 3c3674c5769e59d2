/* measured.csv: measured points beside what the models say of the same configurations. */
#ifndef EASIM_OUTPUT_MODELS_MEASURED_CSV_H
#define EASIM_OUTPUT_MODELS_MEASURED_CSV_H

#include "base/str.h"
#include "model/survey.h"

/* Nothing at all where there is no point. */
void measured_csv(const struct survey *survey, struct str *out);

#endif

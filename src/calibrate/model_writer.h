/* Calibrated models as a model file that says how its figures were found. */
#ifndef EASIM_CALIBRATE_MODEL_WRITER_H
#define EASIM_CALIBRATE_MODEL_WRITER_H

#include "calibrate/calibration.h"

/* Appends the file. Numbers read back exactly. */
void model_writer_write(struct str *out, const struct calibration *calibration);

#endif

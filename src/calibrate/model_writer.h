/* Calibrated models as a model file that says how its figures were found. */
#ifndef EASIM_CALIBRATE_MODEL_WRITER_H
#define EASIM_CALIBRATE_MODEL_WRITER_H

#include "calibrate/form_choice.h"
#include "calibrate/limits.h"

struct writer_options {
    const char *profile; /* file name, for `source` */
    double m0, phi;      /* NAN: not known */
};

/* Appends the file of all choices (and their power limits, by the same index); choices of one model
   stand together. Numbers read back exactly. */
void model_writer_write(struct str *out, const struct form_choice *choices,
                        const struct limits *limits, size_t count,
                        const struct writer_options *options);

#endif

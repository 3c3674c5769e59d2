/* Measured inference as text: models of a model file, and what is said of them on the terminal. */
#ifndef EASIM_CALIBRATE_INFERENCE_WRITER_H
#define EASIM_CALIBRATE_INFERENCE_WRITER_H

#include "base/str.h"
#include "calibrate/inference.h"

/* Appends the models, each with all its tables, as items of `models`; profile: file name, for
   `source`. Numbers read back exactly. */
void inference_write_models(struct str *out, const struct inference *inference,
                            const char *profile);
/* Appends tables, what was done to their points, and left-out errors over all of them: median, 90 %
   quantile and the worst by name. */
void inference_write_report(struct str *out, const struct inference *inference);
/* Appends how many rows the models predict, and their errors. False if the mean error of rate,
   power or median latency is above max_error. */
bool inference_write_check(struct str *out, const struct inference_check *check, double max_error);

#endif

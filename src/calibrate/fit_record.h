/* The record of a fit in a model file, which no run reads: how figures were found and how well. */
#ifndef EASIM_CALIBRATE_FIT_RECORD_H
#define EASIM_CALIBRATE_FIT_RECORD_H

#include "base/str.h"
#include "calibrate/choice.h"
#include "calibrate/convergence.h"
#include "calibrate/validation.h"

/* --- writer_text: pieces of YAML that both parts of a written model use --- */

/* The same with a text, quoted. */
void writer_text(struct str *out, const char *indent_key, const char *text);
/* ", key: value" inside braces; the first one without a comma. NAN: nothing. */
void writer_item(struct str *out, const char *key, double value);
/* The same with a text, quoted. */
void writer_item_text(struct str *out, const char *key, const char *text);
/* "a, b, c". */
void writer_list(struct str *out, const double *at, size_t count);

/* --- model_writer: calibrated models as a model file that says how its figures were found --- */

/* Appends the file. Numbers read back exactly. */
void model_writer_write(struct str *out, const struct calibration *calibration);

#endif

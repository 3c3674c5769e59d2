/* Numbers in JSON as text of our own, since cJSON does not keep every double. */
#ifndef EASIM_OUTPUT_JSON_H
#define EASIM_OUTPUT_JSON_H

#include "base/str.h"
#include "experiment/statistics.h"

#include <cjson/cJSON.h>

void json_add_real(cJSON *object, const char *name, double value); /* null if not finite */
void json_add_int(cJSON *object, const char *name, int64_t value);
void json_add_text(cJSON *object, const char *name, const char *text); /* null if NULL */
/* An object of n, mean and ci95. */
void json_add_estimate(cJSON *object, const char *name, const struct estimate *estimate);
/* Appends the text and a line end; frees root. */
void json_print(cJSON *root, struct str *out);

#endif

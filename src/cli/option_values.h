/* Values of options, by kind. Errors are causes: "expected ..., got ...", without the option. */
#ifndef EASIM_CLI_OPTION_VALUES_H
#define EASIM_CLI_OPTION_VALUES_H

#include "cli/option_row.h"

/* Fills in the member of the row: target. */
int option_value_read(const struct option_row *row, const char *text, void *target,
                      struct arena *arena, struct error *reterr) MUST_CHECK;
/* Place of the text among at least two names, which end with NULL. */
int option_read_choice(const char *text, const char *const *names, int *ret_place,
                       struct error *reterr) MUST_CHECK;
/* A column of the summary. */
int option_read_metric(const char *name, unsigned *ret_column, struct error *reterr) MUST_CHECK;

/* The next item of a list with commas; *list moves behind it. */
const char *option_next(const char **list, struct arena *arena);
/* The name in NAME=VALUE; *value is what stands behind the first '=', or NULL without one. */
const char *option_name(const char *item, struct arena *arena, const char **value);

#endif

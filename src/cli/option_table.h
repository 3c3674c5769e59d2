/* The options of all commands. */
#ifndef EASIM_CLI_OPTION_TABLE_H
#define EASIM_CLI_OPTION_TABLE_H

#include "cli/option_row.h"
#include "cli/options.h"

extern const struct option_row option_rows[]; /* ends with a NULL name */

/* Whether the command has the option of the row. */
bool option_belongs(const struct option_row *row, enum command command);
/* The row of the command with that name (the first `length` bytes), or NULL. */
const struct option_row *option_find(enum command command, const char *name, size_t length);
/* What was given for an option of the command, as text, "" for a flag; NULL: it was not given, or
   its usual value was. */
const char *option_given(const struct options *options, const char *name);

#endif

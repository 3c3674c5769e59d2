/* A column that a CSV file must have. */
#ifndef EASIM_CONFIG_NEEDED_COLUMN_H
#define EASIM_CONFIG_NEEDED_COLUMN_H

#include "io/csv.h"

/* Its place; -1 after adding a problem, which suggests a column of nearly that name. */
int needed_column_find(const struct csv *csv, const char *name, struct problems *problems);

#endif

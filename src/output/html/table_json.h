/* A small CSV file of results as JSON: {"columns": [...], "rows": [[...], ...]}. */
#ifndef EASIM_OUTPUT_HTML_TABLE_JSON_H
#define EASIM_OUTPUT_HTML_TABLE_JSON_H

#include "base/error.h"
#include "base/str.h"

/* Adds a member of that key: null if there is no such file. Cells are numbers, texts in the columns
   of names, null where they are empty. replication: only rows of it, where the file has the column;
   0: all. ERROR_INPUT names the place of a cell that is no number. */
int table_json_add(struct str *out, const char *key, const char *folder, const char *name,
                   int64_t replication, struct error *reterr) MUST_CHECK;

#endif

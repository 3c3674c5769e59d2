/* A regular expression that names are compared with (PCRE2, which survives a lack of memory;
   glibc's regcomp does not). */
#ifndef EASIM_INGEST_NAME_PATTERN_H
#define EASIM_INGEST_NAME_PATTERN_H

#include "base/error.h"
#include "base/str.h"

#include <stdbool.h>

struct name_pattern; /* opaque */

/* ERROR_INPUT: reterr says what is wrong with the text. */
int name_pattern_make(const char *text, struct name_pattern **ret_pattern,
                      struct error *reterr) MUST_CHECK;
/* 1: some part of the name matches; 0: none; negative: it could not be found out, for the pattern
   has too many ways to match. */
int name_pattern_matches(const struct name_pattern *pattern, struct slice name);
void name_pattern_free(struct name_pattern *pattern); /* accepts NULL */

#endif

/* Functions for readers of foreign files. */
#ifndef EASIM_INGEST_FOREIGN_H
#define EASIM_INGEST_FOREIGN_H

#include "base/error.h"
#include "base/str.h"

#include <stdbool.h>

#define FOREIGN_MAX_GPUS (1 << 30) /* of one job */

/* --- name_pattern --- */
/* A regular expression for names (PCRE2 survives a lack of memory; glibc's regcomp does not). */

struct name_pattern; /* opaque */

/* ERROR_INPUT: reterr says what is wrong with the text. */
int name_pattern_make(const char *text, struct name_pattern **ret_pattern,
                      struct error *reterr) MUST_CHECK;
/* 1: some part of the name matches, 0: none does, negative: unknown, because the pattern has too
   many ways to match. */
int name_pattern_matches(const struct name_pattern *pattern, struct slice name);
void name_pattern_free(struct name_pattern *pattern); /* accepts NULL */

#endif

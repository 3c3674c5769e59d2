/* What readers of foreign files share. */
#ifndef EASIM_INGEST_FOREIGN_H
#define EASIM_INGEST_FOREIGN_H

#include "base/str.h"

#define FOREIGN_MAX_GPUS (1 << 30) /* of one job */

/* A whole number, also written as "66.0" or "1e3" (up to 2^53). *value is untouched on failure. */
bool foreign_parse_whole(struct slice text, int64_t *value);

#endif

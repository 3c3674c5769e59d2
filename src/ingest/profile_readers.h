/* The measurements of real jobs that easim can read. */
#ifndef EASIM_INGEST_PROFILE_READERS_H
#define EASIM_INGEST_PROFILE_READERS_H

#include "ingest/profile.h"

extern const struct profile_reader *const profile_readers[]; /* NULL-terminated */

#endif

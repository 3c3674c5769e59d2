/* Records of Meta's dynolog. */
#ifndef EASIM_INGEST_TELEMETRY_DYNOLOG_H
#define EASIM_INGEST_TELEMETRY_DYNOLOG_H

#include "ingest/profile.h"

/* "dynolog": lines of its log (glog) or bare JSON lines; without times, a device's records are
 * --interval apart. */
extern const struct profile_reader dynolog_reader;

#endif

/* Emission logs of CodeCarbon. */
#ifndef EASIM_INGEST_RECORDS_CODECARBON_H
#define EASIM_INGEST_RECORDS_CODECARBON_H

#include "ingest/profile.h"

/* "codecarbon": emissions.csv of any version; of a run the last row. */
extern const struct profile_reader codecarbon_reader;

#endif

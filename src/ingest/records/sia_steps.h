/* Step times that Sia's simulator replays. */
#ifndef EASIM_INGEST_RECORDS_SIA_STEPS_H
#define EASIM_INGEST_RECORDS_SIA_STEPS_H

#include "ingest/profile.h"

/* "sia": APPLICATION-placements-TYPE.csv and APPLICATION-scalability-TYPE.csv, each row a local
   batch on GPUs of some nodes. */
extern const struct profile_reader sia_steps_reader;

#endif

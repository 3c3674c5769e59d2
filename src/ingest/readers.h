/* Fields of DCGM, for readers of folders of records and readers of telemetry. */
#ifndef EASIM_INGEST_READERS_H
#define EASIM_INGEST_READERS_H

#include "ingest/mlperf/mlperf_runs.h"
#include "ingest/records/records.h"
#include "ingest/telemetry/telemetry.h"

/* Puts a value into a sample by the field's name: short ("POWER"), of the library
   ("DCGM_FI_DEV_POWER_USAGE"), old or new. False: a field that is of no use here. *is_bad is set
   where the value of another cannot be read. */
bool dcgm_put(struct telemetry_sample *sample, struct slice field, struct slice cell, bool *is_bad);
/* The device of a series: by UUID, else by host and number. */
uint32_t dcgm_device(struct telemetry *telemetry, struct slice uuid, struct slice host,
                     struct slice gpu);

#endif

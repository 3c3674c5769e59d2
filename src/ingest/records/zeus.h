/* Logs of Zeus. */
#ifndef EASIM_INGEST_RECORDS_ZEUS_H
#define EASIM_INGEST_RECORDS_ZEUS_H

#include "ingest/profile.h"

/* "zeus": measurement windows (window_name, elapsed_time, gpu0_energy, ...), each a row; or
   summaries of a sweep (network, batch_size, power_limit, time_per_epoch, average_power). Which of
   them, the header shows. */
extern const struct profile_reader zeus_reader;

#endif

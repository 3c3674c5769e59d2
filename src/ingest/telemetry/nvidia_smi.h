/* Logs of nvidia-smi. */
#ifndef EASIM_INGEST_TELEMETRY_NVIDIA_SMI_H
#define EASIM_INGEST_TELEMETRY_NVIDIA_SMI_H

#include "ingest/profile.h"

/* "nvidia-smi": --query-gpu as CSV (with or without units and header, also with columns that a
   script put before), or dmon; which of them, the file shows. */
extern const struct profile_reader nvidia_smi_reader;

#endif

/* The table of foreign job logs. */
#include "ingest/logs/log_readers.h"

#include "ingest/logs/formats.h"

const struct trace_reader *const ingest_readers[] = {&swf_reader,
                                                     &itp_reader,
                                                     &philly_reader,
                                                     &philly_json_reader,
                                                     &alibaba_gpu_2023_reader,
                                                     &alibaba_pai_2020_reader,
                                                     &helios_reader,
                                                     &acme_reader,
                                                     &gavel_reader,
                                                     &pollux_reader,
                                                     &sia_reader,
                                                     &slurm_reader,
                                                     NULL};

/* The table of foreign job logs. */
#include "ingest/logs/log_readers.h"

#include "ingest/logs/alibaba.h"
#include "ingest/logs/gavel.h"
#include "ingest/logs/helios.h"
#include "ingest/logs/itp.h"
#include "ingest/logs/philly.h"
#include "ingest/logs/pollux.h"
#include "ingest/logs/slurm.h"
#include "ingest/logs/swf.h"

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

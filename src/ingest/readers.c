/* The table of foreign job logs. */
#include "ingest/readers.h"

#include "ingest/alibaba.h"
#include "ingest/gavel.h"
#include "ingest/helios.h"
#include "ingest/itp.h"
#include "ingest/philly.h"
#include "ingest/pollux.h"
#include "ingest/swf.h"

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
                                                     NULL};

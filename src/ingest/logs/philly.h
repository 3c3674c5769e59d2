/* Microsoft Philly GPU cluster, August to December 2017 (github.com/msr-fiddle/philly-traces). */
#ifndef EASIM_INGEST_LOGS_PHILLY_H
#define EASIM_INGEST_LOGS_PHILLY_H

#include "workload/trace.h"

/* The log has local times without a zone; its utilization tables bear PDT and PST. The rule of
   these, in force since 2007, is written out so that it needs no zone files. */
#define PHILLY_TIME_ZONE "PST8PDT,M3.2.0,M11.1.0"

/* "philly": rows are numbered from 1; the virtual cluster is the user. */
extern const struct trace_reader philly_reader;
/* "philly-json": the published cluster_job_log; labels vc, status, attempts. */
extern const struct trace_reader philly_json_reader;

#endif

/* Microsoft Philly GPU cluster, August to December 2017 (github.com/msr-fiddle/philly-traces). */
#ifndef EASIM_INGEST_LOGS_PHILLY_H
#define EASIM_INGEST_LOGS_PHILLY_H

#include "workload/trace.h"

/* The log has local times without a zone; its utilization tables bear PDT and PST. The rule of
   these, in force since 2007, is written out so that it needs no zone files. */
#define PHILLY_TIME_ZONE "PST8PDT,M3.2.0,M11.1.0"

#endif

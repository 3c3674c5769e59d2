/* Job logs of Helios (2020) and Acme (2023): GPU datacenters of SenseTime and the Shanghai AI Lab.
 */
#ifndef EASIM_INGEST_LOGS_HELIOS_H
#define EASIM_INGEST_LOGS_HELIOS_H

#include "workload/trace.h"

/* "helios" and "acme": one reader; state, queue, nodes, virtual cluster and the rest become labels.
 */
extern const struct trace_reader helios_reader, acme_reader;

#endif

/* Alibaba's GPU clusters: openb of 2023 (pods and nodes), and PAI of 2020 in the form of its
 * simulator. */
#ifndef EASIM_INGEST_LOGS_ALIBABA_H
#define EASIM_INGEST_LOGS_ALIBABA_H

#include "workload/trace.h"

/* The node list of openb as the cluster section of a scenario. Power is not in the list: the keys
   are left out, with a comment. Adds notes and rows_read to *notes. Negative after adding problems.
 */
int alibaba_nodes_read(const char *path, struct str *out, struct trace *notes,
                       struct problems *problems) MUST_CHECK;

#endif

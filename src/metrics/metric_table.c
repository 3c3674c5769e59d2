/* The table of metrics as an array. */
#include "metrics/metric_table.h"

#define METRIC_ROW(name, unit, better, tail, writer, label) \
    {#name, unit, METRIC_##better, METRIC_##tail, "src/metrics/" #writer ".c", label},

const struct metric metric_table[] = {METRIC_TABLE(METRIC_ROW) SERVICE_METRIC_TABLE(METRIC_ROW)
                                          NETWORK_METRIC_TABLE(METRIC_ROW)};

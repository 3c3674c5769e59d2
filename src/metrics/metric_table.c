/* The table of metrics as an array. */
#include "metrics/metric_table.h"

#define ROW(group, name, unit, better, tail, writer, label) \
    {#name, unit, METRIC_##better, METRIC_##tail, "src/metrics/" #writer ".c", label, group},
#define EVERY_ROW(...)   ROW(0, __VA_ARGS__)
#define SERVICE_ROW(...) ROW(METRICS_OF_SERVICES, __VA_ARGS__)
#define NETWORK_ROW(...) ROW(METRICS_OF_NETWORK, __VA_ARGS__)

const struct metric metric_table[] = {METRIC_TABLE(EVERY_ROW) SERVICE_METRIC_TABLE(SERVICE_ROW)
                                          NETWORK_METRIC_TABLE(NETWORK_ROW)};

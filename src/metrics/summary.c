/* Names and values of the summary columns. */
#include "metrics/summary.h"

#include <math.h>
#include <string.h>

/* --- metric_table --- */

#define ROW(group, name, type, unit, better, tail, writer, label) \
    {#name, METRIC_##type, unit, METRIC_##better, METRIC_##tail, "src/metrics/" #writer ".c", \
     label, group},
#define EVERY_ROW(...)   ROW(0, __VA_ARGS__)
#define SERVICE_ROW(...) ROW(METRICS_OF_SERVICES, __VA_ARGS__)
#define NETWORK_ROW(...) ROW(METRICS_OF_NETWORK, __VA_ARGS__)

const struct metric metric_table[] = {METRIC_TABLE(EVERY_ROW) SERVICE_METRIC_TABLE(SERVICE_ROW)
                                          NETWORK_METRIC_TABLE(NETWORK_ROW)};

/* --- summary --- */

#define SUMMARY_NAME(name, type, unit, better, tail, writer, label) #name,
const char *const summary_names[SUMMARY_ALL] = {METRIC_TABLE(SUMMARY_NAME) SERVICE_METRIC_TABLE(
    SUMMARY_NAME) NETWORK_METRIC_TABLE(SUMMARY_NAME)};

double summary_ratio(double numerator, double denominator) {
    return denominator > 0 ? numerator / denominator : NAN;
}

double summary_value(const struct summary *summary, unsigned column) {
    double value;
    memcpy(&value, (const char *)summary + column * sizeof value, sizeof value);
    return value;
}

bool summary_shows(unsigned groups, unsigned column) {
    unsigned group = metric_table[column].group;
    return group == 0 || (groups & group);
}

int summary_find(const char *name) {
    for (unsigned c = 0; c < SUMMARY_COUNT; c++)
        if (strcmp(summary_names[c], name) == 0)
            return (int)c;
    return -1;
}

bool summary_all_equal(const struct summary *summaries, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (memcmp(&summaries[i], &summaries[0], sizeof *summaries) != 0)
            return false;
    return count > 1;
}

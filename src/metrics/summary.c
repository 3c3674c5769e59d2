/* Names and values of the summary columns. */
#include "metrics/summary.h"

#include <string.h>

#define SUMMARY_NAME(column) #column,
const char *const summary_names[SUMMARY_COUNT] = {SUMMARY_COLUMNS(SUMMARY_NAME)};

double summary_value(const struct summary *summary, unsigned column) {
    double value;
    memcpy(&value, (const char *)summary + column * sizeof value, sizeof value);
    return value;
}

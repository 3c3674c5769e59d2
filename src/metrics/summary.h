/* The figures of one replication (docs/reference/outputs.md), one column each; NAN = not defined
 * for this run (an empty cell). */
#ifndef EASIM_METRICS_SUMMARY_H
#define EASIM_METRICS_SUMMARY_H

#include "metrics/metric_table.h"

#include <stdbool.h>
#include <stddef.h>

#define SUMMARY_MEMBER(name, type, unit, better, tail, writer, label) double name;
struct summary {
    METRIC_TABLE(SUMMARY_MEMBER)
    SERVICE_METRIC_TABLE(SUMMARY_MEMBER)
    NETWORK_METRIC_TABLE(SUMMARY_MEMBER)
};

/* The metrics that every run has come first; all, with those of metric groups. */
#define SUMMARY_COUNT (offsetof(struct summary, energy_service_kwh) / sizeof(double))
#define SUMMARY_ALL   (sizeof(struct summary) / sizeof(double))
/* The column of a member. */
#define SUMMARY_COLUMN(member) ((unsigned)(offsetof(struct summary, member) / sizeof(double)))

/* Names of the columns, an array by itself for those who list or search them. All members of a
   summary are double, so a summary is also an array of them. */
extern const char *const summary_names[SUMMARY_ALL];
/* What a metric is that is one figure per another: NAN where there is none of the other. */
double summary_ratio(double numerator, double denominator);
double summary_value(const struct summary *summary, unsigned column);
/* Whether results of runs with these metric groups (enum metric_group) show a column. */
bool summary_shows(unsigned groups, unsigned column);
/* The column of that name, or -1; of those that every run has. */
int summary_find(const char *name);
/* Whether all of several replications are the same: nothing is random, n equal runs are one run. */
bool summary_all_equal(const struct summary *summaries, size_t count);

#endif

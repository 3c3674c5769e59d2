/* The figures of one replication (docs/reference/outputs.md), one column each; NAN = not defined
 * for this run (an empty cell). */
#ifndef EASIM_METRICS_SUMMARY_H
#define EASIM_METRICS_SUMMARY_H

#include "base/arena.h"
#include "metrics/metric_table.h"

#include <stdbool.h>
#include <stddef.h>

#define SUMMARY_MEMBER(name, type, unit, better, tail, writer, label) double name;
/* The metrics of services, of a single one; what only all together have is NAN. */
struct service_row {
    SERVICE_METRIC_TABLE(SUMMARY_MEMBER)
};

struct service; /* workload/service.h */

struct summary {
    METRIC_TABLE(SUMMARY_MEMBER)
    SERVICE_METRIC_TABLE(SUMMARY_MEMBER)
    NETWORK_METRIC_TABLE(SUMMARY_MEMBER)
    LIMIT_METRIC_TABLE(SUMMARY_MEMBER)
    struct service_row *services; /* one by one, owned by the run or its result */
    size_t service_count;
};

/* The metrics that every run has come first; all, with those of metric groups. */
#define SUMMARY_COUNT (offsetof(struct summary, energy_service_kwh) / sizeof(double))
#define SUMMARY_ALL   (offsetof(struct summary, services) / sizeof(double))
/* Columns from SUMMARY_ALL on: so many of each service by itself. */
#define SERVICE_FIGURES (sizeof(struct service_row) / sizeof(double))
/* The column of a member. */
#define SUMMARY_COLUMN(member) ((unsigned)(offsetof(struct summary, member) / sizeof(double)))

/* Names of the columns, an array by itself for those who list or search them. Up to `services` all
   members of a summary are double, so it is also an array of them. */
extern const char *const summary_names[SUMMARY_ALL];
/* What a metric is that is one figure per another: NAN where there is none of the other. */
double summary_ratio(double numerator, double denominator);
/* NAN of a service that is not there. */
double summary_value(const struct summary *summary, unsigned column);
/* Whether results of runs with these metric groups (enum metric_group) show a column. */
bool summary_shows(unsigned groups, unsigned column);
/* The column of that name, or -1; of those that every run has. */
int summary_find(const char *name);
/* Whether two series of runs are the same. */
bool summary_same(const struct summary *ones, const struct summary *others, size_t count);
/* Whether all of several replications are the same: nothing is random, n equal runs are one run. */
bool summary_all_equal(const struct summary *summaries, size_t count);

/* --- metric_set --- */

/* The metrics that results of a study have, by name, in the order of their columns. Those of all
   services together are "services.FIGURE", of a single one "services.NAME.FIGURE". */
struct metric_set {
    const char *const *names;
    const unsigned *columns;
    size_t count;
};

/* All of it is in the arena. */
struct metric_set metric_set_of(unsigned groups, const struct service *services, size_t count,
                                struct arena *arena);
/* The column of that name; -1: the study has none. */
int metric_set_find(const struct metric_set *set, const char *name);
/* The name of a column of the study in tables by metric: that of summary.csv if it has one. */
const char *metric_set_name(const struct metric_set *set, unsigned column);

#endif

/* Names and values of the summary columns. */
#include "metrics/summary.h"

#include "workload/service.h"

#include <math.h>
#include <string.h>

/* --- metric_table --- */

#define ROW(group, name, type, unit, better, tail, writer, label) \
    {#name, METRIC_##type, unit, METRIC_##better, METRIC_##tail, "src/metrics/" #writer ".c", \
     label, group},
#define EVERY_ROW(...)   ROW(0, __VA_ARGS__)
#define SERVICE_ROW(...) ROW(METRICS_OF_SERVICES, __VA_ARGS__)
#define NETWORK_ROW(...) ROW(METRICS_OF_NETWORK, __VA_ARGS__)
#define LIMIT_ROW(...)   ROW(METRICS_OF_LIMITS, __VA_ARGS__)

const struct metric metric_table[] = {METRIC_TABLE(EVERY_ROW) SERVICE_METRIC_TABLE(
    SERVICE_ROW) NETWORK_METRIC_TABLE(NETWORK_ROW) LIMIT_METRIC_TABLE(LIMIT_ROW)};

/* --- summary --- */

#define SUMMARY_NAME(name, type, unit, better, tail, writer, label) #name,
const char *const summary_names[SUMMARY_ALL] = {METRIC_TABLE(SUMMARY_NAME) SERVICE_METRIC_TABLE(
    SUMMARY_NAME) NETWORK_METRIC_TABLE(SUMMARY_NAME) LIMIT_METRIC_TABLE(SUMMARY_NAME)};

double summary_ratio(double numerator, double denominator) {
    return denominator > 0 ? numerator / denominator : NAN;
}

const struct metric *metric_of(unsigned column) {
    return &metric_table[column < SUMMARY_ALL
                             ? column
                             : SUMMARY_COUNT + (column - SUMMARY_ALL) % SERVICE_FIGURES];
}

double summary_value(const struct summary *summary, unsigned column) {
    const void *from = summary;
    double value = NAN;
    if (column >= SUMMARY_ALL) {
        column -= SUMMARY_ALL;
        from = column < summary->service_count * SERVICE_FIGURES ? summary->services : NULL;
    }
    if (from)
        memcpy(&value, (const char *)from + column * sizeof value, sizeof value);
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

bool summary_same(const struct summary *ones, const struct summary *others, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (ones[i].service_count != others[i].service_count)
            return false;
        for (unsigned c = 0; c < SUMMARY_ALL + ones[i].service_count * SERVICE_FIGURES; c++) {
            const double one = summary_value(&ones[i], c), other = summary_value(&others[i], c);
            if (memcmp(&one, &other, sizeof one) != 0) /* NAN is NAN */
                return false;
        }
    }
    return true;
}

bool summary_all_equal(const struct summary *summaries, size_t count) {
    return count > 1 && summary_same(summaries + 1, summaries, count - 1);
}

/* --- metric_set --- */

struct metric_set metric_set_of(unsigned groups, const struct service *services, size_t count,
                                struct arena *arena) {
    const size_t most = SUMMARY_ALL + count * SERVICE_FIGURES;
    const char **names = arena_alloc(arena, most * sizeof *names);
    unsigned *columns = arena_alloc(arena, most * sizeof *columns);
    struct metric_set set = {names, columns, 0};
    for (unsigned c = 0; c < most; c++) {
        const struct metric *metric = metric_of(c);
        const char *service =
            c < SUMMARY_ALL ? NULL : services[(c - SUMMARY_ALL) / SERVICE_FIGURES].name;
        if (service ? metric == &metric_table[SUMMARY_COLUMN(energy_all_per_work_kwh)]
                    : !summary_shows(groups, c))
            continue;
        columns[set.count] = c;
        names[set.count++] = metric->group != METRICS_OF_SERVICES
                                 ? metric->name
                                 : arena_printf(arena, "services.%s%s%s", service ? service : "",
                                                service ? "." : "", metric->name);
    }
    return set;
}

int metric_set_find(const struct metric_set *set, const char *name) {
    for (size_t i = 0; i < set->count; i++)
        if (strcmp(set->names[i], name) == 0)
            return (int)set->columns[i];
    return -1;
}

const char *metric_set_name(const struct metric_set *set, unsigned column) {
    size_t i = 0;
    while (column >= SUMMARY_ALL && set->columns[i] != column)
        i++;
    return column < SUMMARY_ALL ? summary_names[column] : set->names[i];
}

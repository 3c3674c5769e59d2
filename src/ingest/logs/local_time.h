/* Date-times of job logs. */
#ifndef EASIM_INGEST_LOGS_LOCAL_TIME_H
#define EASIM_INGEST_LOGS_LOCAL_TIME_H

#include "io/time_zone.h"
#include "workload/trace.h"

/* What the times of one row met. */
struct clock_changes {
    bool twice, never; /* a time that the clock showed twice, or never */
};

/* "2017-11-05 01:30:00" on the clock of zone, or with a zone of its own ("+00:00", "Z"), as
   nanoseconds since 1970. False: no date-time of 1970..2096. */
bool local_time_read(struct slice text, struct time_zone *zone, struct clock_changes *changes,
                     int64_t *unix_ns);
/* Notes them for a row that is kept. */
void local_time_note(const struct clock_changes *changes, struct trace *trace, uint32_t line);

#endif

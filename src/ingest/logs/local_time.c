/* Date-times of job logs: see local_time.h. */
#include "ingest/logs/local_time.h"

#include "base/datetime.h"
#include "base/units.h"

#define MINUTE_LENGTH 16 /* of "2022-01-01 06:30": a zone comes behind it */

static bool has_zone(struct slice text) {
    for (size_t i = MINUTE_LENGTH; i < text.length; i++)
        if (text.at[i] == 'Z' || text.at[i] == 'z' || text.at[i] == '+' || text.at[i] == '-')
            return true;
    return false;
}

bool local_time_read(struct slice text, struct time_zone *zone, struct clock_changes *changes,
                     int64_t *unix_ns) {
    int64_t read_ns, utc_s;
    if (!datetime_parse(text.at, text.length, &read_ns) || read_ns < 0 ||
        units_s(read_ns) > TIME_MAX_S)
        return false;
    *unix_ns = read_ns;
    if (has_zone(text))
        return true;
    enum local_time kind = time_zone_utc(zone, read_ns / NS_PER_S, &utc_s);
    *unix_ns = utc_s * NS_PER_S + read_ns % NS_PER_S;
    changes->twice = changes->twice || kind == LOCAL_TIME_TWICE;
    changes->never = changes->never || kind == LOCAL_TIME_NEVER;
    return true;
}

void local_time_note(const struct clock_changes *changes, struct trace *trace, uint32_t line) {
    if (changes->twice)
        trace_note(trace, false, "a local time that the clock showed twice: taken as the first",
                   line);
    if (changes->never)
        trace_note(trace, false,
                   "a local time that the clock never showed: read as before the change", line);
}

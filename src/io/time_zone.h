/* Local times to UTC: a zone read once and then constant; the process's time zone is not used. */
#ifndef EASIM_IO_TIME_ZONE_H
#define EASIM_IO_TIME_ZONE_H

#include "base/error.h"
#include "base/str.h"

struct time_zone; /* opaque */

enum local_time {
    LOCAL_TIME_ONCE,
    LOCAL_TIME_TWICE, /* clocks were set back: the earlier of the two instants is taken */
    LOCAL_TIME_NEVER, /* clocks were set forward past it: read on the clock from before the change
                       */
};

/* name: "UTC"; an offset "+08:00", "-0330"; a POSIX rule "PST8PDT,M3.2.0,M11.1.0"; or an IANA name
   ("America/Los_Angeles") of $TZDIR or /usr/share/zoneinfo. *ret_zone is owned by the caller:
   time_zone_close. */
int time_zone_open(const char *name, struct time_zone **ret_zone, struct error *reterr) MUST_CHECK;
/* Whether a name is that of a zone in a file, the path of which is then appended. */
bool time_zone_find(const char *name, struct str *path);
/* The same from the bytes of a TZif file (RFC 8536). */
int time_zone_from_tzif(const void *bytes, size_t length, struct time_zone **ret_zone,
                        struct error *reterr) MUST_CHECK;
/* Seconds since 1970 read off a local clock to seconds since 1970 in UTC. Times of one day are told
   from each other at little cost. */
enum local_time time_zone_utc(struct time_zone *zone, int64_t local_s, int64_t *utc_s);
void time_zone_close(struct time_zone *zone); /* accepts NULL */

#endif

/* Date-times in text (ISO 8601) to nanoseconds since 1970-01-01T00:00Z; no leap seconds. */
#ifndef EASIM_BASE_DATETIME_H
#define EASIM_BASE_DATETIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "2022-01-01", "2022-01-01T06:30Z", "2022-01-01 06:30:15.25+01:00": a date of 1970..2199, then T
   or a blank and a time of day, then Z or an offset +HH, +HHMM or +HH:MM. Without a zone it is UTC.
   *unix_ns is untouched on failure. */
bool datetime_parse(const char *text, size_t length, int64_t *unix_ns);

/* Days from 1970-01-01 to a day of the Gregorian calendar; month 1..12. */
int64_t datetime_days(int year, int month, int day);

#endif

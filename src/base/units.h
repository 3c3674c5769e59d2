/* Units at the borders: durations in text, nanoseconds inside, kilowatt-hours outside. */
#ifndef EASIM_BASE_UNITS_H
#define EASIM_BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NS_PER_S        1000000000LL
#define S_PER_H         3600.0
#define WHOLE_GPU_MILLI 1000 /* a part of a GPU counts in thousandths */
#define J_PER_KWH       3.6e6
#define TIME_MAX_S      4e9       /* about 126 years: longer times are refused at the border */
#define TIME_NONE_NS    INT64_MAX /* "no such instant" */

/* "10h", "90 s", "1.5min", "250ms", "2d", or a bare number of seconds. Units: ns us ms s min h d w. */
bool units_parse_duration(const char *text, size_t length, double *seconds);
/* "80", "80GiB", "512 MiB", "40 GB": to GiB; a bare number is GiB. Units: KiB MiB GiB TiB KB MB GB TB B. */
bool units_parse_gib(const char *text, size_t length, double *gib);

/* Nearest nanosecond; seconds must be within +-TIME_MAX_S. */
int64_t units_ns(double seconds);
/* The first nanosecond that is not before a time: the nearest, if units_s of it is not below that, else the next.
   So the units_s of a nanosecond comes back as that (beyond 97 days, where several have the same, as the middle
   one). */
int64_t units_ns_not_before(double seconds);
double units_s(int64_t time_ns);

#endif

/* Units at the borders: durations in text, nanoseconds inside, kilowatt-hours outside. */
#ifndef EASIM_BASE_UNITS_H
#define EASIM_BASE_UNITS_H

#include "base/array.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NS_PER_S        1000000000LL
#define S_PER_H         3600.0
#define WHOLE_GPU_MILLI 1000 /* a part of a GPU counts in thousandths */
#define J_PER_KWH       3.6e6
#define TIME_MAX_S      4e9       /* about 126 years: longer times are refused at the border */
#define TIME_NONE_NS    INT64_MAX /* "no such instant" */

/* What a number is of, and the unit that a bare number has. */
#define TIME_UNITS "ns, us, ms, s, min, h, d, w"
#define DIMENSIONS(X) \
    X(DIMENSION_NONE, "", ""), /* a plain number: no unit is accepted */ \
        X(DIMENSION_TIME, "s", TIME_UNITS), \
        X(DIMENSION_GIB, "GiB", "B, kB, MB, GB, TB, KiB, MiB, GiB, TiB"), /* memory of GPUs */ \
        X(DIMENSION_BYTES, "B", "B, kB, MB, GB, TB, KiB, MiB, GiB, TiB"), \
        X(DIMENSION_POWER, "W", "W, kW, MW"), \
        X(DIMENSION_ENERGY, "J", "J, kJ, MJ, GJ, Wh, kWh, MWh"), \
        X(DIMENSION_ENERGY_KWH, "kWh", "J, kJ, MJ, GJ, Wh, kWh, MWh"), \
        X(DIMENSION_CARBON, "g/kWh", "g/kWh, kg/kWh, kg/MWh, t/MWh"), \
        X(DIMENSION_PRICE, "currency/MWh", \
          "/MWh, /kWh, with or without a currency as in EUR/MWh"), \
        X(DIMENSION_WATER, "l/kWh", "l/kWh, l/MWh"), X(DIMENSION_RATE, "1/s", "/s, /min, /h, /d"), \
        X(DIMENSION_BANDWIDTH, "B/s", \
          "B/s, kB/s, MB/s, GB/s, TB/s, MiB/s, GiB/s, Mbit/s, Gbit/s, Tbit/s")
enum dimension { DIMENSIONS(ENUM_OF) };

/* A number, or a number and a unit of the dimension, blanks between them or not: "6 kW" is 6000 of
   DIMENSION_POWER, the nearest double to the product. false for anything else, infinity included;
   *value is then untouched. */
bool units_parse(enum dimension dimension, const char *text, size_t length, double *value);
/* Whether the text is a number with something behind it: a unit, of whatever. */
bool units_is_other(const char *text, size_t length);
/* ", did you mean "7d"?" of "7 days", for messages; "" if it names no time in words. */
#define UNITS_HINT_BYTES 64
const char *units_time_hint(const char *text, char hint[static UNITS_HINT_BYTES]);
/* How long the number is before a unit, of whatever dimension, and blanks; else 0. */
size_t units_number_length(const char *text, size_t length);
/* "W, kW, MW": for messages. "" of DIMENSION_NONE. */
const char *units_accepted(enum dimension dimension);
/* Appends a regular expression (ECMA 262) of what units_parse takes. */
void units_add_pattern(enum dimension dimension, bool may_be_negative, struct str *out);
/* The dimension that counts in that unit ("W", "s", "kWh", ...); DIMENSION_NONE for any other. */
enum dimension units_dimension(const char *base_unit);

/* A share above 0, as "2%", "2 %" or "0.02". */
bool units_parse_share(const char *text, size_t length, double *share);

/* A DIMENSION_TIME within +-TIME_MAX_S. */
bool units_parse_duration(const char *text, size_t length, double *seconds);

/* llround without a call: the nearest integer, halves away from zero; it must fit. */
static inline int64_t units_nearest(double value) {
    int64_t whole = (int64_t)value;
    double rest = value - (double)whole; /* exact */
    return whole + (rest >= 0.5) - (rest <= -0.5);
}

/* Nearest nanosecond; seconds must be within +-TIME_MAX_S. */
int64_t units_ns(double seconds);
/* The first nanosecond that is not before a time: the nearest, if units_s of it is not below that,
   else the next. So the units_s of a nanosecond comes back as that (beyond 97 days, where several
   have the same, as the middle one). */
int64_t units_ns_not_before(double seconds);
/* That a computation of time_s, at least 0, takes (semantics 10.1); at most TIME_MAX_S. The
   rounding of a double is not pushed to the next nanosecond. */
int64_t units_duration_ns(double time_s);
double units_s(int64_t time_ns);

#endif

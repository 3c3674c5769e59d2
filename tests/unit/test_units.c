/* Durations and sizes with units. Expected values are products written out in the rows. */
#include "base/units.h"
#include "cluster/power_meter.h" /* int128 */

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

Test(units, durations) {
    static const struct {
        const char *text;
        double seconds;
    } cases[] = {
        {"2.385", 2.385}, {"90 s", 90},    {"90s", 90},       {"10h", 36000}, {"1.5min", 90},
        {"250ms", 0.25},  {"2d", 172800},  {"3w", 1814400},   {"1e3s", 1000}, {"1e3", 1000},
        {"7us", 7e-6},    {"13ns", 13e-9}, {"0.3ms", 0.3e-3}, {"-5s", -5},    {"4e9", 4e9},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double seconds = -1;
        cr_assert(units_parse_duration(cases[i].text, strlen(cases[i].text), &seconds), "%s",
                  cases[i].text);
        cr_assert_float_eq(seconds, cases[i].seconds, 1e-22, "%s", cases[i].text);
    }
}

Test(units, sizes) {
    static const struct {
        const char *text;
        double gib;
    } cases[] = {
        {"80", 80},
        {"80GiB", 80},
        {"512 MiB", 0.5},
        {"2.5TiB", 2560},
        {"3 KiB", 3.0 / (1024 * 1024)},
        {"1073741824B", 1},
        {"40 GB", 40e9 / 1073741824},
        {"640MB", 640e6 / 1073741824},
        {"17KB", 17e3 / 1073741824},
        {"1.5TB", 1.5e12 / 1073741824},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double gib = -1;
        cr_assert(units_parse(DIMENSION_GIB, cases[i].text, strlen(cases[i].text), &gib), "%s",
                  cases[i].text);
        cr_assert_eq(gib, cases[i].gib, "%s: %.17g", cases[i].text, gib);
    }
}

/* "6 kW" is 6000 bit for bit, and so is every decimal: the nearest double to the product, as the
 * compiler reads it.
 */
Test(units, quantities) {
    static const struct {
        enum dimension dimension;
        const char *text;
        double value;
    } cases[] = {
        {DIMENSION_POWER, "6000", 6000},
        {DIMENSION_POWER, "6000 W", 6000},
        {DIMENSION_POWER, "6 kW", 6000},
        {DIMENSION_POWER, "6kW", 6000},
        {DIMENSION_POWER, "0.006MW", 6000},
        {DIMENSION_POWER, "1.005 kW", 1005}, /* 1.005 * 1000 in doubles is 1004.9999999999999 */
        {DIMENSION_POWER, "4.35e-3 kW", 4.35},
        {DIMENSION_POWER, "-2.3kW", -2300},
        {DIMENSION_ENERGY, "1.1 kWh", 3.96e6},
        {DIMENSION_ENERGY, "7.3 Wh", 26280},
        {DIMENSION_ENERGY, "0.29 GJ", 2.9e8},
        {DIMENSION_ENERGY_KWH, "3.6 MJ", 1},
        {DIMENSION_ENERGY_KWH, "2.3 MWh", 2300},
        {DIMENSION_ENERGY_KWH, "17 Wh", 0.017},
        {DIMENSION_CARBON, "0.385 kg/kWh", 385},
        {DIMENSION_CARBON, "385 g/kWh", 385},
        {DIMENSION_CARBON, "385 kg/MWh", 385},
        {DIMENSION_PRICE, "0.0823 EUR/kWh", 82.3},
        {DIMENSION_PRICE, "-17.5 /MWh", -17.5},
        {DIMENSION_PRICE, "82.3 USD/MWh", 82.3},
        {DIMENSION_WATER, "1.8 l/kWh", 1.8},
        {DIMENSION_RATE, "36 /h", 0.01},
        {DIMENSION_RATE, "0.3/min", 0.005},
        {DIMENSION_BYTES, "1.5 kB", 1500},
        {DIMENSION_BYTES, "3 MiB", 3145728},
        {DIMENSION_BANDWIDTH, "400Gbit/s", 50e9},
        {DIMENSION_BANDWIDTH, "100 GB/s", 100e9},
        {DIMENSION_BANDWIDTH, "1.1 Mbit/s", 137500},
        {DIMENSION_BANDWIDTH, "3 MiB/s", 3145728},
        {DIMENSION_TIME, "1.005ms", 0.001005},
        {DIMENSION_TIME, "1.1h", 3960},
        {DIMENSION_NONE, "2.385", 2.385},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = -1;
        cr_assert(units_parse(cases[i].dimension, cases[i].text, strlen(cases[i].text), &value),
                  "%s", cases[i].text);
        cr_assert_eq(value, cases[i].value, "%s: %.17g", cases[i].text, value);
    }
}

Test(units, other_units) {
    static const struct {
        enum dimension dimension;
        const char *text;
    } cases[] = {{DIMENSION_POWER, "6 kWh"},    {DIMENSION_POWER, "6 kw"},
                 {DIMENSION_POWER, "6 s"},      {DIMENSION_ENERGY, "6 kW"},
                 {DIMENSION_CARBON, "6 g"},     {DIMENSION_CARBON, "6 g/MWh"},
                 {DIMENSION_PRICE, "6 EUR"},    {DIMENSION_PRICE, "6 /Wh"},
                 {DIMENSION_RATE, "6 Hz"},      {DIMENSION_NONE, "6 W"},
                 {DIMENSION_TIME, "6 W"},       {DIMENSION_POWER, "1e308 MW"},
                 {DIMENSION_POWER, "1e999"},    {DIMENSION_POWER, "inf"},
                 {DIMENSION_POWER, "nan W"},    {DIMENSION_POWER, "infinity kW"},
                 {DIMENSION_BYTES, "6 MiBs"},   {DIMENSION_GIB, "6 W"},
                 {DIMENSION_BANDWIDTH, "6 GB"}, {DIMENSION_BANDWIDTH, "6 Gbit"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = 2.385;
        cr_assert_not(units_parse(cases[i].dimension, cases[i].text, strlen(cases[i].text), &value),
                      "%s", cases[i].text);
        cr_assert_eq(value, 2.385);
    }
    cr_assert(units_is_other("6 kWh", 5));
    cr_assert_not(units_is_other("6", 1));
    cr_assert_not(units_is_other("six", 3));
    cr_assert_eq(units_dimension("W"), DIMENSION_POWER);
    cr_assert_eq(units_dimension("jobs"), DIMENSION_NONE);
}

Test(units, refused) {
    static const char *const durations[] = {
        "",   "s",     "10 parsecs", "10 H",  "h10",   "10  ",   " 10",    "10h ", "1h30",
        "1e", "ten s", "10GB",       "4.1e9", "-127y", "70000d", "1e308w", "nan",  "10 s s"};
    for (size_t i = 0; i < sizeof durations / sizeof *durations; i++) {
        double value = 2.385;
        cr_assert_not(units_parse_duration(durations[i], strlen(durations[i]), &value), "%s",
                      durations[i]);
        cr_assert_eq(value, 2.385);
    }
    static const char *const sizes[] = {"",     "GiB",        "80 gib",  "80 GiB ",
                                        "80 s", "8e307TiB80", "1e308TiB"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        double value = 2.385;
        cr_assert_not(units_parse(DIMENSION_GIB, sizes[i], strlen(sizes[i]), &value), "%s",
                      sizes[i]);
        cr_assert_eq(value, 2.385);
    }
}

/* Nanoseconds are seconds times 10^9, to the nearest: written out as integers. */
Test(units, nanoseconds) {
    static const struct {
        double seconds;
        int64_t time_ns;
    } cases[] = {
        {2.385, 2385000000},
        {-2.385, -2385000000},
        {0.1, 100000000},
        {1e-9, 1},
        {0.4e-9, 0},
        {0.6e-9, 1},
        {123456789.123456789, 123456789123456789},
        {3.9e9, 3900000000000000000},
        {-4e9, -4000000000000000000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t difference = units_ns(cases[i].seconds) - cases[i].time_ns;
        /* a double near 1.2e8 s is a multiple of 15 ns: the literal itself is up to 7.5 ns off */
        int64_t allowed = cases[i].seconds > 1e8 && cases[i].seconds < 1e9 ? 8 : 0;
        cr_assert(difference >= -allowed && difference <= allowed, "%.17g", cases[i].seconds);
    }
    for (int64_t time_ns = 1; time_ns < 1LL << 53; time_ns = time_ns * 3 + 17)
        cr_assert_eq(units_ns(units_s(time_ns)), time_ns);
    cr_assert_eq(units_s(2385000000), 2.385);
    cr_assert_eq(units_s(-1500000000), -1.5);
    cr_assert_eq(units_s(4000000000000000000), 4e9);
}

/* 2^-60 of ns in seconds, exactly; seconds must be 0 or a multiple of 2^-90 that is not too large.
 */
static int128 exact_parts(double seconds) {
    int exponent;
    int128 mantissa = (int128)ldexp(frexp(seconds, &exponent), 53);
    int shift = exponent - 53 + 60;
    if (shift < -126)
        return 0;
    return shift >= 0 ? (mantissa << shift) * 1000000000 : mantissa * 1000000000 >> -shift;
}

/* Rows: n = floor(Fraction(s) * 10**9 + Fraction(1, 2)) in Python, one more where n / 10**9 < s. */
Test(units, first_ns_not_before) {
    static const struct {
        double seconds;
        int64_t ns;
    } rows[] = {{0, 0},
                {5e-324, 1},
                {0x1p-1022, 1},
                {1e-9, 1},
                {1.4e-9, 2},
                {3e-9, 3},
                {0.1, 100000000},
                {0.3, 300000000},
                {8.385, 8385000000},
                {23.385, 23385000000},
                {1.0000000004, 1000000001},
                {1.0000000005, 1000000001},
                {2100000.000000001, 2100000000000001},
                {9007199.254740993, 9007199254740993},
                {123456789.012345678, 123456789012345672},
                {3999999999.9999995, 3999999999999999523},
                {4e9, 4000000000000000000}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(units_ns_not_before(rows[i].seconds), rows[i].ns, "%.17g: %lld",
                     rows[i].seconds, (long long)units_ns_not_before(rows[i].seconds));
}

/* Times of every size, each second one a whole nanosecond or a double beside one: the clock is not
   before them, was before them one nanosecond earlier as far as doubles tell, and is less than one
   nanosecond late. */
Test(units, clock_at_first_ns) {
    const int128 ns = (int128)1 << 60;
    uint64_t state = 88172645463325252u; /* xorshift */
    for (int i = 0; i < 400000; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        double seconds = ldexp((double)(state >> 11) * 0x1p-53, (int)(state % 63) - 31);
        if (i % 2 == 0) {
            seconds = units_s(units_ns(fmin(seconds, TIME_MAX_S)));
            seconds = i % 4 == 0 ? seconds : nextafter(seconds, i % 8 == 2 ? INFINITY : 0);
        }
        if (seconds > TIME_MAX_S)
            continue;
        int64_t found = units_ns_not_before(seconds);
        cr_assert(units_s(found) >= seconds, "%.17g: %lld", seconds, (long long)found);
        cr_assert(seconds >= 0x1p23 || units_s(found - 1) < seconds, "%.17g: %lld", seconds,
                  (long long)found);
        int128 late = found * ns - exact_parts(seconds);
        cr_assert(late >= -ns / 2 - ns / 1000000 && late <= ns, "%.17g: %lld", seconds,
                  (long long)found);
    }
}

/* The conversions to whole nanoseconds and nanowatts, as libm's functions write them. */
static void expect_as_libm(double value) {
    double seconds = fmax(-TIME_MAX_S, fmin(value, TIME_MAX_S)), whole = trunc(seconds);
    cr_expect_eq(units_ns(seconds), (int64_t)whole * NS_PER_S + llround((seconds - whole) * 1e9),
                 "ns of %a", seconds);
    cr_expect_eq(power_nw(value), llround(fmin(value, POWER_MAX_W) * 1e9), "nW of %a", value);
    if (!(value < 0))
        cr_expect_eq(units_duration_ns(value), (int64_t)ceil(fmin(value, TIME_MAX_S) * 1e9 - 0.001),
                     "duration of %a", value);
    if (fabs(value) < 0x1p63)
        cr_expect_eq(units_nearest(value), llround(value), "nearest to %a", value);
}

/* Ties, what lies beside them, the ends of each range, and 10^6 values of all sizes. */
Test(units, conversions_as_libm) {
    static const double edges[] = {0,   0x1p-1074, 0x1p-1022, 0.001, 0.5,     1.5,        2.5,
                                   1e9, 0x1p31,    0x1p32,    3.9e9, 0x1p52,  0x1p53 - 1, 0x1.8p52,
                                   4e9, 8.9e9,     9e9,       9.1e9, INFINITY};
    static const double scales[] = {1, 1e-9, 1e-3};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
            double edge = edges[i] * scales[s];
            const double near[] = {edge, nextafter(edge, INFINITY), nextafter(edge, 0)};
            for (size_t n = 0; n < sizeof near / sizeof *near; n++) {
                expect_as_libm(near[n]);
                if (near[n] <= POWER_MAX_W)
                    expect_as_libm(-near[n]);
            }
        }
    cr_expect_eq(power_nw(NAN), 9000000000000000000, "a cap that is no number bounds nothing");
    cr_expect_eq(units_duration_ns(NAN), 4000000000000000000);
    uint64_t state = 88172645463325252u; /* xorshift */
    for (int i = 0; i < 1000000; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        double value = ldexp((double)(state >> 11) * 0x1p-53, (int)(state % 73) - 40);
        value = i % 4 == 0 ? rint(value * 2) / 2 : i % 4 == 1 ? rint(value * 2e9) / 2e9 : value;
        expect_as_libm(i % 8 < 6 || value > POWER_MAX_W ? value : -value);
    }
}

/* Decimal literals: the nearest doubles. */
Test(units, shares) {
    static const struct {
        const char *text;
        double value;
    } good[] = {{"3%", 0.03}, {"2.385 %", 0.02385}, {"0.03", 0.03}, {"150%", 1.5}, {"1e-7%", 1e-9}};
    static const char *const bad[] = {"",    "%",   " %",  "0",    "0%",   "-3%",
                                      "3%%", "3 W", "nan", "inf%", "1e999"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        double share = 7;
        cr_assert(units_parse_share(good[i].text, strlen(good[i].text), &share), "%s",
                  good[i].text);
        cr_assert(share == good[i].value, "%s: %.17g", good[i].text, share);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double share = 7;
        cr_assert_not(units_parse_share(bad[i], strlen(bad[i]), &share), "%s", bad[i]);
        cr_assert(share == 7);
    }
}

/* Time zones. Expected offsets are those of the laws: PST is UTC-8 and PDT UTC-7, Lord Howe changes
   by half an hour, and so on; instants as seconds by `date -u -d ... +%s`. */
#include "base/datetime.h"
#include "base/units.h"
#include "io/time_zone.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define PACIFIC "PST8PDT,M3.2.0,M11.1.0"

static int64_t seconds(const char *text) {
    int64_t unix_ns = 0;
    cr_assert(datetime_parse(text, strlen(text), &unix_ns), "%s", text);
    return unix_ns / NS_PER_S;
}

static const struct {
    const char *zone, *local, *utc;
    enum local_time kind;
} cases[] = {
    {"UTC", "2017-11-05 01:30:00", "2017-11-05 01:30:00", LOCAL_TIME_ONCE},
    {"+08:00", "2017-11-05 01:30:00", "2017-11-04 17:30:00", LOCAL_TIME_ONCE},
    {"-0330", "2017-11-05 01:30:00", "2017-11-05 05:00:00", LOCAL_TIME_ONCE},
    {"+5", "2017-11-05 01:30:00", "2017-11-04 20:30:00", LOCAL_TIME_ONCE},
    {PACIFIC, "2017-07-01 12:00:00", "2017-07-01 19:00:00", LOCAL_TIME_ONCE},
    {PACIFIC, "2017-12-01 12:00:00", "2017-12-01 20:00:00", LOCAL_TIME_ONCE},
    {PACIFIC, "2017-11-05 00:59:59", "2017-11-05 07:59:59", LOCAL_TIME_ONCE},
    {PACIFIC, "2017-11-05 01:00:00", "2017-11-05 08:00:00", LOCAL_TIME_TWICE},
    {PACIFIC, "2017-11-05 01:59:59", "2017-11-05 08:59:59", LOCAL_TIME_TWICE},
    {PACIFIC, "2017-11-05 02:00:00", "2017-11-05 10:00:00", LOCAL_TIME_ONCE},
    {PACIFIC, "2018-03-11 01:59:59", "2018-03-11 09:59:59", LOCAL_TIME_ONCE},
    {PACIFIC, "2018-03-11 02:00:00", "2018-03-11 10:00:00", LOCAL_TIME_NEVER},
    {PACIFIC, "2018-03-11 03:00:00", "2018-03-11 10:00:00", LOCAL_TIME_ONCE},
    {PACIFIC, "1970-01-01 00:00:00", "1970-01-01 08:00:00", LOCAL_TIME_ONCE},
    /* week 5 is the last; the summer time of the south holds over the new year, half an hour wide
     */
    {"CET-1CEST,M3.5.0,M10.5.0/3", "2021-10-31 02:30:00", "2021-10-31 00:30:00", LOCAL_TIME_TWICE},
    {"<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2022-01-15 12:00:00", "2022-01-15 01:00:00",
     LOCAL_TIME_ONCE},
    {"<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2022-07-15 12:00:00", "2022-07-15 01:30:00",
     LOCAL_TIME_ONCE},
    {"<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2022-04-03 01:45:00", "2022-04-02 14:45:00",
     LOCAL_TIME_TWICE},
    /* days of the year: J60 is March 1 in every year, 59 is February 29 of a leap year */
    {"AAA0BBB,J60/0,J300", "2020-02-29 12:00:00", "2020-02-29 12:00:00", LOCAL_TIME_ONCE},
    {"AAA0BBB,J60/0,J300", "2020-03-01 12:00:00", "2020-03-01 11:00:00", LOCAL_TIME_ONCE},
    {"AAA0BBB,59/0,300", "2020-02-29 12:00:00", "2020-02-29 11:00:00", LOCAL_TIME_ONCE},
};

static void check(struct time_zone *zone, size_t i) {
    int64_t utc_s = 0;
    cr_expect_eq(time_zone_utc(zone, seconds(cases[i].local), &utc_s), cases[i].kind, "%s %s",
                 cases[i].zone, cases[i].local);
    cr_expect_eq(utc_s, seconds(cases[i].utc), "%s %s: %lld", cases[i].zone, cases[i].local,
                 (long long)utc_s);
}

Test(time_zone, rules_and_offsets) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct time_zone *zone = NULL;
        struct error error = {0};
        cr_assert_eq(time_zone_open(cases[i].zone, &zone, &error), 0, "%s", error.text);
        check(zone, i);
        time_zone_close(zone);
    }
}

/* The installed zone answers as the rule does since 2007, and knows the rule of before: in 2006 the
   first Sunday in April, so that 2006-03-20 was still PST. */
Test(time_zone, installed_zone) {
    struct time_zone *zone = NULL;
    struct error error = {0};
    int64_t utc_s = 0;
    if (time_zone_open("America/Los_Angeles", &zone, &error) < 0)
        cr_skip("no zone files are installed");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (strcmp(cases[i].zone, PACIFIC) == 0)
            check(zone, i);
    cr_assert_eq(time_zone_utc(zone, seconds("2006-03-20 12:00:00"), &utc_s), LOCAL_TIME_ONCE);
    cr_assert_eq(utc_s, seconds("2006-03-20 20:00:00"));
    time_zone_close(zone);
}

static const char *const bad_names[] = {
    "",        "../etc/passwd",           "/etc/passwd",    "Mars/Olympus", "+25:00",
    "PST8PDT", "PST8PDT,M13.1.0,M11.1.0", "PST8PDT,M3.2.0", "+08:60"};

Test(time_zone, bad_names) {
    for (size_t i = 0; i < sizeof bad_names / sizeof *bad_names; i++) {
        struct time_zone *zone = NULL;
        struct error error = {0};
        setenv("TZDIR", "/nowhere", 1);
        cr_expect_eq(time_zone_open(bad_names[i], &zone, &error), ERROR_INPUT, "%s", bad_names[i]);
        cr_expect(error.text[0]);
    }
}

/* A file with a single change, at 1000000000 (2001-09-09 01:46:40 UTC) from +1 h to +2 h, and no
   rule behind it. Each of its prefixes is refused. */
Test(time_zone, tzif) {
#define FOUR "\0\0\0\0"
#define HEAD "TZif2" FOUR FOUR FOUR "\0\0\0" FOUR FOUR FOUR /* no leap seconds, no indicators */
    static const unsigned char file[] =
        HEAD FOUR "\0\0\0\1\0\0\0\2"
                  "\0\0\x0e\x10\0\0"
                  "A\0" HEAD "\0\0\0\1\0\0\0\2\0\0\0\2" FOUR "\x3b\x9a\xca\0"
                  "\1"
                  "\0\0\x0e\x10\0\0"
                  "\0\0\x1c\x20\1\0"
                  "A\0\n"
                  "\n";
    size_t length = sizeof file - 1;
    struct time_zone *zone = NULL;
    struct error error = {0};
    int64_t utc_s = 0;
    cr_assert_eq(time_zone_from_tzif(file, length, &zone, &error), 0, "%s", error.text);
    cr_expect_eq(time_zone_utc(zone, 900000000, &utc_s), LOCAL_TIME_ONCE);
    cr_expect_eq(utc_s, 900000000 - 3600);
    cr_expect_eq(time_zone_utc(zone, 1100000000, &utc_s), LOCAL_TIME_ONCE);
    cr_expect_eq(utc_s, 1100000000 - 7200);
    cr_expect_eq(time_zone_utc(zone, 1000000000 + 3600, &utc_s), LOCAL_TIME_NEVER);
    cr_expect_eq(utc_s, 1000000000);
    time_zone_close(zone);
    for (size_t n = 0; n < length; n++) {
        unsigned char *prefix = malloc(n + 1);
        memcpy(prefix, file, n);
        cr_expect_eq(time_zone_from_tzif(prefix, n, &zone, &error), ERROR_INPUT, "%zu", n);
        free(prefix);
    }
}

/* What is kept of a day changes no answer: the same as of a zone that was just opened, forward and
   backward through the changes of two years. */
Test(time_zone, days_that_are_kept) {
    static const char *const names[] = {"PST8PDT,M3.2.0,M11.1.0", "XXX-2YYY,J60/0,J62/0", "+05:30"};
    for (size_t z = 0; z < sizeof names / sizeof *names; z++) {
        struct time_zone *kept = NULL;
        struct error error = {0};
        cr_assert_eq(time_zone_open(names[z], &kept, &error), 0);
        for (int i = 0; i < 4 * 365 * 24; i++) {
            int64_t step = i < 2 * 365 * 24 ? i : 4 * 365 * 24 - i, one_s, other_s;
            int64_t local_s = seconds("2016-01-01 00:20:00") + 3600 * step;
            struct time_zone *fresh = NULL;
            cr_assert_eq(time_zone_open(names[z], &fresh, &error), 0);
            cr_assert_eq(time_zone_utc(kept, local_s, &one_s),
                         time_zone_utc(fresh, local_s, &other_s));
            cr_assert_eq(one_s, other_s);
            time_zone_close(fresh);
        }
        time_zone_close(kept);
    }
}

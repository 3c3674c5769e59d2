/* Time zones: see time_zone.h. Invariant: transitions ascend; after the last one the rule holds. */
#include "io/time_zone.h"

#include "io/files.h"

#include "base/array.h"
#include "base/datetime.h"
#include "base/scan.h"

#include <stdlib.h>
#include <string.h>

#define DAY_S          86400
#define FILE_MAX_BYTES (1u << 20) /* the largest real one has a few kilobytes */
#define MAX_TYPES      256

/* A day of the year as POSIX writes it. */
struct rule_day {
    char form; /* 'M': month, week, weekday; 'J': 1..365 without February 29; '0': 0..365 */
    int month, week, day;
    int64_t time_s; /* of that day, on the clock in force before the change */
};

struct rule {
    int64_t standard_s, daylight_s; /* ahead of UTC */
    bool has_daylight;
    struct rule_day begin, end; /* of daylight saving */
};

struct time_zone {
    struct rule rule;
    size_t count;
    int64_t *times_s; /* transitions in UTC */
    int32_t *offsets_s;
    int32_t first_offset_s; /* before the first transition */
    /* A day on the local clock without changes around it, and its offset; until 0: none. */
    int64_t day_from_s, day_until_s, day_offset_s;
};

/* --- the rule of a zone --- */

static bool digits_up_to(struct scan *scan, int most, int *value) {
    return scan_digits(scan, 3, value) > 0 && *value <= most;
}

/* [+-]hh[:mm[:ss]] */
static bool clock_time(struct scan *scan, int most_hours, int64_t *seconds) {
    int hours, minutes = 0, rest = 0;
    bool minus = scan_skip(scan, '-');
    if (!minus)
        (void)scan_skip(scan, '+');
    if (!digits_up_to(scan, most_hours, &hours) ||
        (scan_skip(scan, ':') && (!digits_up_to(scan, 59, &minutes))) ||
        (scan_skip(scan, ':') && !digits_up_to(scan, 59, &rest)))
        return false;
    *seconds = (minus ? -1 : 1) * ((hours * 60 + minutes) * 60 + rest);
    return true;
}

/* At least three letters, or anything within < and >. */
static bool zone_name(struct scan *scan) {
    const char *begin = scan->at;
    if (scan_skip(scan, '<')) {
        while (scan->at < scan->end && *scan->at != '>')
            scan->at++;
        return scan_skip(scan, '>');
    }
    while (scan->at < scan->end &&
           ((*scan->at >= 'A' && *scan->at <= 'Z') || (*scan->at >= 'a' && *scan->at <= 'z')))
        scan->at++;
    return scan->at - begin >= 3;
}

static bool rule_day(struct scan *scan, struct rule_day *day) {
    day->form = '0';
    day->time_s = 2 * 3600;
    if (!scan_skip(scan, ','))
        return false;
    if (scan_skip(scan, 'M')) {
        day->form = 'M';
        if (!digits_up_to(scan, 12, &day->month) || day->month < 1 || !scan_skip(scan, '.') ||
            !digits_up_to(scan, 5, &day->week) || day->week < 1 || !scan_skip(scan, '.') ||
            !digits_up_to(scan, 6, &day->day))
            return false;
    } else {
        if (scan_skip(scan, 'J'))
            day->form = 'J';
        if (!digits_up_to(scan, 365, &day->day) || (day->form == 'J' && day->day < 1))
            return false;
    }
    return !scan_skip(scan, '/') || clock_time(scan, 167, &day->time_s);
}

static bool parse_rule(struct slice text, struct rule *rule) {
    struct scan s = {text.at, text.at + text.length};
    *rule = (struct rule){0};
    if (!zone_name(&s) || !clock_time(&s, 24, &rule->standard_s))
        return false;
    rule->standard_s = -rule->standard_s; /* POSIX counts west of Greenwich */
    if (s.at == s.end)
        return true;
    rule->has_daylight = true;
    rule->daylight_s = rule->standard_s + 3600;
    if (!zone_name(&s))
        return false;
    if (s.at < s.end && *s.at != ',') {
        if (!clock_time(&s, 24, &rule->daylight_s))
            return false;
        rule->daylight_s = -rule->daylight_s;
    }
    return rule_day(&s, &rule->begin) && rule_day(&s, &rule->end) && s.at == s.end;
}

static bool is_leap(int year) {
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/* Local seconds since 1970 of a change in that year. */
static int64_t change_s(const struct rule_day *rule, int year) {
    int64_t day = datetime_days(year, 1, 1);
    if (rule->form == 'J') {
        day += rule->day - 1 + (is_leap(year) && rule->day >= 60);
    } else if (rule->form == '0') {
        day += rule->day;
    } else {
        int64_t first = datetime_days(year, rule->month, 1);
        int64_t next = rule->month == 12 ? datetime_days(year + 1, 1, 1)
                                         : datetime_days(year, rule->month + 1, 1);
        int weekday = (int)(((first + 4) % 7 + 7) % 7); /* 1970-01-01 was a Thursday; Sunday is 0 */
        day = first + (rule->day - weekday + 7) % 7 + 7 * (rule->week - 1);
        if (day >= next) /* week 5 is the last one */
            day -= 7;
    }
    return day * DAY_S + rule->time_s;
}

static int year_of_day(int64_t day) {
    int year = 1970 + (int)(day / 366);
    while (datetime_days(year + 1, 1, 1) <= day)
        year++;
    return year;
}

static int64_t rule_offset(const struct rule *rule, int64_t utc_s) {
    if (!rule->has_daylight)
        return rule->standard_s;
    int year = year_of_day((utc_s + rule->standard_s) / DAY_S);
    int64_t begin = change_s(&rule->begin, year) - rule->standard_s,
            end = change_s(&rule->end, year) - rule->daylight_s;
    bool daylight = begin < end ? utc_s >= begin && utc_s < end : utc_s >= begin || utc_s < end;
    return daylight ? rule->daylight_s : rule->standard_s;
}

/* --- TZif --- */

struct counts {
    uint32_t utc, standard, leap, time, type, name;
};

static uint32_t big_endian(const unsigned char *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static bool read_zone_header(const unsigned char *at, size_t length, struct counts *counts) {
    if (length < 44 || memcmp(at, "TZif", 4) != 0)
        return false;
    const unsigned char *n = at + 20;
    *counts = (struct counts){big_endian(n),      big_endian(n + 4),  big_endian(n + 8),
                              big_endian(n + 12), big_endian(n + 16), big_endian(n + 20)};
    return counts->type >= 1 && counts->type <= MAX_TYPES && counts->time <= FILE_MAX_BYTES &&
           counts->name <= FILE_MAX_BYTES && counts->leap <= FILE_MAX_BYTES &&
           counts->utc <= MAX_TYPES && counts->standard <= MAX_TYPES;
}

static size_t block_bytes(const struct counts *counts, size_t time_bytes) {
    return counts->time * (time_bytes + 1) + counts->type * 6 + counts->name +
           counts->leap * (time_bytes + 4) + counts->standard + counts->utc;
}

static bool read_transitions(struct time_zone *zone, const unsigned char *at,
                             const struct counts *counts) {
    const unsigned char *indexes = at + 8 * (size_t)counts->time, *types = indexes + counts->time;
    zone->times_s = mem_zalloc(counts->time + 1, sizeof *zone->times_s);
    zone->offsets_s = mem_zalloc(counts->time + 1, sizeof *zone->offsets_s);
    zone->first_offset_s = (int32_t)big_endian(types);
    for (uint32_t i = 0; i < counts->time; i++) {
        const unsigned char *time = at + 8 * (size_t)i;
        zone->times_s[i] = (int64_t)((uint64_t)big_endian(time) << 32 | big_endian(time + 4));
        if (indexes[i] >= counts->type || (i > 0 && zone->times_s[i] <= zone->times_s[i - 1]))
            return false;
        zone->offsets_s[i] = (int32_t)big_endian(types + 6 * (size_t)indexes[i]);
        if (abs(zone->offsets_s[i]) > 26 * 3600)
            return false;
    }
    zone->count = counts->time;
    return abs(zone->first_offset_s) <= 26 * 3600;
}

/* The second half of the file (64-bit times) and the rule behind it. */
static bool read_tzif(struct time_zone *zone, const unsigned char *at, size_t length) {
    struct counts c;
    if (!read_zone_header(at, length, &c) || at[4] < '2')
        return false;
    size_t first = 44 + block_bytes(&c, 4);
    if (first > length || !read_zone_header(at + first, length - first, &c))
        return false;
    at += first + 44;
    length -= first + 44;
    size_t block = block_bytes(&c, 8);
    if (block > length || !read_transitions(zone, at, &c))
        return false;
    const char *rule = (const char *)at + block + 1, *end = (const char *)at + length;
    if (block + 2 > length || rule[-1] != '\n')
        return false;
    const char *stop = memchr(rule, '\n', (size_t)(end - rule));
    if (!stop)
        return false;
    if (stop > rule)
        return parse_rule((struct slice){rule, (size_t)(stop - rule)}, &zone->rule);
    zone->rule.standard_s =
        zone->count > 0 ? zone->offsets_s[zone->count - 1] : zone->first_offset_s;
    return true;
}

int time_zone_from_tzif(const void *bytes, size_t length, struct time_zone **ret_zone,
                        struct error *reterr) {
    struct time_zone *zone = mem_zalloc(1, sizeof *zone);
    if (!read_tzif(zone, bytes, length)) {
        time_zone_close(zone);
        return error_set(reterr, ERROR_INPUT, "expected a TZif file of version 2 or later");
    }
    *ret_zone = zone;
    return 0;
}

/* --- opening --- */

static int read_zone_file(const char *path, struct time_zone **ret_zone, struct error *reterr) {
    struct str all = {0};
    if (files_read(path, FILE_MAX_BYTES, &all, reterr) < 0) {
        str_finish(&all);
        return ERROR_INPUT;
    }
    struct error error = {0};
    int r = time_zone_from_tzif((unsigned char *)all.text, all.length, ret_zone, &error);
    if (r < 0)
        (void)error_set(reterr, r, "%s: %s", path, error.text);
    str_finish(&all);
    return r;
}

/* "+08:00", "-0330", "+8" */
static bool parse_offset(const char *name, int64_t *offset_s) {
    struct scan s = {name + 1, name + strlen(name)};
    int value, minutes = 0;
    if (name[0] != '+' && name[0] != '-')
        return false;
    if (strlen(s.at) == 4 && strspn(s.at, "0123456789") == 4) { /* hhmm */
        value = (s.at[0] - '0') * 10 + (s.at[1] - '0');
        minutes = (s.at[2] - '0') * 10 + (s.at[3] - '0');
    } else if (!digits_up_to(&s, 24, &value) ||
               (scan_skip(&s, ':') && !digits_up_to(&s, 59, &minutes)) || s.at < s.end) {
        return false;
    }
    *offset_s = (name[0] == '-' ? -1 : 1) * (value * 60 + minutes) * 60;
    return value <= 24 && minutes <= 59;
}

/* A name cannot lead out of the folder of zones. */
static bool is_safe(const char *name) {
    return name[0] != '/' && name[0] != '\0' && strlen(name) < 100 && !strstr(name, "..") &&
           !strpbrk(name, "\\ ");
}

/* A name that says the zone by itself. */
static bool says_all(const char *name, struct rule *rule) {
    return strcmp(name, "UTC") == 0 || parse_offset(name, &rule->standard_s) ||
           parse_rule((struct slice){name, strlen(name)}, rule);
}

bool time_zone_find(const char *name, struct str *path) {
    struct rule rule = {0};
    const char *folder = getenv("TZDIR");
    if (says_all(name, &rule) || !is_safe(name))
        return false;
    str_addf(path, "%s/%s", folder && folder[0] ? folder : "/usr/share/zoneinfo", name);
    return true;
}

int time_zone_open(const char *name, struct time_zone **ret_zone, struct error *reterr) {
    struct rule rule = {0};
    if (says_all(name, &rule)) {
        struct time_zone *zone = mem_zalloc(1, sizeof *zone);
        zone->rule = rule;
        *ret_zone = zone;
        return 0;
    }
    struct str path = {0};
    if (!time_zone_find(name, &path))
        return error_set(reterr, ERROR_INPUT,
                         "expected a time zone (UTC, +08:00, America/Los_Angeles), got \"%.80s\"",
                         name);
    int r = read_zone_file(path.text, ret_zone, reterr);
    str_finish(&path);
    return r;
}

void time_zone_close(struct time_zone *zone) {
    if (!zone)
        return;
    free(zone->times_s);
    free(zone->offsets_s);
    free(zone);
}

/* --- use --- */

static int64_t offset_at(const struct time_zone *zone, int64_t utc_s) {
    size_t low = 0; /* transitions at or before utc_s */
    SEARCH(low, zone->count, zone->times_s[at] <= utc_s)
    if (low == zone->count)
        return rule_offset(&zone->rule, utc_s);
    return low == 0 ? zone->first_offset_s : zone->offsets_s[low - 1];
}

/* Whether the offset may change between two times. */
static bool changes_between(const struct time_zone *zone, int64_t from_s, int64_t until_s) {
    for (size_t i = 0; i < zone->count; i++)
        if (zone->times_s[i] >= from_s && zone->times_s[i] <= until_s)
            return true;
    if (!zone->rule.has_daylight)
        return false;
    int year = year_of_day(from_s / DAY_S) - 1, last = year_of_day(until_s / DAY_S) + 1;
    for (; year <= last; year++) {
        int64_t begin_s = change_s(&zone->rule.begin, year) - zone->rule.standard_s,
                end_s = change_s(&zone->rule.end, year) - zone->rule.daylight_s;
        if ((begin_s >= from_s && begin_s <= until_s) || (end_s >= from_s && end_s <= until_s))
            return true;
    }
    return false;
}

/* Keeps the day of a time that has this offset, if it has all day: two days to either side are more
   than any offset. */
static void keep_day(struct time_zone *zone, int64_t local_s, int64_t offset_s) {
    int64_t from_s = local_s - local_s % DAY_S;
    if (local_s < 2 * DAY_S || changes_between(zone, from_s - 2 * DAY_S, from_s + 3 * DAY_S))
        return;
    zone->day_from_s = from_s;
    zone->day_until_s = from_s + DAY_S;
    zone->day_offset_s = offset_s;
}

enum local_time time_zone_utc(struct time_zone *zone, int64_t local_s, int64_t *utc_s) {
    if (local_s >= zone->day_from_s && local_s < zone->day_until_s) {
        *utc_s = local_s - zone->day_offset_s;
        return LOCAL_TIME_ONCE;
    }
    /* zones change their offset at most once in two days, and no offset exceeds one */
    int64_t before = offset_at(zone, local_s - DAY_S), after = offset_at(zone, local_s + DAY_S);
    bool fits_before = offset_at(zone, local_s - before) == before,
         fits_after = offset_at(zone, local_s - after) == after;
    if (!fits_before && fits_after) {
        *utc_s = local_s - after;
        return LOCAL_TIME_ONCE;
    }
    *utc_s = local_s - before;
    if (!fits_before)
        return LOCAL_TIME_NEVER;
    if (before == after)
        keep_day(zone, local_s, before);
    if (!fits_after || before == after)
        return LOCAL_TIME_ONCE;
    *utc_s = local_s - (before > after ? before : after);
    return LOCAL_TIME_TWICE;
}

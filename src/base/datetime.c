/* Date-times: see datetime.h. */
#include "base/datetime.h"

#include "base/scan.h"
#include "base/units.h"

/* Exactly `count` digits, least..most. */
static bool scan_clock_number(struct scan *scan, int count, int least, int most, int *value) {
    return scan_digits(scan, count, value) == count && *value >= least && *value <= most;
}

/* Counted in years that begin in March: their leap day is last. */
int64_t datetime_days(int year, int month, int day) {
    int64_t y = month > 2 ? year : year - 1,
            day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day;
    return 365 * y + y / 4 - y / 100 + y / 400 + day_of_year - 719469;
}

static bool parse_date(struct scan *scan, int64_t *days) {
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year, month, day;
    if (!scan_clock_number(scan, 4, 1970, 2199, &year) || !scan_skip(scan, '-') ||
        !scan_clock_number(scan, 2, 1, 12, &month) || !scan_skip(scan, '-'))
        return false;
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    if (!scan_clock_number(scan, 2, 1, lengths[month - 1] + (month == 2 && leap), &day))
        return false;
    *days = datetime_days(year, month, day);
    return true;
}

/* HH:MM, HH:MM:SS or HH:MM:SS.fffffffff */
static bool parse_time(struct scan *scan, int64_t *ns) {
    int hour, minute, second = 0;
    if (!scan_clock_number(scan, 2, 0, 23, &hour) || !scan_skip(scan, ':') ||
        !scan_clock_number(scan, 2, 0, 59, &minute))
        return false;
    bool seconds = scan_skip(scan, ':');
    if (seconds && !scan_clock_number(scan, 2, 0, 59, &second))
        return false;
    *ns = ((hour * 60 + minute) * 60 + second) * NS_PER_S;
    if (!seconds || !scan_skip(scan, '.'))
        return true;
    int64_t unit = NS_PER_S;
    for (int digit; unit > 1 && scan_clock_number(scan, 1, 0, 9, &digit);)
        *ns += digit * (unit /= 10);
    return unit < NS_PER_S;
}

static bool parse_zone(struct scan *scan, int64_t *offset_ns) {
    int hours, minutes = 0;
    *offset_ns = 0;
    if (scan->at == scan->end || scan_skip(scan, 'Z'))
        return true;
    bool west = scan_skip(scan, '-');
    if ((!west && !scan_skip(scan, '+')) || !scan_clock_number(scan, 2, 0, 23, &hours))
        return false;
    bool colon = scan_skip(scan, ':');
    if ((colon || scan->at < scan->end) && !scan_clock_number(scan, 2, 0, 59, &minutes))
        return false;
    *offset_ns = (west ? -1 : 1) * (hours * 60 + minutes) * 60 * NS_PER_S;
    return true;
}

static int two_digits(const char *at) {
    unsigned tens = (unsigned char)at[0] - (unsigned)'0',
             ones = (unsigned char)at[1] - (unsigned)'0';
    return tens > 9 || ones > 9 ? -1 : (int)(10 * tens + ones);
}

/* "2022-01-01 06:30:15" of a day that every month has, as most are, in one go. */
static bool parse_usual(const char *text, size_t length, int64_t *unix_ns) {
    static const size_t places[] = {0, 2, 5, 8, 11, 14, 17};
    int v[7];
    if (length != 19 || text[4] != '-' || text[7] != '-' || (text[10] != ' ' && text[10] != 'T') ||
        text[13] != ':' || text[16] != ':')
        return false;
    for (int i = 0; i < 7; i++) {
        v[i] = two_digits(text + places[i]);
        if (v[i] < 0)
            return false;
    }
    int year = 100 * v[0] + v[1];
    if (year < 1970 || year > 2199 || v[2] < 1 || v[2] > 12 || v[3] < 1 || v[3] > 28 || v[4] > 23 ||
        v[5] > 59 || v[6] > 59)
        return false;
    *unix_ns =
        (datetime_days(year, v[2], v[3]) * 86400 + (v[4] * 60 + v[5]) * 60 + v[6]) * NS_PER_S;
    return true;
}

bool datetime_parse(const char *text, size_t length, int64_t *unix_ns) {
    struct scan s = {text, text + length};
    int64_t days, time_ns = 0, offset_ns = 0;
    if (parse_usual(text, length, unix_ns))
        return true;
    if (!parse_date(&s, &days))
        return false;
    if (s.at < s.end && ((!scan_skip(&s, 'T') && !scan_skip(&s, ' ')) ||
                         !parse_time(&s, &time_ns) || !parse_zone(&s, &offset_ns)))
        return false;
    if (s.at < s.end)
        return false;
    *unix_ns = days * 86400 * NS_PER_S + time_ns - offset_ns;
    return true;
}

/* Date-times: see datetime.h. */
#include "base/datetime.h"

#include "base/scan.h"
#include "base/units.h"
#include "base/word.h"

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

/* Eight bytes as in the pattern, whose zeros stand for digits: each byte of *pairs is the number of
   its digit and the next one. */
static inline bool scan_pairs(const char *text, const char *pattern, uint64_t *pairs) {
    uint64_t like = word_load(pattern, 8), found = word_load(text, 8) ^ like;
    uint64_t room = 0x7f7f7f7f7f7f7f7f - (word_find(like, '0') >> 7) * 9; /* up to 9, or 0 */
    *pairs = found * 10 + (found >> 8);
    return (((found + room) | found) & 0x8080808080808080) == 0;
}

/* "2022-01-01 06:30:15" of a day that every month has, as most are, in one go. */
static bool parse_usual(const char *text, size_t length, int64_t *unix_ns) {
    uint64_t date, time;
    if (length != 19 || !scan_pairs(text, "0000-00-", &date) ||
        (text[10] != ' ' && text[10] != 'T') || !scan_pairs(text + 11, "00:00:00", &time))
        return false;
    unsigned tens = (unsigned char)text[8] - (unsigned)'0',
             ones = (unsigned char)text[9] - (unsigned)'0';
    int year = 100 * (int)(date & 0xff) + (int)(date >> 16 & 0xff),
        month = (int)(date >> 40 & 0xff), day = (int)(10 * tens + ones), hour = (int)(time & 0xff),
        minute = (int)(time >> 24 & 0xff), second = (int)(time >> 48 & 0xff);
    if (tens > 9 || ones > 9 || year < 1970 || year > 2199 || month < 1 || month > 12 || day < 1 ||
        day > 28 || hour > 23 || minute > 59 || second > 59)
        return false;
    *unix_ns =
        (datetime_days(year, month, day) * 86400 + (hour * 60 + minute) * 60 + second) * NS_PER_S;
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

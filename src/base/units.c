/* Units at the borders: text and seconds outside, nanoseconds inside. */
#include "base/units.h"
#include "base/numfmt.h"
#include "base/str.h"

#include <assert.h>
#include <math.h>

struct unit {
    const char *name;
    double factor;  /* to the unit of the result */
    double divisor; /* used instead of the factor when not 0: 1/1000 is no binary fraction */
};

static const struct unit durations[] = {
    {"ns", 1, 1e9}, {"us", 1, 1e6}, {"ms", 1, 1e3},  {"s", 1, 0},
    {"min", 60, 0}, {"h", 3600, 0}, {"d", 86400, 0}, {"w", 604800, 0},
};

static const struct unit sizes[] = {
    {"B", 1, 0x1p30},    {"KiB", 1, 0x1p20},  {"MiB", 1, 0x1p10},  {"GiB", 1, 0},        {"TiB", 1024, 0},
    {"KB", 1e3, 0x1p30}, {"MB", 1e6, 0x1p30}, {"GB", 1e9, 0x1p30}, {"TB", 1e12, 0x1p30},
};

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static const struct unit *find_unit(const struct unit *units, size_t count, struct slice name) {
    for (size_t i = 0; i < count; i++)
        if (slice_is(name, units[i].name))
            return &units[i];
    return NULL;
}

/* A number, blanks if a unit follows, a unit of the table; without a unit, the number itself. */
static bool parse_with_unit(struct slice text, const struct unit *units, size_t count, double *value) {
    size_t number_length = text.length;
    while (number_length > 0 && is_letter(text.at[number_length - 1]))
        number_length--;
    static const struct unit none = {"", 1, 0};
    const struct unit *unit = &none;
    if (number_length < text.length) {
        struct slice name = {text.at + number_length, text.length - number_length};
        unit = find_unit(units, count, name);
        while (number_length > 0 && text.at[number_length - 1] == ' ')
            number_length--;
    }
    double number;
    if (!unit || !numfmt_parse_real(text.at, number_length, &number))
        return false;
    number *= unit->factor;
    if (unit->divisor != 0)
        number /= unit->divisor;
    if (!isfinite(number))
        return false;
    *value = number;
    return true;
}

bool units_parse_duration(const char *text, size_t length, double *seconds) {
    double parsed;
    if (!parse_with_unit((struct slice){text, length}, durations, sizeof durations / sizeof *durations, &parsed) ||
        fabs(parsed) > TIME_MAX_S)
        return false;
    *seconds = parsed;
    return true;
}

bool units_parse_gib(const char *text, size_t length, double *gib) {
    return parse_with_unit((struct slice){text, length}, sizes, sizeof sizes / sizeof *sizes, gib);
}

int64_t units_ns(double seconds) {
    assert(fabs(seconds) <= TIME_MAX_S);
    /* Whole seconds and the rest apart: both are exact, and the product of the rest is small. */
    double whole = trunc(seconds);
    return (int64_t)whole * NS_PER_S + llround((seconds - whole) * 1e9);
}

int64_t units_ns_not_before(double seconds) {
    int64_t nearest_ns = units_ns(seconds);
    return nearest_ns + (units_s(nearest_ns) < seconds);
}

double units_s(int64_t time_ns) {
    if (time_ns > -(1LL << 53) && time_ns < 1LL << 53)
        return (double)time_ns / 1e9; /* exact operands: correctly rounded */
    return (double)(time_ns / NS_PER_S) + (double)(time_ns % NS_PER_S) / 1e9;
}

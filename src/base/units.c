/* Units at the borders: text and seconds outside, nanoseconds inside. */
#include "base/units.h"
#include "base/numfmt.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* A unit is factor * 10^tens * 2^twos / divisor of the unit in which its dimension counts. Of a
   price the currency may stand in front: EUR/MWh. */
static const struct unit {
    enum dimension dimension;
    const char *name;
    uint32_t factor;
    int tens, twos;
    uint32_t divisor; /* 0: none */
} units[] = {
    {DIMENSION_TIME, "ns", 1, -9, 0, 0},          {DIMENSION_TIME, "us", 1, -6, 0, 0},
    {DIMENSION_TIME, "ms", 1, -3, 0, 0},          {DIMENSION_TIME, "s", 1, 0, 0, 0},
    {DIMENSION_TIME, "min", 6, 1, 0, 0},          {DIMENSION_TIME, "h", 36, 2, 0, 0},
    {DIMENSION_TIME, "d", 864, 2, 0, 0},          {DIMENSION_TIME, "w", 6048, 2, 0, 0},
    {DIMENSION_GIB, "B", 1, 0, -30, 0},           {DIMENSION_GIB, "kB", 1, 3, -30, 0},
    {DIMENSION_GIB, "KB", 1, 3, -30, 0},          {DIMENSION_GIB, "MB", 1, 6, -30, 0},
    {DIMENSION_GIB, "GB", 1, 9, -30, 0},          {DIMENSION_GIB, "TB", 1, 12, -30, 0},
    {DIMENSION_GIB, "KiB", 1, 0, -20, 0},         {DIMENSION_GIB, "MiB", 1, 0, -10, 0},
    {DIMENSION_GIB, "GiB", 1, 0, 0, 0},           {DIMENSION_GIB, "TiB", 1, 0, 10, 0},
    {DIMENSION_BYTES, "B", 1, 0, 0, 0},           {DIMENSION_BYTES, "kB", 1, 3, 0, 0},
    {DIMENSION_BYTES, "KB", 1, 3, 0, 0},          {DIMENSION_BYTES, "MB", 1, 6, 0, 0},
    {DIMENSION_BYTES, "GB", 1, 9, 0, 0},          {DIMENSION_BYTES, "TB", 1, 12, 0, 0},
    {DIMENSION_BYTES, "KiB", 1, 0, 10, 0},        {DIMENSION_BYTES, "MiB", 1, 0, 20, 0},
    {DIMENSION_BYTES, "GiB", 1, 0, 30, 0},        {DIMENSION_BYTES, "TiB", 1, 0, 40, 0},
    {DIMENSION_POWER, "W", 1, 0, 0, 0},           {DIMENSION_POWER, "kW", 1, 3, 0, 0},
    {DIMENSION_POWER, "MW", 1, 6, 0, 0},          {DIMENSION_ENERGY, "J", 1, 0, 0, 0},
    {DIMENSION_ENERGY, "kJ", 1, 3, 0, 0},         {DIMENSION_ENERGY, "MJ", 1, 6, 0, 0},
    {DIMENSION_ENERGY, "GJ", 1, 9, 0, 0},         {DIMENSION_ENERGY, "Wh", 36, 2, 0, 0},
    {DIMENSION_ENERGY, "kWh", 36, 5, 0, 0},       {DIMENSION_ENERGY, "MWh", 36, 8, 0, 0},
    {DIMENSION_ENERGY_KWH, "J", 1, -5, 0, 36},    {DIMENSION_ENERGY_KWH, "kJ", 1, -2, 0, 36},
    {DIMENSION_ENERGY_KWH, "MJ", 1, 1, 0, 36},    {DIMENSION_ENERGY_KWH, "GJ", 1, 4, 0, 36},
    {DIMENSION_ENERGY_KWH, "Wh", 1, -3, 0, 0},    {DIMENSION_ENERGY_KWH, "kWh", 1, 0, 0, 0},
    {DIMENSION_ENERGY_KWH, "MWh", 1, 3, 0, 0},    {DIMENSION_CARBON, "g/kWh", 1, 0, 0, 0},
    {DIMENSION_CARBON, "kg/kWh", 1, 3, 0, 0},     {DIMENSION_CARBON, "kg/MWh", 1, 0, 0, 0},
    {DIMENSION_CARBON, "t/MWh", 1, 3, 0, 0},      {DIMENSION_PRICE, "/MWh", 1, 0, 0, 0},
    {DIMENSION_PRICE, "/kWh", 1, 3, 0, 0},        {DIMENSION_WATER, "l/kWh", 1, 0, 0, 0},
    {DIMENSION_WATER, "L/kWh", 1, 0, 0, 0},       {DIMENSION_WATER, "l/MWh", 1, -3, 0, 0},
    {DIMENSION_RATE, "/s", 1, 0, 0, 0},           {DIMENSION_RATE, "/min", 1, -1, 0, 6},
    {DIMENSION_RATE, "/h", 1, -2, 0, 36},         {DIMENSION_RATE, "/d", 1, -2, 0, 864},
    {DIMENSION_BANDWIDTH, "B/s", 1, 0, 0, 0},     {DIMENSION_BANDWIDTH, "kB/s", 1, 3, 0, 0},
    {DIMENSION_BANDWIDTH, "MB/s", 1, 6, 0, 0},    {DIMENSION_BANDWIDTH, "GB/s", 1, 9, 0, 0},
    {DIMENSION_BANDWIDTH, "TB/s", 1, 12, 0, 0},   {DIMENSION_BANDWIDTH, "MiB/s", 1, 0, 20, 0},
    {DIMENSION_BANDWIDTH, "GiB/s", 1, 0, 30, 0},  {DIMENSION_BANDWIDTH, "Mbit/s", 1, 6, -3, 0},
    {DIMENSION_BANDWIDTH, "Gbit/s", 1, 9, -3, 0}, {DIMENSION_BANDWIDTH, "Tbit/s", 1, 12, -3, 0},
};

#define UNIT_COUNT (sizeof units / sizeof *units)

static bool is_number_end(char c) {
    return (c >= '0' && c <= '9') || c == '.';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Where the number ends, and behind it, blanks left out, the unit begins. */
static size_t split_unit(struct slice text, struct slice *ret_unit) {
    size_t number = text.length, begin;
    while (number > 0 && !is_number_end(text.at[number - 1]))
        number--;
    for (begin = number; begin < text.length && text.at[begin] == ' ';)
        begin++;
    *ret_unit = (struct slice){text.at + begin, text.length - begin};
    return begin < text.length ? number : text.length; /* blanks alone are no unit */
}

static const struct unit *find_unit(enum dimension dimension, struct slice name) {
    while (dimension == DIMENSION_PRICE && name.length > 0 && is_letter(*name.at)) {
        name.at++;
        name.length--;
    }
    for (size_t i = 0; i < UNIT_COUNT; i++)
        if (units[i].dimension == dimension && slice_is(name, units[i].name))
            return &units[i];
    return NULL;
}

bool units_parse(enum dimension dimension, const char *text, size_t length, double *value) {
    struct slice name;
    if (length == 0)
        return false;
    size_t number = split_unit((struct slice){text, length}, &name);
    if (number == length)
        return numfmt_parse_real(text, length, value);
    const struct unit *unit = find_unit(dimension, name);
    double parsed;
    if (!unit || !numfmt_parse_scaled(text, number, unit->factor, unit->tens, &parsed))
        return false;
    parsed = ldexp(unit->divisor ? parsed / unit->divisor : parsed, unit->twos);
    if (!isfinite(parsed))
        return false;
    *value = parsed;
    return true;
}

bool units_is_other(const char *text, size_t length) {
    struct slice name;
    double number;
    size_t end = split_unit((struct slice){text, length}, &name);
    return end < length && numfmt_parse_real(text, end, &number);
}

const char *units_time_hint(const char *text, char hint[static UNITS_HINT_BYTES]) {
    static const char *const words[][2] = {{"day", "d"},   {"hour", "h"}, {"hr", "h"},
                                           {"min", "min"}, {"sec", "s"},  {"week", "w"}};
    struct slice name;
    size_t end = split_unit((struct slice){text, strlen(text)}, &name);
    hint[0] = '\0';
    for (size_t i = 0; i < sizeof words / sizeof *words && end > 0 && end < 20; i++)
        if (strncasecmp(name.at, words[i][0], strlen(words[i][0])) == 0)
            snprintf(hint, UNITS_HINT_BYTES, ", did you mean \"%.*s%s\"?", (int)end, text,
                     words[i][1]);
    return hint;
}

size_t units_number_length(const char *text, size_t length) {
    struct slice name;
    double number;
    size_t end = split_unit((struct slice){text, length}, &name);
    bool known = false;
    for (size_t i = 0; i < UNIT_COUNT && !known && end < length; i++)
        known = find_unit(units[i].dimension, name) != NULL;
    return known && numfmt_parse_real(text, end, &number) ? end : 0;
}

const char *units_accepted(enum dimension dimension) {
#define TEXT_OF(dimension, base, accepted) [dimension] = accepted
    static const char *const texts[] = {DIMENSIONS(TEXT_OF)};
#undef TEXT_OF
    return texts[dimension];
}

void units_add_pattern(enum dimension dimension, bool may_be_negative, struct str *out) {
    const char *before = dimension == DIMENSION_PRICE ? "[A-Za-z]*(" : "(";
    str_addf(out, "^[+%s]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?( *",
             may_be_negative ? "-" : "");
    for (size_t i = 0; i < UNIT_COUNT; i++)
        if (units[i].dimension == dimension) {
            str_addf(out, "%s%s", before, units[i].name);
            before = "|";
        }
    str_add(out, "))?$");
}

enum dimension units_dimension(const char *base_unit) {
    static const char *const bases[] = {DIMENSIONS(NAME_OF)};
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
        if (strcmp(bases[i], base_unit) == 0)
            return (enum dimension)i;
    return DIMENSION_NONE;
}

bool units_parse_duration(const char *text, size_t length, double *seconds) {
    double parsed;
    if (!units_parse(DIMENSION_TIME, text, length, &parsed) || fabs(parsed) > TIME_MAX_S)
        return false;
    *seconds = parsed;
    return true;
}

int64_t units_ns(double seconds) {
    assert(fabs(seconds) <= TIME_MAX_S);
    /* Whole seconds and the rest apart: both are exact, and the product of the rest is small. */
    int64_t whole = (int64_t)seconds;
    return whole * NS_PER_S + units_nearest((seconds - (double)whole) * 1e9);
}

int64_t units_ns_not_before(double seconds) {
    int64_t nearest_ns = units_ns(seconds);
    return nearest_ns + (units_s(nearest_ns) < seconds);
}

int64_t units_duration_ns(double time_s) {
    double ns = (time_s < TIME_MAX_S ? time_s : TIME_MAX_S) * 1e9 - 0.001;
    int64_t whole = (int64_t)ns;
    return whole + ((double)whole < ns); /* ceil, without its call */
}

double units_s(int64_t time_ns) {
    if (time_ns > -(1LL << 53) && time_ns < 1LL << 53)
        return (double)time_ns / 1e9; /* exact operands: correctly rounded */
    return (double)(time_ns / NS_PER_S) + (double)(time_ns % NS_PER_S) / 1e9;
}

bool units_parse_share(const char *text, size_t length, double *share) {
    bool percent = length > 0 && text[length - 1] == '%';
    double value = 0;
    length -= percent;
    while (percent && length > 0 && text[length - 1] == ' ')
        length--;
    if (!numfmt_parse_scaled(text, length, 1, percent ? -2 : 0, &value) || !(value > 0))
        return false;
    *share = value;
    return true;
}

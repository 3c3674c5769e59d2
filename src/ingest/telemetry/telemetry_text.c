/* Cells of telemetry files. */
#include "ingest/telemetry/telemetry.h"

#include "base/datetime.h"
#include "base/numfmt.h"
#include "base/units.h"

#include <math.h>
#include <string.h>

static bool is_cell_blank(char c) {
    return c == ' ' || c == '\t';
}

static struct slice trimmed_cell(struct slice text) {
    while (text.length > 0 && is_cell_blank(*text.at)) {
        text.at++;
        text.length--;
    }
    while (text.length > 0 && is_cell_blank(text.at[text.length - 1]))
        text.length--;
    return text;
}

static bool is_missing(struct slice cell) {
    static const char *const words[] = {
        "",
        "-",
        "N/A",
        "[N/A]",
        "[Not Supported]",
        "Not Supported",
        "[Unknown Error]",
        "[GPU requires reset]",
        "null",
        "[Requested functionality has been deprecated]",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (slice_is_word(cell, words[i]))
            return true;
    return numfmt_is_infinite(cell.at, cell.length) &&
           !strchr("0123456789", cell.at[cell.length - 1]);
}

/* The blank values of NVML and DCGM, as 64-bit and 32-bit integers and as doubles (2^47). */
static bool is_sentinel(double value) {
    return value >= 0x1p63 || (value >= 2147483632.0 && value <= 2147483635.0) ||
           (value >= 0x1p47 && value <= 0x1p47 + 3);
}

/* The names of units are those of base/units, and one more that the tools write. */
static const struct unit {
    enum dimension dimension;
    const char *own; /* as if nothing were there */
    double own_divisor, divisor;
    bool may_be_negative;
} units[] = {
    [TELEMETRY_PLAIN] = {DIMENSION_NONE, "", 1, 1, true},
    [TELEMETRY_PERCENT] = {DIMENSION_NONE, "%", 1, 1, true},
    [TELEMETRY_S] = {DIMENSION_TIME, "s", 1, 1, true},
    [TELEMETRY_W] = {DIMENSION_POWER, "W", 1, 1, false},
    [TELEMETRY_J] = {DIMENSION_ENERGY, "J", 1, 1, false},
    [TELEMETRY_KWH] = {DIMENSION_ENERGY_KWH, "kWh", 1, 1, false},
    [TELEMETRY_J_OF_MJ] = {DIMENSION_ENERGY, "mJ", 1000, 1, false},
    [TELEMETRY_MIB] = {DIMENSION_BYTES, "MiB", 1, 0x1p20, false},
};

/* Without the unit that goes without saying. */
static struct slice without_own(struct slice cell, const char *own) {
    size_t length = strlen(own);
    if (cell.length >= length && memcmp(cell.at + cell.length - length, own, length) == 0)
        cell.length -= length;
    return trimmed_cell(cell);
}

/* "nan kW": with any unit, there is no value. */
static bool lacks_value(struct slice cell) {
    while (cell.length > 0 && !is_cell_blank(cell.at[cell.length - 1]))
        cell.length--;
    return cell.length > 0 && is_missing(trimmed_cell(cell));
}

double telemetry_number(struct slice cell, enum telemetry_unit unit, bool *is_bad) {
    const struct unit *u = &units[unit];
    double value;
    cell = trimmed_cell(cell);
    struct slice number = is_missing(cell) ? cell : without_own(cell, u->own);
    if (is_missing(number) || lacks_value(cell))
        return NAN;
    if (numfmt_parse_real(number.at, number.length, &value))
        value = is_sentinel(value) ? NAN : value / u->own_divisor;
    else if (units_parse(u->dimension, cell.at, cell.length, &value))
        value /= u->divisor;
    else
        value = -INFINITY;
    if (!(value < 0) || (u->may_be_negative && isfinite(value)))
        return value;
    if (is_bad)
        *is_bad = true;
    return NAN;
}

bool telemetry_has_unit(struct slice cell) {
    double value;
    cell = trimmed_cell(cell);
    return !numfmt_parse_real(cell.at, cell.length, &value);
}

bool telemetry_header_factor(struct slice header_unit, enum telemetry_unit unit, double *factor) {
    const struct unit *u = &units[unit];
    char text[16];
    double value;
    header_unit = trimmed_cell(header_unit);
    *factor = 1;
    if (header_unit.length == 0 || slice_is(header_unit, u->own))
        return true;
    if (header_unit.length > sizeof text - 2)
        return false;
    memcpy(text, "1 ", 2);
    memcpy(text + 2, header_unit.at, header_unit.length);
    if (!units_parse(u->dimension, text, 2 + header_unit.length, &value))
        return false;
    *factor = value / u->divisor * u->own_divisor;
    return true;
}

const char *telemetry_units_accepted(enum telemetry_unit unit) {
    return units[unit].dimension == DIMENSION_NONE ? units[unit].own
                                                   : units_accepted(units[unit].dimension);
}

#define MOST_SECONDS 9e9 /* year 2255; larger numbers are milliseconds */

bool telemetry_time(struct slice cell, int64_t *time_ns) {
    char text[40];
    double number;
    cell = trimmed_cell(cell);
    if (numfmt_parse_real(cell.at, cell.length, &number)) {
        double seconds = fabs(number) > MOST_SECONDS ? number / 1000 : number;
        if (fabs(seconds) > MOST_SECONDS)
            return false;
        *time_ns = llround(seconds * 1e9);
        return true;
    }
    if (cell.length < 10 || cell.length >= sizeof text)
        return false;
    memcpy(text, cell.at, cell.length);
    if (text[4] == '/' && text[7] == '/')
        text[4] = text[7] = '-';
    return datetime_parse(text, cell.length, time_ns);
}

size_t telemetry_split(struct slice line, char separator, struct slice *fields, size_t most) {
    const char *at = line.at, *end = line.at + line.length;
    for (size_t count = 0;; at++) {
        const char *begin = at;
        bool quoted = false;
        for (; at < end && (quoted || *at != separator); at++)
            quoted = quoted != (*at == '"');
        struct slice field = trimmed_cell((struct slice){begin, (size_t)(at - begin)});
        if (field.length >= 2 && field.at[0] == '"' && field.at[field.length - 1] == '"')
            field = (struct slice){field.at + 1, field.length - 2};
        if (count < most)
            fields[count] = field;
        count++;
        if (at == end)
            return count;
    }
}

size_t telemetry_split_blanks(struct slice line, struct slice *fields, size_t most) {
    const char *at = line.at, *end = line.at + line.length;
    for (size_t count = 0;; count++) {
        while (at < end && is_cell_blank(*at))
            at++;
        if (at == end)
            return count;
        const char *begin = at;
        while (at < end && !is_cell_blank(*at))
            at++;
        if (count < most)
            fields[count] = (struct slice){begin, (size_t)(at - begin)};
    }
}

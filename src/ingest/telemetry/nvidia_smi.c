/* nvidia-smi --query-gpu=... --format=csv, and nvidia-smi dmon. Both are rows of cells below a
   header that may come again; dmon's begins with "#" and separates by blanks. */
#include "ingest/profile_formats.h"
#include "ingest/telemetry/telemetry.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CELLS 1024 /* a query of everything has some 200 */

enum column {
    TIME,
    DATE, /* of dmon, next to the time of day */
    UUID,
    BUS,
    GPU,
    INDEX,
    NAME,
    POWER,
    POWER_INSTANT,
    POWER_AVERAGE,
    ENERGY,
    UTILIZATION,
    MEMORY,
    LIMIT,
    REASONS,
    COLUMNS
};

/* Names of all ages, and of scripts that wrap nvidia-smi; preferred ones first. */
static const struct {
    const char *name;
    enum column column;
} names[] = {
    {"timestamp", TIME},
    {"time", TIME},
    {"Time", TIME},
    {"date", DATE},
    {"Date", DATE},
    {"uuid", UUID},
    {"gpu_uuid", UUID},
    {"pci.bus_id", BUS},
    {"gpu_bus_id", BUS},
    {"gpu", GPU},
    {"index", INDEX},
    {"name", NAME},
    {"gpu_name", NAME},
    {"power.draw", POWER},
    {"pwr", POWER},
    {"power.draw.instant", POWER_INSTANT},
    {"power.draw.average", POWER_AVERAGE},
    {"total_energy_consumption", ENERGY},
    {"utilization.gpu", UTILIZATION},
    {"sm", UTILIZATION},
    {"memory.used", MEMORY},
    {"fb", MEMORY},
    {"enforced.power.limit", LIMIT},
    {"power.limit", LIMIT},
    {"clocks_event_reasons.active", REASONS},
    {"clocks_throttle_reasons.active", REASONS},
};

/* Units in which the numbers of a column are returned. */
static const enum telemetry_unit units_of_columns[COLUMNS] = {
    [POWER] = TELEMETRY_W,        [POWER_INSTANT] = TELEMETRY_W,     [POWER_AVERAGE] = TELEMETRY_W,
    [ENERGY] = TELEMETRY_J_OF_MJ, [UTILIZATION] = TELEMETRY_PERCENT, [MEMORY] = TELEMETRY_MIB,
    [LIMIT] = TELEMETRY_W,
};

#define POWER_REASONS 0x84 /* software power cap, hardware power brake */

struct reader {
    struct slice cells[MOST_CELLS];
    size_t cell_count;
    int columns[COLUMNS];    /* -1: not there */
    double factors[COLUMNS]; /* of cells without a unit: by the unit in the header */
    size_t column_count;     /* of the header; 0: none yet */
    bool began;              /* the file at hand has had a line */
    bool is_dmon;
    bool no_key; /* nothing tells GPUs apart */
};

/* ---- Header ---- */

/* "power.draw [W]" without its unit. */
static struct slice column_name(struct slice cell) {
    const char *bracket = memchr(cell.at, '[', cell.length);
    if (bracket && bracket > cell.at)
        cell.length = (size_t)(bracket - cell.at);
    while (cell.length > 0 && cell.at[cell.length - 1] == ' ')
        cell.length--;
    return cell;
}

/* Number of known columns among the cells; their places go to columns. */
static size_t find_smi_columns(const struct reader *reader, int columns[static COLUMNS]) {
    const size_t name_count = sizeof names / sizeof *names,
                 count = reader->cell_count < MOST_CELLS ? reader->cell_count : MOST_CELLS;
    size_t chosen[COLUMNS],
        found = 0; /* the name by which each was found: the earlier one in the list counts */
    for (int c = 0; c < COLUMNS; c++) {
        columns[c] = -1;
        chosen[c] = name_count;
    }
    for (size_t i = 0; i < count; i++) {
        struct slice name = column_name(reader->cells[i]);
        for (size_t n = 0; n < name_count && name.length > 0; n++)
            if (n < chosen[names[n].column] && slice_is(name, names[n].name)) {
                found += columns[names[n].column] < 0;
                columns[names[n].column] = (int)i;
                chosen[names[n].column] = n;
            }
    }
    return found;
}

/* "[W]" without its brackets; empty if there are none. */
static struct slice column_unit(struct slice cell) {
    const char *end = cell.at + cell.length, *open = memchr(cell.at, '[', cell.length);
    const char *close = open ? memchr(open, ']', (size_t)(end - open)) : NULL;
    return close ? (struct slice){open + 1, (size_t)(close - open - 1)} : (struct slice){0};
}

/* A unit that is not one of the column is refused: its cells would be taken for something else. */
static int take_smi_header(struct telemetry *telemetry, struct reader *reader,
                           const int columns[static COLUMNS], struct error *reterr) {
    memcpy(reader->columns, columns, sizeof reader->columns);
    reader->column_count = reader->cell_count;
    for (int c = 0; c < COLUMNS; c++) {
        enum telemetry_unit unit = units_of_columns[c];
        reader->factors[c] = 1;
        if (columns[c] < 0 || unit == TELEMETRY_PLAIN)
            continue;
        struct slice cell = reader->cells[columns[c]];
        if (telemetry_header_factor(column_unit(cell), unit, &reader->factors[c]))
            continue;
        return lines_number(telemetry->lines) > 0
                   ? error_set(reterr, ERROR_INPUT,
                               "%s:%u:1: expected %s as unit of a column, got \"%.*s\"",
                               telemetry->path, (unsigned)lines_number(telemetry->lines),
                               telemetry_units_accepted(unit), (int)cell.length, cell.at)
                   : error_set(reterr, ERROR_INPUT,
                               "columns: expected %s as unit of a column, got \"%.*s\"",
                               telemetry_units_accepted(unit), (int)cell.length, cell.at);
    }
    return 0;
}

/* ---- One row ---- */

static struct slice cell_of_row(const struct reader *reader, enum column column) {
    int at = reader->columns[column];
    return at < 0 ? (struct slice){0} : reader->cells[at];
}

/* uuid, else bus, else gpu, else index, else the only GPU there is. */
static uint32_t device_of_row(struct telemetry *telemetry, struct reader *reader) {
    static const enum column keys[] = {UUID, BUS, GPU, INDEX};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct slice text = cell_of_row(reader, keys[i]);
        if (text.length > 0 && text.at[0] != '[')
            return keys[i] == UUID ? telemetry_device_number(telemetry, text)
                                   : telemetry_local_device(telemetry, text);
    }
    reader->no_key = true;
    return telemetry_local_device(telemetry, (struct slice){"0", 1});
}

/* dmon -o DT has the day, as 20251120, in a column of its own, and -o T the time of day alone. */
static bool dmon_time(const struct reader *reader, int64_t *time_ns) {
    struct slice day = cell_of_row(reader, DATE), time = cell_of_row(reader, TIME);
    char text[32] = "1970-01-02T";
    if (day.length == 8)
        snprintf(text, sizeof text, "%.4s-%.2s-%.2sT", day.at, day.at + 4, day.at + 6);
    size_t length = strlen(text);
    if (time.length != 8)
        return false;
    memcpy(text + length, time.at, 8);
    return telemetry_time((struct slice){text, length + 8}, time_ns);
}

static bool row_time(struct telemetry *telemetry, const struct reader *reader, uint32_t device,
                     int64_t *time_ns) {
    if (reader->columns[TIME] < 0) {
        *time_ns = telemetry_next_tick(telemetry, device);
        return true;
    }
    return reader->is_dmon ? dmon_time(reader, time_ns)
                           : telemetry_time(cell_of_row(reader, TIME), time_ns);
}

static double number_in_row(const struct reader *reader, enum column column, bool *is_bad) {
    if (reader->columns[column] < 0)
        return NAN;
    struct slice cell = cell_of_row(reader, column);
    double value = telemetry_number(cell, units_of_columns[column], is_bad);
    return telemetry_has_unit(cell) ? value : value * reader->factors[column];
}

static void put_metric(struct telemetry_sample *sample, enum telemetry_metric metric,
                       const struct reader *reader, enum column column, bool *is_bad) {
    if (reader->columns[column] >= 0)
        telemetry_put(sample, metric, number_in_row(reader, column, is_bad));
}

static double capped_power(struct slice text) {
    char digits[24];
    char *end;
    if (text.length < 3 || text.length >= sizeof digits || text.at[0] != '0' || text.at[1] != 'x')
        return NAN;
    memcpy(digits, text.at, text.length);
    digits[text.length] = '\0';
    unsigned long long reasons = strtoull(digits, &end, 16);
    return *end ? NAN : (reasons & POWER_REASONS) != 0;
}

static void read_smi_row(struct telemetry *telemetry, struct reader *reader, struct slice line) {
    struct telemetry_sample sample;
    bool is_bad = false;
    telemetry->rows++;
    if (telemetry_is_partial(telemetry))
        return;
    if (reader->cell_count != reader->column_count) {
        telemetry_bad_row(telemetry);
        return;
    }
    if (reader->columns[TIME] >= 0 && telemetry_is_repeated(telemetry, line))
        return;
    telemetry_sample_init(&sample);
    sample.power_w = number_in_row(reader, POWER, &is_bad);
    if (isnan(sample.power_w))
        sample.power_w = number_in_row(reader, POWER_INSTANT, &is_bad);
    if (isnan(sample.power_w))
        sample.power_w = number_in_row(reader, POWER_AVERAGE, &is_bad);
    sample.lacks_power = isnan(sample.power_w);
    sample.energy_j = number_in_row(reader, ENERGY, &is_bad);
    sample.lacks_energy = reader->columns[ENERGY] >= 0 && isnan(sample.energy_j);
    put_metric(&sample, TELEMETRY_UTILIZATION, reader, UTILIZATION, &is_bad);
    put_metric(&sample, TELEMETRY_MEMORY_USED, reader, MEMORY, &is_bad);
    put_metric(&sample, TELEMETRY_POWER_LIMIT, reader, LIMIT, &is_bad);
    if (reader->columns[REASONS] >= 0)
        telemetry_put(&sample, TELEMETRY_POWER_CAPPED, capped_power(cell_of_row(reader, REASONS)));
    uint32_t device = is_bad ? 0 : device_of_row(telemetry, reader);
    if (is_bad || !row_time(telemetry, reader, device, &sample.time_ns)) {
        telemetry_bad_row(telemetry);
        return;
    }
    sample.device = device;
    telemetry_name_gpu(telemetry, device, cell_of_row(reader, NAME));
    telemetry_add(telemetry, &sample);
}

/* ---- One file ---- */

static bool has_power_column(const int columns[static COLUMNS]) {
    return columns[POWER] >= 0 || columns[POWER_INSTANT] >= 0 || columns[POWER_AVERAGE] >= 0 ||
           columns[ENERGY] >= 0;
}

/* A dmon capture may be part of a longer log: lines that begin otherwise are not its rows. */
static int read_dmon_line(struct telemetry *telemetry, struct reader *reader, struct slice line,
                          struct error *reterr) {
    int columns[COLUMNS];
    const size_t mark = line.at[0] == '#'; /* a name may follow at once: "#Time" */
    reader->cell_count = telemetry_split_blanks((struct slice){line.at + mark, line.length - mark},
                                                reader->cells, MOST_CELLS);
    if (line.at[0] == '#' &&
        find_smi_columns(reader, columns) > 1) /* the second line, of units, has no known name */
        return take_smi_header(telemetry, reader, columns, reterr);
    if (line.at[0] != '#' && reader->cell_count > 0 && reader->column_count > 0)
        read_smi_row(telemetry, reader, line);
    return 0;
}

static int read_csv_line(struct telemetry *telemetry, struct reader *reader, struct slice line,
                         struct error *reterr) {
    int columns[COLUMNS];
    reader->cell_count = telemetry_split(line, ',', reader->cells, MOST_CELLS);
    if (reader->cell_count > MOST_CELLS) {
        telemetry->rows++;
        telemetry_bad_row(telemetry);
        return 0;
    }
    /* Rows that begin with a time, nearly all, cannot be a header: no search for names. */
    struct slice first = reader->cells[0];
    bool may_be_header = first.length > 0 && !isdigit((unsigned char)*first.at);
    size_t found = may_be_header ? find_smi_columns(reader, columns) : 0;
    if (found > 1 || (found == 1 && has_power_column(columns)))
        return take_smi_header(telemetry, reader, columns, reterr);
    read_smi_row(telemetry, reader, line);
    return 0;
}

static int begin_smi(struct telemetry *telemetry, struct error *reterr) {
    struct reader *r = telemetry->reader;
    const char *given = telemetry->options->columns ? telemetry->options->columns : "";
    int columns[COLUMNS];
    r->began = false;
    r->cell_count =
        telemetry_split((struct slice){given, strlen(given)}, ',', r->cells, MOST_CELLS);
    find_smi_columns(r, columns);
    int status = take_smi_header(telemetry, r, columns, reterr);
    r->column_count = telemetry->options->columns ? r->cell_count : 0;
    return status;
}

static int read_smi_line(struct telemetry *telemetry, struct slice line, struct error *reterr) {
    struct reader *r = telemetry->reader;
    r->is_dmon = r->began ? r->is_dmon : line.at[0] == '#';
    r->began = true;
    int status = r->is_dmon ? read_dmon_line(telemetry, r, line, reterr)
                            : read_csv_line(telemetry, r, line, reterr);
    if (status < 0 || r->is_dmon || has_power_column(r->columns))
        return status;
    return error_set(
        reterr, ERROR_INPUT,
        "%s:%u:1: expected a header with power.draw, or the columns of a file without one",
        telemetry->path, (unsigned)lines_number(telemetry->lines));
}

static int nvidia_smi_read(char *const *paths, size_t count, const struct profile_options *options,
                           struct profile *profile, struct problems *problems) {
    static const struct telemetry_format format = {"nvidia-smi", begin_smi, read_smi_line, NULL};
    const struct telemetry_job job = {paths, count, options, profile, problems};
    struct reader *r = mem_zalloc(1, sizeof *r);
    int status = telemetry_read(&format, &job, r);
    if (r->no_key)
        problems_say(
            &profile->notes,
            "no column tells GPUs apart (uuid, pci.bus_id, index): all rows count as one GPU");
    free(r);
    return status;
}

const struct profile_reader nvidia_smi_reader = {
    "nvidia-smi", "nvidia-smi --query-gpu as CSV, or dmon", nvidia_smi_read,
    PROFILE_TELEMETRY | PROFILE_INTERVAL | PROFILE_COLUMNS, NULL};

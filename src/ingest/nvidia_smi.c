/* nvidia-smi --query-gpu=... --format=csv, and nvidia-smi dmon. Both are rows of cells below a header that may come
   again; dmon's begins with "#" and separates by blanks. */
#include "ingest/nvidia_smi.h"

#include "ingest/telemetry.h"
#include "io/lines.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CELLS 1024 /* a query of everything has some 200 */

enum column {
    TIME,
    DATE, /* of dmon, beside the time of day */
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

/* Names of all ages, and of scripts that wrap nvidia-smi; in the order in which they are preferred. */
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

#define POWER_REASONS 0x84 /* software power cap, hardware power brake */

struct reader {
    struct telemetry telemetry;
    const struct profile_options *options;
    const char *path;
    bool many_files; /* an index then means another GPU in each file */
    struct lines *lines;
    struct slice cells[MOST_CELLS];
    size_t cell_count;
    int columns[COLUMNS]; /* -1: not there */
    size_t column_count;  /* of the header; 0: none yet */
    bool is_dmon;
    struct str key;
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

/* How many columns of the cells are known; their places go to columns. */
static size_t find_columns(struct reader *r, int columns[static COLUMNS]) {
    size_t found = 0, count = r->cell_count < MOST_CELLS ? r->cell_count : MOST_CELLS;
    for (int c = 0; c < COLUMNS; c++)
        columns[c] = -1;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        for (size_t i = 0; i < count && columns[names[n].column] < 0; i++)
            if (slice_is(column_name(r->cells[i]), names[n].name)) {
                columns[names[n].column] = (int)i;
                found++;
            }
    return found;
}

static void take_header(struct reader *r, const int columns[static COLUMNS]) {
    memcpy(r->columns, columns, sizeof r->columns);
    r->column_count = r->cell_count;
}

/* ---- One row ---- */

static struct slice cell(const struct reader *r, enum column column) {
    int at = r->columns[column];
    return at < 0 ? (struct slice){0} : r->cells[at];
}

/* uuid, else bus, else gpu, else index, else the only GPU there is. */
static uint32_t device_of(struct reader *r) {
    static const enum column keys[] = {UUID, BUS, GPU, INDEX};
    struct slice key = {"0", 1};
    bool global = false;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct slice text = cell(r, keys[i]);
        if (text.length == 0 || text.at[0] == '[')
            continue;
        key = text;
        global = keys[i] == UUID;
        break;
    }
    if (global || !r->many_files)
        return telemetry_device_number(&r->telemetry, key);
    r->key.length = 0;
    str_addf(&r->key, "%s:", r->path);
    str_add_bytes(&r->key, key.at, key.length);
    return telemetry_device_number(&r->telemetry, (struct slice){r->key.text, r->key.length});
}

/* dmon -o DT has the day, as 20251120, in a column of its own, and -o T the time of day alone. */
static bool dmon_time(struct reader *r, int64_t *time_ns) {
    struct slice day = cell(r, DATE), time = cell(r, TIME);
    char text[32] = "1970-01-02T";
    if (day.length == 8)
        snprintf(text, sizeof text, "%.4s-%.2s-%.2sT", day.at, day.at + 4, day.at + 6);
    size_t length = strlen(text);
    if (time.length != 8)
        return false;
    memcpy(text + length, time.at, 8);
    return telemetry_time((struct slice){text, length + 8}, time_ns);
}

static bool row_time(struct reader *r, uint32_t device, int64_t *time_ns) {
    if (r->columns[TIME] < 0) {
        *time_ns = telemetry_next_tick(&r->telemetry, device, r->options->interval_s);
        return true;
    }
    return r->is_dmon ? dmon_time(r, time_ns) : telemetry_time(cell(r, TIME), time_ns);
}

static double number(const struct reader *r, enum column column, bool *is_bad) {
    return r->columns[column] < 0 ? NAN : telemetry_number(cell(r, column), is_bad);
}

static double capped(struct slice text) {
    char digits[24];
    char *end;
    if (text.length < 3 || text.length >= sizeof digits || text.at[0] != '0' || text.at[1] != 'x')
        return NAN;
    memcpy(digits, text.at, text.length);
    digits[text.length] = '\0';
    unsigned long long reasons = strtoull(digits, &end, 16);
    return *end ? NAN : (reasons & POWER_REASONS) != 0;
}

static void read_row(struct reader *r, struct slice line) {
    struct telemetry_sample sample;
    bool is_bad = false;
    r->telemetry.rows++;
    if (lines_ended_partial(r->lines) && r->telemetry.rows > 1) { /* its last number may be cut */
        r->telemetry.partial_rows++;
        return;
    }
    if (r->cell_count != r->column_count) {
        telemetry_bad_row(&r->telemetry, r->path, lines_number(r->lines));
        return;
    }
    if (r->columns[TIME] >= 0 && telemetry_is_repeated(&r->telemetry, line))
        return;
    telemetry_sample_init(&sample);
    sample.power_w = number(r, POWER, &is_bad);
    if (isnan(sample.power_w))
        sample.power_w = number(r, POWER_INSTANT, &is_bad);
    if (isnan(sample.power_w))
        sample.power_w = number(r, POWER_AVERAGE, &is_bad);
    sample.lacks_power = isnan(sample.power_w);
    sample.energy_j = number(r, ENERGY, NULL) / 1000; /* mJ */
    sample.metrics[TELEMETRY_UTILIZATION] = number(r, UTILIZATION, NULL);
    sample.metrics[TELEMETRY_MEMORY_USED] = number(r, MEMORY, NULL);
    sample.metrics[TELEMETRY_POWER_LIMIT] = number(r, LIMIT, NULL);
    sample.metrics[TELEMETRY_POWER_CAPPED] = capped(cell(r, REASONS));
    uint32_t device = is_bad ? 0 : device_of(r);
    if (is_bad || !row_time(r, device, &sample.time_ns)) {
        telemetry_bad_row(&r->telemetry, r->path, lines_number(r->lines));
        return;
    }
    sample.device = device;
    telemetry_name_gpu(&r->telemetry, device, cell(r, NAME));
    telemetry_add(&r->telemetry, &sample);
}

/* ---- One file ---- */

static bool has_power(const int columns[static COLUMNS]) {
    return columns[POWER] >= 0 || columns[POWER_INSTANT] >= 0 || columns[POWER_AVERAGE] >= 0 ||
           columns[ENERGY] >= 0;
}

/* A dmon capture may be embedded in a longer log: lines that begin otherwise are none of its rows. */
static void read_dmon_line(struct reader *r, struct slice line) {
    int columns[COLUMNS];
    const size_t mark = line.at[0] == '#'; /* a name may follow at once: "#Time" */
    r->cell_count =
        telemetry_split_blanks((struct slice){line.at + mark, line.length - mark}, r->cells, MOST_CELLS);
    if (line.at[0] == '#' && find_columns(r, columns) > 1) /* the second line, of units, has no known name */
        take_header(r, columns);
    else if (line.at[0] != '#' && r->cell_count > 0 && r->column_count > 0)
        read_row(r, line);
}

static void read_csv_line(struct reader *r, struct slice line) {
    int columns[COLUMNS];
    r->cell_count = telemetry_split(line, ',', r->cells, MOST_CELLS);
    if (r->cell_count > MOST_CELLS) {
        r->telemetry.rows++;
        telemetry_bad_row(&r->telemetry, r->path, lines_number(r->lines));
        return;
    }
    /* Rows that begin with a time, as nearly all do, cannot be a header: no need to look for names in them. */
    struct slice first = r->cells[0];
    bool may_be_header = first.length > 0 && !isdigit((unsigned char)*first.at);
    size_t found = may_be_header ? find_columns(r, columns) : 0;
    if (found > 1 || (found == 1 && has_power(columns)))
        take_header(r, columns);
    else
        read_row(r, line);
}

static void take_given_columns(struct reader *r) {
    int columns[COLUMNS];
    struct slice line = {r->options->columns, strlen(r->options->columns)};
    r->cell_count = telemetry_split(line, ',', r->cells, MOST_CELLS);
    find_columns(r, columns);
    take_header(r, columns);
}

static int read_lines(struct reader *r, struct error *reterr) {
    struct slice line;
    int got;
    bool first = true;
    r->column_count = 0;
    if (r->options->columns)
        take_given_columns(r);
    while ((got = lines_next(r->lines, &line, reterr)) != 0) {
        if (got == ERROR_INPUT) { /* a NUL byte spoils its line only */
            telemetry_bad_row(&r->telemetry, r->path, lines_number(r->lines));
            continue;
        }
        if (got < 0 && telemetry_recovers(&r->telemetry, lines_is_damaged(r->lines), reterr->text))
            break;
        if (got < 0)
            return got;
        if (line.length == 0)
            continue;
        r->is_dmon = first ? line.at[0] == '#' : r->is_dmon;
        first = false;
        if (r->is_dmon)
            read_dmon_line(r, line);
        else
            read_csv_line(r, line);
        if (!r->is_dmon && !has_power(r->columns))
            return error_set(reterr, ERROR_INPUT,
                             "%s:%u:1: expected a header with power.draw (or --columns for a file without one)",
                             r->path, (unsigned)lines_number(r->lines));
    }
    return 0;
}

static void read_file(struct reader *r, const char *path, struct problems *problems) {
    struct error error = {0};
    r->path = path;
    for (int c = 0; c < COLUMNS; c++)
        r->columns[c] = -1;
    int status = lines_open(path, &r->lines, &error);
    if (status == 0)
        status = read_lines(r, &error);
    lines_close(r->lines);
    r->lines = NULL;
    if (status < 0)
        problems_add(problems, (struct location){0}, NULL, "%s", error.text);
}

static int nvidia_smi_read(char *const *paths, size_t count, const struct profile_options *options,
                           struct profile *profile, struct problems *problems) {
    size_t before = problems->count;
    struct reader *r = mem_zalloc(1, sizeof *r);
    r->options = options;
    r->many_files = count > 1;
    for (size_t i = 0; i < count; i++)
        read_file(r, paths[i], problems);
    if (problems->count == before)
        (void)telemetry_report(&r->telemetry, "nvidia-smi", paths, options, profile, problems);
    telemetry_finish(&r->telemetry);
    str_finish(&r->key);
    free(r);
    return problems->count > before ? ERROR_INPUT : 0;
}

const struct profile_reader nvidia_smi_reader = {"nvidia-smi", "nvidia-smi --query-gpu as CSV, or dmon",
                                                 nvidia_smi_read};

/* dcgmi dmon: entities in any order below a header that comes again, and names of DCGM's fields. */
#include "ingest/dcgm.h"

#include "io/lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POWER = TELEMETRY_METRICS, ENERGY_MJ, UTILIZATION_RATIO };

static const struct {
    const char *name; /* without DCGM_FI_, DEV_ and PROF_ */
    int metric;
} fields[] = {
    {"POWER", POWER},
    {"POWER_USAGE", POWER},
    {"BOARD_POWER_WATTS", POWER},
    {"TOTEC", ENERGY_MJ},
    {"TOTAL_ENERGY_CONSUMPTION", ENERGY_MJ},
    {"GPUTL", TELEMETRY_UTILIZATION},
    {"GPU_UTIL", TELEMETRY_UTILIZATION},
    {"GPU_UTIL_RATIO", UTILIZATION_RATIO},
    {"FBUSD", TELEMETRY_MEMORY_USED},
    {"FB_USED", TELEMETRY_MEMORY_USED},
    {"SMACT", TELEMETRY_SM_ACTIVE},
    {"SM_ACTIVE", TELEMETRY_SM_ACTIVE},
    {"SM_UTIL_RATIO", TELEMETRY_SM_ACTIVE},
    {"TENSO", TELEMETRY_TENSOR_ACTIVE},
    {"PIPE_TENSOR_ACTIVE", TELEMETRY_TENSOR_ACTIVE},
    {"TENSOR_UTIL_RATIO", TELEMETRY_TENSOR_ACTIVE},
    {"DRAMA", TELEMETRY_DRAM_ACTIVE},
    {"DRAM_ACTIVE", TELEMETRY_DRAM_ACTIVE},
    {"DRAM_UTIL_RATIO", TELEMETRY_DRAM_ACTIVE},
    {"POWER_MGMT_LIMIT", TELEMETRY_POWER_LIMIT},
};

static struct slice without(struct slice text, const char *prefix) {
    size_t length = strlen(prefix);
    if (text.length < length || memcmp(text.at, prefix, length) != 0)
        return text;
    return (struct slice){text.at + length, text.length - length};
}

bool dcgm_put(struct telemetry_sample *sample, struct slice field, double value) {
    field = without(without(without(field, "DCGM_FI_"), "DEV_"), "PROF_");
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (!slice_is(field, fields[i].name))
            continue;
        if (fields[i].metric == POWER) {
            sample->power_w = value;
            sample->lacks_power = isnan(value);
        } else if (fields[i].metric == ENERGY_MJ) {
            sample->energy_j = value / 1000;
        } else if (fields[i].metric == UTILIZATION_RATIO) {
            sample->metrics[TELEMETRY_UTILIZATION] = value * 100;
        } else {
            sample->metrics[fields[i].metric] = value;
        }
        return true;
    }
    return false;
}

/* ---- dmon ---- */

#define MOST_CELLS 256

struct reader {
    struct telemetry telemetry;
    const struct profile_options *options;
    const char *path;
    bool many_files;
    struct str header, key; /* header: a copy of the line that names lie in */
    struct slice names[MOST_CELLS], cells[MOST_CELLS];
    size_t name_count;
};

static void take_header(struct reader *r, struct slice line) {
    r->header.length = 0;
    str_add_bytes(&r->header, line.at, line.length);
    size_t count = telemetry_split_blanks((struct slice){r->header.text, r->header.length}, r->names, MOST_CELLS);
    r->name_count = count < MOST_CELLS ? count : MOST_CELLS;
}

/* "GPU 7" and values. Other entities (instances, links, switches) are parts of GPUs or none. */
static void read_row(struct reader *r, struct slice line, uint32_t line_number, bool is_partial) {
    struct telemetry_sample sample;
    bool is_bad = false;
    size_t count = telemetry_split_blanks(line, r->cells, MOST_CELLS), values = r->name_count - 1;
    if (count < 2 || !slice_is(r->cells[0], "GPU") || (count > 2 && slice_is(r->cells[2], "LINK")))
        return;
    r->telemetry.rows++;
    r->telemetry.partial_rows += is_partial;
    if (is_partial)
        return;
    telemetry_sample_init(&sample);
    for (size_t i = 0; i < values && count == values + 2; i++)
        (void)dcgm_put(&sample, r->names[i + 1], telemetry_number(r->cells[i + 2], &is_bad));
    if (is_bad || count != values + 2) {
        telemetry_bad_row(&r->telemetry, r->path, line_number);
        return;
    }
    r->key.length = 0;
    if (r->many_files)
        str_addf(&r->key, "%s:", r->path);
    str_add_bytes(&r->key, r->cells[1].at, r->cells[1].length);
    sample.device = telemetry_device_number(&r->telemetry, (struct slice){r->key.text, r->key.length});
    sample.time_ns = telemetry_next_tick(&r->telemetry, sample.device, r->options->interval_s);
    telemetry_add(&r->telemetry, &sample);
}

static int read_lines(struct reader *r, struct lines *lines, struct error *reterr) {
    struct slice line;
    int got;
    r->name_count = 0;
    while ((got = lines_next(lines, &line, reterr)) != 0) {
        if (got == ERROR_INPUT) {
            telemetry_bad_row(&r->telemetry, r->path, lines_number(lines));
            continue;
        }
        if (got < 0 && telemetry_recovers(&r->telemetry, lines_is_damaged(lines), reterr->text))
            break;
        if (got < 0)
            return got;
        if (line.length >= 7 && memcmp(line.at, "#Entity", 7) == 0)
            take_header(r, line);
        else if (r->name_count > 1)
            read_row(r, line, lines_number(lines), lines_ended_partial(lines));
    }
    if (r->name_count == 0)
        return error_set(reterr, ERROR_INPUT, "%s: expected dcgmi dmon with a line \"#Entity ...\"", r->path);
    return 0;
}

static int dcgm_read(char *const *paths, size_t count, const struct profile_options *options,
                     struct profile *profile, struct problems *problems) {
    size_t before = problems->count;
    struct reader *r = mem_zalloc(1, sizeof *r);
    r->options = options;
    r->many_files = count > 1;
    for (size_t i = 0; i < count; i++) {
        struct lines *lines = NULL;
        struct error error = {0};
        r->path = paths[i];
        if (lines_open(paths[i], &lines, &error) < 0 || read_lines(r, lines, &error) < 0)
            problems_add(problems, (struct location){0}, NULL, "%s", error.text);
        lines_close(lines);
    }
    if (problems->count == before)
        (void)telemetry_report(&r->telemetry, "dcgm", paths, options, profile, problems);
    telemetry_finish(&r->telemetry);
    str_finish(&r->header);
    str_finish(&r->key);
    free(r);
    return problems->count > before ? ERROR_INPUT : 0;
}

const struct profile_reader dcgm_reader = {"dcgm", "dcgmi dmon", dcgm_read};

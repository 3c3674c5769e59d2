/* Dcgmi dmon: entities in any order below a header that comes again, and names of DCGM's fields. */
#include "ingest/readers.h"

#include "ingest/profile_formats.h"

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
    {"FP64A", TELEMETRY_FP64_ACTIVE},
    {"PIPE_FP64_ACTIVE", TELEMETRY_FP64_ACTIVE},
    {"FP64_UTIL_RATIO", TELEMETRY_FP64_ACTIVE},
    {"FP32A", TELEMETRY_FP32_ACTIVE},
    {"PIPE_FP32_ACTIVE", TELEMETRY_FP32_ACTIVE},
    {"FP32_UTIL_RATIO", TELEMETRY_FP32_ACTIVE},
    {"FP16A", TELEMETRY_FP16_ACTIVE},
    {"PIPE_FP16_ACTIVE", TELEMETRY_FP16_ACTIVE},
    {"FP16_UTIL_RATIO", TELEMETRY_FP16_ACTIVE},
    {"SMCLK", TELEMETRY_SM_CLOCK},
    {"SM_CLOCK", TELEMETRY_SM_CLOCK},
    {"POWER_MGMT_LIMIT", TELEMETRY_POWER_LIMIT},
};

static struct slice without_prefix(struct slice text, const char *prefix) {
    size_t length = strlen(prefix);
    return slice_begins(text, prefix) ? (struct slice){text.at + length, text.length - length}
                                      : text;
}

static enum telemetry_unit unit_of(int metric) {
    switch (metric) {
    case POWER:
    case TELEMETRY_POWER_LIMIT:
        return TELEMETRY_W;
    case ENERGY_MJ:
        return TELEMETRY_J_OF_MJ;
    case TELEMETRY_UTILIZATION:
        return TELEMETRY_PERCENT;
    case TELEMETRY_MEMORY_USED:
        return TELEMETRY_MIB;
    default:
        return TELEMETRY_PLAIN;
    }
}

bool dcgm_put(struct telemetry_sample *sample, struct slice field, struct slice cell,
              bool *is_bad) {
    field = without_prefix(without_prefix(without_prefix(field, "DCGM_FI_"), "DEV_"), "PROF_");
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (!slice_is(field, fields[i].name))
            continue;
        double value = telemetry_number(cell, unit_of(fields[i].metric), is_bad);
        if (fields[i].metric == POWER) {
            sample->power_w = value;
            sample->lacks_power = isnan(value);
        } else if (fields[i].metric == ENERGY_MJ) {
            sample->energy_j = value;
            sample->lacks_energy = isnan(value);
        } else if (fields[i].metric == UTILIZATION_RATIO) {
            telemetry_put(sample, TELEMETRY_UTILIZATION, value * 100);
        } else {
            telemetry_put(sample, (enum telemetry_metric)fields[i].metric, value);
        }
        return true;
    }
    return false;
}

uint32_t dcgm_device(struct telemetry *telemetry, struct slice uuid, struct slice host,
                     struct slice gpu) {
    telemetry->key.length = 0;
    str_add_bytes(&telemetry->key, host.at, host.length);
    str_add_char(&telemetry->key, ':');
    str_add_bytes(&telemetry->key, gpu.at, gpu.length);
    uint32_t device = telemetry_device_number(
        telemetry,
        uuid.length > 0 ? uuid : (struct slice){telemetry->key.text, telemetry->key.length});
    if (device != TELEMETRY_NO_DEVICE && !telemetry->devices.at[device].index && gpu.length > 0)
        telemetry->devices.at[device].index =
            arena_strndup(&telemetry->arena, gpu.at, gpu.length < 24 ? gpu.length : 24);
    return device;
}

/* ---- dmon ---- */

#define MOST_CELLS 256

struct reader {
    struct str header; /* a copy of the line that names lie in */
    struct slice names[MOST_CELLS], cells[MOST_CELLS];
    size_t name_count;
};

static void take_dcgm_header(struct reader *reader, struct slice line) {
    reader->header.length = 0;
    str_add_bytes(&reader->header, line.at, line.length);
    size_t count = telemetry_split_blanks(
        (struct slice){reader->header.text, reader->header.length}, reader->names, MOST_CELLS);
    reader->name_count = count < MOST_CELLS ? count : MOST_CELLS;
}

/* "GPU 7" and values. Other entities (instances, links, switches) are parts of GPUs or none. */
static void read_dcgm_row(struct telemetry *telemetry, struct reader *reader, struct slice line) {
    struct telemetry_sample sample;
    bool is_bad = false;
    size_t count = telemetry_split_blanks(line, reader->cells, MOST_CELLS),
           values = reader->name_count - 1;
    if (count < 2 || !slice_is(reader->cells[0], "GPU") ||
        (count > 2 && slice_is(reader->cells[2], "LINK")))
        return;
    telemetry->rows++;
    if (telemetry_is_partial(telemetry))
        return;
    telemetry_sample_init(&sample);
    for (size_t i = 0; i < values && count == values + 2; i++)
        (void)dcgm_put(&sample, reader->names[i + 1], reader->cells[i + 2],
                       &is_bad); /* other fields may be text */
    if (is_bad || count != values + 2) {
        telemetry_bad_row(telemetry);
        return;
    }
    sample.device = telemetry_local_device(telemetry, reader->cells[1]);
    sample.time_ns = telemetry_next_tick(telemetry, sample.device);
    telemetry_add(telemetry, &sample);
}

static int begin_dcgm(struct telemetry *telemetry, struct error *reterr) {
    (void)reterr;
    ((struct reader *)telemetry->reader)->name_count = 0;
    return 0;
}

static int read_dcgm_line(struct telemetry *telemetry, struct slice line, struct error *reterr) {
    struct reader *r = telemetry->reader;
    (void)reterr;
    if (slice_begins(line, "#Entity"))
        take_dcgm_header(r, line);
    else if (r->name_count > 1)
        read_dcgm_row(telemetry, r, line);
    return 0;
}

static int end_dcgm(struct telemetry *telemetry, struct error *reterr) {
    if (((struct reader *)telemetry->reader)->name_count > 0)
        return 0;
    return error_set(reterr, ERROR_INPUT, "%s: expected dcgmi dmon with a line \"#Entity ...\"",
                     telemetry->path);
}

static int dcgm_read(char *const *paths, size_t count, const struct profile_options *options,
                     struct profile *profile, struct problems *problems) {
    static const struct telemetry_format format = {"dcgm", begin_dcgm, read_dcgm_line, end_dcgm};
    const struct telemetry_job job = {paths, count, options, profile, problems};
    struct reader *r = mem_zalloc(1, sizeof *r);
    int status = telemetry_read(&format, &job, r);
    str_finish(&r->header);
    free(r);
    return status;
}

const struct profile_reader dcgm_reader = {"dcgm", "dcgmi dmon", dcgm_read,
                                           PROFILE_DCGM | PROFILE_INTERVAL, NULL};

/* --- dcgm_exporter --- */
/* Prometheus text of dcgm-exporter: NAME{label="value",...} VALUE [MILLISECONDS]. */

struct labels {
    struct slice uuid, gpu, host, model;
};

struct dcgm_exporter_reader {
    struct str
        first; /* name and labels of the file's first line; where they come again a scrape begins */
    uint64_t scrapes;
};

static bool is_space_or_tab(char c) {
    return c == ' ' || c == '\t';
}

/* One label from *at on; false at the closing brace or if there is none. Escapes stay. */
static bool next_label(const char **at, const char *end, struct slice *name, struct slice *value) {
    while (*at < end && (is_space_or_tab(**at) || **at == ','))
        ++*at;
    const char *equals = memchr(*at, '=', (size_t)(end - *at));
    if (*at == end || **at == '}' || !equals || equals + 1 == end || equals[1] != '"')
        return false;
    *name = (struct slice){*at, (size_t)(equals - *at)};
    const char *begin = equals + 2, *close = begin;
    while (close < end && *close != '"')
        close += *close == '\\' && close + 1 < end ? 2 : 1;
    if (close >= end)
        return false;
    *value = (struct slice){begin, (size_t)(close - begin)};
    *at = close + 1;
    return true;
}

/* The place after the labels, or NULL. */
static const char *read_labels(const char *at, const char *end, struct labels *labels) {
    struct slice name, value;
    while (next_label(&at, end, &name, &value)) {
        if (slice_is(name, "UUID"))
            labels->uuid = value;
        else if (slice_is(name, "gpu"))
            labels->gpu = value;
        else if (slice_is(name, "Hostname"))
            labels->host = value;
        else if (slice_is(name, "modelName"))
            labels->model = value;
    }
    return at < end && *at == '}' ? at + 1 : NULL;
}

/* Without times: scrapes are an interval apart. A series that comes again begins the next. */
static int64_t scrape_time(struct telemetry *telemetry, struct slice series) {
    struct dcgm_exporter_reader *r = telemetry->reader;
    if (r->first.length == 0)
        str_add_bytes(&r->first, series.at, series.length);
    else if (series.length == r->first.length &&
             memcmp(series.at, r->first.text, series.length) == 0)
        r->scrapes++;
    return telemetry_tick(telemetry, r->scrapes);
}

static bool read_exporter_series(struct telemetry *telemetry, struct slice line) {
    const char *end = line.at + line.length, *brace = memchr(line.at, '{', line.length);
    struct labels labels = {0};
    struct slice cells[3];
    struct telemetry_sample sample;
    bool is_bad = false;
    const char *behind = brace ? read_labels(brace + 1, end, &labels) : NULL;
    if (!behind)
        return false;
    size_t count = telemetry_split_blanks((struct slice){behind, (size_t)(end - behind)}, cells, 3);
    if (count < 1 || count > 2)
        return false;
    telemetry_sample_init(&sample);
    if (!dcgm_put(&sample, (struct slice){line.at, (size_t)(brace - line.at)}, cells[0], &is_bad))
        return true;
    if (is_bad || (count == 2 && !telemetry_time(cells[1], &sample.time_ns)))
        return false;
    if (count == 1)
        sample.time_ns =
            scrape_time(telemetry, (struct slice){line.at, (size_t)(behind - line.at)});
    else if (telemetry_is_repeated(telemetry, line))
        return true;
    sample.device = dcgm_device(telemetry, labels.uuid, labels.host, labels.gpu);
    telemetry_name_gpu(telemetry, sample.device, labels.model);
    telemetry_add(telemetry, &sample);
    return true;
}

static int read_exporter_line(struct telemetry *telemetry, struct slice line,
                              struct error *reterr) {
    (void)reterr;
    if (line.at[0] == '#')
        return 0;
    telemetry->rows++;
    if (!telemetry_is_partial(telemetry) && !read_exporter_series(telemetry, line))
        telemetry_bad_row(telemetry);
    return 0;
}

/* The next file is another scrape. */
static int end_exporter(struct telemetry *telemetry, struct error *reterr) {
    struct dcgm_exporter_reader *r = telemetry->reader;
    (void)reterr;
    r->scrapes++;
    r->first.length = 0;
    return 0;
}

static int exporter_read(char *const *paths, size_t count, const struct profile_options *options,
                         struct profile *profile, struct problems *problems) {
    static const struct telemetry_format format = {"dcgm-exporter", NULL, read_exporter_line,
                                                   end_exporter};
    const struct telemetry_job job = {paths, count, options, profile, problems};
    struct dcgm_exporter_reader r = {0};
    int status = telemetry_read(&format, &job, &r);
    str_finish(&r.first);
    return status;
}

const struct profile_reader dcgm_exporter_reader = {
    "dcgm-exporter", "Prometheus text of dcgm-exporter", exporter_read,
    PROFILE_DCGM | PROFILE_INTERVAL, NULL};

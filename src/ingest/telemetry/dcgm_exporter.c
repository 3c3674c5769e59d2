/* Prometheus text of dcgm-exporter: NAME{label="value",...} VALUE [MILLISECONDS]. */
#include "ingest/telemetry/dcgm.h"

#include "ingest/profile_formats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct labels {
    struct slice uuid, gpu, host, model;
};

struct reader {
    struct str
        first; /* name and labels of the file's first line; where they come again a scrape begins */
    uint64_t scrapes;
};

static bool is_space_or_tab(char c) {
    return c == ' ' || c == '\t';
}

/* One label from *at on; false at the closing brace or where there is none. Escapes stay. */
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

/* The place behind the labels, or NULL. */
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
    struct reader *r = telemetry->reader;
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
    struct reader *r = telemetry->reader;
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
    struct reader r = {0};
    int status = telemetry_read(&format, &job, &r);
    str_finish(&r.first);
    return status;
}

const struct profile_reader dcgm_exporter_reader = {
    "dcgm-exporter", "Prometheus text of dcgm-exporter", exporter_read,
    PROFILE_TELEMETRY | PROFILE_INTERVAL};

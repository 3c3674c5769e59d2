/* Prometheus text of dcgm-exporter: NAME{label="value",...} VALUE [MILLISECONDS]. */
#include "ingest/dcgm.h"

#include "base/units.h"
#include "io/lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct labels {
    struct slice uuid, gpu, host, model;
};

struct reader {
    struct telemetry telemetry;
    const struct profile_options *options;
    const char *path;
    struct str first,
        key; /* first: name and labels of the file's first line; where they come again a scrape begins */
    uint64_t scrapes;
};

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

/* One label from *at on; false at the closing brace or where there is none. Escapes stay. */
static bool next_label(const char **at, const char *end, struct slice *name, struct slice *value) {
    while (*at < end && (is_blank(**at) || **at == ','))
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

static uint32_t device_of(struct reader *r, const struct labels *labels) {
    r->key.length = 0;
    if (labels->uuid.length > 0) {
        str_add_bytes(&r->key, labels->uuid.at, labels->uuid.length);
    } else {
        str_add_bytes(&r->key, labels->host.at, labels->host.length);
        str_add_char(&r->key, ':');
        str_add_bytes(&r->key, labels->gpu.at, labels->gpu.length);
    }
    return telemetry_device_number(&r->telemetry, (struct slice){r->key.text, r->key.length});
}

/* Without times: scrapes are an interval apart. A series that comes again begins the next. */
static int64_t scrape_time(struct reader *r, struct slice series) {
    if (r->first.length == 0)
        str_add_bytes(&r->first, series.at, series.length);
    else if (series.length == r->first.length && memcmp(series.at, r->first.text, series.length) == 0)
        r->scrapes++;
    double seconds = (double)r->scrapes * r->options->interval_s;
    r->telemetry.no_times = true;
    return units_ns(seconds < TIME_MAX_S ? seconds : TIME_MAX_S);
}

static bool read_series(struct reader *r, struct slice line) {
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
    if (!dcgm_put(&sample, (struct slice){line.at, (size_t)(brace - line.at)}, telemetry_number(cells[0], &is_bad)))
        return true;
    if (is_bad || (count == 2 && !telemetry_time(cells[1], &sample.time_ns)))
        return false;
    if (count == 1)
        sample.time_ns = scrape_time(r, (struct slice){line.at, (size_t)(behind - line.at)});
    else if (telemetry_is_repeated(&r->telemetry, line))
        return true;
    sample.device = device_of(r, &labels);
    telemetry_name_gpu(&r->telemetry, sample.device, labels.model);
    telemetry_add(&r->telemetry, &sample);
    return true;
}

static int read_lines(struct reader *r, struct lines *lines, struct error *reterr) {
    struct slice line;
    int got;
    while ((got = lines_next(lines, &line, reterr)) != 0) {
        if (got == ERROR_IO && telemetry_recovers(&r->telemetry, lines_is_damaged(lines), reterr->text))
            break;
        if (got < 0 && got != ERROR_INPUT)
            return got;
        if (got > 0 && (line.length == 0 || line.at[0] == '#'))
            continue;
        r->telemetry.rows++;
        bool is_partial = got > 0 && lines_ended_partial(lines) && r->telemetry.rows > 1;
        r->telemetry.partial_rows += is_partial;
        if (!is_partial && (got < 0 || !read_series(r, line)))
            telemetry_bad_row(&r->telemetry, r->path, lines_number(lines));
    }
    r->scrapes++; /* the next file is another one */
    r->first.length = 0;
    return 0;
}

static int exporter_read(char *const *paths, size_t count, const struct profile_options *options,
                         struct profile *profile, struct problems *problems) {
    size_t before = problems->count;
    struct reader r = {.options = options};
    for (size_t i = 0; i < count; i++) {
        struct lines *lines = NULL;
        struct error error = {0};
        r.path = paths[i];
        if (lines_open(paths[i], &lines, &error) < 0 || read_lines(&r, lines, &error) < 0)
            problems_add(problems, (struct location){0}, NULL, "%s", error.text);
        lines_close(lines);
    }
    if (problems->count == before)
        (void)telemetry_report(&r.telemetry, "dcgm-exporter", paths, options, profile, problems);
    telemetry_finish(&r.telemetry);
    str_finish(&r.first);
    str_finish(&r.key);
    return problems->count > before ? ERROR_INPUT : 0;
}

const struct profile_reader dcgm_exporter_reader = {"dcgm-exporter", "Prometheus text of dcgm-exporter",
                                                    exporter_read};

/* Answers of the Prometheus HTTP API: data.result is a list of series, each with its labels and one value or many.
 */
#include "ingest/dcgm.h"

#include "io/json_stream.h"
#include "io/json_text.h"

#include <math.h>
#include <stdlib.h>

struct reader {
    struct telemetry telemetry;
    struct str key;
    const char *path;
};

struct series {
    struct slice labels, field;
    bool has_device; /* looked up once, for the first value of use: labels may be long */
    uint32_t device;
};

static uint32_t device_of(struct reader *r, struct slice labels) {
    struct slice uuid = json_string(json_find(labels, "UUID"));
    r->key.length = 0;
    if (uuid.length > 0) {
        str_add_bytes(&r->key, uuid.at, uuid.length);
    } else {
        struct slice host = json_string(json_find(labels, "Hostname")), gpu = json_string(json_find(labels, "gpu"));
        str_add_bytes(&r->key, host.at, host.length);
        str_add_char(&r->key, ':');
        str_add_bytes(&r->key, gpu.at, gpu.length);
    }
    return telemetry_device_number(&r->telemetry, (struct slice){r->key.text, r->key.length});
}

/* [seconds, "value"] of a field; false: unreadable. A field of no use makes no device. */
static bool read_pair(struct reader *r, struct series *series, struct slice pair) {
    struct json_cursor cursor = json_inside(pair);
    struct slice time, value;
    struct telemetry_sample sample;
    bool is_bad = false;
    r->telemetry.rows++;
    telemetry_sample_init(&sample);
    if (!json_element(&cursor, &time) || !json_element(&cursor, &value) || !telemetry_time(time, &sample.time_ns))
        return false;
    if (!dcgm_put(&sample, series->field, telemetry_number(json_string(value), &is_bad)))
        return true;
    if (is_bad)
        return false;
    if (!series->has_device) {
        series->device = device_of(r, series->labels);
        series->has_device = true;
        telemetry_name_gpu(&r->telemetry, series->device, json_string(json_find(series->labels, "modelName")));
    }
    sample.device = series->device;
    telemetry_add(&r->telemetry, &sample);
    return true;
}

static void read_series(struct reader *r, struct slice text) {
    struct slice values = json_find(text, "values"), pair;
    struct series series = {.labels = json_find(text, "metric")};
    series.field = json_string(json_find(series.labels, "__name__"));
    struct json_cursor cursor = json_inside(values);
    bool good = true;
    if (values.length == 0)
        good = read_pair(r, &series, json_find(text, "value"));
    while (json_element(&cursor, &pair))
        good = read_pair(r, &series, pair) && good;
    if (!good)
        telemetry_bad_row(&r->telemetry, r->path, 0);
}

static int read_items(struct reader *r, struct json_stream *stream, struct error *reterr) {
    struct json_item item;
    int got;
    while ((got = json_stream_next(stream, &item, reterr)) > 0)
        if (item.key.length == 0)
            read_series(r, item.text);
    if (got == 0 && json_stream_truncation(stream)) {
        r->key.length = 0;
        str_addf(&r->key, "%s: %s", r->path, json_stream_truncation(stream));
        (void)telemetry_recovers(&r->telemetry, true, r->key.text);
    }
    return got;
}

static int prometheus_read(char *const *paths, size_t count, const struct profile_options *options,
                           struct profile *profile, struct problems *problems) {
    size_t before = problems->count;
    struct reader r = {0};
    for (size_t i = 0; i < count; i++) {
        struct json_stream *stream = NULL;
        struct error error = {0};
        r.path = paths[i];
        if (json_stream_open(paths[i], "data.result", &stream, &error) < 0 || read_items(&r, stream, &error) < 0)
            problems_add(problems, (struct location){0}, NULL, "%s", error.text);
        json_stream_close(stream);
    }
    if (problems->count == before)
        (void)telemetry_report(&r.telemetry, "prometheus", paths, options, profile, problems);
    telemetry_finish(&r.telemetry);
    str_finish(&r.key);
    return problems->count > before ? ERROR_INPUT : 0;
}

const struct profile_reader prometheus_reader = {"prometheus", "answers of the Prometheus API to DCGM's series",
                                                 prometheus_read};

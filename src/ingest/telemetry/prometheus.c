/* Answers of the Prometheus HTTP API: data.result is a list of series, each with its labels and one
   value or many; or there is none, and the members errorType and error say why. */
#include "ingest/readers.h"

#include "ingest/profile_formats.h"
#include "io/json_stream.h"
#include "io/json_text.h"

#include <cJSON.h>
#include <stdlib.h>
#include <string.h>

struct series {
    struct slice labels, field;
    bool has_device; /* looked up once, for the first value of use: labels may be long */
    uint32_t device;
};

static uint32_t device_of_labels(struct telemetry *telemetry, struct slice labels) {
    return dcgm_device(telemetry, json_string(json_find(labels, "UUID")),
                       json_string(json_find(labels, "Hostname")),
                       json_string(json_find(labels, "gpu")));
}

/* [seconds, "value"] of a field; false: unreadable. A field of no use makes no device. */
static bool read_sample_pair(struct telemetry *telemetry, struct series *series,
                             struct slice pair) {
    struct json_cursor cursor = json_inside(pair);
    struct slice time, value;
    struct telemetry_sample sample;
    bool is_bad = false;
    telemetry->rows++;
    telemetry_sample_init(&sample);
    if (!json_element(&cursor, &time) || !json_element(&cursor, &value) ||
        !telemetry_time(time, &sample.time_ns))
        return false;
    if (!dcgm_put(&sample, series->field, json_string(value), &is_bad))
        return true;
    if (is_bad)
        return false;
    if (!series->has_device) {
        series->device = device_of_labels(telemetry, series->labels);
        series->has_device = true;
        telemetry_name_gpu(telemetry, series->device,
                           json_string(json_find(series->labels, "modelName")));
    }
    sample.device = series->device;
    telemetry_add(telemetry, &sample);
    return true;
}

static void read_answer_series(struct telemetry *telemetry, struct slice text) {
    struct slice values = json_find(text, "values"), pair;
    struct series series = {.labels = json_find(text, "metric")};
    series.field = json_string(json_find(series.labels, "__name__"));
    struct json_cursor cursor = json_inside(values);
    bool good = true;
    if (values.length == 0)
        good = read_sample_pair(telemetry, &series, json_find(text, "value"));
    while (json_element(&cursor, &pair))
        good = read_sample_pair(telemetry, &series, pair) && good;
    if (!good)
        telemetry_bad_row(telemetry);
}

/* ---- What the server says of its answer ---- */

struct answer {
    bool failed;
    const char *error_type, *error, *kind; /* in the arena; NULL: not said */
};

/* A string without its escapes, in one line; another value as it is written. */
static const char *plain_text(struct telemetry *telemetry, struct slice value) {
    cJSON *parsed = json_is_string(value) ? cJSON_ParseWithLength(value.at, value.length) : NULL;
    const char *text = cJSON_GetStringValue(parsed);
    char *kept = text ? arena_strdup(&telemetry->arena, text)
                      : arena_strndup(&telemetry->arena, value.at, value.length);
    cJSON_Delete(parsed);
    for (char *c = kept; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
    return kept;
}

static void note_texts(struct telemetry *telemetry, const char *what, struct slice list,
                       struct problems *notes) {
    struct json_cursor cursor = json_inside(list);
    struct slice text;
    while (json_element(&cursor, &text))
        problems_add(notes, (struct location){telemetry->path, 0, 0}, NULL, "the server's %s: %s",
                     what, plain_text(telemetry, text));
}

static void read_answer_member(struct telemetry *telemetry, const struct json_item *item,
                               struct answer *answer, struct problems *notes) {
    if (slice_is(item->key, "status"))
        answer->failed = !slice_is(json_string(item->text), "success");
    else if (slice_is(item->key, "errorType"))
        answer->error_type = plain_text(telemetry, item->text);
    else if (slice_is(item->key, "error"))
        answer->error = plain_text(telemetry, item->text);
    else if (slice_is(item->key, "resultType"))
        answer->kind = plain_text(telemetry, item->text);
    else if (slice_is(item->key, "warnings"))
        note_texts(telemetry, "warning", item->text, notes);
    else if (slice_is(item->key, "infos"))
        note_texts(telemetry, "information", item->text, notes);
}

static int check_answer(const struct telemetry *telemetry, const struct answer *answer,
                        struct error *reterr) {
    if (answer->failed || answer->error)
        return error_set(reterr, ERROR_INPUT, "%s: the server answered with an error%s%s: %s",
                         telemetry->path, answer->error_type ? ", " : "",
                         answer->error_type ? answer->error_type : "",
                         answer->error ? answer->error : "it gives no reason");
    if (answer->kind && strcmp(answer->kind, "vector") != 0 && strcmp(answer->kind, "matrix") != 0)
        return error_set(reterr, ERROR_INPUT,
                         "%s: data.resultType: expected vector or matrix, got \"%s\"",
                         telemetry->path, answer->kind);
    return 0;
}

static int read_answer_items(struct telemetry *telemetry, struct json_stream *stream,
                             struct problems *notes, struct error *reterr) {
    struct answer answer = {0};
    struct json_item item;
    int got;
    while ((got = json_stream_next(stream, &item, reterr)) > 0) {
        if (item.key.length == 0)
            read_answer_series(telemetry, item.text);
        else
            read_answer_member(telemetry, &item, &answer, notes);
    }
    if (got == 0)
        got = check_answer(telemetry, &answer, reterr);
    struct json_losses losses = json_stream_losses(stream);
    for (uint64_t i = 0; got == 0 && i < losses.records + losses.strangers + losses.stretches; i++)
        telemetry_bad_row(telemetry); /* too long for a series, or no JSON */
    if (got == 0 && json_stream_truncation(stream)) {
        telemetry->key.length = 0;
        str_addf(&telemetry->key, "%s: %s", telemetry->path, json_stream_truncation(stream));
        telemetry_damaged(telemetry, telemetry->key.text);
    }
    return got;
}

static const char *const series_keys[] = {"metric", "value", "values", NULL};

static int prometheus_read(char *const *paths, size_t count, const struct profile_options *options,
                           struct profile *profile, struct problems *problems) {
    const struct telemetry_job job = {paths, count, options, profile, problems};
    size_t before = problems->count;
    struct telemetry t;
    telemetry_init(&t, &job, NULL);
    for (size_t i = 0; i < count; i++) {
        struct json_stream *stream = NULL;
        struct error error = {0};
        t.path = paths[i];
        if (json_stream_open(paths[i], "data.result", series_keys, &stream, &error) < 0 ||
            read_answer_items(&t, stream, &profile->notes, &error) < 0)
            problems_say(problems, "%s", error.text);
        json_stream_close(stream);
    }
    if (problems->count == before)
        (void)telemetry_report(&t, "prometheus", &job);
    telemetry_finish(&t);
    return problems->count > before ? ERROR_INPUT : 0;
}

const struct profile_reader prometheus_reader = {"prometheus",
                                                 "answers of the Prometheus API to DCGM's series",
                                                 prometheus_read, PROFILE_DCGM, NULL};

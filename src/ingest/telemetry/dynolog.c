/* dynolog writes one JSON object a line, in its log after "time = ... data = ". Numbers with a
   point are quoted. The time says Z but is local, and can be unset (1969 or 1970): then the log
   line's own stamp counts, which has no zone either. */
#include "ingest/profile_formats.h"
#include "ingest/telemetry/telemetry.h"
#include "io/json_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    enum telemetry_metric metric;
    enum telemetry_unit unit;
} metrics[] = {
    {"gpu_device_utilization", TELEMETRY_UTILIZATION, TELEMETRY_PERCENT},
    {"sm_active_ratio", TELEMETRY_SM_ACTIVE, TELEMETRY_PLAIN},
    {"tensorcore_active", TELEMETRY_TENSOR_ACTIVE, TELEMETRY_PLAIN},
    {"hbm_mem_bw_util", TELEMETRY_DRAM_ACTIVE, TELEMETRY_PLAIN},
    {"fp64_active", TELEMETRY_FP64_ACTIVE, TELEMETRY_PLAIN},
    {"fp32_active", TELEMETRY_FP32_ACTIVE, TELEMETRY_PLAIN},
    {"fp16_active", TELEMETRY_FP16_ACTIVE, TELEMETRY_PLAIN},
    {"gpu_frequency_mhz", TELEMETRY_SM_CLOCK, TELEMETRY_PLAIN},
};

#define UNSET_BEFORE_NS INT64_C(31536000000000000) /* 1971 */

/* "I20251120 09:00:00.141150 ..." */
static bool stamp_time(struct slice line, int64_t *time_ns) {
    char text[32];
    if (line.length < 24 || line.at[9] != ' ')
        return false;
    int length = snprintf(text, sizeof text, "%.4s-%.2s-%.2sT%.15s", line.at + 1, line.at + 5,
                          line.at + 7, line.at + 10);
    return telemetry_time((struct slice){text, (size_t)length}, time_ns);
}

/* 1: *time_ns is the record's, 0: it has none, negative: it should have one. */
static int record_time(struct slice line, const char *data, int64_t *time_ns) {
    static const char mark[] = "time = ";
    struct slice head = {line.at, (size_t)(data - line.at)};
    if (head.length == 0)
        return 0;
    const char *at = slice_find(head, mark);
    if (at) {
        at += sizeof mark - 1;
        const char *end = memchr(at, ' ', (size_t)(data - at));
        struct slice text = {at, end ? (size_t)(end - at) : 0};
        if (telemetry_time(text, time_ns) && *time_ns >= UNSET_BEFORE_NS)
            return 1;
    }
    return stamp_time(line, time_ns) ? 1 : -1;
}

static double number_in_record(struct slice record, const char *name, enum telemetry_unit unit,
                               bool *is_bad) {
    struct slice value = json_find(record, name);
    return value.length > 0 ? telemetry_number(json_string(value), unit, is_bad) : NAN;
}

/* A line with a record: false if it cannot be read. Records of the host have no device and are
 * passed over. */
static bool read_record(struct telemetry *telemetry, struct slice line, const char *data) {
    struct slice record = {data, line.length - (size_t)(data - line.at)};
    struct telemetry_sample sample;
    bool is_bad = false;
    telemetry_sample_init(&sample);
    while (record.length > 0 &&
           (record.at[record.length - 1] == ' ' || record.at[record.length - 1] == '\r'))
        record.length--;
    if (!json_is_valid(record))
        return false;
    int has_time = record_time(line, data, &sample.time_ns);
    if (has_time < 0)
        return false;
    if (json_find(record, "device").length == 0 ||
        (has_time && telemetry_is_repeated(telemetry, line)))
        return true;
    sample.power_w = number_in_record(record, "gpu_power_draw", TELEMETRY_W, &is_bad);
    sample.lacks_power = isnan(sample.power_w);
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        if (json_find(record, metrics[i].name).length > 0)
            telemetry_put(&sample, metrics[i].metric,
                          number_in_record(record, metrics[i].name, metrics[i].unit, &is_bad));
    if (is_bad)
        return false;
    sample.device = telemetry_local_device(telemetry, json_string(json_find(record, "device")));
    if (!has_time)
        sample.time_ns = telemetry_next_tick(telemetry, sample.device);
    telemetry_add(telemetry, &sample);
    return true;
}

/* Where the record of a line begins; NULL: the line has none. */
static const char *find_record(struct slice line) {
    static const char mark[] = "data = ";
    if (line.length > 0 && line.at[0] == '{')
        return line.at;
    const char *at = slice_find(line, mark);
    return at ? at + sizeof mark - 1 : NULL;
}

static int read_dynolog_line(struct telemetry *telemetry, struct slice line, struct error *reterr) {
    const char *data = find_record(line);
    (void)reterr;
    if (!data)
        return 0;
    telemetry->rows++;
    if (!read_record(telemetry, line, data))
        telemetry_bad_row(telemetry);
    return 0;
}

static int dynolog_read(char *const *paths, size_t count, const struct profile_options *options,
                        struct profile *profile, struct problems *problems) {
    static const struct telemetry_format format = {"dynolog", NULL, read_dynolog_line, NULL};
    const struct telemetry_job job = {paths, count, options, profile, problems};
    return telemetry_read(&format, &job, NULL);
}

const struct profile_reader dynolog_reader = {"dynolog", "records of dynolog, glog or JSON lines",
                                              dynolog_read, PROFILE_DCGM | PROFILE_INTERVAL, NULL};

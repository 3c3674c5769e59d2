/* Events as text. Invariant: times are whole nanoseconds, printed as microseconds with three
   decimals or none; no number is NaN or infinite. */
#include "insight/timeline/internal.h"

#include "io/json_text.h"

#include <math.h>

#define FLUSH_BYTES ((size_t)64 << 10)

static const char phases[TRACE_KINDS] = {
    [TRACE_SLICE] = 'X',    [TRACE_BEGIN] = 'b',   [TRACE_END] = 'e',     [TRACE_COUNTER] = 'C',
    [TRACE_FLOW_OUT] = 's', [TRACE_FLOW_IN] = 'f', [TRACE_INSTANT] = 'i', [TRACE_METADATA] = 'M'};

static void add_us(struct str *out, int64_t time_ns) {
    int ns = (int)(time_ns % 1000);
    str_add_int(out, time_ns / 1000);
    if (ns != 0)
        str_add_bytes(out, (char[]){'.', '0' + ns / 100, '0' + ns / 10 % 10, '0' + ns % 10}, 4);
}

static void flush_events(struct trace_events *events) {
    int r = events->error.code;
    if (r == 0)
        r = packed_file_write(events->file, events->text.text, events->text.length, &events->error);
    events->error.code = r;
    events->text.length = 0;
}

void trace_events_open(struct trace_events *events, const char *members) {
    if (!events->file)
        return;
    str_add(&events->text, members);
    str_add(&events->text, "\"traceEvents\":[");
}

bool trace_event_begin(struct trace_events *events, enum trace_kind kind, struct trace_place place,
                       const char *name) {
    uint64_t before = trace_events_total(events);
    events->count[kind]++;
    if (!events->file || events->error.code != 0)
        return false;
    struct str *text = &events->text;
    str_add(text, before > 0 ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
    str_add_char(text, phases[kind]);
    str_add(text, "\",\"pid\":");
    str_add_int(text, place.pid);
    str_add(text, ",\"tid\":");
    str_add_int(text, place.tid);
    str_add(text, ",\"ts\":");
    add_us(text, place.time_ns);
    str_add(text, ",\"name\":");
    json_write_text(text, name);
    return true;
}

void trace_event_duration(struct trace_events *events, int64_t duration_ns) {
    str_add(&events->text, ",\"dur\":");
    add_us(&events->text, duration_ns);
}

void trace_event_category(struct trace_events *events, const char *category) {
    str_add(&events->text, ",\"cat\":\"");
    str_add(&events->text, category);
    str_add_char(&events->text, '"');
}

void trace_event_id(struct trace_events *events, uint32_t id) {
    str_add(&events->text, ",\"id\":");
    str_add_int(&events->text, id);
}

void trace_event_member(struct trace_events *events, const char *json) {
    str_add_char(&events->text, ',');
    str_add(&events->text, json);
}

static void add_argument(struct trace_events *events, const char *name) {
    str_add(&events->text, events->has_arguments ? ",\"" : ",\"args\":{\"");
    str_add(&events->text, name);
    str_add(&events->text, "\":");
    events->has_arguments = true;
}

void trace_event_text(struct trace_events *events, const char *name, const char *value) {
    if (!value)
        return;
    add_argument(events, name);
    json_write_text(&events->text, value);
}

void trace_event_int(struct trace_events *events, const char *name, int64_t value) {
    add_argument(events, name);
    str_add_int(&events->text, value);
}

void trace_event_real(struct trace_events *events, const char *name, double value) {
    if (!isfinite(value))
        return;
    add_argument(events, name);
    str_add_real(&events->text, value);
}

void trace_event_end(struct trace_events *events) {
    str_add(&events->text, events->has_arguments ? "}}" : "}");
    events->has_arguments = false;
    if (events->text.length >= FLUSH_BYTES)
        flush_events(events);
}

int trace_events_close(struct trace_events *events, struct error *reterr) {
    if (events->file) {
        str_add(&events->text, "\n]}\n");
        flush_events(events);
    }
    if (events->error.code != 0)
        return error_set(reterr, events->error.code, "%s", events->error.text);
    return 0;
}

uint64_t trace_events_total(const struct trace_events *events) {
    uint64_t total = 0;
    for (int kind = 0; kind < TRACE_KINDS; kind++)
        total += events->count[kind];
    return total;
}

void trace_events_finish(struct trace_events *events) {
    str_finish(&events->text);
}

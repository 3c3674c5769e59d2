/* Events of Chrome traces as text, and files that are gzipped on the way. */
#include "../support/temp_dir.h"
#include "base/mem.h"
#include "insight/timeline/internal.h"
#include "io/files.h"

#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <unistd.h>
#include <zlib.h>

/* The whole of a gzipped or plain file. */
static struct str read_back(const char *path) {
    struct str text = {0};
    char bytes[4096];
    int length;
    gzFile file = gzopen(path, "rb");
    cr_assert_not_null(file);
    while ((length = gzread(file, bytes, sizeof bytes)) > 0)
        str_add_bytes(&text, bytes, (size_t)length);
    cr_assert_eq(gzclose(file), Z_OK, "%s is damaged", path);
    return text;
}

static struct trace_events open_events(const char *path, bool gzip) {
    struct trace_events events = {0};
    struct error error = {0};
    cr_assert_eq(packed_file_open(path, gzip, &events.file, &error), 0, "%s", error.text);
    return events;
}

static void close_events(struct trace_events *events) {
    struct error error = {0};
    cr_assert_eq(trace_events_close(events, &error), 0, "%s", error.text);
    cr_assert_eq(packed_file_commit(events->file, &error), 0, "%s", error.text);
    trace_events_finish(events);
}

/* Microseconds are exact to the nanosecond; what is no number is left out; texts are escaped. */
Test(trace_events, numbers_and_texts, .init = temp_dir_enter, .fini = temp_dir_leave) {
    struct trace_events events = open_events("t.json", false);
    trace_events_open(&events, "{\"a\":1,");
    cr_assert(trace_event_begin(&events, TRACE_SLICE,
                                (struct trace_place){3, 4, INT64_C(36000000000123007)},
                                "</script>\"\\\n\xff"));
    trace_event_duration(&events, 1001);
    trace_event_category(&events, "c");
    trace_event_real(&events, "x", 0.1);
    trace_event_real(&events, "nan", NAN);
    trace_event_real(&events, "inf", INFINITY);
    trace_event_text(&events, "none", NULL);
    trace_event_int(&events, "n", -5);
    trace_event_end(&events);
    cr_assert(trace_event_begin(&events, TRACE_FLOW_IN, (struct trace_place){0, 0, 5000}, "f"));
    trace_event_id(&events, 7);
    trace_event_member(&events, "\"bp\":\"e\"");
    trace_event_end(&events);
    cr_assert_eq(trace_events_total(&events), 2);
    close_events(&events);
    struct str text = read_back("t.json");
    cr_assert_str_eq(
        text.text,
        "{\"a\":1,\"traceEvents\":[\n"
        "{\"ph\":\"X\",\"pid\":3,\"tid\":4,\"ts\":36000000000123.007,"
        "\"name\":\"</script>\\\"\\\\\\u000a\xef\xbf\xbd\",\"dur\":1.001,\"cat\":\"c\","
        "\"args\":{\"x\":0.1,\"n\":-5}},\n"
        "{\"ph\":\"f\",\"pid\":0,\"tid\":0,\"ts\":5,\"name\":\"f\",\"id\":7,\"bp\":\"e\"}\n]}\n");
    str_finish(&text);
}

/* Without a file events are counted, by the same calls. */
Test(trace_events, counted_only) {
    struct trace_events events = {0};
    struct error error = {0};
    trace_events_open(&events, "{");
    for (int i = 0; i < 3; i++)
        cr_assert_not(
            trace_event_begin(&events, TRACE_COUNTER, (struct trace_place){0, 0, i}, "c"));
    cr_assert_not(trace_event_begin(&events, TRACE_INSTANT, (struct trace_place){0, 0, 0}, "i"));
    cr_assert_eq(trace_events_close(&events, &error), 0);
    cr_assert_eq(trace_events_total(&events), 4);
    cr_assert_eq(events.count[TRACE_COUNTER], 3);
    trace_events_finish(&events);
}

/* Over many buffers; twice the same bytes; nothing is there before the end. */
Test(trace_events, gzipped, .init = temp_dir_enter, .fini = temp_dir_leave) {
    static const char *const names[] = {"a.gz", "b.gz", "plain"};
    struct str texts[3], raw[2];
    for (int f = 0; f < 3; f++) {
        struct trace_events events = open_events(names[f], f < 2);
        trace_events_open(&events, "{");
        for (int i = 0; i < 20000; i++)
            if (trace_event_begin(&events, TRACE_INSTANT,
                                  (struct trace_place){0, 0, (int64_t)i * i * 977}, "instant"))
                trace_event_end(&events);
        cr_assert_neq(access(names[f], F_OK), 0, "is there before it is complete");
        close_events(&events);
        texts[f] = read_back(names[f]);
    }
    cr_assert_gt(texts[0].length, 1000000);
    for (int f = 0; f < 2; f++) {
        cr_assert_str_eq(texts[f].text, texts[2].text);
        raw[f] = (struct str){0};
        struct error error = {0};
        cr_assert_eq(files_read(names[f], 1 << 24, &raw[f], &error), 0);
    }
    cr_assert_eq(raw[0].length, raw[1].length);
    cr_assert_lt(raw[0].length, texts[2].length / 4);
    cr_assert_arr_eq(raw[0].text, raw[1].text, raw[0].length);
    for (int f = 0; f < 3; f++)
        str_finish(&texts[f]);
    str_finish(&raw[0]);
    str_finish(&raw[1]);
}

Test(trace_events, abandoned, .init = temp_dir_enter, .fini = temp_dir_leave) {
    struct packed_file *file = NULL;
    struct error error = {0};
    cr_assert_lt(packed_file_open("no/folder/x", true, &file, &error), 0);
    cr_assert_eq(error.code, ERROR_IO);
    cr_assert_eq(packed_file_open("x", true, &file, &error), 0);
    cr_assert_eq(packed_file_write(file, "abc", 3, &error), 0);
    packed_file_abort(file);
    packed_file_abort(NULL);
    cr_assert_neq(access("x", F_OK), 0);
}

/* A signal that came meanwhile ends the writing, and comes then. */
static volatile sig_atomic_t signalled;

static void note_signal(int number) {
    signalled = number;
}

Test(trace_events, interrupted, .init = temp_dir_enter, .fini = temp_dir_leave) {
    struct packed_file *file = NULL;
    struct error error = {0};
    signal(SIGTERM, note_signal);
    cr_assert_eq(packed_file_open("x", false, &file, &error), 0);
    raise(SIGTERM);
    cr_assert_eq(signalled, 0);
    cr_assert_eq(packed_file_write(file, "abc", 3, &error), ERROR_CANCELLED);
    packed_file_abort(file);
    cr_assert_eq(signalled, SIGTERM);
    cr_assert_neq(access("x", F_OK), 0);
}

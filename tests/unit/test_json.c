/* JSON where it lies, and as a stream. Expected texts are parts of the inputs, found by eye. */
#include "io/json_stream.h"
#include "io/json_text.h"
#include "support/temp_dir.h"

#include <criterion/criterion.h>
#include <zlib.h>

static struct slice slice_of(const char *text) {
    return (struct slice){text, strlen(text)};
}

/* Members as "key=value;". */
static void check_members(const char *text, const char *expected) {
    struct json_cursor cursor = json_inside(slice_of(text));
    struct slice key, value;
    struct str found = {0};
    str_add(&found, "");
    while (json_member(&cursor, &key, &value))
        str_addf(&found, "%.*s=%.*s;", (int)key.length, key.at, (int)value.length, value.at);
    cr_assert_str_eq(found.text, expected);
    str_finish(&found);
}

Test(json, members) {
    check_members("{}", "");
    check_members(
        "{\"a\": 1, \"b\": \"x, y\",\n\"c\":[1, {\"d\": 2}], \"e\": {\"}\": \"\\\"}\"}, \"f\" : -1.5e3}",
        "a=1;b=\"x, y\";c=[1, {\"d\": 2}];e={\"}\": \"\\\"}\"};f=-1.5e3;");
    check_members("{\"a\": NaN, \"b\": -inf, \"c\": \"two\nlines\",}",
                  "a=NaN;b=-inf;c=\"two\nlines\";");
    check_members("{\"a\" 1}", "");
    check_members("{\"a\": 1 \"b\": 2}", "a=1;b=2;");
    check_members("{\"a\": }", "a=;");
    check_members("{]: 1}", "");
    check_members("17", "");
    cr_assert(slice_is(json_find(slice_of("{\"a\": 1, \"b\": 2}"), "b"), "2"));
    cr_assert_eq(json_find(slice_of("{\"a\": 1}"), "b").length, 0);
}

/* However a value is cut in two, its end is found. */
Test(json, scans_in_two_pieces) {
    static const char *const values[] = {"{\"a\": [1, \"\\\\\\\"]\", {}]}", "[[[]], \"[\"]",
                                         "\"a\\\"b\"", "12.5"};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        size_t length = strlen(values[i]);
        char text[64];
        snprintf(text, sizeof text, "%s,]", values[i]);
        for (size_t cut = 0; cut < length; cut++) {
            struct json_scan scan = {0};
            cr_assert_null(json_scan(&scan, text, text + cut), "%s at %zu", values[i], cut);
            cr_assert_eq(json_scan(&scan, text + cut, text + length + 2), text + length,
                         "%s at %zu", values[i], cut);
        }
    }
}

Test(json, microseconds) {
    static const struct {
        const char *text;
        int64_t time_ns; /* INT64_MIN: no time */
    } cases[] = {
        {"0", 0},
        {"17", 17000},
        {"-2.5", -2500},
        {"1716398126123456.789", 1716398126123456789},
        {"4458677009853.422", 4458677009853422},
        {"0.0004", 0},
        {"0.0005", 1},
        {"1.23456", 1235},
        {"2.9996", 3000},
        {"1.5e3", 1500000},
        {"4000000000000000", 4000000000000000000},
        {"4000000000000001", INT64_MIN},
        {"99999999999999999999999", INT64_MIN},
        {"", INT64_MIN},
        {".", INT64_MIN},
        {"1.x", INT64_MIN},
        {"nan", INT64_MIN},
        {"\"12.5\"", 12500},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t found = INT64_MIN;
        bool is_time = json_microseconds(slice_of(cases[i].text), &found);
        cr_assert_eq(is_time, cases[i].time_ns != INT64_MIN, "%s", cases[i].text);
        cr_assert_eq(found, cases[i].time_ns, "%s: %lld", cases[i].text, (long long)found);
    }
}

/* By the grammar of RFC 8259. */
Test(json, validity) {
    static const char *const good[] = {
        "{}",      "[]",   " [1, -0.5e+3, \"\\u00e9\\n\", {\"a\": [true, false, null]}] ",
        "0",       "\"\"", "{\"a\": {}, \"b\": []}",
        "[[[[]]]]"};
    static const char *const bad[] = {
        "",           "{",     "[1,]",       "{\"a\": 1,}", "{\"a\"}", "{1: 2}",     "[1 2]",
        "NaN",        "[inf]", "01",         "1.",          "-",       "\"\n\"",     "\"\\q\"",
        "\"\\u12g\"", "[1]]",  "{\"a\": 1]", "tru",         "\"a",     "[\"a\": 1]", "1 2"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        cr_assert(json_is_valid(slice_of(good[i])), "%s", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_assert_not(json_is_valid(slice_of(bad[i])), "%s", bad[i]);
}

/* ---- Streams ---- */

static const struct json_losses none = {0, 0, 0};

/* Items as "key:text;" and what came of the end. */
static void check_array(const char *name, const char *array, const char *expected,
                        const char *truncation, struct json_losses losses) {
    static const char *const keys[] = {"i", "j", NULL};
    struct json_stream *stream;
    struct json_item item;
    struct error error = {0};
    struct str found = {0};
    int got;
    str_add(&found, "");
    cr_assert_eq(json_stream_open(name, array, keys, &stream, &error), 0, "%s", error.text);
    while ((got = json_stream_next(stream, &item, &error)) > 0)
        str_addf(&found, "%.*s:%.*s;", (int)item.key.length, item.key.at, (int)item.text.length,
                 item.text.at);
    cr_assert_eq(got, 0, "%s", error.text);
    cr_assert_str_eq(found.text, expected);
    cr_assert_eq(!json_stream_truncation(stream), !truncation);
    if (truncation)
        cr_assert_str_eq(json_stream_truncation(stream), truncation);
    cr_assert_eq(json_stream_losses(stream).records, losses.records, "%s", expected);
    cr_assert_eq(json_stream_losses(stream).stretches, losses.stretches, "%s", expected);
    cr_assert_eq(json_stream_losses(stream).strangers, losses.strangers, "%s", expected);
    json_stream_close(stream);
    str_finish(&found);
}

static void check_stream(const char *name, const char *expected, const char *truncation,
                         struct json_losses losses) {
    check_array(name, "rows", expected, truncation, losses);
}

Test(json, stream_member_of_a_member, .init = temp_dir_enter, .fini = temp_dir_leave) {
    temp_file_write_text(
        "x",
        "{\"a\": 1, \"data\": {\"b\": {\"rows\": [7]}, \"rows\": [{\"i\": 1}], \"c\": 2}, \"d\": 3}");
    check_array("x", "data.rows", "a:1;b:{\"rows\": [7]};:{\"i\": 1};c:2;d:3;", NULL, none);
    temp_file_write_text("x", "{\"data\": {\"rows\": [{\"i\": 1}]}");
    check_array("x", "data.rows", ":{\"i\": 1};", "truncated at byte 29", none);
}

/* Of each text the sound rows, told apart by eye; a row that has something wrong inside counts as
 * one record lost.
 */
static const struct {
    const char *text, *expected, *truncation;
    struct json_losses losses;
} streams[] = {
    {"{\"a\": 1, \"rows\": [{\"i\": 1}, {\"i\": 2}], \"b\": \"x\"}",
     "a:1;:{\"i\": 1};:{\"i\": 2};b:\"x\";",
     NULL,
     {0, 0, 0}},
    {"[{\"i\": 1}\n,17,\"]\",{\"i\": 2}]", ":{\"i\": 1};:{\"i\": 2};", NULL, {0, 0, 2}},
    {"\xef\xbb\xbf {\"rows\": []}\n", "", NULL, {0, 0, 0}},
    {"{\"rows\": null, \"a\": 2}", "rows:null;a:2;", NULL, {0, 0, 0}},
    {"{\"rows\": [{\"i\": 1},],}", ":{\"i\": 1};", NULL, {0, 0, 0}},
    {"{\"rows\": [{\"i\": 1}, {\"i\": 2", ":{\"i\": 1};", "truncated at byte 27", {0, 0, 0}},
    {"{\"rows\": [{\"i\": 1}", ":{\"i\": 1};", "truncated at byte 18", {0, 0, 0}},
    {"{\"rows\"", "", "truncated at byte 7", {0, 0, 0}},
    {"{\"rows\": [{\"i\": 1}, {\"i\": \"a\\\"}, { \"i\": 3}, {\"i\": 4}]}",
     ":{\"i\": 1};:{ \"i\": 3};:{\"i\": 4};",
     NULL,
     {1, 0, 0}},
    {"{\"rows\": [{\"i\": 1}} {\"i\": 2}]}", ":{\"i\": 2};", NULL, {1, 0, 0}},
    /* a quote too many in two records, one in the last, quotes of the first key */
    {"{\"rows\": [{\"i\": \"a\"b\"}, {\"i\": 2}, {\"i\": \"c\"d\"}, {\"i\": 4}]}",
     ":{\"i\": 2};:{\"i\": 4};",
     NULL,
     {2, 0, 0}},
    {"{\"rows\": [{\"i\": 1}, {\"i\": \"a\"\"}], \"b\": 5}", ":{\"i\": 1};b:5;", NULL, {1, 0, 0}},
    {"[{\"i\": 1}, {\"i\": \"a}]", ":{\"i\": 1};", NULL, {1, 0, 0}},
    {"[{i\": 1}, {\"i: 2}, {\"\"i\": 3}, {\"i\": 4}]", ":{\"i\": 4};", NULL, {3, 0, 0}},
    {"[{\"j\": 1, \"i\": \"a}, {\"j\": 2}, {\"j\": 3, \"i\": 3}]",
     ":{\"j\": 3, \"i\": 3};",
     NULL,
     {1, 0, 0}}, /* no i: no record */
    {"[{\"i\": [{\"j\": 1}, {\"j\": 2}], \"k\": \"a\"b\"}, {\"i\": 2}]",
     ":{\"i\": 2};",
     NULL,
     {1, 0, 0}},
    {"[{\"k\": {\"i\": 1}, \"l\": [{\"j\": {}}]}]",
     ":{\"k\": {\"i\": 1}, \"l\": [{\"j\": {}}]};",
     NULL,
     {0, 0, 0}},
    {"[{\"i\": \"{\\\"i\\\": 1}, \"x\"}, {\"i\": 2}]", ":{\"i\": 2};", NULL, {1, 0, 0}},
    {"[{\"i\": [1, 2}, {\"i\": [3,\n {\"i\": 4}, {\"i\": 5}]",
     ":{\"i\": 4};:{\"i\": 5};",
     NULL,
     {2, 0, 0}},
    {"{\"rows\": [{\"i\": 1}], {\"i\": 2}, {\"i\": 3}], \"b\": 5}",
     ":{\"i\": 1};:{\"i\": 2};:{\"i\": 3};b:5;",
     NULL,
     {0, 1, 0}},
    {"{\"a\": \"x\"y\", \"rows\": [{\"i\": 1}], \"b\": 5}",
     "a:\"x\";:{\"i\": 1};b:5;",
     NULL,
     {0, 1, 0}},
    {"{\"a\": \"x, \"rows\": [{\"i\": 1}], \"b\": 5}",
     "a:\"x, \";:{\"i\": 1};b:5;",
     NULL,
     {0, 1, 0}},
    {"{\"rows\": [{\"j\": [1, {\"j\": 2, \"i\": 3}, {\"i\": 4}], \"b\": 5}",
     ":{\"j\": 2, \"i\": 3};:{\"i\": 4};b:5;",
     NULL,
     {1, 0, 0}},
};

Test(json, stream_items, .init = temp_dir_enter, .fini = temp_dir_leave) {
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        temp_file_write_text("x", streams[i].text);
        check_stream("x", streams[i].expected, streams[i].truncation, streams[i].losses);
    }
}

Test(json, stream_no_json, .init = temp_dir_enter, .fini = temp_dir_leave) {
    static const char *const texts[] = {"", "  \n", "abc", "17"}, *const keys[] = {"i", NULL};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct json_stream *stream;
        struct json_item item;
        struct error error = {0};
        temp_file_write_text("x", texts[i]);
        cr_assert_eq(json_stream_open("x", "rows", keys, &stream, &error), 0);
        cr_assert_eq(json_stream_next(stream, &item, &error), ERROR_INPUT);
        cr_assert_str_eq(error.text, "x: expected JSON, an object with \"rows\" or an array");
        json_stream_close(stream);
    }
}

/* A value of 3 MiB among others: longer than may be handed out. */
Test(json, stream_long_values, .init = temp_dir_enter, .fini = temp_dir_leave) {
    char *blanks = malloc((3 << 20) + 1);
    memset(blanks, 'x', 3 << 20);
    blanks[3 << 20] = '\0';
    struct str text = {0};
    str_addf(&text,
             "{\"a\": \"%s\", \"rows\": [{\"i\": 1}, {\"i\": \"%s\"}, {\"i\": 2}], \"b\": 3}",
             blanks, blanks);
    temp_file_write("x", text.text, text.length);
    check_stream("x", ":{\"i\": 1};:{\"i\": 2};b:3;", NULL, (struct json_losses){1, 0, 0});
    str_finish(&text);
    free(blanks);
}

/* The trailer and the last bytes of a gzip file are gone: what was decoded counts. */
Test(json, stream_truncated_gzip, .init = temp_dir_enter, .fini = temp_dir_leave) {
    static const char text[] = "{\"rows\": [{\"i\": 1}, {\"i\": 2}]}";
    gzFile file = gzopen("x", "wb0"); /* stored: the text stands in the file behind 15 bytes */
    cr_assert_eq(gzwrite(file, text, sizeof text - 1), (int)sizeof text - 1);
    gzclose(file);
    cr_assert_eq(truncate("x", 15 + 25), 0);
    check_stream("x", ":{\"i\": 1};", "truncated at byte 25 (damaged compressed data)", none);
}

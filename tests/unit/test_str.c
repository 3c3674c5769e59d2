/* Text buffers, nearest names, and errors, which are text with a place. */
#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Test(str, grows_and_stays_terminated) {
    struct str str = {0};
    str_add(&str, "");
    cr_assert_str_eq(str.text, "");
    str_add(&str, "gpus=");
    str_add_int(&str, -17);
    str_add_char(&str, ' ');
    str_add_real(&str, 2.385);
    str_add_real(&str, (double)NAN); /* an empty cell */
    str_add_real(&str, (double)INFINITY);
    str_add_char(&str, ' ');
    str_add_ns(&str, 1500000000);
    str_addf(&str, " %s/%d", "a", 3);
    str_add_bytes(&str, "xyz", 2);
    str_add_bytes(&str, NULL, 0);
    cr_assert_str_eq(str.text, "gpus=-17 2.385 1.5 a/3xy");
    cr_assert_eq(str.length, strlen(str.text));

    size_t before = str.length;
    for (int i = 0; i < 10000; i++)
        str_add_char(&str, (char)('a' + i % 26));
    cr_assert_eq(str.length, before + 10000);
    cr_assert_eq(str.text[before + 27], 'b');
    cr_assert_eq(strlen(str.text), str.length);

    memcpy(str_reserve(&str, 5), "later", 6);
    str.length += 5;
    cr_assert_str_eq(str.text + str.length - 5, "later");
    str_finish(&str);
    str_finish(&str);
    str_finish(NULL);
    cr_assert_null(str.text);
}

/* What a terminal would obey, and bytes that are no UTF-8, are spelled out; all else stays. */
Test(str, visible) {
    struct str str = {0};
    str_add_visible(&str, "a\t\x1b[31m \xc3\xa9 \xe9\xe2\x82 \xc2\x9b \xef\xbf\xbd");
    cr_expect_str_eq(str.text, "a\\x09\\x1b[31m \xc3\xa9 \\xe9\\xe2\\x82 \\xc2\\x9b \xef\xbf\xbd");
    str.length = 0;
    str_add_visible(&str, "\xe2\x80\xaetxt.exe\xe2\x80\xac \xe2\x80\xa8 \xe2\x80\x93");
    cr_expect_str_eq(str.text,
                     "\\xe2\\x80\\xaetxt.exe\\xe2\\x80\\xac \\xe2\\x80\\xa8 \xe2\x80\x93");
    str.length = 0;
    str_add_visible(&str, "");
    cr_expect_eq(str.length, 0);
    str_finish(&str);
}

Test(str, slices_compare_by_content) {
    cr_assert(slice_is((struct slice){"gpus,x", 4}, "gpus"));
    cr_assert_not(slice_is((struct slice){"gpus", 3}, "gpus"));
    cr_assert_not(slice_is((struct slice){"gpus", 4}, "gpu"));
    cr_assert(slice_is((struct slice){NULL, 0}, ""));
}

/* Distances counted by hand: at most 1 + length/4 edits, a swap of neighbours being one. */
Test(str, nearest_name) {
    static const char *const names[] = {"duration", "deadline", "gpus",
                                        "nodes",    "user",     "power_cap"};
    static const struct {
        const char *word, *nearest;
    } cases[] = {
        {"gpus", "gpus"},
        {"gpsu", "gpus"},
        {"gpu", "gpus"},
        {"gp", NULL},
        {"durration", "duration"},
        {"duratoin", "duration"},
        {"drtn", NULL},
        {"nodse", "nodes"},
        {"deadlien", "deadline"},
        {"powercap", "power_cap"},
        {"power-cap", "power_cap"},
        {"walltime", NULL},
        {"dedlnie", "deadline"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *found = str_nearest(cases[i].word, names, sizeof names / sizeof *names);
        if (cases[i].nearest)
            cr_assert_str_eq(found ? found : "NULL", cases[i].nearest, "%s", cases[i].word);
        else
            cr_assert_null(found, "%s -> %s", cases[i].word, found);
    }
    char endless[4097];
    memset(endless, 'g', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    cr_assert_null(str_nearest(endless, names, 6));
    const char *const long_names[] = {endless, "gpus"};
    cr_assert_str_eq(str_nearest("gpux", long_names, 2), "gpus");
    cr_assert_null(str_nearest("gpus", names, 0));
}

Test(str, error_keeps_code_and_text) {
    cr_assert_eq(error_set(NULL, ERROR_RUN, "nobody reads this"), ERROR_RUN);
    struct error error = {0};
    cr_assert_eq(error_set(&error, ERROR_INPUT, "%s:%d", "a.csv", 7), ERROR_INPUT);
    cr_assert_eq(error.code, ERROR_INPUT);
    cr_assert_str_eq(error.text, "a.csv:7");
    (void)error_set(&error, ERROR_IO, "while reading: %s",
                    error.text); /* adding context to itself */
    cr_assert_str_eq(error.text, "while reading: a.csv:7");
    (void)error_set(&error, ERROR_IO, "%2000d",
                    1); /* longer than the text: cut, still terminated */
    cr_assert_eq(strlen(error.text), sizeof error.text - 1);
}

Test(str, error_problems_name_what_is_known) {
    static const struct {
        struct location where;
        const char *path, *text;
    } cases[] = {
        {{"a.yaml", 12, 9}, "cluster.nodes[2].gpus", "a.yaml:12:9: cluster.nodes[2].gpus: got 7"},
        {{"a.yaml", 12, 9}, NULL, "a.yaml:12:9: got 7"},
        {{"a.yaml", 12, 0}, NULL, "a.yaml:12: got 7"},
        {{"--set x", 0, 0}, "x", "--set x: x: got 7"},
        {{"a.yaml", 0, 5}, NULL, "a.yaml: got 7"},
        {{NULL, 0, 0}, NULL, "got 7"},
    };
    struct problems problems = {.every = true};
    size_t count = sizeof cases / sizeof *cases;
    for (size_t i = 0; i < 40 * count; i++)
        problems_add(&problems, cases[i % count].where, cases[i % count].path, "got %d", 7);
    cr_assert_eq(problems.count, 40 * count);
    for (size_t i = 0; i < 40 * count; i++)
        cr_assert_str_eq(problems.texts[i], cases[i % count].text);
    problems_finish(&problems);
    problems_finish(&problems);
    problems_finish(NULL);
    cr_assert_eq(problems.count, 0);
}

/* Of each file the first 20, in the order found; those without a file all. */
Test(str, error_problems_of_a_file_end) {
    struct problems problems = {0};
    char text[64];
    for (unsigned i = 1; i <= 25; i++) {
        problems_add(&problems, (struct location){"a", i, 0}, "x", "one");
        problems_add_setting(&problems, (struct location){"b", i, 0}, "y", "two");
        problems_add(&problems, (struct location){0}, NULL, "three");
        snprintf(text, sizeof text, "b:%u: four", i);
        problems_add_text(&problems, "b", text);
    }
    cr_assert_eq(problems.count, 4 * 25);
    cr_assert_eq(problems.kept, 20 + 20 + 25);
    problems_end(&problems);
    problems_end(&problems); /* once is enough */
    cr_assert_eq(problems.kept, 20 + 20 + 25 + 2);
    cr_expect_str_eq(problems.texts[36], "a:10: x: one");
    cr_expect_str_eq(problems.texts[39], "b:10: four");
    cr_expect_str_eq(problems.texts[41], "three");
    cr_expect_str_eq(problems.texts[64], "three");
    cr_expect_str_eq(problems.texts[65], "a: ... and 5 more");
    cr_expect_str_eq(problems.texts[66], "b: ... and 30 more");
    problems_finish(&problems);
}

Test(str, mem_sizes_of_zero_and_overflow) {
    void *nothing = mem_alloc(0);
    cr_assert_not_null(nothing);
    nothing = mem_realloc(nothing, 0, 8);
    cr_assert_not_null(nothing);
    free(nothing);
    unsigned char *zeros = mem_zalloc(7, 3);
    for (int i = 0; i < 21; i++)
        cr_assert_eq(zeros[i], 0);
    free(zeros);
    char *copy = mem_strdup("name");
    cr_assert_str_eq(copy, "name");
    free(copy);
}

/* Out of memory ends the process with exit 1 (decision 0002). */
Test(str, mem_overflow_is_out_of_memory, .exit_code = 1) {
    free(mem_realloc(NULL, SIZE_MAX / 2, 4));
}

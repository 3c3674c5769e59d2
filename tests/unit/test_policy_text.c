/* Policies with parameters as texts: what is one, what is none, and the names of their folders.
   Expected values are read off the text by hand; folders are undone by the rule of RFC 3986. */
#include "base/rng.h"
#include "base/str.h"
#include "config/policy_text.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* LABEL=name|variant|PARAM>VALUE... */
static void show(const struct policy_text *text, struct str *out) {
    str_addf(out, "%s%s%s|%s", text->label ? text->label : "", text->label ? "=" : "", text->name,
             text->variant ? text->variant : "-");
    for (size_t i = 0; i < text->count; i++)
        str_addf(out, "|%s>%s", text->settings[i].name, text->settings[i].value);
}

Test(policy_text, good_texts) {
    static const char *const cases[][2] = {
        {"zeus", "zeus|-"},
        {"zeus:edp_slack=2:tau=1h", "zeus|edp_slack=2:tau=1h|edp_slack>2|tau>1h"},
        {"./mine.so", "./mine.so|-"},
        {"./mine.so:a=x/y", "./mine.so|a=x/y|a>x/y"},
        {"exec:program=\"./a:b,c\":x=1", "exec|program=\"./a:b,c\":x=1|program>\"./a:b,c\"|x>1"},
        {"exec:program='it''s: a,b'", "exec|program='it''s: a,b'|program>'it''s: a,b'"},
        {"exec:program=\"a\\\":b\"", "exec|program=\"a\\\":b\"|program>\"a\\\":b\""},
        {"a:b=c=d", "a|b=c=d|b>c=d"},
        {"a:b=", "a|b=|b>"},
        {"a:b==", "a|b==|b>="},
        {"old=./a/x.so", "old=./a/x.so|-"},
        {"v1.2-b_3=zeus:tau=1h", "v1.2-b_3=zeus|tau=1h|tau>1h"},
        {"a=\"./b=c,d.so\":e=1", "a=./b=c,d.so|e=1|e>1"},
        {"./a=b.so", "./a=b.so|-"}, /* a path, no label */
        {"\"a=b/x.so\"", "a=b/x.so|-"},
        {"./a:b/mine.so", "./a:b/mine.so|-"},           /* a path with a colon */
        {"./a:b/mine.so:c=1", "./a:b/mine.so|c=1|c>1"}, /* and parameters */
        {"\"./a:b=1/m.so\":c=1", "./a:b=1/m.so|c=1|c>1"},
        {"'it''s/m.so'", "it's/m.so|-"},
        {"\"a\\\"b\\\\/m.so\"", "a\"b\\/m.so|-"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        struct str shown = {0};
        struct error error = {0};
        struct policy_text text;
        cr_assert_eq(policy_text_parse(cases[i][0], &arena, &text, &error), 0, "%s: %s",
                     cases[i][0], error.text);
        show(&text, &shown);
        cr_expect_str_eq(shown.text, cases[i][1]);
        str_finish(&shown);
        arena_finish(&arena);
    }
}

Test(policy_text, bad_texts) {
    static const char *const cases[][2] = {
        {"", "expected a policy, got \"\""},
        {":tau=1h", "expected a policy, got \":tau=1h\""},
        {"\"\":tau=1h", "expected a policy, got \"\"\":tau=1h\""},
        {"=zeus", "expected " POLICY_LABEL_HELP ", got \"\""},
        {"Old=./x.so", "expected " POLICY_LABEL_HELP ", got \"Old\""},
        {"a b=zeus", "expected " POLICY_LABEL_HELP ", got \"a b\""},
        {"\"a,b\"=zeus", "expected " POLICY_LABEL_HELP ", got \"\"a,b\"\""},
        {"a234567890123456789012345678901234567890123456789012345678901234x=zeus",
         "expected " POLICY_LABEL_HELP
         ", got \"a234567890123456789012345678901234567890123456789012345678901234x\""},
        {"old=", "expected a policy, got \"\""},
        {"zeus:", "expected PARAM=VALUE behind \"zeus:\", got \"\""},
        {"zeus::tau=1h", "expected PARAM=VALUE behind \"zeus:\", got \"\""},
        {"zeus:tau=1h:", "expected PARAM=VALUE behind \"zeus:\", got \"\""},
        {"zeus:tau", "expected PARAM=VALUE behind \"zeus:\", got \"tau\""},
        {"zeus:=2:tau=1h", "expected PARAM=VALUE behind \"zeus:\", got \"=2\""},
        {"zeus:tau=1h:tau=2h", "parameter \"tau\" is given twice"},
        {"zeus:tau=\"1h", "expected quotes that are closed, got \"\"1h\""},
        {"zeus:tau='1h''", "expected quotes that are closed, got \"'1h''\""},
        {"zeus:tau=\"1h\"2", "expected a colon or the end after the quotes, got \"\"1h\"2\""},
        {"\"./mine.so", "expected a path in quotes, then a colon or the end, got \"\"./mine.so\""},
        {"\"./mine\".so",
         "expected a path in quotes, then a colon or the end, got \"\"./mine\".so\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        struct error error = {0};
        struct policy_text text = {.name = "untouched"};
        cr_expect_eq(policy_text_parse(cases[i][0], &arena, &text, &error), ERROR_INPUT);
        cr_expect_str_eq(error.text, cases[i][1]);
        cr_expect_str_eq(text.name, "untouched");
        arena_finish(&arena);
    }
}

Test(policy_text, lists) {
    static const char *const items[] = {"zeus",
                                        "zeus:tau=1h:edp_slack=2",
                                        "exec:program=\"a,b\":x='c,d'",
                                        "\"./a,b.so\":x=1",
                                        "",
                                        "./it's.so", /* no quote: it begins nothing */
                                        "a:b=\"c,d"};
    struct arena arena = {0};
    struct str list = {0};
    size_t count = sizeof items / sizeof *items;
    for (size_t i = 0; i < count; i++)
        str_addf(&list, "%s%s", i > 0 ? "," : "", items[i]);
    const char *at = list.text;
    for (size_t i = 0; i < count - 1; i++)
        cr_expect_str_eq(policy_text_next(&at, &arena), items[i]);
    cr_expect_str_eq(policy_text_next(&at, &arena), "a:b=\"c"); /* never closed */
    cr_expect_str_eq(policy_text_next(&at, &arena), "d");
    cr_expect_str_eq(at, "");
    str_finish(&list);
    arena_finish(&arena);
}

Test(policy_text, quoted_paths_are_read_back) {
    static const char *const paths[] = {"zeus",       "./mine.so", "./a:b=c/m.so",   "./a,b",
                                        "\"x\"/m.so", "'x/m.so",   "a\\b:\"c\"/m.so"};
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct error error = {0};
        struct policy_text text;
        const char *list = policy_text_quote(paths[i], &arena), *item;
        item = policy_text_next(&list, &arena);
        cr_assert_eq(policy_text_parse(item, &arena, &text, &error), 0, "%s", error.text);
        cr_expect_str_eq(text.name, paths[i]);
        cr_expect_eq(text.count, 0);
    }
    arena_finish(&arena);
}

Test(policy_text, folders_of_hostile_texts) {
    static const char *const cases[][2] = {
        {"zeus", "zeus"},
        {"last_queue2", "last_queue2"},
        {"zeus:edp_slack=2.5:tau=1h", "zeus%3Aedp_slack=2.5%3Atau=1h"},
        {"compare.csv", "compare%2Ecsv"}, /* a label is no file of the results */
        {"v1.2", "v1.2"},
        {"zeus:file=a.csv", "zeus%3Afile=a.csv"},
        {"..", "%2E."},
        {".", "%2E"},
        {"../../etc", "%2E.%2F..%2Fetc"},
        {"a/../b", "a%2F..%2Fb"},
        {"=1+1", "=1+1"},
        {"a\"b'c d\\", "a%22b%27c%20d%5C"},
        {"100%", "100%25"},
        {"%2E", "%252E"},
        {"\xc3\xa9\n", "%C3%A9%0A"},
        {"a,b;c|d*e?f", "a%2Cb%3Bc%7Cd%2Ae%3Ff"},
    };
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_str_eq(policy_text_folder(cases[i][0], &arena), cases[i][1]);
    arena_finish(&arena);
}

/* %XX back to bytes. */
static void unfold(const char *folder, char *out) {
    for (; *folder; folder++)
        if (*folder == '%') {
            const char digits[] = {folder[1], folder[2], '\0'};
            *out++ = (char)strtol(digits, NULL, 16);
            folder += 2;
        } else {
            *out++ = *folder;
        }
    *out = '\0';
}

/* What can be undone has no collisions. */
Test(policy_text, folders_can_be_undone) {
    gsl_rng *rng = rng_create(17, 5, "texts of policies");
    for (int i = 0; i < 20000; i++) {
        struct arena arena = {0};
        char text[24], back[24];
        size_t length = 1 + gsl_rng_uniform_int(rng, sizeof text - 2);
        for (size_t k = 0; k < length; k++)
            text[k] = (char)(1 + gsl_rng_uniform_int(rng, 255));
        text[length] = '\0';
        const char *folder = policy_text_folder(text, &arena);
        unfold(folder, back);
        cr_assert_str_eq(back, text);
        cr_assert(!strchr(folder, '/') && folder[0] != '.' && strlen(folder) <= 3 * length);
        arena_finish(&arena);
    }
    gsl_rng_free(rng);
}

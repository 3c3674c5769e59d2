/* Series: what holds when, and what is said of files that are wrong. Expected steps are read off
 * the rows by hand.
 */
#include "../support/temp_dir.h"
#include "base/units.h"
#include "config/series.h"

#include <criterion/criterion.h>
#include <math.h>

#define START_NS (1640995200LL * NS_PER_S) /* 2022-01-01T00:00Z */
#define MOST     6                         /* changes that are written down */

static const struct field price_value = {
    .type = FIELD_REAL, .default_value = NAN, .min = -100, .max = 100};
static const struct field cap_value = {
    .type = FIELD_REAL, .default_value = INFINITY, .above_min = true, .max = 1000};
static const struct series_kind kinds[] = {
    {.path = "price", .column = "p", .value = &price_value},
    {.path = "cap", .column = "w", .value = &cap_value, .is_limit = true},
};
enum { PRICE, CAP };

struct loaded {
    struct yaml_doc doc;
    struct problems problems;
    struct series series;
};

/* value: the scenario's text of the key; text: the file s.csv. */
static int load(struct loaded *l, int kind, const char *value, const char *text, int64_t start_ns) {
    char yaml[256];
    *l = (struct loaded){0};
    struct binding b = {.arena = &l->doc.arena, .problems = &l->problems};
    snprintf(yaml, sizeof yaml, "v: %s\n", value);
    cr_assert_eq(
        yaml_doc_parse(&l->doc, (struct slice){yaml, strlen(yaml)}, "c.yaml", &l->problems), 0);
    if (text)
        temp_file_write_text("s.csv", text);
    int bound = series_bind(&l->series, &kinds[kind], yaml_find(l->doc.root, "v"), &b);
    int read = series_load(&l->series, start_ns, &b);
    return bound < 0 ? bound : read;
}

static void unload(struct loaded *l) {
    problems_finish(&l->problems);
    yaml_doc_finish(&l->doc);
}

/* "VALUE at t = 0|TIME VALUE|TIME VALUE|... until END", times in seconds; "..." after MOST changes.
 */
static void write_course(const struct series *s, struct str *out) {
    struct series_cursor c;
    series_start(&c, s);
    str_addf(out, "%g", c.value);
    for (int i = 0; series_next_ns(&c) != TIME_NONE_NS; i++) {
        if (i == MOST) {
            str_add(out, "|...");
            break;
        }
        str_addf(out, "|%.9g ", units_s(series_next_ns(&c)));
        series_pass(&c);
        str_addf(out, "%g", c.value);
    }
    if (series_last_ns(s) != TIME_NONE_NS)
        str_addf(out, " until %.9g", units_s(series_last_ns(s)));
    if (s->gaps > 0)
        str_addf(out, " gaps %d from line %u", (int)s->gaps, s->first_gap_line);
}

struct course_case {
    int kind;
    const char *value, *text, *course;
};

static void expect_courses(const struct course_case *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct loaded l;
        struct str course = {0};
        int r = load(&l, cases[i].kind, cases[i].value, cases[i].text, START_NS);
        cr_assert_eq(r, 0, "case %zu: %s", i, l.problems.count ? l.problems.texts[0] : "");
        write_course(&l.series, &course);
        cr_expect_str_eq(course.text, cases[i].course, "case %zu: %s", i, course.text);
        str_finish(&course);
        unload(&l);
    }
}

Test(series, courses, .init = temp_dir_enter, .fini = temp_dir_leave) {
    static const struct course_case cases[] = {
        /* a row holds to the next one; the last as long as the one before it */
        {PRICE, "{file: s.csv}", "time_s,p\n0,1\n10,-2.5\n25,3\n", "1|10 -2.5|25 3 until 40"},
        {PRICE, "{file: s.csv}", "x,p,time_s\n,1,-7.5\n,4,-2.5\n,5,2.385\n",
         "4|2.385 5 until 7.27"},
        /* equal neighbours are one step, irregular steps are fine */
        {PRICE, "{file: s.csv}", "time_s,p\n0,1\n1,1\n3,2\n3.5,2\n9,2.0\n", "1|3 2 until 14.5"},
        /* gaps */
        {PRICE, "{file: s.csv}", "time_s,p\n0,1\n10,\n20,2\n30,\n40,2\n",
         "1|20 2 until 50 gaps 2 from line 3"},
        /* names of columns */
        {PRICE, "{file: s.csv, column: b, time_column: t}", "a,b,t\n9,1,0\n9,2,5\n",
         "1|5 2 until 10"},
        {PRICE, "{file: s.csv, column: \"Price (USD/MWh)\"}",
         "timestamp,Price (USD/MWh)\n0,1\n5,2\n", "1|5 2 until 10"},
        {PRICE, "{file: s.csv}", "timestamp,p,time_s\n99,1,0\n98,2,5\n", "1|5 2 until 10"},
        /* date-times, t = 0 at 2022-01-01T00:00Z; CRLF */
        {PRICE, "{file: s.csv}",
         "timestamp,p\r\n2022-01-01 00:00:00+00:00,1\r\n2022-01-01T01:00Z,2\r\n",
         "1|3600 2 until 7200"},
        {PRICE, "{file: s.csv}",
         "timestamp,p\n2021-12-31,1\n2022-01-01 00:00:10.5,2\n2022-01-01T02:00+01:00,3\n",
         "1|10.5 2|3600 3 until 7189.5"},
        /* equal steps, repeated every 30 s; the second one is at 5 s of its round at t = 0; the
           third has 1 at both ends; a gap is a row like others */
        {PRICE, "{file: s.csv, repeat: true}", "time_s,p\n0,1\n10,2\n20,3\n",
         "1|10 2|20 3|30 1|40 2|50 3|60 1|..."},
        {PRICE, "{file: s.csv, repeat: true}", "time_s,p\n-35,1\n-25,2\n-15,3\n",
         "1|5 2|15 3|25 1|35 2|45 3|55 1|..."},
        {PRICE, "{file: s.csv, repeat: true}", "time_s,p\n0,1\n10,2\n20,1\n",
         "1|10 2|20 1|40 2|50 1|70 2|80 1|..."},
        {PRICE, "{file: s.csv, repeat: true}", "time_s,p\n0,1\n10,2\n20,\n",
         "1|10 2|30 1|40 2|60 1|70 2|90 1|... gaps 1 from line 4"},
        {PRICE, "{file: s.csv, repeat: true}", "time_s,p\n0,1\n10,1\n20,1\n", "1"},
        /* limits */
        {CAP, "{file: s.csv}", "time_s,w\n5,100\n10,\n20,50\n", "inf|5 100|10 inf|20 50"},
        {CAP, "{file: s.csv}", "time_s,w\n-5,100\n", "100"},
        {CAP, "{file: s.csv}", "time_s,w\n5,\n10,\n20,50\n", "inf|20 50"},
        {CAP, "{file: s.csv}", "time_s,w\n0,50\n20,\n", "50|20 inf"},
        {CAP, "{file: s.csv}", "time_s,w\n0,\n", "inf"},
        {CAP, "{file: s.csv, repeat: true}", "time_s,w\n5,\n10,50\n15,\n",
         "inf|10 50|15 inf|25 50|30 inf|40 50|45 inf|..."},
        {CAP, "{file: s.csv, repeat: true}", "time_s,w\n5,20\n10,50\n15,20\n",
         "inf|5 20|10 50|15 20|25 50|30 20|40 50|..."},
    };
    expect_courses(cases, sizeof cases / sizeof *cases);
}

Test(series, courses_with_a_period, .init = temp_dir_enter, .fini = temp_dir_leave) {
    static const struct course_case cases[] = {
        /* with a period, repeated by itself or not: rows at any steps, the last up to the end of
           the period; at 15 s of its round at t = 0; one round earlier for t < 7 */
        {PRICE, "{file: s.csv, period: 24h}", "time_s,p\n0h,1\n17h,2\n20h,3\n",
         "1|61200 2|72000 3|86400 1|147600 2|158400 3|172800 1|..."},
        {PRICE, "{file: s.csv, period: 20s, repeat: true}", "time_s,p\n-35,1\n-25,2\n-20,3\n",
         "3|5 1|15 2|20 3|25 1|35 2|40 3|..."},
        {PRICE, "{file: s.csv, period: 20}", "time_s,p\n7,1\n17,2\n26.5,3\n",
         "2|6.5 3|7 1|17 2|26.5 3|27 1|37 2|..."},
        {PRICE, "{file: s.csv, period: 20}", "time_s,p\n67,1\n77,2\n86.5,3\n",
         "2|6.5 3|7 1|17 2|26.5 3|27 1|37 2|..."},
        {PRICE, "{file: s.csv, period: 20}", "time_s,p\n20,1\n30,2\n",
         "1|10 2|20 1|30 2|40 1|50 2|60 1|..."},
        {PRICE, "{file: s.csv, period: 20}", "time_s,p\n7,1\n17,2\n20,1\n",
         "1|17 2|20 1|37 2|40 1|57 2|60 1|..."},
        {PRICE, "{file: s.csv, period: 20}", "time_s,p\n7,1.5\n", "1.5"},
        {PRICE, "{file: s.csv, period: 1d}",
         "timestamp,p\n2023-06-05T06:00+02:00,1\n2023-06-05T10:30Z,2\n",
         "2|14400 1|37800 2|100800 1|124200 2|187200 1|210600 2|..."},
        /* with a period also before the first row */
        {CAP, "{file: s.csv, period: 10s}", "time_s,w\n5,20\n11,50\n",
         "20|1 50|5 20|11 50|15 20|21 50|25 20|..."},
        {CAP, "{file: s.csv, period: 10s}", "time_s,w\n5,20\n11,\n",
         "20|1 inf|5 20|11 inf|15 20|21 inf|25 20|..."},
        {CAP, "{file: s.csv, period: 10s}", "time_s,w\n5,\n11,20\n",
         "inf|1 20|5 inf|11 20|15 inf|21 20|25 inf|..."},
        {CAP, "{file: s.csv, period: 10s}", "time_s,w\n5,20\n", "20"},
        {CAP, "{file: s.csv, period: 10s}", "time_s,w\n5,20\n7,20\n", "20"},
        {CAP, "{file: s.csv, period: 10s}", "time_s,w\n5,\n", "inf"},
    };
    expect_courses(cases, sizeof cases / sizeof *cases);
}

Test(series, constants, .init = temp_dir_enter, .fini = temp_dir_leave) {
    struct loaded l;
    cr_assert_eq(load(&l, CAP, "700", NULL, 0), 0);
    cr_expect(l.series.constant == 700 && !l.series.kind && l.series.count == 0);
    unload(&l);
    cr_assert_eq(load(&l, PRICE, "{file: s.csv}", "time_s,p\n0,1\n10,2\n", 0), 0);
    cr_expect(isnan(l.series.constant));
    unload(&l);
    struct problems problems = {0};
    struct arena arena = {0};
    struct series series;
    cr_expect_eq(series_bind(&series, &kinds[CAP], NULL,
                             &(struct binding){.arena = &arena, .problems = &problems}),
                 0);
    cr_expect(series.constant == INFINITY && !series.kind);
}

#define TIME_OF(text) "expected " text ", got "
#define SECONDS       TIME_OF("seconds -4e9..4e9")
#define DATE          TIME_OF("date-time such as 2022-01-01T00:00Z")
#define THREE         "three rows at equal steps to repeat without a period, got "
#define WITHIN(s)     TIME_OF("a time less than the period of " s " s after the first row")
#define PERIOD        TIME_OF("duration such as 90s or 10h 0.001..4000000000")
#define WOULD(s)      "; with period: " s " the last row would hold as long as the one before it\n"
#define EQUAL(s, other) \
    "expected a step of " s " s as before, to repeat without a period, got one of " other " s"
#define LATER TIME_OF("a time after that of the row before")

static const struct {
    int kind;
    const char *value, *text;
    bool no_start;
    const char *problems; /* one a line */
} bad_series[] = {
    {PRICE, "{file: s.csv}", "time_s,p\n0,1\n10,2\n10,3\n5,4\n11,5\n", false,
     "s.csv:4:1: time_s: " LATER "\"10\"\ns.csv:5:1: time_s: " LATER "\"5\"\n"},
    {PRICE, "{file: s.csv}", "time_s,p\n0,1\nnan,2\n,3\n4e9,4\n4.1e9,5\n", false,
     "s.csv:3:1: time_s: " SECONDS "\"nan\"\ns.csv:4:1: time_s: " SECONDS
     "\"\"\ns.csv:6:1: time_s: " SECONDS "\"4.1e9\"\n"},
    {PRICE, "{file: s.csv}", "time_s,p\n0,NaN\n1,inf\n2,0x1\n3,101\n4,ten\n5,1e\n6,1 2\n7,-100\n",
     false,
     "s.csv:2:3: p: expected number -100..100, got \"NaN\"\n"
     "s.csv:3:3: p: expected number -100..100, got \"inf\"\n"
     "s.csv:4:3: p: expected number -100..100, got \"0x1\"\n"
     "s.csv:5:3: p: expected number -100..100, got \"101\"\n"
     "s.csv:6:3: p: expected number -100..100, got \"ten\"\n"
     "s.csv:7:3: p: expected number -100..100, got \"1e\"\n"
     "s.csv:8:3: p: expected number -100..100, got \"1 2\"\n"},
    {CAP, "{file: s.csv}", "w,time_s\n0,0\n-5,1\n1000,2\n1000.5,3\n", false,
     "s.csv:2:1: w: expected number > 0 and <= 1000, got \"0\"\n"
     "s.csv:3:1: w: expected number > 0 and <= 1000, got \"-5\"\n"
     "s.csv:5:1: w: expected number > 0 and <= 1000, got \"1000.5\"\n"},
    {PRICE, "{file: s.csv}", "time_s,p\n0,\n1,\n2,3\n", false,
     "s.csv:2:3: p: expected a number in the first row, got an empty cell\n"},
    /* seconds or date-times: the first good one decides */
    {PRICE, "{file: s.csv}", "timestamp,p\nnoon,1\n2022-01-01,2\n7,3\n2022-02-30,4\n2022-01-02,5\n",
     false,
     "s.csv:2:1: timestamp: " TIME_OF(
         "seconds, or a date-time such as 2022-01-01T00:00Z") "\"noon\"\n"
                                                              "s.csv:4:1: timestamp: " DATE
                                                              "\"7\"\ns.csv:5:1: timestamp: " DATE
                                                              "\"2022-02-30\"\n"},
    {PRICE, "{file: s.csv}", "timestamp,p\n0,1\n2022-01-01,2\n", false,
     "s.csv:3:1: timestamp: " SECONDS "\"2022-01-01\"\n"},
    {PRICE, "{file: s.csv}", "timestamp,p\n2022-01-01,1\n2199-01-01,2\n", false,
     "s.csv:3:1: timestamp: " TIME_OF("date-time within 4e9 s of start_time") "\"2199-01-01\"\n"},
    {PRICE, "{file: s.csv}", "timestamp,p\n2022-01-01,1\n2022-01-02,2\n", true,
     "c.yaml:1:4: price: expected the key \"start_time\", since s.csv holds date-times: the instant of t = 0\n"},
    /* rows */
    {PRICE, "{file: s.csv}", "time_s,p\n0,1,2\n1\n2,3\n", false,
     "s.csv:2:1: expected 2 fields as in the header, found 3\n"
     "s.csv:3:1: expected 2 fields as in the header, found 1\n"},
    {PRICE, "{file: s.csv}", "time_s,p\n0,1\n", false,
     "s.csv: expected at least two rows, got 1\n"},
    {CAP, "{file: s.csv}", "time_s,w\n", false, "s.csv: expected at least one row, got 0\n"},
    /* repeat without a period: what it would have been is in the message */
    {CAP, "{file: s.csv, repeat: true}", "time_s,w\n0,1\n", false,
     "s.csv: expected at least " THREE "1\n"},
    {PRICE, "{file: s.csv, repeat: true}", "time_s,p\n-5,1\n16.5,1\n", false,
     "s.csv: expected at least " THREE "2" WOULD("43s")},
    {CAP, "{file: s.csv, repeat: true}", "time_s,w\n0h,\n17h,18\n20h,\n", false,
     "s.csv:4:1: time_s: " EQUAL("61200", "10800") WOULD("82800s")},
    {PRICE, "{file: s.csv, repeat: true}", "p,time_s\n1,0\n2,1h\n1,2h\n3,4h\n3,5h\n3,7h\n", false,
     "s.csv:5:3: time_s: " EQUAL("3600", "7200") WOULD("32400s")},
    {CAP, "{file: s.csv, repeat: true}", "time_s,w\n-4e9,1\n0,1\n4e9,2\n", false,
     "c.yaml:1:4: cap: expected a series of at most 4e9 s to repeat\n"},
    /* period */
    {PRICE, "{file: s.csv, period: 20h}", "time_s,p\n0h,1\n17h,2\n20h,3\n30h,3\n", false,
     "s.csv:4:1: time_s: " WITHIN("72000") "\"20h\"\n"},
    {CAP, "{file: s.csv, period: 1d}", "timestamp,w\n2022-01-01,1\n2022-01-02,2\n", false,
     "s.csv:3:1: timestamp: " WITHIN("86400") "\"2022-01-02\"\n"},
    {PRICE, "{file: s.csv, period: 20h}", "time_s,p\n", false,
     "s.csv: expected at least one row, got 0\n"},
    {PRICE, "{file: s.csv, period: 0}", "time_s,p\n0,1\n10,2\n20,3\n", false,
     "c.yaml:1:26: price.period: " PERIOD "\"0\"\n"},
    {PRICE, "{file: s.csv, period: -24h}", "time_s,p\n0,1\n10,2\n", false,
     "c.yaml:1:26: price.period: " PERIOD "\"-24h\"\n"},
    {PRICE, "{file: s.csv, period: 1e-9}", "time_s,p\n0,1\n10,2\n", false,
     "c.yaml:1:26: price.period: " PERIOD "\"1e-9\"\n"},
    {PRICE, "{file: s.csv, period: .inf}", "time_s,p\n0,1\n10,2\n", false,
     "c.yaml:1:26: price.period: " PERIOD "\".inf\"\n"},
    {PRICE, "{file: s.csv, period: daily}", "time_s,p\n0,1\n10,2\n", false,
     "c.yaml:1:26: price.period: " PERIOD "\"daily\"\n"},
    {CAP, "{file: s.csv, period: 20s, repeat: false}", "time_s,w\n0,1\n10,2\n", false,
     "c.yaml:1:39: cap.repeat: expected true, or no such key, because period repeats the series, "
     "got \"false\"\n"},
    {CAP, "{period: 20s}", NULL, false, "c.yaml:1:4: cap: key \"file\" is missing\n"},
    {PRICE, "{file: s.csv}", "", false, "s.csv: empty file, expected a header line\n"},
    {PRICE, "{file: none.csv}", NULL, false, "none.csv: cannot open: No such file or directory\n"},
    /* columns */
    {PRICE, "{file: s.csv}", "time,price\n0,1\n", false,
     "s.csv:1: column \"time_s\" is missing, did you mean \"time\"? (columns: time, price)\n"
     "s.csv:1: column \"p\" is missing (column: NAME says which column holds the values) (columns: time, price)\n"},
    {PRICE, "{file: s.csv, column: prise, time_column: when}", "t,price\n0,1\n", false,
     "s.csv:1: column \"when\" is missing (time_column: NAME says which column holds the times) (columns: t, price)\n"
     "s.csv:1: column \"prise\" is missing, did you mean \"price\"? (columns: t, price)\n"},
    /* the mapping */
    {PRICE, "{}", NULL, false, "c.yaml:1:4: price: key \"file\" is missing\n"},
    {PRICE, "{file: s.csv, colum: p, repeat: 1}", "time_s,p\n0,1\n1,2\n", false,
     "c.yaml:1:18: price: unknown key \"colum\", did you mean \"column\"?\n"
     "c.yaml:1:36: price.repeat: expected true or false, got \"1\"\n"},
    {PRICE, "[1]", NULL, false,
     "c.yaml:1:4: price: expected a number or {file: NAME}, got a list\n"},
    {PRICE, "s.csv", NULL, false, "c.yaml:1:4: price: expected number -100..100, got \"s.csv\"\n"},
};

Test(series, problems, .init = temp_dir_enter, .fini = temp_dir_leave) {
    for (size_t i = 0; i < sizeof bad_series / sizeof *bad_series; i++) {
        struct loaded l;
        struct str found = {0};
        int64_t start_ns = bad_series[i].no_start ? TIME_NONE_NS : START_NS;
        cr_expect_lt(
            load(&l, bad_series[i].kind, bad_series[i].value, bad_series[i].text, start_ns), 0,
            "case %zu", i);
        for (size_t p = 0; p < l.problems.count; p++)
            str_addf(&found, "%s\n", l.problems.texts[p]);
        cr_expect_str_eq(found.text, bad_series[i].problems, "case %zu: %s", i, found.text);
        str_finish(&found);
        unload(&l);
    }
}

/* A file of bad rows only: all 1,000 count, 20 are shown. */
Test(series, many_problems, .init = temp_dir_enter, .fini = temp_dir_leave) {
    struct str text = {0};
    struct loaded l;
    str_add(&text, "time_s,p\n");
    for (int i = 0; i < 1000; i++)
        str_addf(&text, "%d,x\n", i);
    cr_expect_lt(load(&l, PRICE, "{file: s.csv}", text.text, 0), 0);
    cr_expect_eq(l.problems.count, 1000);
    problems_end(&l.problems);
    cr_assert_eq(l.problems.kept, 21);
    cr_expect_str_eq(l.problems.texts[20], "s.csv: ... and 980 more");
    str_finish(&text);
    unload(&l);
}

/* The run must lie in [0, end]; a limit need not cover it. */
Test(series, cover, .init = temp_dir_enter, .fini = temp_dir_leave) {
    static const struct {
        int kind;
        const char *value, *text;
        double horizon_s; /* 0: drain */
        const char *problem;
    } cases[] = {
        {PRICE, "{file: s.csv}", "time_s,p\n0,1\n10,2\n", 20, NULL},
        {PRICE, "{file: s.csv}", "time_s,p\n0,1\n10,2\n", 0, NULL},
        {PRICE, "{file: s.csv, repeat: true}", "time_s,p\n0,1\n10,2\n20,3\n", 1e6, NULL},
        {PRICE, "{file: s.csv, period: 20s}", "time_s,p\n0,1\n10,2\n", 1e6, NULL},
        {PRICE, "{file: s.csv, period: 20s}", "time_s,p\n1e3,1\n1010,2\n", 1e6, NULL},
        {CAP, "{file: s.csv}", "time_s,w\n5,1\n10,2\n", 100, NULL},
        {PRICE, "{file: s.csv}", "time_s,p\n0,1\n10,2\n", 20.5,
         "c.yaml:1:4: price: expected a series up to t = 20.5 s or a period, got one up to t = 20 s (s.csv)"},
        {PRICE, "{file: s.csv}", "time_s,p\n-20,1\n-10,2\n", 0,
         "c.yaml:1:4: price: expected a series up to t = 0 s or a period, got one up to t = 0 s (s.csv)"},
        {PRICE, "{file: s.csv, repeat: true}", "time_s,p\n0.5,1\n10,2\n19.5,3\n", 5,
         "c.yaml:1:4: price: expected a series from t = 0 on or a period, got one from t = 0.5 s on (s.csv)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct loaded l;
        cr_assert_eq(load(&l, cases[i].kind, cases[i].value, cases[i].text, 0), 0);
        int64_t horizon_ns = cases[i].horizon_s > 0 ? units_ns(cases[i].horizon_s) : TIME_NONE_NS;
        int r =
            series_check_cover(&l.series, horizon_ns,
                               &(struct binding){.arena = &l.doc.arena, .problems = &l.problems});
        cr_expect_eq(r < 0, cases[i].problem != NULL, "case %zu", i);
        cr_expect_eq(l.problems.count, cases[i].problem != NULL, "case %zu", i);
        if (l.problems.count > 0)
            cr_expect_str_eq(l.problems.texts[0], cases[i].problem, "case %zu: %s", i,
                             l.problems.texts[0]);
        unload(&l);
    }
}

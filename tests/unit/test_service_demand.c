/* Demand of services: constants, series and logs read off by hand, the diurnal law against its
   integral, tokens of a log conserved by its bins. */
#include "../support/temp_dir.h"
#include "base/units.h"
#include "workload/service_demand.h"

#include <criterion/criterion.h>
#include <math.h>

#define MOST 8 /* changes that are written down */

struct loaded {
    struct yaml_doc doc;
    struct problems problems;
    struct service_demand demand;
};

/* value: the scenario's text of the demand; text: the file d.csv. */
static int load_demand(struct loaded *l, const char *value, const char *text,
                       const struct prompt_cost *prompt) {
    char yaml[256];
    const struct demand_ask ask = {
        .path = "demand", .unit = UNIT_TOKEN, .prompt = *prompt, .start_ns = TIME_NONE_NS};
    *l = (struct loaded){0};
    struct binding b = {.arena = &l->doc.arena, .problems = &l->problems};
    snprintf(yaml, sizeof yaml, "v: %s\n", value);
    cr_assert_eq(
        yaml_doc_parse(&l->doc, (struct slice){yaml, strlen(yaml)}, "c.yaml", &l->problems), 0);
    if (text)
        temp_file_write_text("d.csv", text);
    int r =
        schema_bind(&b, service_demand_fields, yaml_find(l->doc.root, "v"), "demand", &l->demand);
    return r < 0 ? r : service_demand_load(&l->demand, &ask, &b);
}

static void unload(struct loaded *l) {
    problems_finish(&l->problems);
    yaml_doc_finish(&l->doc);
}

/* "VALUE at t = 0|TIME VALUE|..."; "..." after MOST changes. */
static void write_course(const struct series *course, struct str *out) {
    struct series_cursor c;
    series_start(&c, course);
    str_addf(out, "%.6g", c.value);
    for (int i = 0; series_next_ns(&c) != TIME_NONE_NS; i++) {
        if (i == MOST) {
            str_add(out, "|...");
            break;
        }
        str_addf(out, "|%.9g ", units_s(series_next_ns(&c)));
        series_pass(&c);
        str_addf(out, "%.6g", c.value);
    }
}

static const struct prompt_cost included = {.included = true, .output_equivalents = NAN};

/* Requests at 0, 0.5, 9.999, 10 and 42.5 s; the fourth row comes late. */
#define LOG \
    "TIMESTAMP,ContextTokens,GeneratedTokens\n" \
    "2023-11-16 18:17:03.9799600,100,10\n" \
    "2023-11-16 18:17:04.4799600,0,20\n" \
    "2023-11-16 18:17:13.9799600,40,7\n" \
    "2023-11-16 18:17:13.9789600,300,3\n" \
    "2023-11-16 18:17:46.4799600,60,0\n"

Test(service_demand, courses, .init = temp_dir_enter, .fini = temp_dir_leave) {
    static const struct {
        const char *value, *text, *course;
    } cases[] = {
        {"{tokens_per_s: 2385.5}", NULL, "2385.5"},
        {"{tokens_per_s: 0}", NULL, "0"},
        /* a row holds to the next one, the last as long as the one before it; then nothing */
        {"{file: d.csv}", "time_s,tokens_per_s\n0,5\n10,2.5\n25,3\n", "5|10 2.5|25 3|40 0"},
        {"{file: d.csv, scale: 2}", "time_s,tokens_per_s\n0,5\n10,5\n25,0\n", "10|25 0"},
        {"{file: d.csv, repeat: true}", "time_s,tokens_per_s\n0,5\n10,2.5\n20,3\n",
         "5|10 2.5|20 3|30 5|40 2.5|50 3|60 5|70 2.5|80 3|..."},
        {"{file: d.csv, period: 21s, scale: 2}", "time_s,tokens_per_s\n30,5\n40,2.5\n",
         "5|9 10|19 5|30 10|40 5|51 10|61 5|72 10|82 5|..."},
        {"{file: d.csv, column: a, time_column: b}", "a,b\n7,-3\n9,4\n", "7|4 9|11 0"},
        {"{file: d.csv}", "time_s,tokens_per_s\n0,5\n10,\n20,4\n", "5|20 4|30 0"},
        /* 33 tokens in the first 10 s, 7 in the next, none in 20..40, a request without any */
        {"{file: d.csv, format: azure-llm}", LOG, "3.3|10 0.7|20 0"},
        {"{file: d.csv, format: azure-llm, bin: 0.5s, scale: 3}", LOG,
         "60|0.5 120|1 0|9.5 18|10 42|10.5 0"},
        {"{file: d.csv, format: azure-llm, bin: 25s, repeat: true}", LOG,
         "1.6|25 0|50 1.6|75 0|100 1.6|125 0|150 1.6|175 0|200 1.6|..."},
        /* nothing is asked for from the last bin to the end of the period */
        {"{file: d.csv, format: azure-llm, bin: 25s, period: 75s}", LOG,
         "1.6|25 0|75 1.6|100 0|150 1.6|175 0|225 1.6|250 0|300 1.6|..."},
        {"{file: d.csv, format: azure-llm, period: 50s, repeat: true}", LOG,
         "3.3|10 0.7|20 0|50 3.3|60 0.7|70 0|100 3.3|110 0.7|120 0|..."},
        {"{file: d.csv, format: azure-llm, bin: 1h}", LOG, "0.0111111|3600 0"},
        {"{file: d.csv, format: azure-llm, bin: 1h, repeat: true}", LOG, "0.0111111"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct loaded l;
        struct str course = {0};
        cr_assert_eq(load_demand(&l, cases[i].value, cases[i].text, &included), 0, "%s: %s",
                     cases[i].value, l.problems.count > 0 ? l.problems.texts[0] : "");
        write_course(&l.demand.series, &course);
        cr_expect_str_eq(course.text, cases[i].course, "%s: %s", cases[i].value, course.text);
        cr_expect_eq(l.demand.output_share, 1);
        str_finish(&course);
        unload(&l);
    }
}

Test(service_demand, figures_of_a_log, .init = temp_dir_enter, .fini = temp_dir_leave) {
    struct loaded l;
    cr_assert_eq(load_demand(&l, "{file: d.csv, format: azure-llm}", LOG, &included), 0);
    cr_expect_eq(l.demand.requests, 5);
    cr_expect_eq(l.demand.prompt, 500);
    cr_expect_eq(l.demand.output, 40);
    cr_expect_eq(l.demand.prompt_ratio, 12.5);
    cr_expect_eq(l.demand.empty.count, 1);
    cr_expect_eq(l.demand.empty.first_line, 6);
    cr_expect_eq(l.demand.out_of_order.count, 1);
    cr_expect_eq(l.demand.out_of_order.first_line, 5);
    cr_expect_eq(l.demand.end_ns, 50 * NS_PER_S);
    unload(&l);
}

/* A request is worth output + 0.125 prompt tokens: 33 + 50 in the first bin, 7 + 5, 0 + 7.5. Of
   102.5 equivalents 40 are put out. */
Test(service_demand, prompts_as_outputs, .init = temp_dir_enter, .fini = temp_dir_leave) {
    const struct prompt_cost counted = {.output_equivalents = 0.125};
    struct loaded l;
    struct str course = {0};
    cr_assert_eq(load_demand(&l, "{file: d.csv, format: azure-llm}", LOG, &counted), 0);
    write_course(&l.demand.series, &course);
    cr_expect_str_eq(course.text, "8.3|10 1.2|20 0|40 0.75|50 0");
    cr_expect_float_eq(l.demand.output_share, 40 / 102.5, 1e-15);
    unload(&l);
    course.length = 0;
    cr_assert_eq(load_demand(&l, "{tokens_per_s: 100, prompt_ratio: 12.5}", NULL, &counted), 0);
    write_course(&l.demand.series, &course);
    cr_expect_str_eq(course.text, "256.25");
    cr_expect_float_eq(l.demand.output_share, 1 / 2.5625, 1e-15);
    unload(&l);
    str_finish(&course);
}

/* Integral of x (1 + A cos(2 pi (t - peak)/T)) from t = 0 on. */
static double law_integral(double t_s, double mean, double amplitude, double period_s,
                           double peak_s) {
    double w = 2 * M_PI / period_s;
    return mean * (t_s + amplitude / w * (sin(w * (t_s - peak_s)) + sin(w * peak_s)));
}

Test(service_demand, diurnal_law, .init = temp_dir_enter, .fini = temp_dir_leave) {
    struct loaded l;
    struct series_cursor c;
    cr_assert_eq(load_demand(&l,
                             "{tokens_per_s: 700, amplitude: 0.9, period: 7000s, peak: 900s, "
                             "bin: 35s}",
                             NULL, &included),
                 0);
    cr_expect_eq(l.demand.end_ns, TIME_NONE_NS);
    series_start(&c, &l.demand.series);
    double sum = 0, last_s = 0;
    for (int i = 0; i < 450; i++) { /* over two periods of 200 bins, all different */
        double next_s = units_s(series_next_ns(&c));
        sum += c.value * (next_s - last_s);
        cr_expect_float_eq(sum, law_integral(next_s, 700, 0.9, 7000, 900), 1e-6 * 700);
        last_s = next_s;
        series_pass(&c);
    }
    cr_expect_eq(last_s, 450 * 35);
    unload(&l);
}

/* Whatever the bin, the tokens of a log are asked for, and none else. */
Test(service_demand, bins_conserve_tokens, .init = temp_dir_enter, .fini = temp_dir_leave) {
    struct str text = {0};
    double tokens = 0;
    uint32_t state = 17;
    str_add(&text, "GeneratedTokens,TIMESTAMP,ContextTokens\n");
    for (int i = 0; i < 3000; i++) {
        state = state * 1664525 + 1013904223;
        unsigned ms = (state >> 8) % 3600000, out = (state >> 4) % 800;
        str_addf(&text, "%u,2024-05-10 %02u:%02u:%02u.%03u+00:00,7\n", out, ms / 3600000,
                 ms / 60000 % 60, ms / 1000 % 60, ms % 1000);
        tokens += out;
    }
    static const char *const bins[] = {"1ms", "0.37s", "1s", "10s", "7min", "2h"};
    for (size_t i = 0; i < sizeof bins / sizeof *bins; i++) {
        struct loaded l;
        char value[96];
        snprintf(value, sizeof value, "{file: d.csv, format: azure-llm, scale: 2.5, bin: %s}",
                 bins[i]);
        cr_assert_eq(load_demand(&l, value, text.text, &included), 0);
        const struct series *s = &l.demand.series;
        double sum = 0;
        for (size_t k = 0; k + 1 < s->count; k++)
            sum += s->steps[k].value * units_s(s->steps[k + 1].time_ns - s->steps[k].time_ns);
        cr_expect_float_eq(sum, 2.5 * tokens, 1e-9 * tokens, "%s: %.17g", bins[i], sum);
        cr_expect_eq(s->steps[s->count - 1].value, 0);
        unload(&l);
    }
    str_finish(&text);
}

static double most_fall(const char *value, const char *rows, double per_s) {
    struct loaded l;
    struct str text = {0};
    str_addf(&text, "time_s,tokens_per_s\n%s", rows ? rows : "");
    cr_assert_eq(load_demand(&l, value, rows ? text.text : NULL, &included), 0, "%s", value);
    double fall = service_demand_most_fall(&l.demand, per_s);
    unload(&l);
    str_finish(&text);
    return fall;
}

/* 900/s for 1800 s and 100/s for 1710 s are 511/s in the mean; of 200/s the lower leave 100/s. */
Test(service_demand, most_fall, .init = temp_dir_enter, .fini = temp_dir_leave) {
    cr_expect_eq(most_fall("{tokens_per_s: 100}", NULL, 80), 0);
    cr_expect_eq(most_fall("{tokens_per_s: 100}", NULL, 100), INFINITY);
    cr_expect_eq(most_fall("{file: d.csv, period: 3510s}", "0,900\n1800,100\n", 200), 171000);
    cr_expect_eq(most_fall("{file: d.csv, period: 3510s}", "0,100\n1710,900\n", 200), 171000);
    /* from 2000 s to 3500 s, across the end of a round */
    cr_expect_eq(most_fall("{file: d.csv, period: 3000s}", "0,100\n500,900\n2000,100\n", 200),
                 150000);
    /* by 20,000, then it grows by 5,000 and falls by 20,000: 35,000 in all */
    cr_expect_eq(most_fall("{file: d.csv, period: 400s}", "0,0\n100,300\n150,0\n250,900\n", 200),
                 35000);
    cr_expect_eq(most_fall("{file: d.csv, period: 3510s}", "0,900\n1800,100\n", 512), INFINITY);
    cr_expect_eq(most_fall("{file: d.csv}", "0,900\n1800,700\n", 200), INFINITY);
    cr_expect_eq(
        most_fall("{tokens_per_s: 700, amplitude: 0.9, period: 7000s, bin: 35s}", NULL, 701),
        INFINITY);
}

/* Words and units of metrics; text of results as gnuplot takes it. */
#include "output/plot/dir.h"
#include "output/run/run_report.h"

#include <criterion/criterion.h>
#include <string.h>

static unsigned column(const char *name) {
    return (unsigned)summary_find(name);
}

Test(plot, every_metric_has_words) {
    for (unsigned c = 0; c < SUMMARY_COUNT; c++) {
        const struct metric *m = &metric_table[c];
        cr_assert(m->label[0] && m->unit, "%s", m->name);
        for (unsigned other = 0; other < c; other++)
            cr_assert(strcmp(m->label, metric_table[other].label) != 0 ||
                          strcmp(m->unit, metric_table[other].unit) != 0,
                      "%s and %s", m->name, metric_table[other].name);
    }
}

/* One unit for each metric, on the terminal as in a figure: that of summary.csv, but for shares,
   products of energy and time, and money. */
Test(plot, one_unit_for_a_metric) {
    static const struct {
        const char *metric, *unit;
        double value, shown;
    } cases[] = {{"jct_mean_s", "s", 7201, 7201},     {"power_mean_w", "W", 2500, 2500},
                 {"util_alloc", "%", 0.5, 50},        {"cap_violation_j", "J", 7.2e6, 7.2e6},
                 {"edp_mean_js", "MJ s", 2.5e6, 2.5}, {"cost", "", 3.25, 3.25}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct metric_scale scale = metric_scale(column(cases[i].metric));
        cr_assert_str_eq(scale.unit, cases[i].unit);
        cr_assert_float_eq(cases[i].value * scale.factor, cases[i].shown, 1e-9 * cases[i].shown);
    }
    for (unsigned c = 0; c < SUMMARY_COUNT; c++) {
        struct report_line line = run_report_find_line(c);
        cr_assert_str_eq(line.label, metric_table[c].label);
        cr_assert_str_eq(line.unit, metric_scale(c).unit);
        cr_assert_eq(line.scale, metric_scale(c).factor);
    }
}

Test(plot, quoted_text) {
    static const struct {
        const char *text, *quoted;
    } cases[] = {
        {"", "''"},
        {"@x `y` $(z) \\n \"q\" %s {/Bold w}_v^2 #", "'@x `y` $(z) \\n \"q\" %s {/Bold w}_v^2 #'"},
        {"it's '", "'it’s ’'"},
        {"a\nb\tc\r\x7f\x01", "'a b c   '"},
        {"é€😀", "'é€😀'"},
        {"\xff\xc3(\xe2\x82", "'\?\?(\?\?'"},     /* no lead byte, a cut pair, a cut triple */
        {"\xc0\xaf\xed\xa0\x80", "'\?\?\?\?\?'"}, /* overlong slash, a surrogate */
        {"\xef\xbf\xbf\xf4\x90\x80\x80", "'\?\?\?\?\?\?\?'"}, /* U+FFFF, above U+10FFFF */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct plot_figure figure = {.width = 480};
        struct str expected = {0};
        str_addf(&expected, "t = %s\n", cases[i].quoted);
        plot_set_text(&figure, "t", cases[i].text);
        cr_assert_str_eq(figure.variables.text, expected.text);
        str_finish(&expected);
        plot_figure_finish(&figure);
    }
}

/* Of a legend entry of more than 26 characters, the middle is left out: 13 + 1 + 12. */
Test(plot, long_names) {
    static const char *const names[] = {"abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwxyz0",
                                        "ééééééééééééé-------ààààààààààà!"};
    struct plot_figure figure = {.width = 480};
    plot_set_series(&figure, names, 3);
    cr_assert_str_eq(
        figure.variables.text,
        "array series[3] = ['abcdefghijklmnopqrstuvwxyz', 'abcdefghijklm…pqrstuvwxyz0', 'ééééééééééééé…ààààààààààà!']\n");
    plot_figure_finish(&figure);
}

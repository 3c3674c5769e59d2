/* YAML that readers of 1.1 and 1.2 take for the same. The rules of YAML 1.1 are those of its types
   page, written down here as regular expressions; that PyYAML agrees shows system/test_numbers.py.
 */
#include "io/yaml_node.h"

#include "base/numfmt.h"
#include "io/yaml_doc.h"

#include <criterion/criterion.h>
#include <math.h>
#include <regex.h>
#include <string.h>

static bool fits(const char *pattern, const char *text) {
    regex_t compiled;
    cr_assert_eq(regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB), 0);
    bool found = regexec(&compiled, text, 0, NULL, 0) == 0;
    regfree(&compiled);
    return found;
}

#define INT_BOTH "^-?(0|[1-9][0-9]*)$" /* decimal in 1.1 and 1.2; no leading 0, no : and _ */
#define FLOAT_BOTH \
    "^-?(0|[1-9][0-9]*)[.][0-9]+(e[-+][0-9]+)?$" /* 1.1 wants the point and the sign */

static void check_real(double value) {
    struct str text = {0};
    double back;
    yaml_add_real(&text, value);
    cr_assert(fits(INT_BOTH, text.text) || fits(FLOAT_BOTH, text.text), "%s", text.text);
    cr_assert(numfmt_parse_real(text.text, text.length, &back));
    cr_assert_eq(back, value, "%s", text.text);
    str_finish(&text);
}

Test(yaml_text, reals) {
    static const double values[] = {0,
                                    1e-9,
                                    1e-5,
                                    0.00012,
                                    2.385,
                                    -1e20,
                                    1e17,
                                    1e16,
                                    1e300,
                                    5e-324,
                                    1.7976931348623157e308,
                                    6000,
                                    3e22,
                                    1e-4,
                                    1e12,
                                    -0.5,
                                    9007199254740993.0};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        check_real(values[i]);
    uint64_t bits = 88172645463325252ULL; /* xorshift of Marsaglia */
    for (int i = 0; i < 20000; i++) {
        double value;
        bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value))
            check_real(value);
    }
    struct str text = {0};
    yaml_add_real(&text, 1e-9);
    cr_assert_str_eq(text.text, "1.0e-9");
    str_finish(&text);
}

/* What easim reads of the text that was written. */
static void check_text(const char *original, const char *expected) {
    struct yaml_doc doc = {0};
    struct problems problems = {0};
    struct str text = {0};
    str_add(&text, "key: ");
    if (yaml_is_plain(original))
        str_add(&text, original);
    else
        yaml_add_quoted(&text, original);
    cr_assert_eq(yaml_doc_parse(&doc, (struct slice){text.text, text.length}, "x", &problems), 0,
                 "%s", text.text);
    const struct yaml_node *node = yaml_find(doc.root, "key");
    cr_assert(node && node->kind == YAML_NODE_SCALAR && !yaml_is_null(node), "%s", text.text);
    cr_assert_str_eq(node->text, expected, "%s", text.text);
    bool plain = text.text[5] != '"';
    cr_assert(!plain || fits("^[A-Za-z/][-A-Za-z0-9_./]*$", original), "%s", text.text);
    cr_assert(
        !plain ||
            !fits(
                "^([Yy]|[Nn]|[Yy][Ee][Ss]|[Nn][Oo]|[Oo][Nn]|[Oo][Ff][Ff]|[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|[Nn][Uu][Ll][Ll])$",
                original),
        "%s", text.text);
    str_finish(&text);
    yaml_doc_finish(&doc);
    problems_finish(&problems);
}

Test(yaml_text, texts) {
    static const char *const texts[] = {"bert",
                                        "yes",
                                        "No",
                                        "on",
                                        "OFF",
                                        "null",
                                        "~",
                                        "",
                                        "1:30",
                                        "0x10",
                                        "010",
                                        "1e-9",
                                        "1_000",
                                        "2022-01-01",
                                        "2022-01-01T00:00Z",
                                        "true",
                                        "y",
                                        "=",
                                        "<<",
                                        "- a",
                                        "a: b",
                                        "a #b",
                                        "#x",
                                        "&a",
                                        "*a",
                                        "!t",
                                        "%x",
                                        "@x",
                                        "`x",
                                        "\"q\"",
                                        "'q'",
                                        "a\\b",
                                        "a\nb",
                                        "a\tb",
                                        " a ",
                                        "[a]",
                                        "{a}",
                                        "a,b",
                                        "---",
                                        "...",
                                        "?",
                                        ":",
                                        "0b1",
                                        "0o7",
                                        ".inf",
                                        ".nan",
                                        "+1",
                                        "-",
                                        "1e999",
                                        "/a/b.csv",
                                        "results/x",
                                        "A100-80GB",
                                        "\xc3\xbc",
                                        "\xe2\x80\xa8",
                                        "\xc2\x85",
                                        "\xef\xbb\xbfx",
                                        "\x7f",
                                        "\xf0\x9f\x98\x80",
                                        "a\rb",
                                        "\x01"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_text(texts[i], texts[i]);
    check_text("\xff"
               "a\xc3",
               "\xef\xbf\xbd"
               "a\xef\xbf\xbd");                                        /* no UTF-8 */
    check_text("\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"); /* a surrogate */
}

Test(yaml_text, scalars) {
    static const struct {
        const char *text;
        bool quoted;
        const char *written;
        bool plain;
    } cases[] = {{"1e-9", false, "1.0e-9", true}, {"0010", false, "0010", false},
                 {"+5", false, "+5", true},       {"1e3", false, "1000", true},
                 {"off", false, "off", false},    {"true", false, "true", true},
                 {"~", false, "null", true},      {"", false, "null", true},
                 {"null", true, "null", false},   {"7", true, "7", false},
                 {"1:30", false, "1:30", false},  {"90s", false, "90s", false},
                 {"zeus", false, "zeus", true},   {"0x10", false, "0x10", false},
                 {".5", false, ".5", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yaml_node node = {
            .text = cases[i].text, .length = strlen(cases[i].text), .quoted = cases[i].quoted};
        struct str text = {0};
        str_add(&text, "");
        cr_assert_eq(yaml_scalar_text(&node, &text), cases[i].plain, "%s", cases[i].text);
        cr_assert_str_eq(text.text, cases[i].written);
        str_finish(&text);
    }
}

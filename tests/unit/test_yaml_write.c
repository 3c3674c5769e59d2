/* What yaml_write writes reads back as the same tree. */
#include "io/yaml_doc.h"

#include <criterion/criterion.h>

/* The canonical text of a document says everything that its readers see. */
static void canonical(const char *text, struct str *written, struct str *out) {
    struct yaml_doc doc = {0};
    struct problems problems = {0};
    struct error error = {0};
    cr_assert_eq(yaml_doc_parse(&doc, (struct slice){text, strlen(text)}, "x.yaml", &problems), 0,
                 "%s", text);
    yaml_canonical_write(doc.root, out);
    if (written)
        cr_assert_eq(yaml_write(doc.root, NULL, written, &error), 0, "%s", error.text);
    yaml_doc_finish(&doc);
    problems_finish(&problems);
}

Test(yaml_write, reads_back) {
    static const char *const texts[] = {
        "a: 1",
        "a: {b: [1, 2, {c: d}], e: {}, f: []}",
        "a: [[], [[x]], [{}]]",
        "a: ~\nb: null\nc:\nd: \"\"\ne: \"null\"\nf: '~'", /* nulls, and texts like them */
        "a: 1e-9\nb: 0x10\nc: true\nd: \"true\"\ne: 2022-01-01T00:00Z\nf: .5", /* as they were
                                                                                  written */
        "a: \"x: y\"\nb: '- z'\nc: \"# no comment\"\nd: \"  blanks  \"\ne: \"tab\\tnewline\\nquote\\\"end\\\\\"",
        "a: |\n  two\n  lines\nb: >\n  folded\n  text\n",
        "\"\": empty key\n\"a.b\": 1\n\"[0]\": 2\n~: 3\nnull: 4\n\"x: y\": 5",
        "a: &anchor {b: [1, 2]}\nc: *anchor",
        "a: \"caf\\u00e9 \\u2713\"\nb: grün",
        "a: plain text of several\n  lines",
        "a: \"${HOME}/x\"\nb: 'it''s'\nc: \"@at\"\nd: \"%percent\"\ne: \"*star\"\nf: \"&and\"\ng: \"!bang\"",
        "[1, two, {three: 3}]",
        "alone",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct str before = {0}, written = {0}, after = {0};
        canonical(texts[i], &written, &before);
        canonical(written.text, NULL, &after);
        cr_expect_str_eq(after.text, before.text, "%s\nwas written as\n%s", texts[i], written.text);
        str_finish(&before);
        str_finish(&written);
        str_finish(&after);
    }
}

Test(yaml_write, long_texts_and_keys) {
    struct str text = {0}, before = {0}, written = {0}, after = {0};
    for (int i = 0; i < 300; i++)
        str_add(&text, "key");
    str_add(&text, ": \"");
    for (int i = 0; i < 5000; i++)
        str_add(&text, "word ");
    str_add(&text, "\"\n");
    canonical(text.text, &written, &before);
    canonical(written.text, NULL, &after);
    cr_expect_str_eq(after.text, before.text);
    str_finish(&text);
    str_finish(&before);
    str_finish(&written);
    str_finish(&after);
}

static const struct yaml_node *seven(void *context, const struct yaml_node *node) {
    static const struct yaml_node other = {.kind = YAML_NODE_SCALAR, .text = "7", .length = 1};
    return node == context ? &other : NULL;
}

Test(yaml_write, replaces_one_node) {
    static const char text[] = "a: {b: [1, {c: 2}]}\n";
    struct yaml_doc doc = {0};
    struct problems problems = {0};
    struct error error = {0};
    struct str out = {0};
    cr_assert_eq(yaml_doc_parse(&doc, (struct slice){text, sizeof text - 1}, "x.yaml", &problems),
                 0);
    struct yaml_node *list = yaml_find(yaml_find(doc.root, "a"), "b");
    const struct yaml_replace replace = {list->items[1], seven};
    cr_assert_eq(yaml_write(doc.root, &replace, &out, &error), 0);
    cr_expect_str_eq(out.text, "a:\n  b:\n  - 1\n  - 7\n");
    str_finish(&out);
    yaml_doc_finish(&doc);
    problems_finish(&problems);
}

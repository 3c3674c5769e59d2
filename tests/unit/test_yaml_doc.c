/* YAML trees: structure, places, problems and canonical text. Line and column are counted by
 * hand, from 1.
 */
#include "../support/temp_dir.h"
#include "io/yaml_doc.h"

#include <criterion/criterion.h>

static struct slice slice_of(const char *text) {
    return (struct slice){text, strlen(text)};
}

/* All problems, one a line. */
static void join(const struct problems *problems, struct str *out) {
    str_add(out, "");
    for (size_t i = 0; i < problems->kept; i++)
        str_addf(out, "%s%s", i > 0 ? "\n" : "", problems->texts[i]);
}

static const char example[] = "cluster:\n"
                              "  nodes:\n"
                              "    - {gpus: 8, name: \"n 1\"}\n"
                              "    - gpus: 4\n"
                              "      name: ~\n"
                              "seed: 2385\n"
                              "note: |\n"
                              "  two\n"
                              "  lines\n"
                              "empty:\n";

Test(yaml_doc, tree_and_places) {
    struct yaml_doc doc = {0};
    struct problems problems = {0};
    cr_assert_eq(yaml_doc_parse(&doc, slice_of(example), "a.yaml", &problems), 0);
    const struct yaml_node *nodes = yaml_find(yaml_find(doc.root, "cluster"), "nodes");
    cr_assert_eq(nodes->kind, YAML_NODE_SEQUENCE);
    cr_assert_eq(nodes->count, 2);
    const struct yaml_node *gpus = yaml_find(nodes->items[1], "gpus");
    cr_assert_str_eq(gpus->text, "4");
    cr_assert_eq(gpus->length, 1);
    cr_assert_eq(gpus->where.line, 4);
    cr_assert_eq(gpus->where.column, 13);
    cr_assert_str_eq(gpus->where.file, "a.yaml");
    cr_assert_not(gpus->quoted);
    cr_assert(yaml_find(nodes->items[0], "name")->quoted);
    cr_assert(yaml_is_null(yaml_find(nodes->items[1], "name")));
    cr_assert(yaml_is_null(yaml_find(doc.root, "empty")));
    cr_assert(yaml_is_null(NULL));
    cr_assert_not(yaml_is_null(nodes));
    cr_assert_str_eq(yaml_find(doc.root, "note")->text, "two\nlines\n");
    cr_assert(yaml_find(doc.root, "note")->quoted);
    cr_assert_eq(doc.root->keys[1]->where.line, 6);
    cr_assert_null(yaml_find(doc.root, "nothing"));
    cr_assert_null(yaml_find(nodes, "gpus"));
    cr_assert_null(yaml_find(NULL, "gpus"));
    yaml_doc_finish(&doc);
    yaml_doc_finish(&doc);
    yaml_doc_finish(NULL);
}

/* Aliases stand for what their anchor named; a later anchor of the same name wins from there on. */
Test(yaml_doc, canonical_text) {
    static const struct {
        const char *text, *canonical;
    } cases[] = {
        {"", ""},
        {"# only a comment\n", ""},
        {"2.385", "\t2.385\n"},
        {example, "cluster.nodes[0].gpus\t8\n"
                  "cluster.nodes[0].name\tn 1\n"
                  "cluster.nodes[1].gpus\t4\n"
                  "cluster.nodes[1].name\t~\n"
                  "empty\t~\n"
                  "note\ttwo\\n"
                  "lines\\n"
                  "\n"
                  "seed\t2385\n"},
        {"b: 1\na: {}\nc: []\n", "a\t{}\nb\t1\nc\t[]\n"},
        {"{c: [ ], 'b': 1, a: { }}", "a\t{}\nb\t1\nc\t[]\n"},
        {"a: '{}'\nb: '~'\nc: ''\nd: null\ne: '\"'\nf: 'null'", /* texts that look like something
                                                                   else */
         "a\t\"{}\"\nb\t\"~\"\nc\t\"\"\nd\t~\ne\t\"\\\"\"\nf\t\"null\"\n"},
        {"a.b: 1\na: {b: 2}\n'x[0]': 3\n'': 4\n", "\"\"\t4\na.b\t2\n\"a.b\"\t1\n\"x[0]\"\t3\n"},
        {"x: &k {g: 1}\ny: *k\n&w w: *k\nz: *w\n", "w.g\t1\nx.g\t1\ny.g\t1\nz\tw\n"},
        {"[&a 1, *a, &a 2, *a]", "[0]\t1\n[1]\t1\n[2]\t2\n[3]\t2\n"},
        {"a: \"t\\tb\\\\\"", "a\tt\\tb\\\\\n"},
        {"a: 5e1\nb: \"5e1\"\nc: 1.0e-9",
         "a\t50\nb\t50\nc\t1.0e-9\n"}, /* scenario.yaml writes a text 5e1 in quotes */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yaml_doc doc = {0};
        struct problems problems = {0};
        struct str out = {0};
        int status = yaml_doc_parse(&doc, slice_of(cases[i].text), "a.yaml", &problems);
        cr_assert_eq(status, 0, "%s: %s", cases[i].text, problems.count ? problems.texts[0] : "");
        str_add(&out, "");
        yaml_canonical_write(doc.root, &out);
        cr_assert_str_eq(out.text, cases[i].canonical);
        str_finish(&out);
        yaml_doc_finish(&doc);
    }
}

Test(yaml_doc, problems_with_places) {
    static const struct {
        const char *text, *problems;
    } cases[] = {
        {"cluster:\n  nodes:\n    - gpus: 1\n    - {}\n    - gpus: 8\n      name: x\n      gpus: 4\n",
         "a.yaml:7:7: cluster.nodes[2].gpus: duplicate key \"gpus\" (first at line 5)"},
        {"a: 1\na: 2\nb: {c: 1, c: 2, 'c': 3}\n", /* all at once */
         "a.yaml:2:1: a: duplicate key \"a\" (first at line 1)\n"
         "a.yaml:3:11: b.c: duplicate key \"c\" (first at line 3)\n"
         "a.yaml:3:17: b.c: duplicate key \"c\" (first at line 3)"},
        {"x:\n  ? [1, 2]\n  : 3\n  ? {a: 1}\n  : 4\n",
         "a.yaml:2:5: x: expected a word as key, found a list\n"
         "a.yaml:4:5: x: expected a word as key, found a mapping"},
        {"a: 1\n---\nb: 2\n", "a.yaml:2:1: a second document: expected one"},
        {"a: &x {b: *x}\n", "a.yaml:1:11: a.b: alias \"*x\" is inside the node that it repeats"},
        {"a: *nobody\n", "a.yaml:1:4: a: alias \"*nobody\" has no anchor"},
        {"a: \"x\\0y\"\n", "a.yaml:1:4: a: a NUL character in the text"},
        {"a: [1, 2\nb: 3\n",
         "a.yaml:2:2: a: did not find expected ',' or ']' while parsing a flow sequence that starts at line 1"},
        {"a:\n  - b\n c: 1\n", NULL}, /* wording is libyaml's: only the place matters */
        {"a: \"open\n", NULL},
        {"\ta: 1\n", NULL},
        {"a: \xff\n", NULL},
        {"a: }\n", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yaml_doc doc = {0};
        struct problems problems = {0};
        struct str out = {0};
        cr_assert_eq(yaml_doc_parse(&doc, slice_of(cases[i].text), "a.yaml", &problems),
                     ERROR_INPUT, "%s", cases[i].text);
        cr_assert_null(doc.root);
        join(&problems, &out);
        if (cases[i].problems)
            cr_assert_str_eq(out.text, cases[i].problems);
        else
            cr_assert(problems.count == 1 && strncmp(out.text, "a.yaml:", 7) == 0, "%s", out.text);
        str_finish(&out);
        problems_finish(&problems);
        yaml_doc_finish(&doc);
    }
}

static void check_refused(struct str *text, const char *expected) {
    struct yaml_doc doc = {0};
    struct problems problems = {0};
    cr_assert_eq(
        yaml_doc_parse(&doc, (struct slice){text->text, text->length}, "a.yaml", &problems),
        ERROR_INPUT);
    cr_assert_eq(problems.count, 1);
    cr_assert_not_null(strstr(problems.texts[0], expected), "%s", problems.texts[0]);
    problems_finish(&problems);
    yaml_doc_finish(&doc);
    str_finish(text);
}

static int parse_nested(int levels) {
    struct str text = {0};
    for (int i = 0; i < levels; i++)
        str_add_char(&text, '[');
    for (int i = 0; i < levels; i++)
        str_add_char(&text, ']');
    struct yaml_doc doc = {0};
    struct problems problems = {0};
    int status = yaml_doc_parse(&doc, (struct slice){text.text, text.length}, "a.yaml", &problems);
    problems_finish(&problems);
    yaml_doc_finish(&doc);
    str_finish(&text);
    return status;
}

Test(yaml_doc, bombs_are_refused) {
    struct str text = {0};
    str_add(&text, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"); /* ten to the ninth values */
    for (int i = 1; i < 9; i++) {
        str_addf(&text, "a%d: &a%d [", i, i);
        for (int j = 0; j < 10; j++)
            str_addf(&text, "%s*a%d", j > 0 ? ", " : "", i - 1);
        str_add(&text, "]\n");
    }
    check_refused(&text, "over 1000000 values, those that aliases repeat included");

    str_add(&text, "a0: &a0 [x]\n"); /* aliases that nest ever deeper, one value each */
    for (int i = 1; i < 80; i++)
        str_addf(&text, "a%d: &a%d [*a%d]\n", i, i, i - 1);
    check_refused(&text, "nested over 64 levels deep");

    for (int i = 0; i < 1000001; i++)
        str_add(&text, "- 7\n");
    check_refused(&text, "a.yaml:1000000:3: [999999]: over 1000000 values");

    for (int i = 0; i < 100000; i++)
        str_add_char(&text, '[');
    check_refused(&text, "nested over 64 levels deep");

    cr_assert_eq(parse_nested(65), 0); /* the root and 64 levels below it */
    cr_assert_eq(parse_nested(66), ERROR_INPUT);
}

/* Duplicates among many keys are found without comparing all pairs. */
Test(yaml_doc, many_keys) {
    struct str text = {0};
    for (int i = 0; i < 200000; i++)
        str_addf(&text, "k%d: 1\n", i);
    str_add(&text, "k77: 2\n");
    check_refused(&text, "a.yaml:200001:1: k77: duplicate key \"k77\" (first at line 78)");
}

Test(yaml_doc, files, .init = temp_dir_enter, .fini = temp_dir_leave) {
    static const struct {
        const char *name, *problem;
    } cases[] = {
        {"missing.yaml", "missing.yaml: cannot open: No such file or directory"},
        {".", ".: cannot read: Is a directory"},
        {"bom.yaml", NULL},
        {"empty.yaml", NULL},
        {"crlf.yaml", NULL},
        {"nul.yaml", "nul.yaml:2:3: control characters are not allowed"},
        {"latin.yaml", "latin.yaml:2:4: invalid leading UTF-8 octet"},
    };
    temp_file_write_text("bom.yaml", "\xef\xbb\xbf"
                                     "a: 1\n");
    temp_file_write_text("empty.yaml", "");
    temp_file_write_text("crlf.yaml", "a: 1\r\nb: 2\r\n");
    temp_file_write("nul.yaml", "a: 1\nb:\0", 8);
    temp_file_write_text("latin.yaml", "a: 1\nb: \xfc"
                                       "ber\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yaml_doc doc = {0};
        struct problems problems = {0};
        struct str out = {0};
        int status = yaml_doc_load(&doc, cases[i].name, &problems);
        join(&problems, &out);
        cr_assert_eq(status < 0, cases[i].problem != NULL, "%s: %s", cases[i].name, out.text);
        cr_assert_str_eq(out.text, cases[i].problem ? cases[i].problem : "");
        if (strcmp(cases[i].name, "crlf.yaml") == 0)
            cr_assert_str_eq(yaml_find(doc.root, "a")->text, "1");
        str_finish(&out);
        problems_finish(&problems);
        yaml_doc_finish(&doc);
    }
}

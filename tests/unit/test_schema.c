/* Binding of YAML to structs: every type of field, ranges, defaults, suggestions, and all problems
 * at once. */
#include "base/str.h"
#include "config/schema.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct inner {
    struct location where;
    int64_t x;
    const char *tag;
};

struct outer {
    double real, duration, gib, open;
    int64_t integer;
    bool flag;
    const char *text, *path;
    int32_t choice;
    const struct yaml_node *node;
    struct inner object;
    struct schema_list objects, reals, ints, strings;
};

static const char *const colours[] = {"red", "green", "blue", NULL};

static const struct field inner_fields[] = {
    {.type = FIELD_LOCATION, .offset = offsetof(struct inner, where)},
    {.key = "x",
     .type = FIELD_INT,
     .offset = offsetof(struct inner, x),
     .default_value = 5,
     .min = 1,
     .max = 9},
    {.key = "tag",
     .type = FIELD_STRING,
     .offset = offsetof(struct inner, tag),
     .default_text = "none",
     .min = 1},
    FIELDS_END};

#define OF(member) .offset = offsetof(struct outer, member)
static const struct field outer_fields[] = {
    {.key = "real", .type = FIELD_REAL, OF(real), .default_value = 2.385, .min = -1, .max = 10},
    {.key = "duration",
     .type = FIELD_DURATION,
     OF(duration),
     .default_value = 60,
     .above_min = true,
     .max = 1e5},
    {.key = "gib", .type = FIELD_GIB, OF(gib), .default_value = NAN, .max = 1024},
    {.key = "open", .type = FIELD_REAL, OF(open)}, /* no limits */
    {.key = "integer", .type = FIELD_INT, OF(integer), .required = true, .min = 1, .max = 1048576},
    {.key = "flag", .type = FIELD_BOOL, OF(flag), .default_value = 1},
    {.key = "text", .type = FIELD_STRING, OF(text), .default_text = "plain"},
    {.key = "path", .type = FIELD_PATH, OF(path)},
    {.key = "choice", .type = FIELD_CHOICE, OF(choice), .default_value = 1, .choices = colours},
    {.key = "node", .type = FIELD_NODE, OF(node)},
    {.key = "object", .type = FIELD_OBJECT, OF(object), .fields = inner_fields},
    {.key = "objects",
     .type = FIELD_OBJECTS,
     OF(objects),
     .fields = inner_fields,
     .item_size = sizeof(struct inner)},
    {.key = "reals", .type = FIELD_REALS, OF(reals), .max = 100},
    {.key = "ints", .type = FIELD_INTS, OF(ints), .min = 2, .max = 8},
    {.key = "strings", .type = FIELD_STRINGS, OF(strings), .min = 1},
    FIELDS_END};

struct bound {
    struct arena arena;
    struct problems problems;
    struct yaml_doc doc;
    struct outer o;
    int status;
};

static void bind(struct bound *b, const char *yaml) {
    *b = (struct bound){0};
    struct binding binding = {.arena = &b->arena, .problems = &b->problems};
    cr_assert_eq(
        yaml_doc_parse(&b->doc, (struct slice){yaml, strlen(yaml)}, "dir/f.yaml", &b->problems), 0,
        "%s: %s", yaml, b->problems.count ? b->problems.texts[0] : "");
    b->status = schema_bind(&binding, outer_fields, b->doc.root, "", &b->o);
}

static void release(struct bound *b) {
    problems_finish(&b->problems);
    yaml_doc_finish(&b->doc);
    arena_finish(&b->arena);
}

Test(schema, defaults) {
    struct bound b;
    bind(&b, "{integer: 3, text: ~, real: null, objects: }");
    cr_assert_eq(b.status, 0, "%s", b.problems.count ? b.problems.texts[0] : "");
    cr_expect(b.o.real == 2.385 && b.o.duration == 60 && isnan(b.o.gib) && b.o.open == 0 &&
              b.o.integer == 3);
    cr_expect(b.o.flag && b.o.choice == 1 && !b.o.path && !b.o.node);
    cr_expect_str_eq(b.o.text, "plain");
    cr_expect_eq(b.o.object.x, 5); /* an absent object has its defaults */
    cr_expect_str_eq(b.o.object.tag, "none");
    cr_expect(b.o.objects.count == 0 && b.o.reals.count == 0 && b.o.ints.count == 0 &&
              b.o.strings.count == 0);
    release(&b);
}

Test(schema, every_type) {
    struct bound b;
    setenv("EASIM_TEST_FOLDER", "/somewhere", 1);
    bind(&b, "real: -0.5\n"
             "duration: 1.5 h\n"
             "gib: 512MiB\n"
             "open: -1e300\n"
             "integer: 1048576\n"
             "flag: false\n"
             "text: 'null'\n"
             "path: sub/x.csv\n"
             "choice: blue\n"
             "node: [1, {a: b}]\n"
             "object: {x: 9, tag: t}\n"
             "objects:\n"
             "  - {x: 1}\n"
             "  - {tag: second}\n"
             "reals: [0, 2.385]\n"
             "ints: 7\n"
             "strings: [a, \"\\u00e9\"]\n");
    cr_assert_eq(b.status, 0, "%s", b.problems.count ? b.problems.texts[0] : "");
    cr_expect(b.o.real == -0.5 && b.o.duration == 5400 && b.o.gib == 0.5 && b.o.open == -1e300);
    cr_expect(b.o.integer == 1048576 && !b.o.flag && b.o.choice == 2);
    cr_expect_str_eq(b.o.text, "null"); /* quoted: text */
    cr_expect_str_eq(b.o.path, "dir/sub/x.csv");
    cr_expect(b.o.node && b.o.node->kind == YAML_NODE_SEQUENCE && b.o.node->count == 2);
    cr_expect(b.o.object.x == 9 && b.o.object.where.line == 11);
    const struct inner *items = b.o.objects.at;
    cr_assert_eq(b.o.objects.count, 2);
    cr_expect(items[0].x == 1 && items[1].x == 5 && items[1].where.line == 14 &&
              items[1].where.column == 5);
    cr_expect_str_eq(items[1].tag, "second");
    cr_expect(b.o.reals.count == 2 && ((double *)b.o.reals.at)[1] == 2.385);
    cr_expect(b.o.ints.count == 1 &&
              ((int64_t *)b.o.ints.at)[0] == 7); /* one scalar is a list of one */
    cr_expect_str_eq(((const char **)b.o.strings.at)[1], "\u00e9");
    release(&b);
    bind(&b, "{integer: 1, path: \"${EASIM_TEST_FOLDER}/x\"}");
    cr_assert_eq(b.status, 0);
    cr_expect_str_eq(b.o.path, "/somewhere/x");
    release(&b);
}

/* One bad value each: place, path and what was expected. */
Test(schema, one_problem) {
    static const struct {
        const char *yaml, *problem;
    } cases[] = {
        {"{integer: eight}",
         "dir/f.yaml:1:11: integer: expected integer 1..1048576, got \"eight\""},
        {"{integer: 0}", "dir/f.yaml:1:11: integer: expected integer 1..1048576, got \"0\""},
        {"{integer: 1048577}",
         "dir/f.yaml:1:11: integer: expected integer 1..1048576, got \"1048577\""},
        {"{integer: 2.5}", "dir/f.yaml:1:11: integer: expected integer 1..1048576, got \"2.5\""},
        {"{integer: 99999999999999999999}",
         "dir/f.yaml:1:11: integer: expected integer 1..1048576, got \"99999999999999999999\""},
        {"{integer: [1]}", "dir/f.yaml:1:11: integer: expected integer 1..1048576, got a list"},
        {"{integer: 1, real: 10.01}",
         "dir/f.yaml:1:20: real: expected number -1..10, got \"10.01\""},
        {"{integer: 1, real: .nan}", "dir/f.yaml:1:20: real: expected number -1..10, got \".nan\""},
        {"{integer: 1, open: inf}", "dir/f.yaml:1:20: open: expected number, got \"inf\""},
        {"{integer: 1, duration: 0s}",
         "dir/f.yaml:1:24: duration: expected duration such as 90s or 10h > 0 and <= 100000, got \"0s\""},
        {"{integer: 1, duration: 3 parsecs}",
         "dir/f.yaml:1:24: duration: expected duration such as 90s or 10h > 0 and <= 100000 (units: ns, us, ms, s, min, h, d, w), got \"3 parsecs\""},
        {"{integer: 1, gib: 2TiB}",
         "dir/f.yaml:1:19: gib: expected size in GiB 0..1024, got \"2TiB\""},
        {"{integer: 1, flag: yes}", "dir/f.yaml:1:20: flag: expected true or false, got \"yes\""},
        {"{integer: 1, choice: Red}",
         "dir/f.yaml:1:22: choice: expected one of red | green | blue, got \"Red\""},
        {"{integer: 1, text: {a: b}}", "dir/f.yaml:1:20: text: expected text, got a mapping"},
        {"{integer: 1, path: ''}", "dir/f.yaml:1:20: path: expected a file name, got \"\""},
        {"{integer: 1, path: \"${EASIM_NOT_SET}/x\"}",
         "dir/f.yaml:1:20: path: environment variable EASIM_NOT_SET is not set"},
        {"{integer: 1, path: \"a${b\"}",
         "dir/f.yaml:1:20: path: expected a closing } after ${, got \"a${b\""},
        {"{integer: 1, object: 7}",
         "dir/f.yaml:1:22: object: expected a mapping of keys to values, got \"7\""},
        {"{integer: 1, object: {x: 10}}",
         "dir/f.yaml:1:26: object.x: expected integer 1..9, got \"10\""},
        {"{integer: 1, objects: {x: 1}}",
         "dir/f.yaml:1:23: objects: expected a list of mappings, got a mapping"},
        {"{integer: 1, objects: [{x: 1}, {x: -1}]}",
         "dir/f.yaml:1:36: objects[1].x: expected integer 1..9, got \"-1\""},
        {"{integer: 1, objects: [{tag: \"\"}]}",
         "dir/f.yaml:1:30: objects[0].tag: expected text, got \"\""},
        {"{integer: 1, ints: [2, 9]}",
         "dir/f.yaml:1:24: ints[1]: expected integer 2..8, got \"9\""},
        {"{integer: 1, ints: []}",
         "dir/f.yaml:1:20: ints: expected a list of at least one value, got an empty list"},
        {"{integer: 1, reals: {a: 1}}",
         "dir/f.yaml:1:21: reals: expected a list of at least one value, got a mapping"},
        {"{}", "dir/f.yaml:1:1: key \"integer\" is missing"},
        {"[1]", "dir/f.yaml:1:1: expected a mapping of keys to values, got a list"},
        {"{integer: 1, flaag: true}",
         "dir/f.yaml:1:14: unknown key \"flaag\", did you mean \"flag\"?"},
        {"{integer: 1, object: {tga: t}}",
         "dir/f.yaml:1:23: object: unknown key \"tga\", did you mean \"tag\"?"},
        {"{integer: 1, zebra: true}", "dir/f.yaml:1:14: unknown key \"zebra\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bound b;
        bind(&b, cases[i].yaml);
        cr_expect_lt(b.status, 0, "%s", cases[i].yaml);
        cr_assert_eq(b.problems.count, 1, "%s: %zu problems", cases[i].yaml, b.problems.count);
        cr_expect_str_eq(b.problems.texts[0], cases[i].problem, "%s", b.problems.texts[0]);
        release(&b);
    }
}

/* All problems are found in one go, the good values are bound, and the bad ones keep their
 * defaults. */
Test(schema, several_problems) {
    static const char *const expected[] = {
        "dir/f.yaml:7:1: unknown key \"reall\", did you mean \"real\"?",
        "dir/f.yaml:1:7: real: ",
        "dir/f.yaml:1:1: key \"integer\" is missing",
        "dir/f.yaml:2:7: flag: ",
        "dir/f.yaml:5:6: objects[0].x: ",
        "dir/f.yaml:6:5: objects[1]: unknown key \"y\""};
    struct bound b;
    bind(&b, "real: eleven\nflag: 1\nchoice: blue\nobjects:\n- x: 0\n- { y: 2, x: 2}\nreall: 3\n");
    cr_assert_lt(b.status, 0);
    cr_assert_eq(b.problems.count, sizeof expected / sizeof *expected, "%zu problems",
                 b.problems.count);
    for (size_t i = 0; i < b.problems.count; i++) {
        bool found = false;
        for (size_t p = 0; p < b.problems.count; p++)
            found = found || strncmp(b.problems.texts[p], expected[i], strlen(expected[i])) == 0;
        cr_expect(found, "no problem \"%s...\"", expected[i]);
    }
    cr_expect(b.o.real == 2.385 && b.o.flag && b.o.choice == 2 &&
              ((struct inner *)b.o.objects.at)[1].x == 2);
    release(&b);
}

/* Paths of values: what is one, how it is written, and what it does to a tree. Characters are
   counted by hand, from 1. */
#include "base/rng.h"
#include "io/yaml_doc.h"

#include <criterion/criterion.h>
#include <string.h>

/* The steps one by one, as <name> and #index. */
static void show_steps(const struct yaml_path *path, struct str *out) {
    for (size_t i = 0; i < path->count; i++)
        if (path->steps[i].name)
            str_addf(out, "<%s>", path->steps[i].name);
        else
            str_addf(out, "#%zu", path->steps[i].index);
}

Test(yaml_path, good_paths) {
    static const struct {
        const char *text, *steps, *written; /* NULL: as it was */
    } cases[] = {
        {"seed", "<seed>", NULL},
        {"cluster.power_cap_w", "<cluster><power_cap_w>", NULL},
        {"workload.streams[1].rate_per_s", "<workload><streams>#1<rate_per_s>", NULL},
        {"[0][12]", "#0#12", NULL},
        {"m[007]", "<m>#7", "m[7]"},
        {"params_by_policy.\"./my.so\".tau", "<params_by_policy><./my.so><tau>", NULL},
        {"\"seed\"", "<seed>", "seed"},
        {"\"\".b", "<><b>", NULL},
        {"\"a\\\"b\\\\c\\nd\\te\"", "<a\"b\\c\nd\te>", NULL},
        {"a\"b", "<a\"b>", "\"a\\\"b\""}, /* a quote that does not begin the name */
        {"gro\xc3\x9f e", "<gro\xc3\x9f e>", NULL},
        {"\"a=b\"", "<a=b>", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        struct str steps = {0};
        struct error error = {0};
        struct yaml_path path;
        cr_assert_eq(yaml_path_parse(cases[i].text, &arena, &path, &error), 0, "%s", error.text);
        show_steps(&path, &steps);
        cr_expect_str_eq(steps.text, cases[i].steps);
        cr_expect_str_eq(yaml_path_text(&path, &arena),
                         cases[i].written ? cases[i].written : cases[i].text);
        str_finish(&steps);
        arena_finish(&arena);
    }
}

#define NAME_AT "expected a name, as in cluster.nodes[0].gpus, at character "

Test(yaml_path, bad_paths) {
    static const struct {
        const char *text, *problem;
    } cases[] = {
        {"", NAME_AT "1 of \"\""},
        {"a..b", NAME_AT "3 of \"a..b\""},
        {"x.", NAME_AT "3 of \"x.\""},
        {".x", NAME_AT "1 of \".x\""},
        {"]", NAME_AT "1 of \"]\""},
        {"x]", "expected \".\" or \"[\" at character 2 of \"x]\""},
        {"a=b", "expected \".\" or \"[\" at character 2 of \"a=b\""},
        {"l[0]g", "expected \".\" or \"[\" at character 5 of \"l[0]g\""},
        {"\"a\"b", "expected \".\" or \"[\" at character 4 of \"\"a\"b\""},
        {"l[x]", "expected an index and \"]\" at character 3 of \"l[x]\""},
        {"l[-1]", "expected an index and \"]\" at character 3 of \"l[-1]\""},
        {"l[+1]", "expected an index and \"]\" at character 3 of \"l[+1]\""},
        {"l[]", "expected an index and \"]\" at character 3 of \"l[]\""},
        {"l[0", "expected an index and \"]\" at character 3 of \"l[0\""},
        {"\xc3\xa4[", "expected an index and \"]\" at character 3 of \"\xc3\xa4[\""},
        {"l[99999999999999999999]",
         "expected an index and \"]\" at character 3 of \"l[99999999999999999999]\""},
        {"a.\"b", "expected a closing quote at character 5 of \"a.\"b\""},
        {"a.\"b\\q\"", "expected one of \\\" \\\\ \\n \\t at character 6 of \"a.\"b\\q\"\""},
        {"\"\\", "expected one of \\\" \\\\ \\n \\t at character 2 of \"\"\\\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        struct error error = {0};
        struct yaml_path path = {NULL, 77};
        cr_expect_eq(yaml_path_parse(cases[i].text, &arena, &path, &error), ERROR_INPUT);
        cr_expect_str_eq(error.text, cases[i].problem);
        cr_expect_eq(path.count, 77, "the output is untouched");
        arena_finish(&arena);
    }
}

/* The first = outside of quotes ends the path. */
Test(yaml_path, path_and_value) {
    static const struct {
        const char *text, *path, *value; /* path NULL: value is the problem */
    } cases[] = {
        {"seed=7", "seed", "7"},
        {"a.b[2]=x=y", "a.b[2]", "x=y"},
        {"seed=", "seed", ""},
        {"\"a=b\".c={d: 1}", "\"a=b\".c", "{d: 1}"},
        {"seed", NULL, "expected path=value, got \"seed\""},
        {"=1", NULL, "expected path=value, got \"=1\""},
        {"\"a=b\"", NULL, "expected \"=\" at character 6 of \"\"a=b\"\""},
        {"a.=1", NULL, NAME_AT "3 of \"a.=1\""},
        {"l[x]=1", NULL, "expected an index and \"]\" at character 3 of \"l[x]=1\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        struct error error = {0};
        struct yaml_path path;
        const char *value = NULL;
        int r = yaml_path_parse_set(cases[i].text, &arena, &path, &value, &error);
        cr_expect_eq(r, cases[i].path ? 0 : ERROR_INPUT);
        cr_expect_str_eq(r == 0 ? value : error.text, cases[i].value);
        if (r == 0 && cases[i].path)
            cr_expect_str_eq(yaml_path_text(&path, &arena), cases[i].path);
        arena_finish(&arena);
    }
}

/* ---- Whatever the names, what is written is read as the same path ---- */

static struct yaml_path random_path(gsl_rng *rng, struct arena *arena) {
    static const char characters[] = "ab.[]=\"\\\n\t 0{~'#:";
    struct yaml_step *steps = arena_alloc(arena, 6 * sizeof *steps);
    size_t count = 1 + gsl_rng_uniform_int(rng, 6);
    for (size_t i = 0; i < count; i++) {
        char name[8] = "";
        for (size_t c = 0, length = gsl_rng_uniform_int(rng, sizeof name); c < length; c++)
            name[c] = characters[gsl_rng_uniform_int(rng, sizeof characters - 1)];
        if (gsl_rng_uniform(rng) < 0.3)
            steps[i].index = gsl_rng_uniform_int(rng, 1000000);
        else
            steps[i].name = arena_strdup(arena, name);
    }
    return (struct yaml_path){steps, count};
}

Test(yaml_path, what_is_written_is_read_again) {
    gsl_rng *rng = rng_create(2385, 0, "paths");
    for (int i = 0; i < 5000; i++) {
        struct arena arena = {0};
        struct str before = {0}, after = {0};
        struct error error = {0};
        struct yaml_path path = random_path(rng, &arena), again;
        const char *text = yaml_path_text(&path, &arena), *value;
        show_steps(&path, &before);
        cr_assert_eq(yaml_path_parse(text, &arena, &again, &error), 0, "%s", error.text);
        show_steps(&again, &after);
        cr_assert_eq(path.count, again.count, "%s", text);
        cr_assert_str_eq(before.text, after.text);
        cr_assert_str_eq(yaml_path_text(&again, &arena), text);
        cr_assert_eq(
            yaml_path_parse_set(arena_printf(&arena, "%s=v", text), &arena, &again, &value, &error),
            0, "%s", error.text);
        cr_assert_str_eq(yaml_path_text(&again, &arena), text);
        cr_assert_str_eq(value, "v");
        str_finish(&before);
        str_finish(&after);
        arena_finish(&arena);
    }
    gsl_rng_free(rng);
}

Test(yaml_path, overlap) {
    static const struct {
        const char *a, *b;
        bool overlap;
    } cases[] = {
        {"policy", "policy", true},     {"policy", "policy.name", true},
        {"policy", "policy[0]", true},  {"policy", "policy_name", false},
        {"a.b", "a.c", false},          {"a[1]", "a[12]", false},
        {"a.\"b.c\"", "a.b", false},    {"a", "a.\"b.c\"", true},
        {"cluster.x", "cluster", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_eq(yaml_paths_overlap(cases[i].a, cases[i].b), cases[i].overlap, "%s and %s",
                     cases[i].a, cases[i].b);
}

/* ---- Setting ---- */

static int set_text(struct yaml_doc *doc, const char *text, const char *value,
                    struct problems *problems) {
    struct yaml_path path;
    struct error error = {0};
    cr_assert_eq(yaml_path_parse(text, &doc->arena, &path, &error), 0, "%s", error.text);
    return yaml_doc_set(doc, &path, value, problems);
}

Test(yaml_path, set) {
    static const struct {
        const char *path, *value, *expected; /* canonical text, or the problem */
    } cases[] = {
        {"a", "2.385", "a\t2.385\nl[0].g\t1\nl[1].g\t1\n"},
        {"a.b", "7", "set a.b: expected a mapping at a, found a value"},
        {"n.x.y", "{p: [1, 2]}", "a\t5\nl[0].g\t1\nl[1].g\t1\nn.x.y.p[0]\t1\nn.x.y.p[1]\t2\n"},
        {"l[0].g", "9", "a\t5\nl[0].g\t9\nl[1].g\t1\n"}, /* the alias l[1] keeps its value */
        {"l[1].h", "9", "a\t5\nl[0].g\t1\nl[1].g\t1\nl[1].h\t9\n"},
        {"l[2].g", "3", "a\t5\nl[0].g\t1\nl[1].g\t1\nl[2].g\t3\n"},
        {"l[3]", "3", "set l[3]: index 3 is past the end of a list of 2"},
        {"m[0][0]", "~", "a\t5\nl[0].g\t1\nl[1].g\t1\nm[0][0]\t~\n"},
        {"l", "[]", "a\t5\nl\t[]\n"},
        {"\"x.y\"", "1", "a\t5\nl[0].g\t1\nl[1].g\t1\n\"x.y\"\t1\n"},
        {"a[0]", "1", "set a[0]: expected a list at a, found a value"},
        {"l.g", "1", "set l.g: expected a mapping at l, found a list"},
        {"l[0].g.h", "1", "set l[0].g.h: expected a mapping at l[0].g, found a value"},
        {"[0]", "1", "set [0]: expected a list, found a mapping"},
        {"x", "{a: 1, a: 2}", "set x: a: duplicate key \"a\""},
        {"x", "[1", "set x: did not find expected ',' or ']'"},
        {"a", "", "set a: expected a value, got \"\"; ~ leaves it to the default"},
        {"a", "# 7", "set a: expected a value, got \"# 7\"; ~ leaves it to the default"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static const char text[] = "a: 5\nl: [&k {g: 1}, *k]\n";
        struct yaml_doc doc = {0};
        struct problems problems = {0};
        struct str out = {0};
        cr_assert_eq(yaml_doc_parse(&doc, (struct slice){text, strlen(text)}, "a.yaml", &problems),
                     0);
        const struct yaml_node *before = doc.root;
        int status = set_text(&doc, cases[i].path, cases[i].value, &problems);
        if (status == 0)
            yaml_canonical_write(doc.root, &out);
        else
            cr_assert_eq(doc.root, before);
        cr_assert_eq(problems.count, status == 0 ? 0 : 1);
        cr_assert_str_eq(status == 0 ? out.text : problems.texts[0], cases[i].expected);
        str_finish(&out);
        problems_finish(&problems);
        yaml_doc_finish(&doc);
    }
}

Test(yaml_path, set_into_nothing_and_too_deep) {
    struct yaml_doc doc = {0};
    struct problems problems = {0};
    cr_assert_eq(set_text(&doc, "cluster.nodes[0].gpus", "8", &problems), 0);
    cr_assert_eq(set_text(&doc, "cluster.nodes[1].gpus", "'4'", &problems), 0);
    const struct yaml_node *nodes = yaml_find(yaml_find(doc.root, "cluster"), "nodes");
    const struct yaml_node *gpus = yaml_find(nodes->items[1], "gpus");
    cr_assert_str_eq(gpus->where.file, "set cluster.nodes[1].gpus");
    cr_assert_eq(gpus->where.line, 0);
    cr_assert_eq(gpus->where.column, 0);
    cr_assert(gpus->quoted);

    struct str path = {0};
    for (int i = 0; i < 63; i++)
        str_addf(&path, "%sp", i > 0 ? "." : "");
    cr_assert_eq(set_text(&doc, path.text, "[1]", &problems), 0); /* level 64 */
    cr_assert_eq(set_text(&doc, path.text, "[[1]]", &problems), ERROR_INPUT);
    for (int i = 0; i < 100000; i++)
        str_add(&path, "[0]");
    cr_assert_eq(set_text(&doc, path.text, "1", &problems), ERROR_INPUT);
    cr_assert_eq(problems.count, 2);
    str_finish(&path);
    problems_finish(&problems);
    yaml_doc_finish(&doc);
}

Test(yaml_path, find) {
    static const struct {
        const char *path, *found;
    } looked_up[] = {{"a.b[1].c", "7"}, {"a.b[0]", "5"},    {"a.b[2]", NULL}, {"a.b.c", NULL},
                     {"a[0]", NULL},    {"a.b[0].c", NULL}, {"d", NULL}};
    struct yaml_doc doc = {0};
    struct problems problems = {0};
    static const char text[] = "a: {b: [5, {c: 7}]}";
    cr_assert_eq(yaml_doc_parse(&doc, (struct slice){text, sizeof text - 1}, "d", &problems), 0);
    for (size_t i = 0; i < sizeof looked_up / sizeof *looked_up; i++) {
        struct yaml_path path;
        cr_assert_eq(yaml_path_parse(looked_up[i].path, &doc.arena, &path, NULL), 0);
        const struct yaml_node *node = yaml_path_find(doc.root, &path);
        if (looked_up[i].found)
            cr_expect_str_eq(node->text, looked_up[i].found);
        else
            cr_expect_null(node, "%s", looked_up[i].path);
    }
    cr_expect_null(yaml_path_find(NULL, &(struct yaml_path){&(struct yaml_step){.name = "a"}, 1}));
    problems_finish(&problems);
    yaml_doc_finish(&doc);
}

/* Points of sweeps. Values are computed by hand; a Latin hypercube has one value in each of its
   strata by definition (McKay, Beckman, Conover 1979). */
#include "../support/temp_dir.h"
#include "experiment/sweep/sweep.h"

#include <criterion/criterion.h>

TestSuite(sweep, .init = temp_dir_enter, .fini = temp_dir_leave);

/* A sweep over a base that needs no more than to be a mapping. */
static struct sweep load(const char *axes) {
    struct sweep s;
    struct problems problems = {0};
    struct str text = {0};
    str_addf(&text, "name: s\nbase: c.yaml\nset: {horizon: 1h}\naxes:\n%s", axes);
    temp_file_write_text("s.yaml", text.text);
    temp_file_write_text("c.yaml", "seed: 7\nhorizon: 2h\n");
    int r = sweep_load(&s, "s.yaml", &problems);
    cr_assert(r == 0, "%s", problems.count > 0 ? problems.texts[0] : "no message");
    problems_finish(&problems);
    str_finish(&text);
    return s;
}

/* All points as "value,value;value,value;". */
static void expect_points(const char *axes, const char *expected) {
    struct sweep s = load(axes);
    struct str points = {0};
    for (size_t p = 0; p < s.count; p++)
        for (size_t a = 0; a < s.axes.count; a++)
            str_addf(&points, "%s%c", sweep_value(&s, p, a)->shown,
                     a + 1 < s.axes.count ? ',' : ';');
    cr_expect_str_eq(points.text, expected, "%s gives %s", axes, points.text);
    str_finish(&points);
    sweep_finish(&s);
}

Test(sweep, lists_ranges_zips) {
    static const char *const cases[][2] = {
        {"  - {path: a, values: [3, x]}\n  - {path: b.c, values: [1, 2, 5]}\n",
         "3,1;3,2;3,5;x,1;x,2;x,5;"},
        {"  - {path: a, values: [\"0.10\", {b: [1, 2]}]}\n", "0.10;{b: [1, 2]};"},
        {"  - {path: a, range: {from: 0.1, to: 0.5, step: 0.1}}\n", "0.1;0.2;0.3;0.4;0.5;"},
        {"  - {path: a, range: {from: -1, to: 1.5, step: 1}}\n", "-1;0;1;"},
        {"  - {path: a, range: {from: 6 kW, to: 9 kW, step: 1 kW}}\n", "6 kW;7 kW;8 kW;9 kW;"},
        {"  - {path: a, range: {from: 1e-1h, to: 10 h, count: 3, scale: log}}\n", "0.1h;1h;10h;"},
        {"  - {path: a, range: {from: 2, to: 3, count: 5}}\n", "2;2.25;2.5;2.75;3;"},
        /* powers of 10^(1/2): 3.16227766016837933..., 12 digits kept */
        {"  - {path: a, range: {from: 1, to: 100, count: 5, scale: log}}\n",
         "1;3.16227766017;10;31.6227766017;100;"},
        /* 1, 1.41, 2, 2.83, 4 rounded, each once */
        {"  - {path: a, range: {from: 1, to: 4, count: 5, scale: log, integer: true}}\n",
         "1;2;3;4;"},
        {"  - zip: [{path: a, values: [1, 2]}, {path: b, range: {from: 5, to: 6, count: 2}}]\n"
         "  - {path: c, values: [x, y]}\n",
         "1,5,x;1,5,y;2,6,x;2,6,y;"},
        {"  - {name: n, path: a, values: {few: 1, many: [8, 9]}}\n", "few;many;"},
        {"  - zip:\n    - {name: n, values: {x: {a: 1, b: 2}, y: {}}}\n    - {path: c, values: [3, 4]}\n",
         "x,3;y,4;"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_points(cases[i][0], cases[i][1]);
}

/* What the points of labelled values set, in the order of `set` and the axes. */
Test(sweep, labels) {
    static const char *const expected[] = {"horizon=1h a=1 b.c={d: [2]} e=3", "horizon=1h e=3"};
    struct sweep s = load("  - {name: seed, values: {x: {a: 1, b.c: {d: [2]}}, y: {}}}\n"
                          "  - {name: laws, path: e, values: {z: 3}}\n");
    cr_assert_eq(s.count, 2);
    for (size_t p = 0; p < s.count; p++) {
        struct arena arena = {0};
        struct str text = {0};
        size_t count;
        const char **sets = sweep_set_texts(&s, p, &arena, &count);
        for (size_t i = 0; i < count; i++)
            str_addf(&text, "%s%s", i > 0 ? " " : "", sets[i]);
        cr_expect_str_eq(text.text, expected[p]);
        str_finish(&text);
        arena_finish(&arena);
    }
    cr_expect_str_eq(s.axes.at[0].column, "axis.seed"); /* beside the column seed */
    cr_expect_str_eq(s.axes.at[1].column, "laws");
    sweep_finish(&s);
}

/* How many values of an axis are in each of `count` strata of from..to. */
static void expect_one_per_stratum(const struct sweep *s, size_t axis, double from, double to) {
    int *seen = mem_zalloc(s->count, sizeof *seen);
    for (size_t p = 0; p < s->count; p++) {
        double share = (strtod(sweep_value(s, p, axis)->shown, NULL) - from) / (to - from);
        cr_assert(share >= 0 && share < 1);
        seen[(size_t)(share * (double)s->count)]++;
    }
    for (size_t p = 0; p < s->count; p++)
        cr_expect_eq(seen[p], 1, "stratum %zu of axis %zu: %d values", p, axis, seen[p]);
    free(seen);
}

#define OVER_A "{path: a, from: 2, to: 10}"
#define LHS    "  - sample: {kind: lhs, count: 97, seed: 3, over: [" OVER_A

Test(sweep, latin_hypercube) {
    struct sweep s = load(LHS ", {path: b, from: -1, to: 0}]}\n"), alone = load(LHS "]}\n");
    int equal_order = 0;
    cr_assert_eq(s.count, 97);
    expect_one_per_stratum(&s, 0, 2, 10);
    expect_one_per_stratum(&s, 1, -1, 0);
    for (size_t p = 0; p < s.count; p++) {
        double a = (strtod(sweep_value(&s, p, 0)->shown, NULL) - 2) / 8 * 97;
        double b = (strtod(sweep_value(&s, p, 1)->shown, NULL) + 1) * 97;
        equal_order += (int)a == (int)b;
        cr_expect_str_eq(sweep_value(&s, p, 0)->shown,
                         sweep_value(&alone, p, 0)->shown); /* b changes nothing in a */
    }
    cr_expect(equal_order < 10, "%d",
              equal_order); /* fixed points of a permutation: Poisson of mean 1 */
    sweep_finish(&s);
    sweep_finish(&alone);
}

/* 1,000 draws, uniform in the logarithm over 1..10^4: the share under 100 is 1/2 +- 4 standard
 * errors. */
Test(sweep, random_sample) {
    struct sweep s = load(
        "  - sample: {kind: random, count: 1000, over: [{path: a, from: 1, to: 1e4, scale: log}]}\n");
    struct sweep other = load(
        "  - sample: {kind: random, count: 1000, seed: 2, over: [{path: a, from: 1, to: 1e4, scale: log}]}\n");
    int low = 0;
    for (size_t p = 0; p < s.count; p++)
        low += strtod(sweep_value(&s, p, 0)->shown, NULL) < 100;
    cr_expect(low > 500 - 64 && low < 500 + 64, "%d", low);
    cr_expect_str_neq(sweep_value(&s, 0, 0)->shown, sweep_value(&other, 0, 0)->shown);
    sweep_finish(&s);
    sweep_finish(&other);
}

/* An id stands for the scenario that results, however it was written; `inputs` for the files that
 * it names. */
Test(sweep, ids) {
    temp_file_write_text("m.yaml", "one");
    struct sweep s = load("  - {path: models, values: [m.yaml, none.yaml]}\n");
    struct sweep zipped = load("  - zip: [{path: models, values: [none.yaml, m.yaml]}]\n");
    cr_assert_neq(s.points[0].id, s.points[1].id);
    cr_assert_eq(s.points[0].id, zipped.points[1].id);
    cr_assert_eq(s.points[0].inputs, zipped.points[1].inputs);
    temp_file_write_text("m.yaml", "two");
    struct sweep changed = load("  - {path: models, values: [m.yaml, none.yaml]}\n");
    cr_assert_eq(s.points[0].id, changed.points[0].id);
    cr_assert_neq(s.points[0].inputs, changed.points[0].inputs);
    cr_assert_eq(s.points[1].inputs, changed.points[1].inputs);
    sweep_finish(&s);
    sweep_finish(&zipped);
    sweep_finish(&changed);
}

/* ---- What is still to be run ---- */

struct kept {
    const char *states; /* of all points: d, f or m */
    size_t asked;
};

static enum sweep_state kept_state(void *context, size_t point) {
    struct kept *kept = context;
    kept->asked++;
    return kept->states[point] == 'd'   ? SWEEP_DONE
           : kept->states[point] == 'f' ? SWEEP_FAILED
                                        : SWEEP_MISSING;
}

/* By hand: missing points, and failed ones if they are to be tried again; of a shard every Nth. */
Test(sweep, resumes_where_it_was_left) {
    static const struct {
        const char *states;
        struct sweep_shard shard;
        bool retry_failed;
        const char *points;
        size_t asked;
    } cases[] = {
        {"dmfdmmf", {0, 0}, false, "1 4 5 ", 7},
        {"dmfdmmf", {0, 0}, true, "1 2 4 5 6 ", 7},
        {"dmfdmmf", {1, 3}, true, "6 ", 3},
        {"dmfdmmf", {2, 3}, false, "1 4 ", 2},
        {"dmfdmmf", {9, 9}, true, "", 0}, /* more shards than points */
        {"ddd", {0, 0}, true, "", 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kept kept = {cases[i].states, 0};
        struct sweep_resume resume = {strlen(kept.states), cases[i].shard, cases[i].retry_failed,
                                      &kept, kept_state};
        size_t points[7], count = sweep_resume_points(&resume, points);
        struct str text = {0};
        str_add(&text, "");
        for (size_t p = 0; p < count; p++)
            str_addf(&text, "%zu ", points[p]);
        cr_expect_str_eq(text.text, cases[i].points, "case %zu: %s", i, text.text);
        cr_expect_eq(kept.asked, cases[i].asked);
        str_finish(&text);
    }
}

Test(sweep, shards_that_have_something_to_run) {
    struct kept kept = {"dmfdmmf", 0};
    struct sweep_resume resume = {7, {0, 0}, false, &kept, kept_state};
    bool wanted[5] = {true, true, true, true, true};
    cr_assert(sweep_resume_shards(&resume, 5, wanted)); /* 1, 4 and 5 are missing */
    for (size_t s = 0; s < 5; s++)
        cr_expect_eq(wanted[s], s == 0 || s == 1 || s == 4, "shard %zu", s);
    kept.states = "fdddddf";
    cr_assert_not(sweep_resume_shards(&resume, 5, wanted));
    cr_expect_not(wanted[0]);
}

/* The search for parameters: toy objectives whose best point is known. */
#include "experiment/tune/search.h"

#include <criterion/criterion.h>
#include <math.h>

static double square(double x) {
    return x * x;
}

/* Convex on the logarithmic scale, least at 37 and 0.6. */
static int convex(void *context, const double *point, struct search_score *score) {
    (*(size_t *)context)++;
    *score = (struct search_score){0, square(log(point[0] / 37)) + square(point[1] - 0.6)};
    return 0;
}

/* The last step is 10^(1 / (4 * 9)) = 1.066 on the one axis, 1 / (16 * 9) on the other, and a grid
   is off by half of it at most. */
Test(search, convex) {
    size_t calls = 0;
    const double start[] = {1, 0};
    const struct search_axis axes[] = {search_axis_of(1e-3, 1e9, false, false),
                                       search_axis_of(0, 1, false, false)};
    struct search s = {
        .axes = axes, .count = 2, .evaluate = convex, .context = &calls, .most_trials = 1000};
    cr_assert(axes[0].logarithmic && !axes[1].logarithmic);
    cr_assert_eq(search_run(&s, start), 0);
    const double *best = s.trials.at[s.best].point;
    cr_assert(fabs(log(best[0] / 37)) < log(1.066) / 2 + 0.005, "%g", best[0]);
    cr_assert(fabs(best[1] - 0.6) < 0.5 / 144 + 0.0005, "%g", best[1]);
    cr_assert_eq(calls, s.trials.count);
    for (size_t i = 0; i < s.trials.count; i++)
        for (size_t j = 0; j < i; j++)
            cr_assert(s.trials.at[i].point[0] != s.trials.at[j].point[0] ||
                      s.trials.at[i].point[1] != s.trials.at[j].point[1]);
    search_finish(&s);
}

struct counted {
    size_t calls, expected, first;
};

static int flat(void *context, const double *point, struct search_score *score) {
    struct counted *c = context;
    (void)point;
    c->calls++;
    *score = (struct search_score){0, 1};
    return 0;
}

static void note(void *context, size_t trials) {
    struct counted *c = context;
    cr_assert(trials >= c->calls);
    c->expected = trials;
    c->first = c->first ? c->first : trials;
}

/* The start, off, 4 to a decade over 9 decades and the end, 3 x 6 of finer grids, which off as the
   best spares; with a second axis its grid of 16 steps and 18 more. */
Test(search, expected_trials) {
    const struct search_axis axes[] = {search_axis_of(1, 1e9, false, true),
                                       search_axis_of(0, 1, false, false)};
    const double start[] = {INFINITY, 2};
    for (size_t count = 1; count <= 2; count++) {
        struct counted c = {0};
        struct search s = {.axes = axes,
                           .count = count,
                           .evaluate = flat,
                           .context = &c,
                           .most_trials = 1000,
                           .expect = note};
        cr_assert_eq(search_run(&s, start), 0);
        cr_assert_eq(c.first, 1 + 1 + 37 + 18 + (count == 2 ? 17 + 18 : 0));
        cr_assert(c.expected >= c.calls && c.calls == s.trials.count);
        search_finish(&s);
    }
    struct counted c = {0};
    struct search s = {.axes = axes,
                       .count = 2,
                       .evaluate = flat,
                       .context = &c,
                       .most_trials = 20,
                       .expect = note};
    cr_assert_eq(search_run(&s, start), 0);
    cr_assert(c.first == 20 && c.calls == 20);
    search_finish(&s);
}

/* Flat but for a ditch with a hole: 9, off 8, between 1.5 and 3.5 it is 3, between 1.8 and 2.2 it
   is 1. Of the first grid, four to a decade, 1.78 and 3.16 lie in the ditch and none in the hole.
 */
static int hole(void *context, const double *point, struct search_score *score) {
    double x = point[0];
    (void)context;
    *score = (struct search_score){0, x == INFINITY        ? 8
                                      : x > 1.8 && x < 2.2 ? 1
                                      : x > 1.5 && x < 3.5 ? 3
                                                           : 9};
    return 0;
}

Test(search, hole_beside_the_grid) {
    const double start = INFINITY;
    const struct search_axis axis = search_axis_of(1, 1e9, false, true);
    struct search s = {.axes = &axis, .count = 1, .evaluate = hole, .most_trials = 1000};
    cr_assert_eq(search_run(&s, &start), 0);
    cr_assert_eq(s.trials.at[0].score.value, 8);
    cr_assert_eq(s.trials.at[s.best].score.value, 1);
    search_finish(&s);
}

/* x is best at 10, but 8 and above break a bound, by so much; off has no result. */
static int bounded(void *context, const double *point, struct search_score *score) {
    double x = point[0];
    (void)context;
    *score = (struct search_score){fmax(0, x - 7), x == INFINITY ? NAN : square(x - 10)};
    return 0;
}

Test(search, whole_numbers_and_bounds) {
    const double start = 3;
    const struct search_axis axis = search_axis_of(0, 40, true, true);
    struct search s = {.axes = &axis, .count = 1, .evaluate = bounded, .most_trials = 1000};
    cr_assert_eq(search_run(&s, &start), 0);
    cr_assert_eq(s.trials.at[s.best].point[0], 7);
    for (size_t i = 0; i < s.trials.count; i++)
        cr_assert(s.trials.at[i].point[0] == round(s.trials.at[i].point[0]) &&
                  s.trials.at[i].point[0] >= 0);
    cr_assert_eq(s.trials.count, 42); /* off and 0..40 */
    search_finish(&s);
}

static int gives_up(void *context, const double *point, struct search_score *score) {
    (void)point;
    *score = (struct search_score){0, 1};
    return ++*(int *)context == 5 ? ERROR_CANCELLED : 0;
}

Test(search, ends) {
    int calls = 0;
    const double start = 1;
    const struct search_axis axis = search_axis_of(0, 1, false, false);
    struct search s = {
        .axes = &axis, .count = 1, .evaluate = gives_up, .context = &calls, .most_trials = 1000};
    cr_assert_eq(search_run(&s, &start), ERROR_CANCELLED);
    cr_assert_eq(s.trials.count, 4);
    search_finish(&s);
    calls = -1000;
    s = (struct search){
        .axes = &axis, .count = 1, .evaluate = gives_up, .context = &calls, .most_trials = 7};
    cr_assert_eq(search_run(&s, &start), 0);
    cr_assert_eq(s.trials.count, 7);
    search_finish(&s);
}

/* Three choices: with 0 the value is best at 4 (5 there), with 1 at 9 (3 there); with 2 nothing
   hangs on it (4), and the axis is bound to 1 or to nothing. */
static int chosen(void *context, const double *point, struct search_score *score) {
    double x = point[1];
    (*(size_t *)context)++;
    *score = (struct search_score){0, point[0] == 0   ? 5 + square(x - 4)
                                      : point[0] == 1 ? 3 + square(x - 9)
                                                      : 4};
    return 0;
}

Test(search, apart) {
    struct search_axis axes[] = {search_axis_of(0, 2, true, false),
                                 search_axis_of(0, 10, true, false)};
    const double start[] = {0, 5};
    size_t calls = 0;
    axes[0].apart = true;
    struct search s = {
        .axes = axes, .count = 2, .evaluate = chosen, .context = &calls, .most_trials = 1000};
    cr_assert_eq(search_run(&s, start), 0);
    cr_assert(s.trials.count == 3 * 11 && calls == 3 * 11 && !s.cut); /* every pair, once */
    cr_assert(s.trials.at[s.best].point[0] == 1 && s.trials.at[s.best].point[1] == 9);
    search_finish(&s);
    axes[1].bound = true;
    axes[1].bound_to = 1;
    s = (struct search){
        .axes = axes, .count = 2, .evaluate = chosen, .context = &calls, .most_trials = 1000};
    cr_assert_eq(search_run(&s, start), 0);
    cr_assert_eq(s.trials.count, 1 + 11 + 1);
    cr_assert(s.trials.at[s.best].point[0] == 1 && s.trials.at[s.best].point[1] == 9);
    search_finish(&s);
    axes[1].bound = false; /* the start, then equal shares of the other nine: 3, 3 and 3 */
    s = (struct search){
        .axes = axes, .count = 2, .evaluate = chosen, .context = &calls, .most_trials = 10};
    cr_assert_eq(search_run(&s, start), 0);
    size_t of[3] = {0};
    for (size_t i = 0; i < s.trials.count; i++)
        of[(size_t)s.trials.at[i].point[0]]++;
    cr_assert(s.cut && of[0] == 4 && of[1] == 3 && of[2] == 3);
    search_finish(&s);
}

/* A start beyond the axis, as a value that is not in a list has: -1, and no point twice. */
Test(search, start_beside_the_list) {
    const double start = -1;
    const struct search_axis axis = search_axis_of(0, 3, true, false);
    struct search s = {.axes = &axis, .count = 1, .evaluate = flat, .most_trials = 1000};
    struct counted c = {0};
    s.context = &c;
    cr_assert_eq(search_run(&s, &start), 0);
    cr_assert_eq(s.trials.count, 5);
    for (size_t i = 0; i < 5; i++)
        cr_assert_eq(s.trials.at[i].point[0], (double)i - 1);
    search_finish(&s);
}

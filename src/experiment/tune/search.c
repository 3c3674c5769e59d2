/* Search on grids: see search.h. */
#include "experiment/tune/search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDE         100.0 /* a larger ratio is searched on a logarithmic scale */
#define PER_DECADE   4
#define LINEAR_STEPS 16
#define ZOOMS        3 /* each makes the step three times finer */
#define ZOOM_STEPS \
    6            /* of a finer grid, whose ends lie about the best point, which has been tried */
#define ROUNDS 4 /* over all axes */

struct search_axis search_axis_of(double least, double most, bool whole, bool may_be_off) {
    bool wide = least >= 0 && most > (least > 0 ? WIDE * least : WIDE);
    return (struct search_axis){.least = least,
                                .most = most,
                                .logarithmic = wide,
                                .whole = whole,
                                .may_be_off = may_be_off};
}

/* The scale on which steps are equal. A range from 0 begins, on a logarithmic one, nine decades
 * below its end. */
static double to_scale(const struct search_axis *axis, double value) {
    double least = axis->least > 0 ? axis->least : axis->most * 1e-9;
    return axis->logarithmic ? log10(fmax(value, least)) : value;
}

/* To three significant digits: a person can read them, and the last grid is coarser. */
static double round_digits(double value) {
    char text[32];
    snprintf(text, sizeof text, "%.3g", value);
    return strtod(text, NULL);
}

static double from_scale(const struct search_axis *axis, double at) {
    double value = axis->logarithmic ? pow(10, at) : at;
    value = axis->whole ? round(value) : round_digits(value);
    return fmin(fmax(value, axis->least), axis->most) + 0.0; /* -0 is no point of its own */
}

static bool is_better_score(const struct search_score *a, const struct search_score *b) {
    if (isnan(a->value) || isnan(b->value))
        return !isnan(a->value);
    return a->violation != b->violation ? a->violation < b->violation : a->value < b->value;
}

/* The trial of a point; their number: none yet. */
static size_t find_trial(const struct search *search, const double *point) {
    size_t t = 0;
    while (t < search->trials.count &&
           memcmp(search->trials.at[t].point, point, search->count * sizeof *point) != 0)
        t++;
    return t;
}

static int try_point(struct search *search, const double *point) {
    struct search_trial trial = {.score = {INFINITY, NAN}};
    if (find_trial(search, point) < search->trials.count)
        return 0;
    if (search->trials.count >= search->limit) {
        search->cut = true;
        return 0;
    }
    int r = search->evaluate(search->context, point, &trial.score);
    if (r < 0)
        return r;
    trial.point = mem_zalloc(search->count, sizeof *trial.point);
    memcpy(trial.point, point, search->count * sizeof *point);
    array_push(&search->trials, trial);
    if (is_better_score(&trial.score, &search->trials.at[search->middle].score))
        search->middle = search->trials.count - 1;
    if (is_better_score(&trial.score, &search->trials.at[search->best].score))
        search->best = search->trials.count - 1;
    return 0;
}

/* The best point so far with another value on one axis. */
static int try_axis_value(struct search *search, size_t axis, double value) {
    double *point = mem_zalloc(search->count, sizeof *point);
    memcpy(point, search->trials.at[search->middle].point, search->count * sizeof *point);
    point[axis] = value;
    int r = try_point(search, point);
    free(point);
    return r;
}

static int try_grid(struct search *search, size_t axis, double from, double to, unsigned steps) {
    int r = 0;
    for (unsigned i = 0; i <= steps && r == 0; i++)
        r = try_axis_value(search, axis,
                           from_scale(&search->axes[axis], from + (to - from) * i / steps));
    return r;
}

/* Steps of the grid over the whole range. */
static unsigned axis_steps(const struct search_axis *axis) {
    double range = to_scale(axis, axis->most) - to_scale(axis, axis->least);
    double steps = axis->logarithmic ? ceil(range * PER_DECADE) : LINEAR_STEPS;
    if (axis->whole && !axis->logarithmic)
        steps = fmin(fmax(range, 1), WIDE);
    return (unsigned)fmax(steps, 4);
}

/* Whether the axis is searched where the present point is. */
static bool is_searched(const struct search *search, size_t axis, double apart) {
    const struct search_axis *a = &search->axes[axis];
    return !a->apart && (!a->bound || a->bound_to == apart);
}

/* Trials of the axes from this one on if every grid is tried in full. */
static size_t count_grids(const struct search *search, size_t axis, double apart) {
    size_t trials = 0;
    for (; axis < search->count; axis++) {
        const struct search_axis *a = &search->axes[axis];
        if (is_searched(search, axis, apart))
            trials += a->may_be_off + (a->logarithmic && a->least == 0) + axis_steps(a) + 1 +
                      ZOOMS * ZOOM_STEPS;
    }
    return trials;
}

/* The number of trials of full grids, from this axis at this value of the axis apart on. */
static void expect_trials_left(const struct search *search, size_t axis,
                               const struct search_axis *apart, double value) {
    size_t trials = search->trials.count > 0 ? search->trials.count : 1; /* the start */
    trials += count_grids(search, axis, value);
    for (double next = value + 1; apart && next <= apart->most; next++)
        trials += 1 + count_grids(search, 0, next);
    if (search->expect)
        search->expect(search->context,
                       trials < search->most_trials ? trials : search->most_trials);
}

static int search_axis(struct search *search, size_t axis) {
    const struct search_axis *a = &search->axes[axis];
    double from = to_scale(a, a->least), to = to_scale(a, a->most),
           step = (to - from) / axis_steps(a);
    int r = a->may_be_off ? try_axis_value(search, axis, INFINITY) : 0;
    if (r == 0 && a->logarithmic && a->least == 0)
        r = try_axis_value(search, axis, 0);
    if (r == 0)
        r = try_grid(search, axis, from, to, axis_steps(a));
    for (int zoom = 0; zoom < ZOOMS && r == 0; zoom++) {
        double value = search->trials.at[search->middle].point[axis];
        if (!isfinite(value))
            break;
        double middle = to_scale(a, value);
        r = try_grid(search, axis, fmax(from, middle - step), fmin(to, middle + step), ZOOM_STEPS);
        step /= 3;
    }
    return r;
}

/* Rounds over all axes about the middle, with one value of the axis apart. */
static int search_rounds(struct search *search, const struct search_axis *apart, double value) {
    size_t searched = 0;
    int r = 0;
    for (size_t axis = 0; axis < search->count; axis++)
        searched += is_searched(search, axis, value);
    for (int round = 0; round < ROUNDS && r == 0; round++) {
        size_t middle = search->middle;
        for (size_t axis = 0; axis < search->count && r == 0; axis++) {
            expect_trials_left(search, axis, apart, value);
            if (is_searched(search, axis, value))
                r = search_axis(search, axis);
        }
        if (search->middle == middle || searched <= 1)
            break;
    }
    return r;
}

/* The start with each value of the axis apart, and a search from there, all with equal shares of
   the trials that are left. */
static int search_apart(struct search *search, size_t axis, const double *start) {
    const struct search_axis *apart = &search->axes[axis];
    double *point = mem_zalloc(search->count, sizeof *point);
    int r = 0;
    memcpy(point, start, search->count * sizeof *point);
    for (double value = apart->least; value <= apart->most && r == 0; value++) {
        size_t left = search->most_trials - search->trials.count;
        search->limit = search->trials.count + left / (size_t)(apart->most - value + 1);
        point[axis] = value;
        size_t first = find_trial(search, point);
        search->middle = first;
        if (first == search->trials.count) {
            search->middle = search->best; /* to be compared with, until it has been tried */
            r = try_point(search, point);
            search->middle = first;
        }
        if (r == 0 && first < search->trials.count)
            r = search_rounds(search, apart, value);
    }
    free(point);
    return r;
}

int search_run(struct search *search, const double *start) {
    size_t apart = 0;
    while (apart < search->count && !search->axes[apart].apart)
        apart++;
    const struct search_axis *axis = apart < search->count ? &search->axes[apart] : NULL;
    search->limit = search->most_trials;
    expect_trials_left(search, 0, axis, axis ? axis->least - 1 : NAN);
    int r = try_point(search, start);
    if (r < 0 || search->trials.count == 0)
        return r;
    return axis ? search_apart(search, apart, start) : search_rounds(search, NULL, NAN);
}

void search_finish(struct search *search) {
    for (size_t t = 0; t < search->trials.count; t++)
        free(search->trials.at[t].point);
    free(search->trials.at);
    *search = (struct search){0};
}

/* Search on grids: see search.h. */
#include "experiment/tune/search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDE         100.0 /* a larger ratio is searched on a logarithmic scale */
#define PER_DECADE   4
#define LINEAR_STEPS 16
#define ZOOMS        3 /* each makes the step three times finer */
#define ZOOM_STEPS \
    6            /* of a finer grid, whose ends lie about the best point, which has been tried */
#define ROUNDS 4 /* over all axes */

struct search_axis search_axis_of(double least, double most, bool whole, bool may_be_off) {
    bool wide = least >= 0 && most > (least > 0 ? WIDE * least : WIDE);
    return (struct search_axis){least, most, wide, whole, may_be_off};
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
    return fmin(fmax(value, axis->least), axis->most);
}

static bool is_better_score(const struct search_score *a, const struct search_score *b) {
    if (isnan(a->value) || isnan(b->value))
        return !isnan(a->value);
    return a->violation != b->violation ? a->violation < b->violation : a->value < b->value;
}

static bool is_known(const struct search *search, const double *point) {
    for (size_t t = 0; t < search->trials.count; t++)
        if (memcmp(search->trials.at[t].point, point, search->count * sizeof *point) == 0)
            return true;
    return false;
}

static int try_point(struct search *search, const double *point) {
    struct search_trial trial = {.score = {INFINITY, NAN}};
    if (search->trials.count >= search->most_trials || is_known(search, point))
        return 0;
    int r = search->evaluate(search->context, point, &trial.score);
    if (r < 0)
        return r;
    trial.point = mem_zalloc(search->count, sizeof *trial.point);
    memcpy(trial.point, point, search->count * sizeof *point);
    array_push(&search->trials, trial);
    if (is_better_score(&trial.score, &search->trials.at[search->best].score))
        search->best = search->trials.count - 1;
    return 0;
}

/* The best point so far with another value on one axis. */
static int try_axis_value(struct search *search, size_t axis, double value) {
    double *point = mem_zalloc(search->count, sizeof *point);
    memcpy(point, search->trials.at[search->best].point, search->count * sizeof *point);
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

/* How many trials there will be if every grid of the axes from this one on is tried in full. */
static void expect_trials_left(const struct search *search, size_t axis) {
    size_t trials = search->trials.count > 0 ? search->trials.count : 1; /* the start */
    for (; axis < search->count; axis++) {
        const struct search_axis *a = &search->axes[axis];
        trials += a->may_be_off + (a->logarithmic && a->least == 0) + axis_steps(a) + 1 +
                  ZOOMS * ZOOM_STEPS;
    }
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
        double value = search->trials.at[search->best].point[axis];
        if (!isfinite(value))
            break;
        double middle = to_scale(a, value);
        r = try_grid(search, axis, fmax(from, middle - step), fmin(to, middle + step), ZOOM_STEPS);
        step /= 3;
    }
    return r;
}

int search_run(struct search *search, const double *start) {
    expect_trials_left(search, 0);
    int r = try_point(search, start);
    for (int round = 0; round < ROUNDS && r == 0 && search->trials.count > 0; round++) {
        size_t best = search->best;
        for (size_t axis = 0; axis < search->count && r == 0; axis++) {
            expect_trials_left(search, axis);
            r = search_axis(search, axis);
        }
        if (search->best == best || search->count == 1)
            break;
    }
    return r;
}

void search_finish(struct search *search) {
    for (size_t t = 0; t < search->trials.count; t++)
        free(search->trials.at[t].point);
    free(search->trials.at);
    *search = (struct search){0};
}

/* Ranges of axes: see axis_range.h. */
#include "output/plot/axis_range.h"

#include "base/mem.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

#define LOG_FACTOR     20
#define SQUEEZED       5 /* the range is so many times that of the others */
#define FAR_FACTOR     3
#define INTERVAL_SHARE 0.6
#define MARGIN         0.06

/* Sorted values first..last, in the space in which their distances are looked at. */
struct inside {
    const double *values;
    size_t first, last;
    bool log;
};

static double at_place(const struct inside *in, size_t i) {
    return in->log ? log10(in->values[i]) : in->values[i];
}

static double span_of(const struct inside *in, size_t first, size_t last) {
    return at_place(in, last) - at_place(in, first);
}

static bool is_far(double value, double nearest) {
    double small = fmin(fabs(value), fabs(nearest)), large = fmax(fabs(value), fabs(nearest));
    return value * nearest < 0 || FAR_FACTOR * small < large;
}

static bool spans_decades(const struct inside *in) {
    return in->values[in->first] > 0 && in->values[in->last] > LOG_FACTOR * in->values[in->first];
}

/* Leaves one end out if it squeezes the rest. */
static bool leave_end_out(struct inside *in) {
    double all = span_of(in, in->first, in->last),
           without_first = span_of(in, in->first + 1, in->last),
           without_last = span_of(in, in->first, in->last - 1);
    bool last = without_last <= without_first;
    if (SQUEEZED * (last ? without_last : without_first) >= all ||
        !(last ? is_far(in->values[in->last], in->values[in->last - 1])
               : is_far(in->values[in->first], in->values[in->first + 1])))
        return false;
    if (last)
        in->last--;
    else
        in->first++;
    return true;
}

static void choose_inside(struct inside *in, size_t count) {
    in->log = spans_decades(in);
    for (size_t out = 0; out < count / 3 && in->last > in->first + 1; out++)
        if (!leave_end_out(in))
            break;
    in->log = spans_decades(in);
}

/* Ends of the intervals, as far as they may widen the axis. */
static void add_intervals(const double *means, const double *halves, size_t count, double widest,
                          struct plot_range *range) {
    double low = range->least, high = range->most;
    double wide = range->log           ? pow(high / low, widest)
                  : isinf(widest) != 0 ? INFINITY
                                       : widest * (high - low);
    double lowest = range->log ? low / wide : low - wide,
           highest = range->log ? high * wide : high + wide;
    for (size_t i = 0; i < count; i++) {
        if (means[i] < low || means[i] > high || isnan(halves[i]))
            continue;
        range->cut = range->cut || means[i] - halves[i] < lowest || means[i] + halves[i] > highest;
        range->least = fmin(range->least, fmax(means[i] - halves[i], lowest));
        range->most = fmax(range->most, fmin(means[i] + halves[i], highest));
    }
}

static void add_margins(struct plot_range *range) {
    if (range->log) {
        double factor = range->most > range->least ? pow(range->most / range->least, MARGIN) : 2;
        range->least /= factor;
        range->most *= factor;
    } else {
        double span = range->most > range->least ? range->most - range->least
                                                 : fmax(fabs(range->most), 1e-300);
        span = range->most == 0 && range->least == 0 ? 1 : span;
        range->least -= MARGIN * span;
        range->most += MARGIN * span;
    }
}

bool plot_range_find(const double *means, const double *halves, size_t count, enum plot_scale scale,
                     struct plot_range *range) {
    double *sorted = mem_zalloc(count, sizeof *sorted);
    for (size_t i = 0; i < count; i++)
        sorted[i] = means[i];
    gsl_sort(sorted, 1, count);
    struct inside in = {.values = sorted, .last = count - 1, .log = scale == PLOT_SCALE_LOG};
    if (scale == PLOT_SCALE_AUTO)
        choose_inside(&in, count);
    *range = (struct plot_range){.least = sorted[in.first], .most = sorted[in.last], .log = in.log};
    free(sorted);
    if (range->log && range->least <= 0)
        return false;
    /* Of equal values, and where nothing may be left out, whole intervals. */
    bool whole = !range->log && (scale == PLOT_SCALE_LINEAR || range->most == range->least);
    add_intervals(means, halves, count, whole ? INFINITY : INTERVAL_SHARE, range);
    add_margins(range);
    return true;
}

double plot_range_place(const struct plot_range *range, double value) {
    double least = range->least, most = range->most;
    if (range->log) {
        least = log(least);
        most = log(most);
        value = value > 0 ? log(value) : -INFINITY;
    }
    return fmin(fmax((value - least) / (most - least), 0), 1);
}

bool plot_range_leaves_out(const struct plot_range *range, double value) {
    return value < range->least || value > range->most;
}

/* Ranges, names and bounds of figures: see figure.h. */
#include "output/plot/figure.h"

#include "base/mem.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

#define LOG_FACTOR     20
#define SQUEEZED       5 /* the range is this many times that of the others */
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
    /* Whole intervals for equal values, and if no value may be left out. */
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

/* --- label_places --- */
/* Each point tries eight directions, nearest first. */

#define PLOT_NAME_HEIGHT  15
#define PLOT_POINT_RADIUS 7

#define RINGS     6
#define RING_STEP 12 /* pixels */
#define NEAR      3  /* rings in which a name keeps off intervals */

/* A direction: where the name's box is, seen from the point: -1 left or below, 0, 1 right or above.
   The slanting ones come first: intervals run along the others. */
static const int directions[][2] = {{1, 1}, {-1, 1}, {1, -1}, {-1, -1},
                                    {1, 0}, {-1, 0}, {0, 1},  {0, -1}};

static bool overlap(struct plot_box a, struct plot_box b) {
    return a.left < b.right && b.left < a.right && a.bottom < b.top && b.bottom < a.top;
}

static struct plot_box point_box(const struct plot_named_point *p) {
    return (struct plot_box){p->x - PLOT_POINT_RADIUS, p->y - PLOT_POINT_RADIUS,
                             p->x + PLOT_POINT_RADIUS, p->y + PLOT_POINT_RADIUS};
}

static struct plot_box name_box(const struct plot_named_point *p, const int *direction, int ring) {
    bool slanting = direction[0] != 0 && direction[1] != 0;
    double up = PLOT_POINT_RADIUS + ring * RING_STEP, aside = slanting ? up - 4 : up + 1;
    double x = p->x + direction[0] * (aside + p->width / 2),
           y = p->y + direction[1] * (up + PLOT_NAME_HEIGHT / 2.0);
    return (struct plot_box){x - p->width / 2, y - PLOT_NAME_HEIGHT / 2.0, x + p->width / 2,
                             y + PLOT_NAME_HEIGHT / 2.0};
}

static bool crosses_arms(const struct plot_named_point *p, struct plot_box box) {
    const struct plot_box flat = {p->x - p->arms[0], p->y - 1, p->x + p->arms[0], p->y + 1},
                          upright = {p->x - 1, p->y - p->arms[1], p->x + 1, p->y + p->arms[1]};
    return overlap(box, flat) || overlap(box, upright);
}

static bool is_free_of_arms(const struct plot_named_point *points, size_t count,
                            struct plot_box box) {
    for (size_t i = 0; i < count; i++)
        if (crosses_arms(&points[i], box))
            return false;
    return true;
}

static bool is_free_box(const struct plot_named_point *points, size_t count, size_t placed,
                        struct plot_box area, struct plot_box box) {
    bool inside = box.left >= area.left && box.right <= area.right && box.bottom >= area.bottom &&
                  box.top <= area.top;
    for (size_t i = 0; inside && i < count; i++)
        inside =
            !overlap(box, point_box(&points[i])) && !(i < placed && overlap(box, points[i].box));
    return inside;
}

static bool place_name(struct plot_named_point *points, size_t count, size_t at,
                       struct plot_box area, bool off_arms) {
    struct plot_named_point *p = &points[at];
    for (int ring = 0; ring < (off_arms ? NEAR : RINGS); ring++)
        for (size_t d = 0; d < sizeof directions / sizeof *directions; d++) {
            p->box = name_box(p, directions[d], ring);
            p->far = ring > 0;
            if (is_free_box(points, count, at, area, p->box) &&
                (!off_arms || is_free_of_arms(points, count, p->box)))
                return true;
        }
    return false;
}

bool plot_place_names(struct plot_named_point *points, size_t count, struct plot_box area) {
    for (size_t i = 0; i < count; i++)
        if (!place_name(points, count, i, area, true) && !place_name(points, count, i, area, false))
            return false;
    return true;
}

/* --- bound_region --- */

enum { METRIC, REPLICATION, POLICY, BOUND, REASON };

static const char *const mean_columns[] = {"metric", "replication", "policy",
                                           "bound",  "reason",      NULL};

static void excuse_series(const struct plot_source *source, struct slice policy, const char *reason,
                          struct bound_region *region) {
    for (size_t i = 0; i < source->series.count; i++)
        if (slice_is(policy, source->series.at[i].label))
            region->excuses[i] = reason;
}

static int read_mean(const struct plot_source *source, const struct csv *csv, const int *columns,
                     struct arena *arena, struct bound_region *region, struct error *reterr) {
    struct slice metric = csv_field(csv, columns[METRIC]), reason = csv_field(csv, columns[REASON]);
    const char *why = reason.length > 0 ? arena_strndup(arena, reason.at, reason.length) : NULL;
    double bound;
    int r = plot_source_real(csv, columns[BOUND], &bound, reterr);
    region->horizon = region->horizon || slice_is(metric, "jct_restricted_mean_s");
    for (unsigned c = 0; r == 0 && c < SUMMARY_COUNT; c++) {
        if (!slice_is(metric, summary_names[c]))
            continue;
        region->least[c] = fmin(region->least[c], bound); /* one for all, unless under a horizon */
        region->reasons[c] = isnan(bound) ? why : NULL;
    }
    if (r == 0 && !isnan(bound) && why)
        excuse_series(source, csv_field(csv, columns[POLICY]), why, region);
    return r;
}

int bound_region_read(const struct plot_source *source, struct arena *arena,
                      struct bound_region *ret_region, struct error *reterr) {
    struct csv *csv = NULL;
    int columns[REASON + 1], got, r;
    *ret_region = (struct bound_region){.has_file = false};
    for (unsigned c = 0; c < SUMMARY_COUNT; c++)
        ret_region->least[c] = NAN;
    if (!source->comparison || !plot_source_exists(source->comparison, BOUND_REGION_FILE))
        return 0;
    r = plot_source_table(source->comparison, BOUND_REGION_FILE, mean_columns, columns, &csv,
                          reterr);
    if (r < 0)
        return r;
    ret_region->has_file = true;
    while (r == 0 && (got = csv_next(csv, reterr)) != 0)
        if (got < 0)
            r = got;
        else if (slice_is(csv_field(csv, columns[REPLICATION]), "mean"))
            r = read_mean(source, csv, columns, arena, ret_region, reterr);
    csv_close(csv);
    return r;
}

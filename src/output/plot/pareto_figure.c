/* Two metrics against each other. A point far from all others is drawn at the edge with its value,
   so that it does not squeeze them. Names are next to the points if they have room there, else in a
   legend. */
#include "base/hash.h"
#include "experiment/compare.h"
#include "metrics/summary.h"
#include "output/plot/figure.h"
#include "output/plot/figures.h"
#include "output/run/run_report.h"

#include <math.h>

/* The plotting area, in pixels from the edges. */
#define LEFT   86
#define RIGHT  20
#define TOP    54
#define BOTTOM 64

#define NAME_PIXELS 7 /* of a character, in the small font */

struct pareto_session {
    const struct plot_source *source;
    unsigned columns[2];
    struct bound_region region;
    double bounds[2];                       /* in units of the axes; NAN: none */
    size_t places[PLOT_MOST_SERIES], count; /* series that are shown */
    const char *labels[PLOT_MOST_SERIES + 1];
    struct metric_scale scales[2];
    double means[2][PLOT_MOST_SERIES + 1],
        halves[2][PLOT_MOST_SERIES + 1]; /* in units of the axes */
    struct plot_range ranges[2];
    size_t on_front;
};

/* ---- What is shown ---- */

static void add_point(struct pareto_session *s, size_t place) {
    const struct plot_series *series = &s->source->series.at[place];
    for (int d = 0; d < 2; d++) {
        const struct estimate *e = &series->estimates[s->columns[d]];
        s->means[d][s->count] = e->mean * s->scales[d].factor;
        s->halves[d][s->count] = e->ci95 * s->scales[d].factor;
    }
    s->labels[s->count] = series->label;
    s->places[s->count++] = place;
}

static void find_points(struct pareto_session *s, struct plot_figure *figure) {
    for (int d = 0; d < 2; d++)
        s->scales[d] = metric_scale(s->columns[d]);
    for (size_t i = 0; i < s->source->series.count; i++) {
        const struct plot_series *series = &s->source->series.at[i];
        if (isnan(series->estimates[s->columns[0]].mean) ||
            isnan(series->estimates[s->columns[1]].mean))
            plot_note(figure, "%s is left out, not both metrics are defined", series->label);
        else
            add_point(s, i);
    }
}

/* ---- Where no schedule is ---- */

/* Bounds are of energy and of the completion time of all jobs: without a choice, axes are these. */
static void choose_columns(struct pareto_session *s, const struct plot_wishes *wishes,
                           struct plot_figure *figure) {
    bool bounded = s->region.has_file && !s->region.horizon;
    s->columns[0] = wishes->pareto[0];
    s->columns[1] = wishes->pareto[1];
    if (s->region.horizon)
        plot_note(figure, "no region is shaded: under a horizon the least energy depends on how "
                          "much work a policy did");
    if (!bounded || wishes->pareto_chosen)
        return;
    s->columns[0] = SUMMARY_COLUMN(energy_kwh);
    s->columns[1] = SUMMARY_COLUMN(jct_mean_s);
    plot_note(figure, "the axes are what " BOUND_REGION_FILE " bounds: no others were asked for");
}

static void find_region(struct pareto_session *s, struct plot_figure *figure) {
    bool bounded = s->region.has_file && !s->region.horizon, some = false;
    for (int d = 0; d < 2; d++) {
        unsigned c = s->columns[d];
        s->bounds[d] = bounded ? s->region.least[c] * s->scales[d].factor : NAN;
        some = some || !isnan(s->bounds[d]);
        if (bounded && isnan(s->bounds[d]))
            plot_note(figure, "%s has no bound%s%s", summary_names[c],
                      s->region.reasons[c] ? ": " : "",
                      s->region.reasons[c] ? s->region.reasons[c] : "");
    }
    for (size_t i = 0; some && i < s->source->series.count; i++)
        if (s->region.excuses[i])
            plot_note(figure, "%s could be in the shaded region: %s", s->source->series.at[i].label,
                      s->region.excuses[i]);
}

static void name_same_points(struct pareto_session *s, struct plot_figure *figure) {
    uint64_t hashes[PLOT_MOST_SERIES];
    for (size_t i = 0; i < s->count; i++) {
        hashes[i] = HASH_START;
        for (int d = 0; d < 2; d++) {
            hashes[i] = hash_bytes(hashes[i], &s->means[d][i], sizeof s->means[d][i]);
            hashes[i] = hash_bytes(hashes[i], &s->halves[d][i], sizeof s->halves[d][i]);
        }
    }
    plot_name_same(figure, s->labels, hashes, s->count);
}

/* ---- Data ---- */

ORDER_BY(compare_front_points, struct pareto_point, ASC(at[0]))

/* The front, from the best x to the best y: series 0 of the data. Counts how many are on it. */
static void add_front(struct pareto_session *s, struct str *data) {
    struct pareto_point points[PLOT_MOST_SERIES], front[PLOT_MOST_SERIES];
    size_t dominators[PLOT_MOST_SERIES];
    double sign[2]; /* less is better: 1 */
    for (int d = 0; d < 2; d++) {
        enum metric_better better = metric_table[s->columns[d]].better;
        if (better == METRIC_NEITHER)
            return;
        sign[d] = better == METRIC_LESS ? 1 : -1;
        for (size_t i = 0; i < s->count; i++)
            points[i].at[d] = sign[d] * s->means[d][i];
    }
    pareto_dominators(points, s->count, 2, dominators);
    for (size_t i = 0; i < s->count; i++)
        if (dominators[i] == PARETO_NOBODY)
            front[s->on_front++] = points[i];
    sort_array(front, s->on_front, compare_front_points);
    for (size_t i = 0; i < s->on_front; i++) {
        str_add_char(data, '0');
        for (int d = 0; d < 2; d++)
            csv_comma_real(data, sign[d] * front[i].at[d]);
        str_add(data, ",,,front\n");
    }
}

/* An interval of no known width is drawn as none. */
static void add_points(const struct pareto_session *s, struct str *data) {
    str_add(data, "series,x,y,x_ci95,y_ci95,policy\n");
    for (size_t i = 0; i < s->count; i++) {
        str_add_int(data, (int64_t)i + 1);
        for (int d = 0; d < 2; d++)
            csv_comma_real(data, s->means[d][i]);
        for (int d = 0; d < 2; d++)
            csv_comma_real(data, isnan(s->halves[d][i]) ? 0 : s->halves[d][i]);
        csv_comma_text(data, s->source->series.at[s->places[i]].label);
        str_add_char(data, '\n');
    }
}

static void add_bounds(const struct pareto_session *s, struct str *data) {
    if (isnan(s->bounds[0]) && isnan(s->bounds[1]))
        return;
    str_add(data, "-1");
    for (int d = 0; d < 2; d++)
        csv_comma_real(data, s->bounds[d]);
    str_add(data, ",,,bound\n");
}

/* ---- Axes ---- */

static int find_ranges(struct pareto_session *s, enum plot_scale scale,
                       struct plot_figure *figure) {
    bool cut = false;
    for (int d = 0; d < 2; d++) {
        const char *name = summary_names[s->columns[d]];
        size_t count = s->count;
        if (!isnan(s->bounds[d])) { /* as one more mean: the region is to be seen */
            s->means[d][count] = s->bounds[d];
            s->halves[d][count++] = NAN;
        }
        if (!plot_range_find(s->means[d], s->halves[d], count, scale, &s->ranges[d]))
            return plot_not_possible(
                figure, "a logarithmic axis needs values above 0, and not all of %s are", name);
        cut = cut || s->ranges[d].cut;
        for (size_t i = 0; i < s->count; i++)
            if (plot_range_leaves_out(&s->ranges[d], s->means[d][i]))
                plot_note(figure, "%s is at the edge, its %s is %.4g%s%s (inside by scale linear)",
                          s->source->series.at[s->places[i]].label, name, s->means[d][i],
                          s->scales[d].unit[0] ? " " : "", s->scales[d].unit);
        if (plot_range_leaves_out(&s->ranges[d], s->bounds[d]))
            plot_note(figure, "the bound of %s is outside, at %.4g%s%s (inside by scale linear)",
                      name, s->bounds[d], s->scales[d].unit[0] ? " " : "", s->scales[d].unit);
    }
    if (cut)
        plot_note(figure, "intervals that reach far beyond the means end at the edge");
    return 0;
}

/* "hades (288)": what is not on the axis. */
static const char *name_of_point(const struct pareto_session *s, size_t i,
                                 struct plot_figure *figure) {
    bool x = plot_range_leaves_out(&s->ranges[0], s->means[0][i]),
         y = plot_range_leaves_out(&s->ranges[1], s->means[1][i]);
    if (x && y)
        return arena_printf(&figure->arena, "%s (%s; %s)", s->labels[i],
                            plot_short_number(figure, s->means[0][i], 3),
                            plot_short_number(figure, s->means[1][i], 3));
    if (x || y)
        return arena_printf(&figure->arena, "%s (%s)", s->labels[i],
                            plot_short_number(figure, s->means[x ? 0 : 1][i], 3));
    return s->labels[i];
}

/* ---- Names next to the points ---- */

static struct plot_named_point point_in_pixels(const struct pareto_session *s, size_t i, int width,
                                               int height) {
    const double begin[2] = {LEFT, BOTTOM}, size[2] = {width - LEFT - RIGHT, height - TOP - BOTTOM};
    double at[2], arms[2];
    for (int d = 0; d < 2; d++) {
        double half = isnan(s->halves[d][i]) ? 0 : s->halves[d][i];
        at[d] = begin[d] + size[d] * plot_range_place(&s->ranges[d], s->means[d][i]);
        arms[d] =
            begin[d] + size[d] * plot_range_place(&s->ranges[d], s->means[d][i] + half) - at[d];
    }
    return (struct plot_named_point){.x = at[0], .y = at[1], .arms = {arms[0], arms[1]}};
}

static bool place_names(const struct pareto_session *s, const char *const *names, int height,
                        struct plot_figure *figure) {
    struct plot_named_point points[PLOT_MOST_SERIES];
    double left[PLOT_MOST_SERIES], middle[PLOT_MOST_SERIES], far[PLOT_MOST_SERIES];
    double at[2][PLOT_MOST_SERIES], joint[2][PLOT_MOST_SERIES];
    struct plot_box area = {LEFT, BOTTOM, figure->width - 4, height - TOP + 8};
    for (size_t i = 0; i < s->count; i++) {
        points[i] = point_in_pixels(s, i, figure->width, height);
        points[i].width = NAME_PIXELS * plot_text_width(&names[i], 1) / 8.0 + 4;
    }
    bool room = plot_place_names(points, s->count, area);
    for (size_t i = 0; room && i < s->count; i++) {
        left[i] = points[i].box.left + 2;
        middle[i] = (points[i].box.bottom + points[i].box.top) / 2;
        far[i] = points[i].far;
        at[0][i] = points[i].x;
        at[1][i] = points[i].y;
        joint[0][i] = fmin(fmax(points[i].x, points[i].box.left), points[i].box.right);
        joint[1][i] = fmin(fmax(points[i].y, points[i].box.bottom), points[i].box.top);
    }
    plot_set_number(figure, "beside", room);
    if (!room)
        return false;
    plot_set_numbers(figure, "name_x", left, s->count);
    plot_set_numbers(figure, "name_y", middle, s->count);
    plot_set_numbers(figure, "name_far", far, s->count);
    plot_set_numbers(figure, "point_x", at[0], s->count);
    plot_set_numbers(figure, "point_y", at[1], s->count);
    plot_set_numbers(figure, "join_x", joint[0], s->count);
    plot_set_numbers(figure, "join_y", joint[1], s->count);
    return true;
}

static void set_pareto_names(struct pareto_session *s, const struct plot_wishes *wishes,
                             struct plot_figure *figure) {
    const char *names[PLOT_MOST_SERIES + 1];
    for (size_t i = 0; i < s->count; i++)
        names[i] = name_of_point(s, i, figure);
    figure->height = 370;
    bool beside =
        place_names(s, names, wishes->height > 0 ? wishes->height : figure->height, figure);
    plot_set_series(figure, names, s->count);
    names[s->count] = "front";
    if (beside)
        plot_set_number(figure, "legend", 0);
    else
        figure->height += plot_set_legend(figure, figure->width - 20, names,
                                          s->on_front > 0 ? s->count + 1 : s->count);
}

static void set_axes(const struct pareto_session *s, struct plot_figure *figure) {
    static const char *const names[2][4] = {{"x_label", "x_least", "x_most", "log_x"},
                                            {"y_label", "y_least", "y_most", "log_y"}};
    static const double margins[] = {LEFT, RIGHT, TOP, BOTTOM};
    double bounds[2];
    for (int d = 0; d < 2; d++) {
        bool shown = s->bounds[d] >= s->ranges[d].least;
        bounds[d] = shown ? fmin(s->bounds[d], s->ranges[d].most) : s->ranges[d].least;
        plot_set_text(
            figure, names[d][0],
            plot_axis_label(figure, metric_table[s->columns[d]].label, s->scales[d].unit));
        plot_set_number(figure, names[d][1], s->ranges[d].least);
        plot_set_number(figure, names[d][2], s->ranges[d].most);
        plot_set_number(figure, names[d][3], s->ranges[d].log);
    }
    plot_set_numbers(figure, "bounds", bounds, 2);
    plot_set_numbers(figure, "margins", margins, 4);
}

int plot_pareto(const struct plot_source *source, const struct plot_wishes *wishes,
                struct plot_figure *figure, struct error *reterr) {
    struct pareto_session s = {.source = source};
    struct plot_style styles[PLOT_MOST_SERIES];
    if (source->sweep)
        return plot_not_possible(figure, "a sweep has no compare.csv");
    int r = bound_region_read(source, &figure->arena, &s.region, reterr);
    if (r < 0)
        return r;
    choose_columns(&s, wishes, figure);
    find_points(&s, figure);
    if (s.count < 2)
        return plot_not_possible(figure, "expected at least two policies with %s and %s, found %zu",
                                 summary_names[s.columns[0]], summary_names[s.columns[1]], s.count);
    find_region(&s, figure);
    r = find_ranges(&s, wishes->scale, figure);
    if (r != 0)
        return r;
    add_points(&s, &figure->data);
    add_bounds(&s, &figure->data);
    add_front(&s, &figure->data);
    name_same_points(&s, figure);
    for (size_t i = 0; i < s.count; i++)
        styles[i] = source->series.at[s.places[i]].style;
    plot_set_styles(figure, styles, s.count);
    plot_set_number(figure, "front", (double)s.on_front);
    set_axes(&s, figure);
    plot_note_replications(source, s.columns, 2, figure);
    set_pareto_names(&s, wishes, figure);
    return 0;
}

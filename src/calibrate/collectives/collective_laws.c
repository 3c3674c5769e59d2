/* Ring and tree: see collective_laws.h. A law is a straight line over the bytes, fitted by least
   squares of relative errors with Huber's weights. */
#include "calibrate/collectives/collective_laws.h"

#include <gsl/gsl_fit.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#define HUBER         1.345  /* 95 % as good as least squares where errors are normal */
#define NORMAL_MEDIAN 0.6745 /* of the absolute value, in standard deviations */
#define LEAST_SCALE   1e-6
#define MOST_ROUNDS   100
#define SETTLED       1e-12
#define NO_SIZE       (-1.0)

const char *const algorithm_names[ALGORITHMS] = {"tree", "ring"};

struct line {
    double at_zero_s, s_per_byte; /* both >= 0 */
};

/* Points of a line; work: room for the weights and errors. */
struct points {
    double *bytes, *time_s, *weights, *errors;
    size_t count;
};

/* ---- One line ---- */

static double line_time_s(const struct line *line, double bytes) {
    return line->at_zero_s + line->s_per_byte * bytes;
}

/* Of least squares with the weights; a negative part is 0 and the other one fitted again. */
static struct line weighted_line(const struct points *p) {
    double a, b, c00, c01, c11, squares;
    gsl_fit_wlinear(p->bytes, 1, p->weights, 1, p->time_s, 1, p->count, &a, &b, &c00, &c01, &c11,
                    &squares);
    if (!(b >= 0))
        return (struct line){gsl_stats_wmean(p->weights, 1, p->time_s, 1, p->count), 0};
    if (a >= 0)
        return (struct line){a, b};
    gsl_fit_wmul(p->bytes, 1, p->weights, 1, p->time_s, 1, p->count, &b, &c00, &squares);
    return (struct line){0, b};
}

static double median_of(double *values, size_t count) {
    gsl_sort(values, 1, count);
    return gsl_stats_median_from_sorted_data(values, 1, count);
}

/* Huber's weights of relative errors, divided by the squares of the times. */
static void reweigh(const struct points *p, const struct line *line) {
    for (size_t i = 0; i < p->count; i++)
        p->errors[i] = fabs(line_time_s(line, p->bytes[i]) / p->time_s[i] - 1);
    double scale = fmax(LEAST_SCALE, median_of(p->errors, p->count) / NORMAL_MEDIAN) * HUBER;
    for (size_t i = 0; i < p->count; i++) {
        double error = fabs(line_time_s(line, p->bytes[i]) / p->time_s[i] - 1);
        p->weights[i] = fmin(1, scale / error) / (p->time_s[i] * p->time_s[i]);
    }
}

static struct line robust_line(const struct points *p) {
    for (size_t i = 0; i < p->count; i++)
        p->weights[i] = 1 / (p->time_s[i] * p->time_s[i]);
    struct line line = weighted_line(p);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        const struct line before = line;
        reweigh(p, &line);
        line = weighted_line(p);
        if (fabs(line.at_zero_s - before.at_zero_s) <= SETTLED * before.at_zero_s &&
            fabs(line.s_per_byte - before.s_per_byte) <= SETTLED * before.s_per_byte)
            break;
    }
    return line;
}

/* ---- The faster of two lines ---- */

struct two_lines {
    struct line lines[ALGORITHMS]; /* equal: one law */
};

static double faster_s(const struct two_lines *two, double bytes) {
    return fmin(line_time_s(&two->lines[TREE], bytes), line_time_s(&two->lines[RING], bytes));
}

static double cost_of(const struct points *p, const struct two_lines *two) {
    double cost = 0;
    for (size_t i = 0; i < p->count; i++)
        cost += fabs(log(faster_s(two, p->bytes[i]) / p->time_s[i]));
    return cost;
}

static size_t size_count(const struct points *p) {
    size_t count = 0;
    for (size_t i = 0; i < p->count; i++)
        count += i == 0 || p->bytes[i] != p->bytes[i - 1];
    return count;
}

static struct points part_of(const struct points *p, size_t from, size_t to) {
    return (struct points){p->bytes + from, p->time_s + from, p->weights + from, p->errors + from,
                           to - from};
}

/* The tree is fitted to the sizes below a boundary, the ring to the others; of all boundaries, and
   of one line for all, the one of least absolute errors of logarithms. */
static struct two_lines fit_points(const struct points *p) {
    struct line all = robust_line(p);
    struct two_lines best = {{all, all}};
    double least = cost_of(p, &best);
    for (size_t i = 1; i < p->count; i++) {
        const struct points below = part_of(p, 0, i), above = part_of(p, i, p->count);
        if (p->bytes[i] == p->bytes[i - 1] || size_count(&below) < COLLECTIVE_LEAST_SIZES ||
            size_count(&above) < COLLECTIVE_LEAST_SIZES)
            continue;
        const struct two_lines two = {{robust_line(&below), robust_line(&above)}};
        bool cross = two.lines[TREE].at_zero_s < two.lines[RING].at_zero_s &&
                     two.lines[TREE].s_per_byte > two.lines[RING].s_per_byte;
        double cost = cost_of(p, &two);
        if (cross && cost < least) {
            least = cost;
            best = two;
        }
    }
    return best;
}

/* ---- Groups of rows ---- */

/* The rows of a fit but those of one size. */
static void take_points(struct points *p, const struct collective_row *rows, size_t count,
                        double without) {
    p->count = 0;
    for (size_t i = 0; i < count; i++)
        if (rows[i].bytes != without) {
            p->bytes[p->count] = rows[i].bytes;
            p->time_s[p->count++] = rows[i].time_s;
        }
}

double collective_moved(enum collective collective, uint32_t gpus) {
    double share = (gpus - 1.0) / gpus;
    return collective == ALL_REDUCE ? 2 * share : collective == SEND_RECV ? 1 : share;
}

/* A ring passes on what each GPU has; a tree halves the GPUs each step; all-reduce: twice. */
static uint32_t step_count(const struct collective_row *of, enum collective_algorithm algorithm) {
    uint32_t steps = 0;
    if (of->collective == SEND_RECV)
        return 1;
    if (algorithm == RING)
        steps = of->gpus - 1;
    else
        while (steps < 32 && (uint64_t)1 << steps < of->gpus)
            steps++;
    return of->collective == ALL_REDUCE ? 2 * steps : steps;
}

static struct collective_law law_of(const struct collective_row *of, const struct line *line,
                                    enum collective_algorithm algorithm) {
    uint32_t steps = step_count(of, algorithm);
    double moved = collective_moved(of->collective, of->gpus);
    return (struct collective_law){steps, line->at_zero_s / steps, moved / line->s_per_byte};
}

double collective_time_s(const struct collective_fit *fit, const struct collective_row *of,
                         double bytes) {
    double least = INFINITY;
    for (int a = fit->has_tree ? TREE : RING; a < ALGORITHMS; a++) {
        const struct collective_law *law = &fit->laws[a];
        double moved = collective_moved(of->collective, of->gpus) * bytes;
        least = fmin(least, law->steps * law->alpha_s + moved / law->bytes_s);
    }
    return least;
}

/* Each size predicted without it; fewer sizes than two laws or one would need are not left out. */
static void leave_out(struct collective_fit *fit, const struct collective_row *rows,
                      struct collective_error *errors, struct points *p) {
    struct two_lines two = {0};
    for (size_t i = 0; i < fit->count; i++) {
        errors[i].left_out = NAN;
        if (fit->sizes <= COLLECTIVE_LEAST_SIZES)
            continue;
        if (i == 0 || rows[i].bytes != rows[i - 1].bytes) {
            take_points(p, rows, fit->count, rows[i].bytes);
            two = fit_points(p);
        }
        errors[i].left_out = faster_s(&two, rows[i].bytes) / rows[i].time_s - 1;
    }
}

static void sum_up(struct collective_fit *fit, const struct collective_error *errors,
                   double *room) {
    for (size_t i = 0; i < fit->count; i++)
        room[i] = fabs(errors[i].error);
    fit->median_error = median_of(room, fit->count);
    fit->left_out_error = fit->most_left_out = NAN;
    if (fit->sizes <= COLLECTIVE_LEAST_SIZES)
        return;
    for (size_t i = 0; i < fit->count; i++)
        room[i] = fabs(errors[i].left_out);
    fit->left_out_error = median_of(room, fit->count);
    fit->most_left_out = room[fit->count - 1];
}

static void fit_group(struct collective_fit *fit, const struct collective_row *rows,
                      struct collective_error *errors, struct points *p) {
    take_points(p, rows, fit->count, NO_SIZE);
    const struct two_lines two = fit_points(p);
    fit->has_tree = two.lines[TREE].at_zero_s < two.lines[RING].at_zero_s;
    for (int a = 0; a < ALGORITHMS; a++)
        fit->laws[a] = law_of(rows, &two.lines[a], (enum collective_algorithm)a);
    for (size_t i = 0; i < fit->count; i++) {
        errors[i].predicted_s = faster_s(&two, rows[i].bytes);
        errors[i].error = errors[i].predicted_s / rows[i].time_s - 1;
    }
    leave_out(fit, rows, errors, p);
    sum_up(fit, errors, p->errors);
}

static bool same_group(const struct collective_row *a, const struct collective_row *b) {
    return a->gpu == b->gpu && a->collective == b->collective && a->gpus == b->gpus;
}

void collective_fit_all(struct collective_fits *fits, const struct collective_rows *rows) {
    size_t n = rows->rows.count;
    double *room = mem_zalloc(4 * n + 1, sizeof *room);
    struct points p = {room, room + n, room + 2 * n, room + 3 * n, 0};
    fits->errors = mem_zalloc(n + 1, sizeof *fits->errors);
    for (size_t first = 0, end; first < n; first = end) {
        const struct collective_row *group = &rows->rows.at[first];
        for (end = first + 1; end < n && same_group(group, &rows->rows.at[end]); end++)
            ;
        struct collective_fit fit = {.first = first, .count = end - first};
        take_points(&p, group, fit.count, NO_SIZE);
        fit.sizes = size_count(&p);
        if (fit.sizes >= COLLECTIVE_LEAST_SIZES) {
            fit_group(&fit, group, &fits->errors[first], &p);
            array_push(&fits->fits, fit);
            continue;
        }
        for (size_t i = first; i < end; i++)
            fits->errors[i] = (struct collective_error){NAN, NAN, NAN};
        array_push(&fits->too_few, fit);
    }
    free(room);
}

struct collective_sync collective_sync_of(const struct collective_fits *fits,
                                          const struct collective_rows *rows, const char *gpu,
                                          double bytes) {
    struct collective_sync sync = {0};
    double *room = mem_zalloc(4 * fits->fits.count + 1, sizeof *room);
    size_t n = fits->fits.count;
    struct points p = {room, room + n, room + 2 * n, room + 3 * n, 0};
    for (size_t f = 0; f < n; f++) {
        const struct collective_row *of = &rows->rows.at[fits->fits.at[f].first];
        if (of->gpu != gpu || of->collective != ALL_REDUCE)
            continue;
        p.bytes[p.count] = of->gpus - 2.0;
        p.time_s[p.count++] = collective_time_s(&fits->fits.at[f], of, bytes);
    }
    sync.points = p.count;
    if (p.count >= 2) {
        for (size_t i = 0; i < p.count; i++)
            p.weights[i] = 1 / (p.time_s[i] * p.time_s[i]);
        const struct line line = weighted_line(&p);
        sync.alpha_s = line.at_zero_s;
        sync.beta_s = line.s_per_byte;
        for (size_t i = 0; i < p.count; i++)
            sync.most_error =
                fmax(sync.most_error, fabs(line_time_s(&line, p.bytes[i]) / p.time_s[i] - 1));
    }
    free(room);
    return sync;
}

void collective_fits_finish(struct collective_fits *fits) {
    free(fits->fits.at);
    free(fits->too_few.at);
    free(fits->errors);
}

/* Fits by GSL's trust-region solver: see fit.h. */
#include "calibrate/fit.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_eigen.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ITERATIONS 200
#define MOST_REWEIGHTS  50
#define SAME_WEIGHT     1e-4
/* Huber's weights: rows within this many robust standard deviations count in full, others in
   inverse proportion to their distance (Huber, Robust Statistics, 1981, section 7). */
#define HUBER           1.345
#define LEAST_DEVIATION 1e-3 /* relative, of the speeds of equal systems */
#define TOLERANCE       1e-11
#define WARM_TOLERANCE  1e-7 /* of fits to part of the points: their predictions need no more */
#define INSIDE          5e-2 /* of a parameter's scale: how far from its bounds a fit starts */
/* Of an iteration's time, or of a GPU's power: below is the bound itself. */
#define ZERO 1e-8

/* ---- The problem as GSL sees it ---- */

struct problem {
    const struct points *points;
    const struct form *form;
    uint32_t left_out;
    size_t count; /* of free parameters */
    enum parameter free[PARAM_COUNT];
    size_t levels; /* coordinates behind those of the parameters: ln of the level of a round */
    uint32_t round_of_level[MOST_ROUNDS];
    uint32_t stands_for[MOST_ROUNDS]; /* the round whose level a round has */
};

#define NO_ROUND UINT32_MAX

static bool is_used(const struct problem *problem, const struct point *point) {
    return problem->left_out == NO_FOLD || point->fold != problem->left_out;
}

static bool has_power(const struct problem *problem, const struct point *point) {
    return problem->form->power != POWER_LAW_NONE && !isnan(point->power_w);
}

static int residuals_of(const struct problem *problem, const struct point *point) {
    return is_used(problem, point) ? 1 + has_power(problem, point) : 0;
}

static size_t residual_count(const struct problem *problem) {
    size_t n = 0;
    for (size_t i = 0; i < problem->points->at.count; i++)
        n += (size_t)residuals_of(problem, &problem->points->at.at[i]);
    return n;
}

static void settle_levels(struct problem *problem) {
    uint32_t rows[MOST_ROUNDS] = {0}, count = problem->points->round_count, older = NO_ROUND;
    for (size_t i = 0; i < problem->points->at.count; i++)
        rows[problem->points->at.at[i].round] += is_used(problem, &problem->points->at.at[i]);
    uint32_t reference = points_reference_round(problem->points, rows);
    for (uint32_t i = 0; i < count; i++) {
        if (rows[i] > 0)
            older = i;
        problem->stands_for[i] = older;
        if (rows[i] > 0 && i != reference)
            problem->round_of_level[problem->levels++] = i;
    }
    for (uint32_t i = count; i-- > 0;)
        if (problem->stands_for[i] == NO_ROUND)
            problem->stands_for[i] = problem->stands_for[i + 1];
}

static struct problem make_problem(const struct points *points, const struct form *form,
                                   uint32_t left_out) {
    struct problem problem = {.points = points, .form = form, .left_out = left_out};
    problem.count = form_parameters(form, problem.free);
    settle_levels(&problem);
    return problem;
}

static void decode_levels(const struct problem *problem, const gsl_vector *u,
                          double levels[static MOST_ROUNDS]) {
    for (uint32_t i = 0; i < problem->points->round_count; i++)
        levels[i] = 1;
    for (size_t j = 0; j < problem->levels; j++)
        levels[problem->round_of_level[j]] = exp(gsl_vector_get(u, problem->count + j));
    for (uint32_t i = 0; i < problem->points->round_count; i++)
        levels[i] = levels[problem->stands_for[i]];
}

static void decode_values(const struct problem *problem, const gsl_vector *u, struct fit *fit,
                          double slopes[static PARAM_COUNT]) {
    memset(fit, 0, sizeof *fit);
    for (size_t j = 0; j < problem->count; j++) {
        enum parameter p = problem->free[j];
        fit->values[p] = form_value(p, gsl_vector_get(u, j), fit->values[PARAM_P0], &slopes[j]);
    }
    form_settle(problem->form, fit->values);
    decode_levels(problem, u, fit->levels);
}

static void set_row(const struct problem *problem, gsl_matrix *jacobian, size_t row,
                    const double gradient[static PARAM_COUNT], double scale, const double *slopes) {
    for (size_t j = 0; j < problem->count; j++)
        gsl_matrix_set(jacobian, row, j,
                       gradient[problem->free[j]] * scale * (slopes ? slopes[j] : 1));
}

/* by_level: derivative by ln of the level of the point's round. */
static void set_levels(const struct problem *problem, gsl_matrix *jacobian, size_t row,
                       uint32_t round, double by_level) {
    for (size_t j = 0; j < problem->levels; j++)
        gsl_matrix_set(jacobian, row, problem->count + j,
                       problem->round_of_level[j] == round ? by_level : 0);
}

/* Residuals model/measured - 1. */
static void residuals(const struct problem *problem, const struct fit *fit, gsl_vector *f) {
    const struct power_params power = form_power(fit->values);
    size_t row = 0;
    for (size_t i = 0; i < problem->points->at.count; i++) {
        const struct point *point = &problem->points->at.at[i];
        if (!is_used(problem, point))
            continue;
        double rate = fit->levels[point->round] *
                      speed_rate(1, point->at.batch, form_iteration_s(fit->values, point->at));
        gsl_vector_set(f, row++, rate / point->rate - 1);
        if (has_power(problem, point))
            gsl_vector_set(f, row++,
                           power_training_w(&power, fit->values[PARAM_C], rate, INFINITY) /
                                   point->power_w -
                               1);
    }
}

/* Their derivatives, by coordinate, or by parameter if slopes is NULL. */
static void derivatives(const struct problem *problem, const struct fit *fit, const double *slopes,
                        gsl_matrix *jacobian) {
    double gradient[PARAM_COUNT], watts_gradient[PARAM_COUNT];
    const double *values = fit->values;
    size_t row = 0;
    for (size_t i = 0; i < problem->points->at.count; i++) {
        const struct point *point = &problem->points->at.at[i];
        if (!is_used(problem, point))
            continue;
        double level = fit->levels[point->round],
               rate = level * form_rate(values, point->at, gradient);
        for (int p = 0; p < PARAM_COUNT; p++)
            gradient[p] *= level;
        set_levels(problem, jacobian, row, point->round, rate / point->rate);
        set_row(problem, jacobian, row++, gradient, 1 / point->rate, slopes);
        if (!has_power(problem, point))
            continue;
        form_watts(values, rate, gradient, watts_gradient);
        double dynamic_w = (values[PARAM_PMAX] - values[PARAM_P0]) * values[PARAM_C] * rate;
        set_levels(problem, jacobian, row, point->round, dynamic_w / point->power_w);
        set_row(problem, jacobian, row++, watts_gradient, 1 / point->power_w, slopes);
    }
}

static int all_finite(const double *at, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!isfinite(at[i]))
            return GSL_EBADFUNC;
    return GSL_SUCCESS;
}

static int evaluate_residuals(const gsl_vector *u, void *data, gsl_vector *f) {
    struct fit fit;
    double slopes[PARAM_COUNT];
    decode_values(data, u, &fit, slopes);
    residuals(data, &fit, f);
    return all_finite(f->data, f->size);
}

static int differentiate_residuals(const gsl_vector *u, void *data, gsl_matrix *jacobian) {
    struct fit fit;
    double slopes[PARAM_COUNT];
    decode_values(data, u, &fit, slopes);
    derivatives(data, &fit, slopes, jacobian);
    return all_finite(jacobian->data, jacobian->size1 * jacobian->size2);
}

/* ---- One fit ---- */

/* A start of the n-th kind, from the fastest time of an iteration and of a sample. */
static void start_values(const struct problem *problem, size_t n,
                         double values[static PARAM_COUNT]) {
    static const struct {
        double floor, per_sample, gamma, sync, sync_gamma, exponent, p0;
    } kinds[] = {{0.5, 0.9, 1.2, 0.02, 1.5, 0.02, 0.9},
                 {0.9, 0.9, 3, 0.1, 3, 0.1, 0.5},
                 {0.1, 1, 1.5, 0.3, 1.2, 0.3, 0.7},
                 {0.95, 0.6, 6, 0.01, 5, 0.05, 0.3}};
    double iteration_s = INFINITY, sample_s = INFINITY, least_w = INFINITY, most_w = 0;
    for (size_t i = 0; i < problem->points->at.count; i++) {
        const struct point *point = &problem->points->at.at[i];
        if (!is_used(problem, point))
            continue;
        iteration_s = fmin(iteration_s, point->at.batch / point->rate / fmax(1, point->at.steps));
        sample_s = fmin(sample_s, 1 / point->rate);
        least_w = fmin(least_w, point->power_w);
        most_w = fmax(most_w, point->power_w);
    }
    values[PARAM_A] = kinds[n].floor * iteration_s;
    values[PARAM_C] = kinds[n].per_sample * sample_s;
    values[PARAM_GAMMA] = kinds[n].gamma;
    values[PARAM_ALPHA] = values[PARAM_ALPHA_INTER] = kinds[n].sync * iteration_s;
    values[PARAM_BETA] = values[PARAM_BETA_INTER] = 0.1 * kinds[n].sync * iteration_s;
    values[PARAM_SYNC_GAMMA] = kinds[n].sync_gamma;
    values[PARAM_EXPONENT] = kinds[n].exponent;
    values[PARAM_P0] = kinds[n].p0 * least_w;
    values[PARAM_PMAX] = 1.02 * most_w;
}
enum { START_KINDS = 4 };

/* What a parameter is measured in: a change by this much is a large one. */
static double scale_of(const struct problem *problem, enum parameter p,
                       const double values[static PARAM_COUNT]) {
    const struct point *first = &problem->points->at.at[0];
    switch (p) {
    case PARAM_GAMMA:
    case PARAM_SYNC_GAMMA:
    case PARAM_EXPONENT:
        return 1;
    case PARAM_C:
        return values[PARAM_C];
    case PARAM_P0:
    case PARAM_PMAX:
        return values[PARAM_P0];
    default:
        return first->at.batch / first->rate;
    }
}

/* A bound of zero is only approached; what is as good as there gets there. */
static void snap_values(const struct problem *problem, double values[static PARAM_COUNT]) {
    for (size_t j = 0; j < problem->count; j++) {
        enum parameter p = problem->free[j];
        double above = p == PARAM_PMAX ? values[p] - values[PARAM_P0] : values[p];
        bool from_zero =
            p == PARAM_PMAX || (p >= PARAM_ALPHA && p <= PARAM_BETA_INTER) || p == PARAM_EXPONENT;
        if (from_zero && above < ZERO * scale_of(problem, p, values))
            values[p] = p == PARAM_PMAX ? values[PARAM_P0] : 0;
        else if (p == PARAM_A && above < ZERO * scale_of(problem, p, values))
            values[p] = FLOOR_NONE_S;
    }
    form_settle(problem->form, values);
}

/* Weights of the residuals by their distance; the largest change of one. */
static double reweight(const gsl_vector *f, gsl_vector *weights) {
    double *sizes = mem_alloc(f->size * sizeof *sizes), change = 0;
    for (size_t i = 0; i < f->size; i++)
        sizes[i] = fabs(gsl_vector_get(f, i));
    gsl_sort(sizes, 1, f->size);
    double deviation = 1.4826 * gsl_stats_median_from_sorted_data(sizes, 1, f->size);
    double most = HUBER * fmax(LEAST_DEVIATION, deviation);
    for (size_t i = 0; i < f->size; i++) {
        double weight = fmin(1, most / fabs(gsl_vector_get(f, i)));
        change = fmax(change, fabs(weight - gsl_vector_get(weights, i)));
        gsl_vector_set(weights, i, weight);
    }
    free(sizes);
    return change;
}

/* Least squares; reweighted: again and again with new weights until they stay. */
static bool solve_weighted(struct problem *problem, gsl_multifit_nlinear_workspace *work,
                           double tolerance, bool reweighted, gsl_vector *u, struct fit *fit) {
    gsl_multifit_nlinear_fdf system = {.f = evaluate_residuals,
                                       .df = differentiate_residuals,
                                       .n = work->f->size,
                                       .p = problem->count + problem->levels,
                                       .params = problem};
    double slopes[PARAM_COUNT];
    bool done = false;
    gsl_vector *weights = gsl_vector_alloc(system.n), *f = gsl_vector_alloc(system.n);
    gsl_vector_set_all(weights, 1);
    for (int i = 0; i < (reweighted ? MOST_REWEIGHTS : 1) && !done; i++) {
        int info = 0;
        if (gsl_multifit_nlinear_winit(u, reweighted ? weights : NULL, &system, work) !=
            GSL_SUCCESS)
            break;
        /* A stop for lack of progress is as good as convergence: the cost tells which start was
         * best. */
        (void)gsl_multifit_nlinear_driver(MOST_ITERATIONS, tolerance, tolerance, 0, NULL, NULL,
                                          &info, work);
        gsl_vector_memcpy(u, gsl_multifit_nlinear_position(work));
        decode_values(problem, u, fit, slopes);
        residuals(problem, fit, f);
        done = !reweighted || reweight(f, weights) < SAME_WEIGHT || i == MOST_REWEIGHTS - 1;
    }
    for (size_t i = 0; i < system.n && done; i++) {
        double left = gsl_vector_get(f, i);
        fit->cost += reweighted ? fabs(left) : left * left / 2;
    }
    gsl_vector_free(f);
    gsl_vector_free(weights);
    return done && isfinite(fit->cost);
}

static bool solve_fit(struct problem *problem, gsl_multifit_nlinear_workspace *work,
                      double tolerance, bool reweighted, const struct fit *start, struct fit *fit) {
    gsl_vector *u = gsl_vector_alloc(problem->count + problem->levels);
    for (size_t j = 0; j < problem->count; j++)
        gsl_vector_set(u, j, form_coordinate(problem->free[j], start->values));
    for (size_t j = 0; j < problem->levels; j++)
        gsl_vector_set(u, problem->count + j, log(start->levels[problem->round_of_level[j]]));
    bool solved = solve_weighted(problem, work, tolerance, reweighted, u, fit);
    if (solved)
        snap_values(problem, fit->values);
    gsl_vector_free(u);
    return solved;
}

/* At a bound a coordinate has no slope and could not leave it: moves a start inside. */
static void move_inside(const struct problem *problem, double values[static PARAM_COUNT]) {
    for (size_t j = 0; j < problem->count; j++) {
        enum parameter p = problem->free[j];
        if (p == PARAM_GAMMA || p == PARAM_SYNC_GAMMA)
            values[p] = fmin(fmax(values[p], GAMMA_LEAST + INSIDE), GAMMA_MOST - INSIDE);
        else if (p == PARAM_EXPONENT)
            values[p] = fmin(fmax(values[p], INSIDE), 1 - INSIDE);
        else if (p == PARAM_PMAX)
            values[p] = fmax(values[p], (1 + INSIDE) * values[PARAM_P0]);
        else
            values[p] = fmax(values[p], INSIDE * scale_of(problem, p, values));
    }
}

bool fit_form(const struct points *points, const struct form *form, uint32_t left_out,
              const struct fit *from, struct fit *fit) {
    struct problem q = make_problem(points, form, left_out);
    size_t n = residual_count(&q), coordinates = q.count + q.levels;
    if (n < coordinates)
        return false;
    gsl_multifit_nlinear_parameters options = gsl_multifit_nlinear_default_parameters();
    gsl_multifit_nlinear_workspace *work =
        gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &options, n, coordinates);
    bool found = false;
    for (size_t i = 0; i < (from ? 1 : START_KINDS); i++) {
        struct fit start = {0}, one;
        for (size_t j = 0; j < MOST_ROUNDS; j++)
            start.levels[j] = 1;
        if (from)
            start = *from;
        else
            start_values(&q, i, start.values);
        move_inside(&q, start.values);
        bool once = from && points->by_size;
        if (solve_fit(&q, work, from ? WARM_TOLERANCE : TOLERANCE, once, &start, &one) &&
            (!found || one.cost < fit->cost)) {
            *fit = one;
            found = true;
        }
    }
    if (found && !from && points->by_size) {
        struct fit start = *fit;
        move_inside(&q, start.values);
        found = solve_fit(&q, work, TOLERANCE, true, &start, fit);
    }
    gsl_multifit_nlinear_free(work);
    return found;
}

/* ---- Covariance ---- */

#define FLAT 1e-6 /* root mean square change of the residuals by a large change of a parameter */
#define SINGULAR \
    1e-13 /* of the least to the largest eigenvalue of the normal matrix with unit columns */

/* Residual variance of throughput (0) and power (1), with parameters shared in proportion. */
static void variances(const struct problem *problem, const gsl_vector *f,
                      double variance[static 2]) {
    double sums[2] = {0};
    size_t counts[2] = {0}, row = 0;
    for (size_t i = 0; i < problem->points->at.count; i++)
        for (int kind = 0; kind < residuals_of(problem, &problem->points->at.at[i]);
             kind++, row++) {
            sums[kind] += gsl_vector_get(f, row) * gsl_vector_get(f, row);
            counts[kind]++;
        }
    size_t coordinates = problem->count + problem->levels;
    double left = f->size > coordinates ? (double)(f->size - coordinates) : NAN;
    for (int kind = 0; kind < 2; kind++)
        variance[kind] =
            counts[kind] > 0 ? sums[kind] / (double)counts[kind] * (double)f->size / left : 0;
}

/* bread = J'J and meat = J' diag(variance) J with columns scaled to unit length. */
static void normal_matrices(const struct problem *problem, const gsl_matrix *jacobian,
                            const double variance[static 2], gsl_matrix *bread, gsl_matrix *meat) {
    size_t row = 0;
    for (size_t i = 0; i < problem->points->at.count; i++)
        for (int kind = 0; kind < residuals_of(problem, &problem->points->at.at[i]); kind++, row++)
            for (size_t a = 0; a < problem->count; a++)
                for (size_t b = 0; b < problem->count; b++) {
                    double product =
                        gsl_matrix_get(jacobian, row, a) * gsl_matrix_get(jacobian, row, b);
                    *gsl_matrix_ptr(bread, a, b) += product;
                    *gsl_matrix_ptr(meat, a, b) += variance[kind] * product;
                }
}

/* Inverse of a symmetric matrix in place, leaving out the directions that it maps to nothing. */
static void invert_matrix(gsl_matrix *matrix, struct covariance *covariance) {
    size_t n = covariance->count;
    gsl_vector *values = gsl_vector_alloc(n);
    gsl_matrix *vectors = gsl_matrix_alloc(n, n);
    gsl_eigen_symmv_workspace *work = gsl_eigen_symmv_alloc(n);
    gsl_eigen_symmv(matrix, values, vectors, work);
    double largest = gsl_vector_max(values);
    gsl_matrix_set_zero(matrix);
    for (size_t e = 0; e < n; e++) {
        double value = gsl_vector_get(values, e);
        bool is_open = !(value > SINGULAR * largest);
        covariance->singular |= is_open;
        for (size_t a = 0; a < n; a++) {
            double part = gsl_matrix_get(vectors, a, e);
            covariance->open[a] |= is_open && fabs(part) > 0.1;
            for (size_t b = 0; b < n && !is_open; b++)
                *gsl_matrix_ptr(matrix, a, b) += part * gsl_matrix_get(vectors, b, e) / value;
        }
    }
    gsl_eigen_symmv_free(work);
    gsl_matrix_free(vectors);
    gsl_vector_free(values);
}

static double sandwich_element(const gsl_matrix *bread, const gsl_matrix *meat, size_t a,
                               size_t b) {
    double sum = 0;
    for (size_t i = 0; i < meat->size1; i++)
        for (size_t j = 0; j < meat->size2; j++)
            sum += gsl_matrix_get(bread, a, i) * gsl_matrix_get(meat, i, j) *
                   gsl_matrix_get(bread, j, b);
    return sum;
}

/* From the excess of pmax_w over p0_w, which was fitted, to pmax_w. */
static void add_p0_to_pmax(struct covariance *covariance) {
    size_t last = covariance->count - 1;
    if (covariance->free[last] != PARAM_PMAX)
        return;
    for (size_t j = 0; j < covariance->count; j++)
        covariance->matrix[last][j] += covariance->matrix[last - 1][j];
    for (size_t i = 0; i < covariance->count; i++)
        covariance->matrix[i][last] += covariance->matrix[i][last - 1];
}

/* The problem at a fit, linearised: residuals and their derivatives, rows by the root of their
   weights. */
struct linear {
    gsl_vector *f;
    gsl_matrix *jacobian;
    gsl_matrix_view parameters; /* the columns of the parameters of the form */
};

static void finish_linear(struct linear *linear) {
    gsl_vector_free(linear->f);
    gsl_matrix_free(linear->jacobian);
}

/* Of what the levels of the rounds leave (Frisch and Waugh 1933): their columns, of which no two
   have a row in common, are taken out of the others. */
static void take_out_levels(const struct problem *problem, gsl_matrix *jacobian) {
    for (size_t l = 0; l < problem->levels; l++) {
        gsl_vector_view level = gsl_matrix_column(jacobian, problem->count + l);
        double length = gsl_blas_dnrm2(&level.vector), along;
        gsl_vector_scale(&level.vector, 1 / length);
        for (size_t j = 0; j < problem->count; j++) {
            gsl_vector_view column = gsl_matrix_column(jacobian, j);
            gsl_blas_ddot(&level.vector, &column.vector, &along);
            gsl_blas_daxpy(-along, &level.vector, &column.vector);
        }
    }
}

static struct linear make_linear(const struct problem *problem, const struct fit *fit) {
    size_t n = residual_count(problem);
    struct linear linear;
    linear.f = gsl_vector_alloc(n);
    linear.jacobian = gsl_matrix_calloc(n, problem->count + problem->levels);
    linear.parameters = gsl_matrix_submatrix(linear.jacobian, 0, 0, n, problem->count);
    residuals(problem, fit, linear.f);
    derivatives(problem, fit, NULL, linear.jacobian);
    if (problem->points->by_size) {
        gsl_vector *weights = gsl_vector_calloc(n);
        reweight(linear.f, weights);
        for (size_t i = 0; i < n; i++) {
            gsl_vector_view row = gsl_matrix_row(linear.jacobian, i);
            gsl_vector_scale(&row.vector, sqrt(gsl_vector_get(weights, i)));
            *gsl_vector_ptr(linear.f, i) *= sqrt(gsl_vector_get(weights, i));
        }
        gsl_vector_free(weights);
    }
    take_out_levels(problem, linear.jacobian);
    return linear;
}

/* Scales the columns of the parameters to unit length; flat ones become 0. */
static void scale_columns(const struct problem *problem, const struct fit *fit,
                          gsl_matrix *jacobian, double length[static PARAM_COUNT]) {
    for (size_t j = 0; j < problem->count; j++) {
        gsl_vector_view column = gsl_matrix_column(jacobian, j);
        length[j] = gsl_blas_dnrm2(&column.vector);
        bool flat = !(length[j] * scale_of(problem, problem->free[j], fit->values) >
                      FLAT * sqrt((double)jacobian->size1));
        gsl_vector_scale(&column.vector, flat ? 0 : 1 / length[j]);
    }
}

bool fit_leaves_open(const struct points *points, const struct form *form, uint32_t left_out,
                     const struct fit *fit) {
    struct problem q = make_problem(points, form, left_out);
    struct covariance c = {.count = q.count};
    double length[PARAM_COUNT];
    struct linear linear = make_linear(&q, fit);
    gsl_matrix *jacobian = &linear.parameters.matrix, *normal = gsl_matrix_calloc(q.count, q.count);
    scale_columns(&q, fit, jacobian, length);
    gsl_blas_dgemm(CblasTrans, CblasNoTrans, 1, jacobian, jacobian, 0, normal);
    invert_matrix(normal, &c);
    gsl_matrix_free(normal);
    finish_linear(&linear);
    return c.singular;
}

void fit_covariance(const struct points *points, const struct form *form, const struct fit *fit,
                    struct covariance *covariance) {
    struct problem q = make_problem(points, form, NO_FOLD);
    struct linear linear = make_linear(&q, fit);
    gsl_matrix *jacobian = &linear.parameters.matrix;
    memset(covariance, 0, sizeof *covariance);
    covariance->count = q.count;
    memcpy(covariance->free, q.free, sizeof q.free);
    gsl_matrix *bread = gsl_matrix_calloc(q.count, q.count),
               *meat = gsl_matrix_calloc(q.count, q.count);
    double variance[2], length[PARAM_COUNT];
    scale_columns(&q, fit, jacobian, length);
    variances(&q, linear.f, variance);
    normal_matrices(&q, jacobian, variance, bread, meat);
    invert_matrix(bread, covariance);
    for (size_t a = 0; a < q.count; a++)
        for (size_t b = 0; b < q.count; b++)
            covariance->matrix[a][b] =
                sandwich_element(bread, meat, a, b) / (length[a] * length[b]);
    add_p0_to_pmax(covariance);
    gsl_matrix_free(meat);
    gsl_matrix_free(bread);
    finish_linear(&linear);
}

double covariance_error(const struct covariance *covariance, size_t index) {
    return covariance->open[index] ? INFINITY : sqrt(covariance->matrix[index][index]);
}

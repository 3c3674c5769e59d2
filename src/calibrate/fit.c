/* Fits by GSL's trust-region solver: see fit.h. */
#include "calibrate/fit.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_eigen.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ITERATIONS 200
#define TOLERANCE       1e-11
#define WARM_TOLERANCE  1e-7 /* of fits to part of the points: their predictions need no more */
#define INSIDE          5e-2 /* of a parameter's scale: how far from its bounds a fit starts */
/* Of an iteration's time, or of a GPU's power: below is the bound itself. */
#define ZERO 1e-8

void points_of_group(struct points *points, const struct profile_group *group) {
    bool has_power = false; /* the configuration of the row */
    for (size_t i = 0; i < group->base_count; i++) {
        const struct profile_point *row = &group->rows[i];
        struct point *last = points->at.count > 0 ? &points->at.at[points->at.count - 1] : NULL;
        enum easim_span span = row->across_nodes ? EASIM_ACROSS_NODES : EASIM_ONE_NODE;
        bool known =
            last && last->at.k == row->k && last->at.batch == row->batch && last->at.span == span;
        if (!known) {
            points->configurations++;
            has_power = false;
        }
        points->power_configurations += !has_power && !isnan(row->power_w);
        has_power |= !isnan(row->power_w);
        array_push(&points->at, ((struct point){.at = {row->k, row->batch, span},
                                                .rate = row->throughput_samples_s / row->k,
                                                .power_w = row->power_w,
                                                .configuration = points->configurations - 1,
                                                .line = row->line}));
        points->powers += !isnan(row->power_w);
        points->one_node |= row->k > 1 && !row->across_nodes;
        points->across_nodes |= row->across_nodes;
    }
    points->folds = points->configurations;
}

void points_set_folds(struct points *points, size_t most_points) {
    size_t folds = most_points / points->at.count;
    folds = folds < 10 ? 10 : folds;
    points->folds = folds < points->configurations ? (uint32_t)folds : points->configurations;
}

void points_finish(struct points *points) {
    free(points->at.at);
}

/* ---- The problem as GSL sees it ---- */

struct problem {
    const struct points *points;
    const struct form *form;
    uint32_t left_out;
    size_t count; /* of free parameters */
    enum parameter free[PARAM_COUNT];
};

static bool is_used(const struct problem *problem, const struct point *point) {
    return problem->left_out == NO_FOLD ||
           point->configuration % problem->points->folds != problem->left_out;
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

static void decode_values(const struct problem *problem, const gsl_vector *u,
                          double values[static PARAM_COUNT], double slopes[static PARAM_COUNT]) {
    for (size_t j = 0; j < problem->count; j++) {
        enum parameter p = problem->free[j];
        values[p] = form_value(p, gsl_vector_get(u, j), values[PARAM_P0], &slopes[j]);
    }
    form_settle(problem->form, values);
}

static void set_row(const struct problem *problem, gsl_matrix *jacobian, size_t row,
                    const double gradient[static PARAM_COUNT], double scale, const double *slopes) {
    for (size_t j = 0; j < problem->count; j++)
        gsl_matrix_set(jacobian, row, j,
                       gradient[problem->free[j]] * scale * (slopes ? slopes[j] : 1));
}

/* Residuals model/measured - 1. */
static void residuals(const struct problem *problem, const double values[static PARAM_COUNT],
                      gsl_vector *f) {
    const struct speed_params speed = form_speed(values);
    const struct power_params power = form_power(values);
    size_t row = 0;
    for (size_t i = 0; i < problem->points->at.count; i++) {
        const struct point *point = &problem->points->at.at[i];
        if (!is_used(problem, point))
            continue;
        double iteration_s =
            speed_iteration_s(&speed, point->at.k, point->at.batch, 1 + point->at.span);
        double rate = speed_rate(1, point->at.batch, iteration_s);
        gsl_vector_set(f, row++, rate / point->rate - 1);
        if (has_power(problem, point))
            gsl_vector_set(
                f, row++, power_training_w(&power, speed.c_s, rate, INFINITY) / point->power_w - 1);
    }
}

/* Their derivatives, by coordinate, or by parameter if slopes is NULL. */
static void derivatives(const struct problem *problem, const double values[static PARAM_COUNT],
                        const double *slopes, gsl_matrix *jacobian) {
    double gradient[PARAM_COUNT], watts_gradient[PARAM_COUNT];
    size_t row = 0;
    for (size_t i = 0; i < problem->points->at.count; i++) {
        const struct point *point = &problem->points->at.at[i];
        if (!is_used(problem, point))
            continue;
        double rate = form_rate(values, point->at, gradient);
        set_row(problem, jacobian, row++, gradient, 1 / point->rate, slopes);
        if (!has_power(problem, point))
            continue;
        form_watts(values, rate, gradient, watts_gradient);
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
    double values[PARAM_COUNT] = {0}, slopes[PARAM_COUNT];
    decode_values(data, u, values, slopes);
    residuals(data, values, f);
    return all_finite(f->data, f->size);
}

static int differentiate_residuals(const gsl_vector *u, void *data, gsl_matrix *jacobian) {
    double values[PARAM_COUNT] = {0}, slopes[PARAM_COUNT];
    decode_values(data, u, values, slopes);
    derivatives(data, values, slopes, jacobian);
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
        iteration_s = fmin(iteration_s, point->at.batch / point->rate);
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

static bool solve_fit(struct problem *problem, gsl_multifit_nlinear_workspace *work,
                      double tolerance, const double start[static PARAM_COUNT], struct fit *fit) {
    size_t n = work->f->size;
    gsl_multifit_nlinear_fdf system = {.f = evaluate_residuals,
                                       .df = differentiate_residuals,
                                       .n = n,
                                       .p = problem->count,
                                       .params = problem};
    double coordinates[PARAM_COUNT], slopes[PARAM_COUNT];
    for (size_t j = 0; j < problem->count; j++)
        coordinates[j] = form_coordinate(problem->free[j], start);
    gsl_vector_view u = gsl_vector_view_array(coordinates, problem->count);
    int info = 0;
    if (gsl_multifit_nlinear_init(&u.vector, &system, work) != GSL_SUCCESS)
        return false;
    /* A stop for lack of progress is as good as convergence: the cost tells which start was best.
     */
    (void)gsl_multifit_nlinear_driver(MOST_ITERATIONS, tolerance, tolerance, 0, NULL, NULL, &info,
                                      work);
    const gsl_vector *f = gsl_multifit_nlinear_residual(work);
    memset(fit, 0, sizeof *fit);
    decode_values(problem, gsl_multifit_nlinear_position(work), fit->values, slopes);
    snap_values(problem, fit->values);
    for (size_t i = 0; i < n; i++)
        fit->cost += gsl_vector_get(f, i) * gsl_vector_get(f, i) / 2;
    return isfinite(fit->cost);
}

/* At a bound a coordinate has no slope, so that a start there could not leave it: moves it inside.
 */
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
    struct problem q = {.points = points, .form = form, .left_out = left_out};
    q.count = form_parameters(form, q.free);
    size_t n = residual_count(&q);
    if (n < q.count)
        return false;
    gsl_multifit_nlinear_parameters options = gsl_multifit_nlinear_default_parameters();
    gsl_multifit_nlinear_workspace *work =
        gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &options, n, q.count);
    bool found = false;
    for (size_t i = 0; i < (from ? 1 : START_KINDS); i++) {
        double start[PARAM_COUNT] = {0};
        struct fit one;
        if (from)
            memcpy(start, from->values, sizeof start);
        else
            start_values(&q, i, start);
        move_inside(&q, start);
        if (solve_fit(&q, work, from ? WARM_TOLERANCE : TOLERANCE, start, &one) &&
            (!found || one.cost < fit->cost)) {
            *fit = one;
            found = true;
        }
    }
    gsl_multifit_nlinear_free(work);
    return found;
}

/* ---- Covariance ---- */

#define FLAT 1e-6 /* root mean square change of the residuals by a large change of a parameter */
#define SINGULAR \
    1e-13 /* of the least to the largest eigenvalue of the normal matrix with unit columns */

/* Residual variance of throughput (0) and power (1), with the parameters shared out in proportion.
 */
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
    double left = f->size > problem->count ? (double)(f->size - problem->count) : NAN;
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

/* Derivatives by parameter with columns of unit length; flat ones become 0. */
static void unit_derivatives(const struct problem *problem, const double values[static PARAM_COUNT],
                             gsl_matrix *jacobian, double length[static PARAM_COUNT]) {
    derivatives(problem, values, NULL, jacobian);
    for (size_t j = 0; j < problem->count; j++) {
        gsl_vector_view column = gsl_matrix_column(jacobian, j);
        length[j] = gsl_blas_dnrm2(&column.vector);
        bool flat = !(length[j] * scale_of(problem, problem->free[j], values) >
                      FLAT * sqrt((double)jacobian->size1));
        gsl_vector_scale(&column.vector, flat ? 0 : 1 / length[j]);
    }
}

bool fit_leaves_open(const struct points *points, const struct form *form, uint32_t left_out,
                     const struct fit *fit) {
    struct problem q = {.points = points, .form = form, .left_out = left_out};
    struct covariance c = {0};
    double length[PARAM_COUNT];
    q.count = c.count = form_parameters(form, q.free);
    size_t n = residual_count(&q);
    gsl_matrix *jacobian = gsl_matrix_alloc(n, q.count),
               *normal = gsl_matrix_calloc(q.count, q.count);
    unit_derivatives(&q, fit->values, jacobian, length);
    gsl_blas_dgemm(CblasTrans, CblasNoTrans, 1, jacobian, jacobian, 0, normal);
    invert_matrix(normal, &c);
    gsl_matrix_free(normal);
    gsl_matrix_free(jacobian);
    return c.singular;
}

void fit_covariance(const struct points *points, const struct form *form, const struct fit *fit,
                    struct covariance *covariance) {
    struct problem q = {.points = points, .form = form, .left_out = NO_FOLD};
    memset(covariance, 0, sizeof *covariance);
    q.count = covariance->count = form_parameters(form, covariance->free);
    memcpy(q.free, covariance->free, sizeof q.free);
    size_t n = residual_count(&q);
    gsl_vector *f = gsl_vector_alloc(n);
    gsl_matrix *jacobian = gsl_matrix_alloc(n, q.count);
    gsl_matrix *bread = gsl_matrix_calloc(q.count, q.count),
               *meat = gsl_matrix_calloc(q.count, q.count);
    double variance[2], length[PARAM_COUNT];
    residuals(&q, fit->values, f);
    unit_derivatives(&q, fit->values, jacobian, length);
    variances(&q, f, variance);
    normal_matrices(&q, jacobian, variance, bread, meat);
    invert_matrix(bread, covariance);
    for (size_t a = 0; a < q.count; a++)
        for (size_t b = 0; b < q.count; b++)
            covariance->matrix[a][b] =
                sandwich_element(bread, meat, a, b) / (length[a] * length[b]);
    add_p0_to_pmax(covariance);
    gsl_matrix_free(meat);
    gsl_matrix_free(bread);
    gsl_matrix_free(jacobian);
    gsl_vector_free(f);
}

double covariance_error(const struct covariance *covariance, size_t index) {
    return covariance->open[index] ? INFINITY : sqrt(covariance->matrix[index][index]);
}

/* Least squares with bounds: see nonnegative.h. Columns are scaled to length 1, so that tolerances
   mean the same for all. */
#include "calibrate/metered/nonnegative.h"

#include "base/mem.h"

#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ENOUGH 1e-12 /* of a gradient, against the length of y that is explained */

/* ---- Marked rows and columns ---- */

/* Those with a mark, scaled, with their places; NULL without marks. */
static gsl_matrix *take_marked(const double *normal, size_t size, const bool *marked,
                               size_t *places) {
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        if (marked[i])
            places[count++] = i;
    gsl_matrix *m = count > 0 ? gsl_matrix_alloc(count, count) : NULL;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            size_t a = places[i], b = places[j];
            gsl_matrix_set(
                m, i, j, normal[a * size + b] / sqrt(normal[a * size + a] * normal[b * size + b]));
        }
    return m;
}

/* Solves the marked equations; of the others x becomes 0. */
static bool solve_marked(const double *normal, const double *right, size_t size, const bool *marked,
                         double *x) {
    size_t *places = mem_zalloc(size, sizeof *places);
    gsl_matrix *m = take_marked(normal, size, marked, places);
    bool good = true;
    memset(x, 0, size * sizeof *x);
    if (m) {
        gsl_vector *v = gsl_vector_alloc(m->size1);
        for (size_t i = 0; i < m->size1; i++)
            gsl_vector_set(v, i, right[places[i]] / sqrt(normal[places[i] * (size + 1)]));
        good = gsl_linalg_cholesky_decomp1(m) == 0 && gsl_linalg_cholesky_svx(m, v) == 0;
        for (size_t i = 0; i < m->size1 && good; i++)
            x[places[i]] = gsl_vector_get(v, i) / sqrt(normal[places[i] * (size + 1)]);
        gsl_vector_free(v);
        gsl_matrix_free(m);
    }
    free(places);
    return good;
}

bool nonnegative_inverse(const double *normal, size_t size, const bool *marked, double *inverse) {
    size_t *places = mem_zalloc(size, sizeof *places);
    gsl_matrix *m = take_marked(normal, size, marked, places);
    bool good = m && gsl_linalg_cholesky_decomp1(m) == 0 && gsl_linalg_cholesky_invert(m) == 0;
    memset(inverse, 0, size * size * sizeof *inverse);
    for (size_t i = 0; good && i < m->size1; i++)
        for (size_t j = 0; j < m->size1; j++) {
            size_t a = places[i], b = places[j];
            inverse[a * size + b] =
                gsl_matrix_get(m, i, j) / sqrt(normal[a * size + a] * normal[b * size + b]);
        }
    gsl_matrix_free(m);
    free(places);
    return good;
}

void nonnegative_regress(const double *normal, size_t size, size_t column, const bool *before,
                         double *weights, double *rest) {
    double left = normal[column * size + column];
    if (!solve_marked(normal, &normal[column * size], size, before, weights))
        memset(weights, 0, size * sizeof *weights);
    for (size_t i = 0; i < size; i++)
        left -= weights[i] * normal[column * size + i];
    *rest = fmax(0, left / normal[column * size + column]);
}

/* ---- The active set ---- */

/* The column at 0 that would lessen the error most, or size. */
static size_t best_to_free(const double *normal, const double *right, size_t size, const double *x,
                           const bool *free_now) {
    double most = 0, explained = 0;
    size_t best = size;
    for (size_t i = 0; i < size; i++)
        explained = fmax(explained, fabs(right[i]) / sqrt(normal[i * (size + 1)]));
    for (size_t i = 0; i < size; i++) {
        double gradient = right[i];
        for (size_t j = 0; j < size; j++)
            gradient -= normal[i * size + j] * x[j];
        gradient /= sqrt(normal[i * (size + 1)]);
        if (!free_now[i] && gradient > ENOUGH * explained && gradient > most) {
            most = gradient;
            best = i;
        }
    }
    return best;
}

/* Goes from x towards aim until a free parameter comes to 0, and holds it there. false: none
   does. */
static bool step_to_bound(double *x, const double *aim, bool *free_now, size_t size) {
    double part = 1;
    for (size_t i = 0; i < size; i++)
        if (free_now[i] && aim[i] <= 0)
            part = fmin(part, x[i] / (x[i] - aim[i]));
    bool held = false;
    for (size_t i = 0; i < size; i++) {
        bool meets = free_now[i] && aim[i] <= 0 && x[i] / (x[i] - aim[i]) <= part;
        x[i] += part * (aim[i] - x[i]);
        if (meets) {
            x[i] = 0;
            free_now[i] = false;
            held = true;
        }
    }
    return held;
}

bool nonnegative_solve(const double *normal, const double *right, size_t size, double *x,
                       bool *free_now) {
    double *aim = mem_zalloc(size, sizeof *aim);
    bool good = true;
    memset(x, 0, size * sizeof *x);
    memset(free_now, 0, size * sizeof *free_now);
    for (size_t steps = 0; steps < 3 * size + 1 && good; steps++) {
        size_t best = best_to_free(normal, right, size, x, free_now);
        if (best == size)
            break;
        free_now[best] = true;
        do
            good = solve_marked(normal, right, size, free_now, aim);
        while (good && step_to_bound(x, aim, free_now, size));
    }
    if (!good) {
        memset(x, 0, size * sizeof *x);
        memset(free_now, 0, size * sizeof *free_now);
    }
    free(aim);
    return good;
}

/* Fit of samples to the target: see convergence.h. With m0 and the growth g = 1/(phi + m0) given,
   ln S0 is a mean, so that a search in two dimensions, one inside the other, is left. */
#include "calibrate/convergence.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_min.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#define SIGNIFICANCE 0.05
#define SEARCH_STEPS \
    40 /* of a grid on which the least value is looked for before it is refined \
        */
#define MEND \
    (1 - 1e-7) /* where larger values of m0 are no better (one batch above it): the least */
#define BETWEEN        4    /* values of m0 tried from one batch to the next */
#define MOST_INTERVALS 64   /* of batches: of more, some are passed over */
#define SEARCH_EXACT   1e-9 /* relative */
#define LEAST_GROWTH \
    1e-4 /* of 1/most batch: below, S grows by less than this over the whole range */

const char *const convergence_parameter_names[] = {"samples_to_target", "m0", "phi"};

/* ---- Rows ---- */

ORDER_BY(compare_runs, struct target_run, ASC(global_batch) ASC(samples))

static void add_batch(struct target_runs *runs, size_t first, size_t end) {
    const struct target_run *at = runs->at.at;
    size_t n = end - first;
    struct target_batch batch = {.global_batch = at[first].global_batch, .rows = n};
    for (size_t i = first; i < end; i++)
        batch.mean_ln += log(at[i].samples) / (double)n;
    batch.samples = at[first + n / 2].samples;
    if (n % 2 == 0)
        batch.samples = (batch.samples + at[first + n / 2 - 1].samples) / 2;
    array_push(&runs->batches, batch);
}

void target_runs_gather(struct target_runs *runs) {
    size_t count = runs->at.count;
    sort_array(runs->at.at, count, compare_runs);
    for (size_t first = 0, end; first < count; first = end) {
        double most = runs->at.at[first].global_batch * BATCH_EQUAL;
        for (end = first + 1; end < count && runs->at.at[end].global_batch <= most; end++)
            continue;
        add_batch(runs, first, end);
    }
}

void target_runs_of_model(struct target_runs *runs, const struct profile_table *profile,
                          const char *model) {
    for (size_t i = 0; i < profile->rows.count; i++) {
        const struct profile_point *row = &profile->rows.at[i];
        if (row->model == model && !isnan(row->samples_to_target))
            array_push(&runs->at, ((struct target_run){.global_batch = row->k * row->batch,
                                                       .samples = row->samples_to_target}));
    }
    target_runs_gather(runs);
}

void target_runs_finish(struct target_runs *runs) {
    free(runs->at.at);
    free(runs->batches.at);
}

/* ---- Least squares ---- */

struct search {
    const struct target_runs *runs;
    double within; /* squares of ln S about the means of their batches: no curve changes them */
    double m0, growth, ln_samples;
};

static double squares_within(const struct target_runs *runs) {
    double squares = 0;
    for (size_t i = 0, b = 0; i < runs->at.count; i++) {
        while (runs->at.at[i].global_batch > runs->batches.at[b].global_batch * BATCH_EQUAL)
            b++;
        squares += pow(log(runs->at.at[i].samples) - runs->batches.at[b].mean_ln, 2);
    }
    return squares;
}

/* Sum of squared residuals of ln S at m0 and growth; sets ln_samples. */
static double squares_at(struct search *search, double growth) {
    const struct target_batch *at = search->runs->batches.at;
    double mean = 0, squares = search->within;
    for (size_t i = 0; i < search->runs->batches.count; i++)
        mean += (double)at[i].rows *
                (at[i].mean_ln - log1p(growth * fmax(0, at[i].global_batch - search->m0)));
    mean /= (double)search->runs->at.count;
    for (size_t i = 0; i < search->runs->batches.count; i++) {
        double left = at[i].mean_ln - log1p(growth * fmax(0, at[i].global_batch - search->m0));
        squares += (double)at[i].rows * (left - mean) * (left - mean);
    }
    search->growth = growth;
    search->ln_samples = mean;
    return squares;
}

/* Argument in [least, most] at which the function is least: the best of a grid, refined by Brent's
   method between its neighbours. */
static double least_argument(gsl_function *function, double least, double most) {
    double step = (most - least) / SEARCH_STEPS, best = least, value = GSL_FN_EVAL(function, least);
    for (int i = 1; i <= SEARCH_STEPS; i++) {
        double x = i == SEARCH_STEPS ? most : least + i * step, y = GSL_FN_EVAL(function, x);
        if (y < value) {
            value = y;
            best = x;
        }
    }
    double low = fmax(least, best - step), high = fmin(most, best + step);
    gsl_min_fminimizer *brent = gsl_min_fminimizer_alloc(gsl_min_fminimizer_brent);
    if (gsl_min_fminimizer_set(brent, function, best, low, high) == GSL_SUCCESS) {
        for (int i = 0; i < 100 && gsl_min_test_interval(low, high, 0, SEARCH_EXACT) != GSL_SUCCESS;
             i++) {
            if (gsl_min_fminimizer_iterate(brent) != GSL_SUCCESS)
                break;
            low = gsl_min_fminimizer_x_lower(brent);
            high = gsl_min_fminimizer_x_upper(brent);
        }
        best = gsl_min_fminimizer_x_minimum(brent);
    }
    gsl_min_fminimizer_free(brent);
    return best;
}

static double squares_by_ln_growth(double ln_growth, void *search) {
    return squares_at(search, exp(ln_growth));
}

/* The best growth at an m0: 0, or from hardly any up to that of phi = 0. */
static double squares_by_m0(double m0, void *data) {
    struct search *search = data;
    const struct target_run *last = &search->runs->at.at[search->runs->at.count - 1];
    gsl_function by_growth = {squares_by_ln_growth, search};
    search->m0 = m0;
    double flat = squares_at(search, 0);
    double least = log(LEAST_GROWTH / last->global_batch), most = log(1 / m0);
    double growth = exp(least_argument(&by_growth, least, most)),
           grown = squares_at(search, growth);
    /* Growth too small to be told from none is none. */
    return grown < flat && growth > 2 * exp(least) ? grown : squares_at(search, 0);
}

/* Number `step` of `steps`, from the least batch to the largest: equally many between each two. */
static double m0_step(const struct target_runs *runs, size_t step, size_t steps) {
    double at = (double)step / (double)steps * (double)(runs->batches.count - 1);
    size_t below = (size_t)at < runs->batches.count - 1 ? (size_t)at : runs->batches.count - 1;
    size_t above = below + 1 < runs->batches.count ? below + 1 : below;
    double low = runs->batches.at[below].global_batch, high = runs->batches.at[above].global_batch;
    return low + (at - (double)below) * (high - low);
}

/* The best m0: of a grid whose steps are batches and points between each two, and then between the
   neighbours of the best; between two batches the sum of squares is smooth. */
static double best_m0(struct search *search) {
    gsl_function by_m0 = {squares_by_m0, search};
    size_t between = search->runs->batches.count - 1, best = 0;
    size_t steps =
        between == 0 ? 0 : BETWEEN * (between < MOST_INTERVALS ? between : MOST_INTERVALS);
    double least = squares_by_m0(m0_step(search->runs, 0, 1), search);
    for (size_t i = 1; i <= steps; i++) {
        double squares = squares_by_m0(m0_step(search->runs, i, steps), search);
        if (squares < least * MEND) {
            least = squares;
            best = i;
        }
    }
    if (steps == 0)
        return search->runs->batches.at[0].global_batch;
    double at = m0_step(search->runs, best, steps);
    const size_t sides[] = {best > 0 ? best - 1 : 0, best < steps ? best + 1 : steps};
    for (int side = 0; side < 2; side++) {
        double edge = m0_step(search->runs, sides[side], steps);
        double found = least_argument(&by_m0, fmin(edge, at), fmax(edge, at));
        double squares = squares_by_m0(found, search);
        if (squares < least * MEND) {
            least = squares;
            at = found;
        }
    }
    return at;
}

static bool is_worse(double squares, double best_squares, size_t rows, size_t parameters) {
    if (rows <= parameters)
        return false;
    double left = (double)(rows - parameters);
    return (squares - best_squares) >
           best_squares / left * gsl_cdf_fdist_Qinv(SIGNIFICANCE, 1, left);
}

/* ---- Covariance ---- */

static size_t batches_above(const struct target_runs *runs, double m0) {
    size_t above = 0;
    for (size_t i = 0; i < runs->batches.count; i++)
        above += runs->batches.at[i].global_batch > m0 * BATCH_EQUAL;
    return above;
}

/* Of the parameters told, by the linearised model in their logarithms. With one batch above m0, m0
   and phi cannot be told apart: m0 is taken as known. */
static void add_covariance(struct convergence *c, const struct target_runs *runs, double squares) {
    enum convergence_parameter told[CONVERGENCE_ALL];
    const double *v = c->values;
    size_t count = 0;
    told[count++] = CONVERGENCE_SAMPLES;
    if (c->m0_told && batches_above(runs, v[CONVERGENCE_M0]) > 1)
        told[count++] = CONVERGENCE_M0;
    if (c->phi_told)
        told[count++] = CONVERGENCE_PHI;
    for (int a = 0; a < CONVERGENCE_ALL; a++)
        for (int b = 0; b < CONVERGENCE_ALL; b++)
            c->covariance[a][b] = NAN;
    c->deviation = NAN;
    if (runs->at.count <= count)
        return;
    double variance = squares / (double)(runs->at.count - count);
    c->deviation = sqrt(variance);
    gsl_matrix *normal = gsl_matrix_calloc(count, count);
    double m0 = v[CONVERGENCE_M0], phi = v[CONVERGENCE_PHI];
    for (size_t i = 0; i < runs->at.count; i++) {
        double batch = runs->at.at[i].global_batch;
        bool above = batch > m0;
        const double by[CONVERGENCE_ALL] = {1, above ? -m0 / (phi + m0) : 0,
                                            above ? phi / (phi + batch) - phi / (phi + m0) : 0};
        for (size_t a = 0; a < count; a++)
            for (size_t b = 0; b < count; b++)
                *gsl_matrix_ptr(normal, a, b) += by[told[a]] * by[told[b]];
    }
    if (gsl_linalg_cholesky_decomp1(normal) == GSL_SUCCESS &&
        gsl_linalg_cholesky_invert(normal) == GSL_SUCCESS)
        for (size_t a = 0; a < count; a++)
            for (size_t b = 0; b < count; b++)
                c->covariance[told[a]][told[b]] =
                    variance * gsl_matrix_get(normal, a, b) * v[told[a]] * v[told[b]];
    gsl_matrix_free(normal);
}

/* ---- The whole ---- */

struct convergence convergence_of(const struct target_runs *runs) {
    struct search search = {.runs = runs, .within = squares_within(runs)};
    struct convergence c = {0};
    double least_batch = runs->batches.at[0].global_batch, m0 = best_m0(&search);
    double best = squares_by_m0(m0, &search), at_least = squares_by_m0(least_batch, &search);
    c.m0_told = m0 > least_batch && is_worse(at_least, best, runs->at.count, CONVERGENCE_ALL);
    if (!c.m0_told)
        m0 = least_batch;
    double squares = squares_by_m0(m0, &search);
    c.phi_told = search.growth > 0;
    c.values[CONVERGENCE_SAMPLES] = exp(search.ln_samples);
    c.values[CONVERGENCE_M0] = m0;
    c.values[CONVERGENCE_PHI] = c.phi_told ? fmax(0, 1 / search.growth - m0) : PHI_MOST;
    add_covariance(&c, runs, squares);
    return c;
}

double convergence_samples(const struct convergence *c, double global_batch) {
    double m0 = c->values[CONVERGENCE_M0], phi = c->values[CONVERGENCE_PHI];
    return c->values[CONVERGENCE_SAMPLES] * fmax(1, (phi + global_batch) / (phi + m0));
}

double convergence_constant(const struct target_runs *runs) {
    double *medians = mem_alloc(runs->batches.count * sizeof *medians);
    for (size_t i = 0; i < runs->batches.count; i++)
        medians[i] = runs->batches.at[i].samples;
    gsl_sort(medians, 1, runs->batches.count);
    double median = gsl_stats_median_from_sorted_data(medians, 1, runs->batches.count);
    free(medians);
    return median;
}

/* At a batch, by the curve, or without one by the constant. */
static double relative_error(const struct convergence *curve, double constant, double global_batch,
                             double samples) {
    return fabs((curve ? convergence_samples(curve, global_batch) : constant) / samples - 1);
}

struct convergence_errors convergence_score(const struct convergence *curve,
                                            const struct target_runs *runs) {
    struct convergence_errors e = {0};
    double constant = curve ? NAN : convergence_constant(runs);
    for (size_t i = 0; i < runs->batches.count; i++) {
        const struct target_batch *b = &runs->batches.at[i];
        double error = relative_error(curve, constant, b->global_batch, b->samples);
        if (i == 0 || error > e.most) {
            e.most = error;
            e.worst_batch = b->global_batch;
        }
    }
    double *errors = mem_alloc(runs->at.count * sizeof *errors);
    for (size_t i = 0; i < runs->at.count; i++) {
        const struct target_run *run = &runs->at.at[i];
        errors[i] = relative_error(curve, constant, run->global_batch, run->samples);
    }
    gsl_sort(errors, 1, runs->at.count);
    e.row_median = gsl_stats_median_from_sorted_data(errors, 1, runs->at.count);
    free(errors);
    return e;
}

/* Fits of power to a meter: see power_fit.h. */
#include "calibrate/metered/power_fit.h"

#include "base/mem.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- nonnegative: columns are scaled to length 1, so that tolerances mean the same for all --- */

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

/* Column `column` as a combination of the columns that `before` marks: *rest becomes the share of
   its square that they leave (0..1) and weights[i] their factors, 0 of the others. */
static void nonnegative_regress(const double *normal, size_t size, size_t column,
                                const bool *before, double *weights, double *rest) {
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

/* Goes from x towards aim until a free parameter is 0, and holds it there. false: none. */
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

/* --- power_fit --- */

#define POWER_BLOCKS      12 /* parts of the time, for intervals */
#define POWER_LEAST_BLOCK 2  /* readings in each, else there are none */

#define DEPENDENT 1e-9 /* what others leave of a column that is their combination */
#define WEIGHT    1e-6 /* in a combination, against the column's own length: below is none */

/* A fit while it is made: the row of a reading, and sums over readings, of all and of each block,
   by parameter. */
struct making {
    struct power_fit *fit;
    const struct power_sums *sums; /* NULL: the fit adds up its readings */
    double *row, *normal, *right, *block_normal, *block_right;
};

static bool is_fitted(const struct power_fit *fit, size_t i) {
    return meter_reading_is_in(&fit->plan.load->at[i], fit->from_s, fit->to_s);
}

/* ---- Sums ---- */

/* Adds the readings that end up to to_s; floor_w is always the same. */
static void power_sums_add(struct power_sums *sums, const struct load *load, double to_s,
                           double floor_w) {
    const size_t columns = load->columns.count, bytes = sizeof *sums->normal;
    uint32_t *held = mem_alloc(columns * sizeof *held); /* columns that a reading has some of */
    sums->normal = sums->normal ? sums->normal : mem_zalloc(columns * columns, bytes);
    sums->right = sums->right ? sums->right : mem_zalloc(columns, bytes);
    for (size_t *i = &sums->readings; *i < load->readings && load->at[*i].end_s <= to_s; ++*i) {
        const double *row = load_row(load, *i), s = meter_reading_s(&load->at[*i]);
        size_t count = 0;
        for (uint32_t c = 0; c < columns; c++)
            if (row[c] != 0)
                held[count++] = c;
        for (size_t p = 0; p < count; p++) {
            sums->right[held[p]] += s * row[held[p]] * (load->at[*i].power_w - floor_w);
            for (size_t q = 0; q < count; q++)
                sums->normal[held[p] * columns + held[q]] += s * row[held[p]] * row[held[q]];
        }
    }
    free(held);
}

static void power_sums_finish(struct power_sums *sums) {
    free(sums->normal);
    free(sums->right);
}

/* Those of columns become those of the parameters that they have. */
static void take_normal(struct making *making) {
    const struct power_plan *plan = &making->fit->plan;
    const size_t columns = plan->load->columns.count;
    for (size_t c = 0; c < columns; c++)
        for (uint32_t p = 0; p < plan->columns[c].part_count; p++) {
            uint32_t part = plan->columns[c].parts[p];
            making->right[part] += making->sums->right[c];
            for (size_t d = 0; d < columns; d++)
                for (uint32_t q = 0; q < plan->columns[d].part_count; q++)
                    making->normal[part * plan->size + plan->columns[d].parts[q]] +=
                        making->sums->normal[c * columns + d];
        }
}

static void fill_row(struct making *making, size_t i) {
    const struct power_fit *fit = making->fit;
    const double *means = load_row(fit->plan.load, i);
    memset(making->row, 0, fit->plan.size * sizeof *making->row);
    for (size_t c = 0; c < fit->plan.load->columns.count; c++)
        for (uint32_t p = 0; p < fit->plan.columns[c].part_count; p++)
            making->row[fit->plan.columns[c].parts[p]] += means[c];
}

static void add_sums(struct making *making) {
    const struct load *load = making->fit->plan.load;
    if (making->sums) {
        making->fit->readings = making->sums->readings;
        memcpy(making->fit->plan.sums, making->sums->normal, /* with the constant, 1 */
               load->columns.count * sizeof *making->sums->normal);
        return;
    }
    for (size_t i = 0; i < load->readings; i++)
        if (is_fitted(making->fit, i)) {
            making->fit->readings++;
            for (size_t c = 0; c < load->columns.count; c++)
                making->fit->plan.sums[c] += meter_reading_s(&load->at[i]) * load_row(load, i)[c];
        }
}

static void add_normal(struct making *making) {
    const struct power_fit *fit = making->fit;
    size_t size = fit->plan.size, number = 0;
    for (size_t i = 0; i < fit->plan.load->readings; i++) {
        if (!is_fitted(fit, i))
            continue;
        size_t block = number++ * POWER_BLOCKS / fit->readings;
        double s = meter_reading_s(&fit->plan.load->at[i]),
               y = fit->plan.load->at[i].power_w - fit->floor_w;
        fill_row(making, i);
        for (size_t p = 0; p < size; p++) {
            making->block_right[block * size + p] += s * making->row[p] * y;
            for (size_t q = 0; q < size; q++)
                making->block_normal[(block * size + p) * size + q] +=
                    s * making->row[p] * making->row[q];
        }
    }
    for (size_t p = 0; p < POWER_BLOCKS * size; p++)
        making->right[p % size] += making->block_right[p];
    for (size_t p = 0; p < POWER_BLOCKS * size * size; p++)
        making->normal[p % (size * size)] += making->block_normal[p];
}

/* ---- What cannot be told apart ---- */

/* The only other parameter of the same kind that a dependent one is a multiple of, or LOAD_NONE. */
static uint32_t twin_of(const struct making *making, uint32_t part, const double *weights) {
    const struct power_fit *fit = making->fit;
    uint32_t own = power_plan_column(&fit->plan, part), twin = LOAD_NONE;
    size_t size = fit->plan.size;
    for (uint32_t p = 0; p < part; p++) {
        double length = fabs(weights[p]) *
                        sqrt(making->normal[p * (size + 1)] / making->normal[part * (size + 1)]);
        if (length < WEIGHT)
            continue;
        if (twin != LOAD_NONE)
            return LOAD_NONE;
        twin = p;
    }
    uint32_t other = twin == LOAD_NONE ? LOAD_NONE : power_plan_column(&fit->plan, twin);
    bool same = own != LOAD_NONE && other != LOAD_NONE &&
                fit->plan.load->columns.at[own].kind == fit->plan.load->columns.at[other].kind;
    return same ? twin : LOAD_NONE;
}

/* Puts a parameter that is a combination of earlier ones away: as its twin, or at 0. Whether one
   was. */
static bool drop_dependent(struct making *making) {
    struct power_fit *fit = making->fit;
    double *weights = mem_zalloc(fit->plan.size, sizeof *weights), rest = 1;
    bool *before = mem_zalloc(fit->plan.size, sizeof *before);
    bool found = false;
    for (uint32_t p = 1; p < fit->plan.size && !found; p++) {
        before[p - 1] = true;
        nonnegative_regress(making->normal, fit->plan.size, p, before, weights, &rest);
        if (rest > DEPENDENT)
            continue;
        uint32_t twin = twin_of(making, p, weights), own = power_plan_column(&fit->plan, p);
        found = true;
        if (twin != LOAD_NONE)
            power_plan_take(&fit->plan, own, power_plan_column(&fit->plan, twin));
        power_plan_drop(&fit->plan, p, twin);
    }
    free(weights);
    free(before);
    return found;
}

static void find_rest(struct making *making) {
    struct power_fit *fit = making->fit;
    double *weights = mem_zalloc(fit->plan.size, sizeof *weights), of_constant;
    bool *others = mem_zalloc(fit->plan.size, sizeof *others);
    others[0] = true;
    for (uint32_t p = 0; p < fit->plan.size; p++) {
        nonnegative_regress(making->normal, fit->plan.size, p, others, weights, &of_constant);
        for (uint32_t q = 0; q < fit->plan.size; q++)
            others[q] = q != p;
        nonnegative_regress(making->normal, fit->plan.size, p, others, weights, &fit->rest[p]);
        if (p > 0)
            fit->rest[p] = of_constant > 0 ? fit->rest[p] / of_constant : 0;
        for (uint32_t q = 0; q < fit->plan.size; q++)
            others[q] = q == 0;
    }
    free(weights);
    free(others);
}

/* ---- Intervals ---- */

/* Errors of readings near in time are alike, so the time is cut into blocks that are less so, and
   each is left out in turn: covariance = (B - 1) / B x the sum over blocks of the squares of what
   that changes (the jackknife of clusters, CV3 in MacKinnon, Nielsen and Webb 2023), and Student's
   t with B - 1 degrees of freedom. Parameters that are held stay so. */
static void add_block(struct making *making, size_t block, double *normal, double *inverse) {
    struct power_fit *fit = making->fit;
    size_t size = fit->plan.size;
    const double *own = &making->block_normal[block * size * size];
    for (size_t p = 0; p < size * size; p++)
        normal[p] = making->normal[p] - own[p];
    for (size_t p = 0; p < size; p++)
        making->row[p] = -fit->x[p];
    if (!nonnegative_inverse(normal, size, fit->free, inverse)) {
        fit->has_intervals = false;
        return;
    }
    for (size_t p = 0; p < size * size; p++)
        making->row[p / size] +=
            inverse[p] * (making->right[p % size] - making->block_right[block * size + p % size]);
    for (size_t p = 0; p < size * size; p++)
        fit->covariance[p] +=
            making->row[p / size] * making->row[p % size] * (POWER_BLOCKS - 1.0) / POWER_BLOCKS;
}

static void add_covariance(struct making *making) {
    struct power_fit *fit = making->fit;
    size_t size = fit->plan.size;
    double *normal = mem_zalloc(size * size, sizeof *normal);
    double *inverse = mem_zalloc(size * size, sizeof *inverse);
    fit->has_intervals = fit->readings >= POWER_LEAST_BLOCK * POWER_BLOCKS;
    for (size_t b = 0; b < POWER_BLOCKS && fit->has_intervals; b++)
        add_block(making, b, normal, inverse);
    free(normal);
    free(inverse);
}

/* ---- The whole ---- */

/* Where use is never recorded in the time of the fit, but later, or the other way round. */
static void set_values(struct power_fit *fit) {
    struct power_plan *plan = &fit->plan;
    for (size_t c = 0; c < plan->load->columns.count; c++) {
        struct power_column *column = &plan->columns[c];
        column->value = c == 0 ? fit->floor_w : 0;
        for (uint32_t p = 0; p < column->part_count; p++)
            column->value += fit->x[column->parts[p]];
    }
    for (uint32_t c = 0; c < plan->load->columns.count; c++) {
        const struct load_column *column = &plan->load->columns.at[c];
        if (column->kind == LOAD_UNRECORDED && plan->columns[c].part_count == 0 &&
            !isnan(plan->recorded_use))
            plan->columns[c].value =
                plan->recorded_use *
                plan->columns[load_find(plan->load, LOAD_USE, column->type, 0)].value;
    }
}

static int solve_power(struct making *making, struct error *reterr) {
    struct power_fit *fit = making->fit;
    do {
        size_t size = fit->plan.size;
        memset(making->normal, 0, size * size * sizeof *making->normal);
        memset(making->right, 0, size * sizeof *making->right);
        memset(making->block_normal, 0, POWER_BLOCKS * size * size * sizeof *making->block_normal);
        memset(making->block_right, 0, POWER_BLOCKS * size * sizeof *making->block_right);
        if (making->sums)
            take_normal(making);
        else
            add_normal(making);
    } while (drop_dependent(making));
    if (!nonnegative_solve(making->normal, making->right, fit->plan.size, fit->x, fit->free))
        return error_set(reterr, ERROR_RUN, "no fit: the powers depend on each other to rounding");
    set_values(fit);
    if (making->sums)
        return 0;
    find_rest(making);
    add_covariance(making);
    return 0;
}

int power_fit_make(struct power_fit *fit, const struct load *load, enum power_detail detail,
                   const struct power_span *span, struct error *reterr) {
    size_t columns = load->columns.count;
    struct arena scratch = {0};
    *fit = (struct power_fit){.plan = {.load = load, .detail = detail},
                              .from_s = span->from_s,
                              .to_s = span->to_s,
                              .floor_w = span->floor_w};
    fit->plan.sums = arena_alloc(&fit->arena, columns * sizeof *fit->plan.sums);
    fit->plan.columns = arena_alloc(&fit->arena, columns * sizeof *fit->plan.columns);
    struct making making = {.fit = fit, .sums = span->sums};
    add_sums(&making);
    power_plan_make(&fit->plan);
    size_t size = fit->plan.size;
    int r = fit->readings > size
                ? 0
                : error_set(reterr, ERROR_RUN,
                            "expected more than %zu readings to fit %zu powers to, got %zu", size,
                            size, fit->readings);
    making.row = arena_alloc(&scratch, size * sizeof *making.row);
    making.normal = arena_alloc(&scratch, size * size * sizeof *making.normal);
    making.right = arena_alloc(&scratch, size * sizeof *making.right);
    making.block_normal =
        arena_alloc(&scratch, POWER_BLOCKS * size * size * sizeof *making.block_normal);
    making.block_right = arena_alloc(&scratch, POWER_BLOCKS * size * sizeof *making.block_right);
    fit->x = arena_alloc(&fit->arena, size * sizeof *fit->x);
    fit->free = arena_alloc(&fit->arena, size * sizeof *fit->free);
    fit->rest = arena_alloc(&fit->arena, size * sizeof *fit->rest);
    fit->covariance = arena_alloc(&fit->arena, size * size * sizeof *fit->covariance);
    if (r == 0)
        r = solve_power(&making, reterr);
    arena_finish(&scratch);
    return r;
}

void power_fit_finish(struct power_fit *fit) {
    arena_finish(&fit->arena);
}

double power_fit_predict(const struct power_fit *fit, size_t i) {
    const double *means = load_row(fit->plan.load, i);
    double power_w = 0;
    for (size_t c = 0; c < fit->plan.load->columns.count; c++)
        power_w += means[c] * fit->plan.columns[c].value;
    return power_w;
}

struct power_value power_fit_value(const struct power_fit *fit, const double *factors) {
    size_t size = fit->plan.size;
    double *weights = mem_zalloc(size, sizeof *weights), variance = 0;
    struct power_value v = {0, NAN, NAN};
    for (size_t c = 0; c < fit->plan.load->columns.count; c++) {
        v.value += factors[c] * fit->plan.columns[c].value;
        for (uint32_t p = 0; p < fit->plan.columns[c].part_count; p++)
            weights[fit->plan.columns[c].parts[p]] += factors[c];
    }
    for (size_t p = 0; p < size * size; p++)
        variance += weights[p / size] * weights[p % size] * fit->covariance[p];
    if (fit->has_intervals && variance > 0) {
        double half = gsl_cdf_tdist_Pinv(0.975, POWER_BLOCKS - 1) * sqrt(variance);
        v.low = v.value - half;
        v.high = v.value + half;
    }
    free(weights);
    return v;
}

/* --- power_windows --- */

/* Predicts the readings of the window, up to `end`, from all before it. false: they are too few. */
static bool predict_window(const struct load *load, enum power_detail detail,
                           const struct power_span *before, size_t end, double *predicted_w) {
    struct power_fit fit;
    bool made = power_fit_make(&fit, load, detail, before, NULL) == 0;
    for (size_t i = before->sums->readings; i < end && made; i++)
        predicted_w[i] = power_fit_predict(&fit, i);
    power_fit_finish(&fit);
    return made;
}

void power_windows_make(struct power_windows *windows, const struct load *load, double length_s,
                        double floor_w) {
    *windows = (struct power_windows){.predicted_w = mem_alloc(load->readings * sizeof(double))};
    double *count_w = mem_alloc(load->readings * sizeof *count_w), *full_w = windows->predicted_w;
    struct power_sums sums = {0};
    for (size_t i = 0; i < load->readings; i++)
        full_w[i] = count_w[i] = NAN;
    double first_s = load->at[0].begin_s, last_s = load->at[load->readings - 1].end_s;
    for (size_t n = 1; first_s + (double)n * length_s < last_s; n++) {
        struct power_window w = {.from_s = first_s + (double)n * length_s,
                                 .to_s = first_s + (double)(n + 1) * length_s};
        const struct power_span before = {-INFINITY, w.from_s, floor_w, &sums};
        power_sums_add(&sums, load, w.from_s, floor_w);
        size_t first = sums.readings, end = first;
        while (end < load->readings && load->at[end].end_s <= w.to_s)
            end++;
        const struct meter_curves full = {&load->at[first], &full_w[first], end - first},
                                  count = {&load->at[first], &count_w[first], end - first};
        w.fitted = predict_window(load, POWER_COUNT, &before, end, count_w) &&
                   predict_window(load, POWER_FULL, &before, end, full_w);
        w.full = meter_errors_between(&full, w.from_s, w.to_s);
        w.count = meter_errors_between(&count, w.from_s, w.to_s);
        array_push(&windows->at, w);
    }
    power_sums_finish(&sums);
    free(count_w);
}

void power_windows_finish(struct power_windows *windows) {
    free(windows->at.at);
    free(windows->predicted_w);
}

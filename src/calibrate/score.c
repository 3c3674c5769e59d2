/* Predictions and errors: see score.h. */
#include "calibrate/score.h"
#include "base/sort_doubles.h"
#include "model/laws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const quantity_names[] = {"throughput", "power", "energy_per_sample"};

double score_error(const struct point *point, const struct prediction *prediction,
                   enum quantity quantity) {
    if (quantity == THROUGHPUT)
        return fabs(prediction->rate / point->rate - 1);
    if (quantity == POWER)
        return fabs(prediction->power_w / point->power_w - 1);
    return fabs(prediction->power_w / prediction->rate / (point->power_w / point->rate) - 1);
}

struct scores score_all(const struct points *points, const struct prediction *predictions) {
    struct scores s = {0};
    for (int q = 0; q < QUANTITIES; q++) {
        for (size_t i = 0; i < points->at.count; i++) {
            double error = score_error(&points->at.at[i], &predictions[i], (enum quantity)q);
            if (!isnan(error)) {
                s.mape[q] += error;
                s.points[q]++;
            }
        }
        s.mape[q] = s.points[q] > 0 ? s.mape[q] / (double)s.points[q] : NAN;
    }
    return s;
}

/* ---- By size ---- */

struct sized_error {
    uint32_t k;
    double error;
};

ORDER_BY(compare_sized, struct sized_error, ASC(k) ASC(error))

size_t score_sizes(const struct points *points, const struct prediction *predictions,
                   enum quantity quantity, struct size_score **ret_sizes) {
    struct sized_error *errors = mem_alloc(points->at.count * sizeof *errors);
    ARRAY_OF(struct size_score) sizes = {0};
    size_t count = 0;
    for (size_t i = 0; i < points->at.count; i++) {
        double error = score_error(&points->at.at[i], &predictions[i], quantity);
        if (!isnan(error))
            errors[count++] = (struct sized_error){points->at.at[i].at.k, error};
    }
    sort_array(errors, count, compare_sized);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && errors[end].k == errors[first].k; end++)
            continue;
        size_t n = end - first, middle = first + n / 2;
        double median =
            n % 2 ? errors[middle].error : (errors[middle - 1].error + errors[middle].error) / 2;
        array_push(&sizes, ((struct size_score){errors[first].k, n, median}));
    }
    free(errors);
    *ret_sizes = sizes.at;
    return sizes.count;
}

double score_mean(const struct points *points, const struct prediction *predictions,
                  enum quantity quantity) {
    if (!points->by_size)
        return score_all(points, predictions).mape[quantity];
    struct size_score *sizes;
    size_t count = score_sizes(points, predictions, quantity, &sizes);
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += sizes[i].median;
    free(sizes);
    return count > 0 ? sum / (double)count : NAN;
}

/* Both predict the same points. */
static struct score_comparison compare_by_size(const struct points *points, enum quantity quantity,
                                               const struct prediction *a,
                                               const struct prediction *b) {
    struct size_score *of_a, *of_b;
    size_t count = score_sizes(points, a, quantity, &of_a);
    double mean = 0, squares = 0, n = (double)count;
    (void)score_sizes(points, b, quantity, &of_b);
    for (size_t i = 0; i < count; i++)
        mean += (of_a[i].median - of_b[i].median) / n;
    for (size_t i = 0; i < count; i++)
        squares += pow(of_a[i].median - of_b[i].median - mean, 2);
    free(of_a);
    free(of_b);
    return (struct score_comparison){mean, count > 1 ? sqrt(squares / (n - 1) / n) : 0};
}

/* ---- Point by point ---- */

static double difference_at(const struct points *points, size_t i, enum quantity quantity,
                            const struct prediction *a, const struct prediction *b) {
    const struct point *point = &points->at.at[i];
    double d = score_error(point, &a[i], quantity) - score_error(point, &b[i], quantity);
    return isnan(d) ? 0 : d;
}

struct score_comparison score_compare(const struct points *points, enum quantity quantity,
                                      const struct prediction *a, const struct prediction *b) {
    double n = 0, units = 0, mean = 0, squares = 0;
    if (points->by_size)
        return compare_by_size(points, quantity, a, b);
    for (size_t i = 0; i < points->at.count; i++) {
        n += !isnan(score_error(&points->at.at[i], &a[i], quantity));
        mean += difference_at(points, i, quantity, a, b);
    }
    mean /= n;
    for (size_t i = 0; i < points->at.count;) {
        uint32_t configuration = points->at.at[i].configuration;
        double sum = 0;
        for (; i < points->at.count && points->at.at[i].configuration == configuration; i++)
            if (!isnan(score_error(&points->at.at[i], &a[i], quantity)))
                sum += difference_at(points, i, quantity, a, b) - mean;
        squares += sum * sum;
        units++;
    }
    double spread = units > 1 ? sqrt(squares * units / (units - 1)) / n : 0;
    return (struct score_comparison){mean, spread};
}

/* ---- Forms ---- */

struct prediction predict_by_form(const struct form *form, const struct fit *fit, struct place at,
                                  double level) {
    const struct power_params power = form_power(fit->values);
    double rate = level * speed_rate(1, at.batch, form_iteration_s(fit->values, at));
    double metered = form->power == POWER_LAW_FLOOR ? rate / level : rate;
    return (struct prediction){
        rate, form->power == POWER_LAW_NONE
                  ? NAN
                  : power_training_w(&power, fit->values[PARAM_C], metered, INFINITY)};
}

void predict_in_sample(const struct points *points, const struct form *form, const struct fit *fit,
                       struct prediction *predictions) {
    for (size_t i = 0; i < points->at.count; i++)
        predictions[i] =
            predict_by_form(form, fit, points->at.at[i].at, fit->levels[points->at.at[i].round]);
}

bool predict_left_out(const struct points *points, const struct form *form, const struct fit *fit,
                      struct prediction *predictions) {
    bool settled = !fit_leaves_open(points, form, NO_FOLD, fit);
    for (size_t i = 0; i < points->at.count; i++)
        predictions[i] = (struct prediction){NAN, NAN};
    for (uint32_t fold = 0; fold < points->folds; fold++) {
        struct fit rest;
        if (!fit_form(points, form, fold, fit, &rest) ||
            (settled && fit_leaves_open(points, form, fold, &rest)))
            return false;
        for (size_t i = 0; i < points->at.count; i++)
            if (points->at.at[i].fold == fold)
                predictions[i] = predict_by_form(form, &rest, points->at.at[i].at,
                                                 rest.levels[points->at.at[i].round]);
    }
    return true;
}

/* --- table --- */

/* ---- Levels ---- */

#define MOST_SWEEPS 10000
#define SAME_LEVEL  1e-13

static double ln_rate(const struct point *point) {
    return log(point->rate);
}

/* One sweep of the two factors in turn (Gauss and Seidel); the largest change of a level. */
static double sweep_levels(const struct points *points, uint32_t reference,
                           double *ln_configuration, double *ln_level) {
    double sums[MOST_ROUNDS] = {0}, change = 0;
    for (size_t i = 0; i < points->at.count;) {
        uint32_t c = points->at.at[i].configuration;
        double sum = 0, n = 0;
        for (; i < points->at.count && points->at.at[i].configuration == c; i++, n++)
            sum += ln_rate(&points->at.at[i]) - ln_level[points->at.at[i].round];
        ln_configuration[c] = sum / n;
    }
    for (size_t i = 0; i < points->at.count; i++)
        sums[points->at.at[i].round] +=
            ln_rate(&points->at.at[i]) - ln_configuration[points->at.at[i].configuration];
    for (uint32_t r = 0; r < points->round_count; r++) {
        double now =
            r != reference && points->round_rows[r] > 0 ? sums[r] / points->round_rows[r] : 0;
        change = fmax(change, fabs(now - ln_level[r]));
        ln_level[r] = now;
    }
    return change;
}

void table_levels(const struct points *points, double levels[static MOST_ROUNDS]) {
    double *ln_configuration = mem_zalloc(points->configurations, sizeof *ln_configuration);
    double ln_level[MOST_ROUNDS] = {0};
    uint32_t reference = points_reference_round(points, points->round_rows);
    for (int i = 0; i < MOST_SWEEPS && points->round_count > 1; i++)
        if (sweep_levels(points, reference, ln_configuration, ln_level) < SAME_LEVEL)
            break;
    for (uint32_t r = 0; r < MOST_ROUNDS; r++)
        levels[r] = exp(ln_level[r]);
    free(ln_configuration);
}

/* ---- Tables ---- */

void table_of_points(const struct points *points, const double levels[static MOST_ROUNDS],
                     uint32_t left_out, struct interpolation *table) {
    *table =
        (struct interpolation){.points = mem_zalloc(points->configurations, sizeof *table->points)};
    for (size_t i = 0; i < points->at.count;) {
        const struct point *first = &points->at.at[i];
        double rate = 0, power_w = 0, n = 0, powers = 0;
        for (; i < points->at.count && points->at.at[i].configuration == first->configuration;
             i++, n++) {
            const struct point *point = &points->at.at[i];
            rate += point->rate / levels[point->round];
            power_w += isnan(point->power_w) ? 0 : point->power_w;
            powers += !isnan(point->power_w);
        }
        if (left_out != NO_FOLD && first->fold == left_out)
            continue;
        table->points[table->count++] =
            (struct interpolation_point){.k = first->at.k,
                                         .batch = first->at.batch,
                                         .throughput_samples_s = rate / n * first->at.k,
                                         .power_w_per_gpu = powers > 0 ? power_w / powers : NAN,
                                         .across_nodes = first->at.span == EASIM_ACROSS_NODES};
    }
    (void)interpolation_sort(table); /* each place stands there once */
}

struct prediction table_predict(const struct interpolation *table, struct place at) {
    struct interpolation_value value;
    if (!interpolation_find(table, at.k, at.batch, at.span, &value))
        return (struct prediction){NAN, NAN};
    return (struct prediction){speed_rate(1, at.batch, value.iteration_s), value.power_w};
}

void table_predict_left_out(const struct points *points, const double levels[static MOST_ROUNDS],
                            struct prediction *predictions) {
    for (size_t i = 0; i < points->at.count; i++)
        predictions[i] = (struct prediction){NAN, NAN};
    for (uint32_t fold = 0; fold < points->folds; fold++) {
        struct interpolation rest;
        table_of_points(points, levels, fold, &rest);
        for (size_t i = 0; i < points->at.count; i++) {
            const struct point *point = &points->at.at[i];
            if (point->fold != fold)
                continue;
            predictions[i] = table_predict(&rest, point->at);
            predictions[i].rate *= levels[point->round];
        }
        free(rest.points);
    }
}

/* --- limit_fit --- */

#define STEPS 100 /* of s and m in 1 */

/* Draw by a law, as a share of P. */
static double draw_of(const struct limit_law *law, const struct limit_row *row) {
    return fmin(1, fmax(row->limit_w / row->most_w, limit_law_least(law)));
}

static double error_of(double predicted, double measured) {
    return fabs(log(predicted / measured));
}

static bool is_of(const struct limit_row *row, const char *gpu) {
    return row->fitted && (!gpu || strcmp(row->gpu, gpu) == 0);
}

/* The law of the rows of a GPU type without those at a limit; 0: of all. */
static struct limit_law find_law(const struct limit_fits *fits, const char *gpu, double but_w) {
    struct limit_law best = {.evidence = 0};
    double least = INFINITY;
    for (int s = 0; s <= (int)(0.9 * STEPS); s++)
        for (int m = 0; m <= STEPS; m++) {
            struct limit_law law = {.s = (double)s / STEPS, .m = (double)m / STEPS};
            double sum = 0;
            for (size_t i = 0; i < fits->rows.count && sum < least; i++) {
                const struct limit_row *row = &fits->rows.at[i];
                if (!is_of(row, gpu) || row->limit_w == but_w)
                    continue;
                sum += error_of(limit_law_speed(&law, draw_of(&law, row)), row->speed);
            }
            if (sum < least) {
                least = sum;
                best = law;
            }
        }
    return best;
}

/* Marks what is fitted, and counts it. */
static void count_rows(const struct limit_fits *fits, struct limit_fit *fit) {
    uint32_t last = UINT32_MAX;
    fit->from_w = INFINITY;
    for (size_t i = 0; i < fits->rows.count; i++) {
        struct limit_row *row = &fits->rows.at[i];
        if (strcmp(row->gpu, fit->gpu) != 0 || row->limit_w >= fit->highest_w ||
            row->limit_w < LIMIT_FIT_FROM * fit->highest_w)
            continue;
        bool known = false;
        for (size_t j = 0; j < i; j++)
            known = known || (is_of(&fits->rows.at[j], fit->gpu) &&
                              fits->rows.at[j].limit_w == row->limit_w);
        row->fitted = true;
        fit->limits += !known;
        fit->rows++;
        fit->curves += row->curve != last;
        last = row->curve;
        fit->from_w = fmin(fit->from_w, row->limit_w);
        fit->to_w = fmax(fit->to_w, row->limit_w);
        fit->evidence = row->evidence > fit->evidence ? row->evidence : fit->evidence;
    }
}

static void find_law_errors(struct limit_fits *fits, const struct limit_fit *fit,
                            const struct limit_law *law, double limit_w) {
    for (size_t i = 0; i < fits->rows.count; i++) {
        struct limit_row *row = &fits->rows.at[i];
        double draw = draw_of(law, row);
        if (!is_of(row, fit->gpu) || row->limit_w != limit_w)
            continue;
        row->error[LIMIT_LAW_SPEED] = error_of(limit_law_speed(law, draw), row->speed);
        row->error[LIMIT_LAW_DRAW] = error_of(draw, row->draw);
    }
}

/* Of an inner limit of the curve [begin, end), by the table of its others and no limit at the end.
 */
static void find_table_errors(const struct limit_fits *fits, size_t begin, size_t end,
                              double highest_w) {
    struct limit_point *points = mem_alloc((end - begin) * sizeof *points);
    for (size_t i = begin + 1; i < end; i++) {
        struct limit_row *row = &fits->rows.at[i];
        size_t count = 0;
        for (size_t j = begin; j < end; j++)
            if (j != i)
                points[count++] = (struct limit_point){
                    fits->rows.at[j].limit_w, fits->rows.at[j].draw, fits->rows.at[j].speed};
        points[count++] = (struct limit_point){isnan(row->top_w) ? highest_w : row->top_w, 1, 1};
        limit_table_settle(points, count);
        const struct limit_point at = limit_table_at(points, count, row->limit_w);
        row->error[LIMIT_TABLE_SPEED] = error_of(at.speed, row->speed);
        row->error[LIMIT_TABLE_DRAW] = error_of(at.draw, row->draw);
    }
    free(points);
}

static void find_errors(struct limit_fits *fits, const struct limit_fit *fit) {
    size_t begin = 0;
    for (size_t i = 0; i < fits->rows.count; i++) {
        struct limit_row *row = &fits->rows.at[i];
        begin = row->curve == fits->rows.at[begin].curve ? begin : i;
        bool last = i + 1 == fits->rows.count || row[1].curve != row->curve;
        if (last && strcmp(row->gpu, fit->gpu) == 0)
            find_table_errors(fits, begin, i + 1, fit->highest_w);
        if (!is_of(row, fit->gpu))
            continue;
        row->error[LIMIT_SHARE_SPEED] = error_of(fmin(1, row->limit_w / row->most_w), row->speed);
        row->error[LIMIT_FITTED_SPEED] =
            error_of(limit_law_speed(&fit->law, draw_of(&fit->law, row)), row->speed);
        if (fit->limits > 2 && isnan(row->error[LIMIT_LAW_SPEED])) {
            const struct limit_law law = find_law(fits, fit->gpu, row->limit_w);
            find_law_errors(fits, fit, &law, row->limit_w);
        }
    }
}

int limit_fits_make(struct limit_fits *fits, const char *path, struct problems *problems) {
    size_t before = problems->count;
    for (size_t i = 0; i < fits->rows.count; i++)
        for (int e = 0; e < LIMIT_ERRORS; e++)
            fits->rows.at[i].error[e] = NAN;
    if (fits->rows.count == 0)
        problems_add(problems, (struct location){.file = path}, NULL,
                     "expected rows with a power limit below the highest, got none");
    for (size_t f = 0; f < fits->fits.count; f++) {
        struct limit_fit *fit = &fits->fits.at[f];
        count_rows(fits, fit);
        if (fit->limits == 1 || (fit->limits == 0 && fits->fits.count == 1 && fits->rows.count > 0))
            problems_add(problems, (struct location){.file = path}, NULL,
                         "expected at least 2 power limits of %s from %g W (0.4 of the highest) to "
                         "below %g W, got %zu",
                         fit->gpu, LIMIT_FIT_FROM * fit->highest_w, fit->highest_w, fit->limits);
        if (fit->limits > 1 && problems->count == before) {
            fit->law = find_law(fits, fit->gpu, 0);
            find_errors(fits, fit);
        }
    }
    return problems->count > before ? ERROR_INPUT : 0;
}

struct limit_error_sizes limit_error_sizes_of(const struct limit_fits *fits, const char *gpu,
                                              enum limit_error error) {
    struct limit_error_sizes sizes = {0, NAN, NAN};
    double *errors = mem_alloc((fits->rows.count + 1) * sizeof *errors);
    for (size_t i = 0; i < fits->rows.count; i++)
        if (is_of(&fits->rows.at[i], gpu) && !isnan(fits->rows.at[i].error[error]))
            errors[sizes.count++] = fits->rows.at[i].error[error];
    if (sizes.count > 0) {
        sort_doubles(errors, sizes.count);
        sizes.median = (errors[(sizes.count - 1) / 2] + errors[sizes.count / 2]) / 2;
        sizes.most_of_90 = errors[(size_t)ceil(0.9 * (double)sizes.count) - 1];
    }
    free(errors);
    return sizes;
}

void limit_fits_finish(struct limit_fits *fits) {
    free(fits->rows.at);
    free(fits->fits.at);
    arena_finish(&fits->arena);
}
